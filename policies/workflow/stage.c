/*
 * stage.c -- a workflow enters a stage: what it lent is taken back as far as the stage
 * needs it, its tasks start, and what the stage leaves is lent.
 *
 * Cost: O(parts x borrowers) to take back; O(units waiting x parts) to lend.
 * Source: the patent application, paragraphs 64 to 119.
 */
#include "workflow/state.h"

#include "lib/util.h"

static struct reservation_amount *add(struct reservation_amount *a, const struct reservation_amount *b, int64_t sign)
{
    a->cpu_milli += sign * b->cpu_milli;
    a->gpu_milli += sign * b->gpu_milli;
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) a->licence[k] += sign * b->licence[k];
    return a;
}

/* ---- loans ---- */

/* As the host is told it; borrows the licences. */
static struct pol_amount told(const struct reservation_amount *a)
{
    return (struct pol_amount){ a->cpu_milli, a->gpu_milli, a->licence };
}

static struct reservation_amount loan_amount(const struct wf_policy *p, const struct wf_loan *l)
{
    return reservation_amount(&p->sched.plan, &l->take);
}

void wf_plan_borrower(struct wf_policy *p, const struct wf_loan *l, int sign)
{
    struct plan *plan = &p->sched.plan;
    struct pol_shape rest = plan->shape[l->take.shape];
    uint64_t cards = l->cards;
    if (l->from != NULL) {
        rest.cpu_milli -= l->take.sum.cpu;
        rest.mem_b -= l->take.sum.mem;
        for (int k = 0; k < POL_ENGINES_MAX; k++) rest.engine[k] -= l->take.sum.engine[k];
        cards &= ~l->take.cards;
    }
    /* Tasks that ask no cores or no memory are counted by the plan alone, which is not told when this one ends. */
    const uint32_t n_no_cpu = plan->node[l->node].n_no_cpu, n_no_mem = plan->node[l->node].n_no_mem;
    if (sign > 0) plan_allocate(plan, l->node, &rest, cards);
    else plan_release(plan, l->node, &rest, cards);
    plan->node[l->node].n_no_cpu = n_no_cpu;
    plan->node[l->node].n_no_mem = n_no_mem;
}

/* Where `idle` changes with it. */
static uint32_t loan_node(const struct wf_loan *l) { return l->part == POL_NONE ? POL_NONE : l->node; }

static void count_loan(struct wf_policy *p, const struct wf_loan *l, int sign)
{
    struct wf *w = l->from;
    struct reservation_amount a = loan_amount(p, l);
    w->is_counted = false;
    reservation_move(&w->reservation, &p->sched.plan, WF_LENT, l->part, &l->take, sign);
    for (int d = 0; d < WF_DIMS; d++) w->lent[l->group * WF_DIMS + (uint32_t)d] += sign * *reservation_dim(&a, d);
}

void wf_loan_end(struct wf_policy *p, uint32_t slot)
{
    struct wf_loan *l = &p->loan[slot];
    struct wf *w = l->from;
    count_loan(p, l, -1);
    w->grew = true;
    if (l->prev != POL_NONE) p->loan[l->prev].next = l->next;
    else w->first_loan = l->next;
    if (l->next != POL_NONE) p->loan[l->next].prev = l->prev;
    l->from = NULL;
}

/* ---- reclaim ---- */

/* The first resource that is short, and by how much: what each group is to give back is measured in it. */
static int short_dim(const struct wf *w, uint32_t part, int64_t *by)
{
    const struct reservation *r = &w->reservation;
    struct reservation_amount over = { 0 };
    if (part == POL_NONE) {
        for (int k = 0; k < PLAN_LICENCES_MAX; k++)
            over.licence[k] = r->licence[WF_NEED][k] + r->licence[WF_LENT][k] - r->licence[WF_KEPT][k];
    } else {
        const struct reservation_part *o = &r->part[part];
        over.cpu_milli = o->sum[WF_NEED].cpu + o->sum[WF_LENT].cpu - o->sum[WF_KEPT].cpu;
        over.gpu_milli = reservation_short_cards(r, part, UINT64_MAX);
    }
    for (int d = 0; d < WF_DIMS; d++)
        if (*reservation_dim(&over, d) > 0) { *by = *reservation_dim(&over, d); return d; }
    *by = 0;
    return 0;
}

/* What the loan would give back of the resource; of cards, on those that are short. */
static int64_t gives(const struct wf_policy *p, const struct wf *w, uint32_t part, const struct wf_loan *l, int dim)
{
    struct reservation_amount a = loan_amount(p, l);
    int64_t x = *reservation_dim(&a, dim),
            most = dim == 1 ? reservation_short_cards(&w->reservation, part, l->take.cards) : x;
    return x < most ? x : most;
}

/* Would nothing be short there any more without it? */
static bool would_do(struct wf_policy *p, const struct wf_loan *l, uint32_t part)
{
    struct reservation *r = &l->from->reservation;
    reservation_move(r, &p->sched.plan, WF_LENT, l->part, &l->take, -1);
    bool ok = !reservation_is_short(r, part);
    reservation_move(r, &p->sched.plan, WF_LENT, l->part, &l->take, +1);
    return ok;
}

/*
 * Whom to stop of a group that is to give back `by` of a resource: of those who alone would do the one that
 * gives least, else the one that gives most; ties: who began last, then the later in order.
 */
static uint32_t pick(struct wf_policy *p, struct wf *w, uint32_t part, uint32_t group, int dim, int64_t by)
{
    uint32_t best = POL_NONE;
    int64_t best_gives = 0;
    bool best_does = false;
    for (uint32_t i = w->first_loan; i != POL_NONE; i = p->loan[i].next) {
        const struct wf_loan *l = &p->loan[i], *b = best != POL_NONE ? &p->loan[best] : NULL;
        if (l->is_chosen || l->group != group || (part != POL_NONE && l->part != part) ||
            !reservation_holds_short(&w->reservation, part, &l->take))
            continue;
        int64_t x = gives(p, w, part, l, dim);
        bool does = would_do(p, l, part) || (x > 0 && x >= by);
        if (!does && x > by) x = by;
        bool better = b == NULL || does > best_does;
        if (b != NULL && does == best_does && x != best_gives) better = (x < best_gives) == does;
        else if (b != NULL && does == best_does)
            better = l->started != b->started ? l->started > b->started
                                              : unit_before(sched_unit(&p->sched, best), sched_unit(&p->sched, i));
        if (!better) continue;
        best = i;
        best_gives = x;
        best_does = does;
    }
    return best;
}

/* Divide `by` among the groups of one priority by their ratios, none more than it holds: what each gives back. */
static void targets(const struct wf_policy *p, const struct wf *w, int64_t prio, int dim, int64_t by, int64_t *out)
{
    const struct lend_shares *shares = wf_shares(p, w);
    uint32_t n = shares->n, m = 0, *at = pol_alloc(n, sizeof *at);
    int64_t *ratio = pol_alloc(n, sizeof *ratio), *part = pol_alloc(n, sizeof *part);
    memset(out, 0, n * sizeof *out);
    for (uint32_t g = 0; g < n; g++)
        if (shares->at[g].prio == prio && shares->at[g].ratio > 0) {
            ratio[m] = shares->at[g].ratio;
            at[m++] = g;
        }
    if (m > 0) {
        lend_split(by, dim < 2 ? 1000 : 1, ratio, m, part);
        for (uint32_t i = 0; i < m; i++) {
            int64_t has = w->lent[at[i] * WF_DIMS + (uint32_t)dim];
            out[at[i]] = part[i] < has ? part[i] : has;
        }
    }
    free(at);
    free(ratio);
    free(part);
}

void wf_stop_borrower(struct wf_policy *p, uint32_t slot, const char *reason)
{
    struct wf_loan *l = &p->loan[slot];
    wf_book_later(p, loan_node(l), &l->take, +1);
    for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++)
        p->sched.licence_free[k] += plan_licence(&p->sched.plan, l->take.shape, k) - l->take.licence[k];
    l->from->grew = true;
    sched_preempt(&p->sched, slot, reason);
    wf_loan_end(p, slot);
}

static void choose(struct wf_policy *p, uint32_t slot)
{
    count_loan(p, &p->loan[slot], -1);
    p->loan[slot].is_chosen = true;
    POL_PUSH(p->scratch.chosen, p->scratch.n_chosen, p->scratch.cap_chosen, slot);
}

/*
 * Choose on one part (POL_NONE: of licences), until nothing is short: the
 * lowest priority first; within one, groups with a ratio each up to its target,
 * then, and where there is none, the earlier group first.
 */
static void choose_on(struct wf_policy *p, struct wf *w, uint32_t part)
{
    const struct lend_shares *shares = wf_shares(p, w);
    const uint32_t n = shares->n;
    int64_t *target = pol_alloc(n, sizeof *target);
    while (reservation_is_short(&w->reservation, part)) {
        int64_t by, prio = -1;
        uint32_t victim;
        int dim = short_dim(w, part, &by);
        for (uint32_t g = 0; g < n; g++)
            if (shares->at[g].prio > prio && pick(p, w, part, g, dim, by) != POL_NONE) prio = shares->at[g].prio;
        if (prio < 0) {
            p->host->fail(p->host->ctx, "a reservation is short of what nobody borrows");
            break;
        }
        targets(p, w, prio, dim, by, target);
        for (uint32_t g = 0; g < n; g++)
            while (target[g] > 0 && reservation_is_short(&w->reservation, part) &&
                   (victim = pick(p, w, part, g, dim, target[g])) != POL_NONE) {
                int64_t x = gives(p, w, part, &p->loan[victim], dim);
                target[g] -= x > 0 ? x : target[g];
                choose(p, victim);
            }
        /* What is still short: groups have no ratios, or tasks do not add up to the targets. */
        for (uint32_t g = 0; g < n; g++)
            while (shares->at[g].prio == prio && reservation_is_short(&w->reservation, part)) {
                dim = short_dim(w, part, &by);
                if ((victim = pick(p, w, part, g, dim, by)) == POL_NONE) break;
                choose(p, victim);
            }
    }
    free(target);
}

/* Take back what is short, from as few as the rule allows; nobody is stopped in vain (S1-8). */
static void reclaim(struct wf_policy *p, struct wf *w, struct reservation_amount *reclaimed)
{
    const struct reservation *r = &w->reservation;
    p->scratch.n_chosen = 0;
    for (uint32_t i = 0; i < r->n_parts; i++) choose_on(p, w, i);
    choose_on(p, w, POL_NONE);
    /* Whom later and larger ones made superfluous runs on. */
    for (uint32_t i = 0; i < p->scratch.n_chosen; i++) {
        struct wf_loan *l = &p->loan[p->scratch.chosen[i]];
        count_loan(p, l, +1);
        l->is_chosen = (l->part != POL_NONE && reservation_is_short(r, l->part)) || reservation_is_short(r, POL_NONE);
        if (l->is_chosen) count_loan(p, l, -1);
    }
    for (uint32_t i = 0; i < p->scratch.n_chosen; i++) {
        uint32_t slot = p->scratch.chosen[i];
        if (!p->loan[slot].is_chosen) continue;
        struct reservation_amount a = loan_amount(p, &p->loan[slot]);
        add(reclaimed, &a, +1);
        count_loan(p, &p->loan[slot], +1);
        wf_stop_borrower(p, slot, "its lender's next stage needs the place");
    }
}

/* ---- a stage begins ---- */

/* Divide what is left among groups of equal priority that state ratios; others have no bound. */
static void set_quotas(struct wf_policy *p, struct wf *w, struct reservation_amount left)
{
    const struct lend_shares *shares = wf_shares(p, w);
    const uint32_t n = shares->n;
    uint32_t *at = pol_alloc(n, sizeof *at);
    int64_t *ratio = pol_alloc(n, sizeof *ratio), *part = pol_alloc(n, sizeof *part);
    for (uint32_t g = 0; g < n * WF_DIMS; g++) w->quota[g] = POL_NEVER;
    for (uint32_t first = 0; first < n; first++) {
        const struct lend_group *f = &shares->at[first];
        bool seen = f->ratio == 0;
        for (uint32_t g = 0; g < first; g++) seen |= shares->at[g].prio == f->prio;
        if (seen) continue;
        uint32_t m = 0;
        for (uint32_t g = first; g < n; g++)
            if (shares->at[g].prio == f->prio) {
                ratio[m] = shares->at[g].ratio;
                at[m++] = g;
            }
        for (int d = 0; d < WF_DIMS; d++) {
            lend_split(*reservation_dim(&left, d), d < 2 ? 1000 : 1, ratio, m, part);
            for (uint32_t i = 0; i < m; i++) w->quota[at[i] * WF_DIMS + (uint32_t)d] = part[i];
        }
    }
    free(at);
    free(ratio);
    free(part);
}

static void start_due(struct wf_policy *p, struct wf *w)
{
    struct reservation *r = &w->reservation;
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        struct reservation_task *t = &r->task[i];
        if (!t->is_due) continue;
        const char *reason = p->param.by_task ? "those before it ended, in its workflow's reservation"
                                              : "its stage begins, in its workflow's reservation";
        p->host->start(p->host->ctx, t->task, &t->place, 1, reason);
        t->is_due = false;
        t->is_running = true;
        w->n_running++;
        struct reservation_take take = reservation_take(&p->sched.plan, t->place.node, t->shape, t->place.cards);
        reservation_move(r, &p->sched.plan, WF_USED, t->part, &take, +1);
        wf_book_later(p, t->place.node, &take, -1);
        w->entered = true;
    }
}

/* What is needed was set: take back what is short of it, start what is due, and lend the rest. */
static void settle(struct wf_policy *p, struct wf *w, const char *reason)
{
    struct reservation *r = &w->reservation;
    const uint32_t stage = r->task[r->step_start[w->step]].stage;
    struct { struct reservation_amount reserved, need, lendable, usable, reclaimed; } say = { .reclaimed = { 0 } };
    struct reservation_amount lent = reservation_total(r, WF_LENT);
    say.reserved = say.usable = say.lendable = reservation_total(r, WF_KEPT);
    say.need = reservation_total(r, WF_NEED);
    add(&say.usable, &lent, -1);
    add(&say.lendable, &say.need, -1);
    reclaim(p, w, &say.reclaimed);
    p->reservations->reserve(p->host->ctx, w->job, &(struct pol_reserve){
        .stage = stage, .reserved = told(&say.reserved), .need = told(&say.need), .lendable = told(&say.lendable),
        .usable = told(&say.usable), .reclaimed = told(&say.reclaimed) }, reason);
    start_due(p, w);
    set_quotas(p, w, say.lendable);
    w->is_counted = false;
    w->changed = false;
    w->grew = true;
}

/* By task: whatever waits for no other task starts where there is room. */
static void enter_ready(struct wf_policy *p, struct wf *w)
{
    struct reservation *r = &w->reservation;
    bool *is_ready = pol_alloc(r->n_tasks, sizeof *is_ready);
    for (uint32_t i = 0; i < r->n_tasks; i++) {
        const struct pol_task_info *ti = r->task[i].is_done ? NULL : p->host->task(p->host->ctx, r->task[i].task);
        is_ready[i] = ti != NULL && ti->is_waiting;
    }
    reservation_enter_ready(r, &p->sched.plan, is_ready);
    free(is_ready);
    settle(p, w, "tasks before others ended");
}

void wf_enter(struct wf_policy *p, struct wf *w)
{
    struct reservation *r = &w->reservation;
    w->left = 0;
    for (uint32_t i = r->step_start[w->step]; i < r->step_start[w->step + 1]; i++) w->left += !r->task[i].is_done;
    if (p->param.by_task) { enter_ready(p, w); return; }
    reservation_enter(r, &p->sched.plan, w->step);
    settle(p, w, "its stage begins");
}

void wf_advance(struct wf_policy *p)
{
    for (uint32_t i = 0; i < p->n_active; i++) {
        struct wf *w = p->active[i];
        uint32_t next = wf_next_step(&w->reservation, w->step);
        if (next == w->reservation.n_steps) continue;      /* its job's end is told next */
        if (w->left == 0) {
            w->step = next;
            wf_enter(p, w);
        } else if (w->changed && p->param.by_task) {
            enter_ready(p, w);
        } else if (w->changed && p->param.lends_freed) {
            reservation_enter(&w->reservation, &p->sched.plan, w->step);
            settle(p, w, "a task of the stage ended");
        }
    }
}

/* ---- lending ---- */

/* How long what is needed stays as it is, or falls, as far as it can be known: -1, it cannot. */
static int64_t stage_left(const struct wf_policy *p, const struct wf *w)
{
    int64_t longest = 0, shortest = POL_NEVER, now = p->view->now_us;
    const struct reservation *r = &w->reservation;
    const uint32_t end = p->param.by_task ? r->n_tasks : r->step_start[w->step + 1];
    for (uint32_t i = r->step_start[w->step]; i < end; i++) {
        const struct reservation_task *t = &r->task[i];
        if (t->is_done || (p->param.by_task && !t->is_running)) continue;
        const struct pol_task_info *ti = p->host->task(p->host->ctx, t->task);
        if (ti == NULL || t->est < 0) return -1;
        int64_t left = p->param.est_true    ? ti->true_left_us
                       : ti->started_us < 0 ? t->est
                                            : t->est - (now - ti->started_us);
        if (left > longest) longest = left;
        if (left < shortest) shortest = left;
    }
    return p->param.by_task ? shortest : longest;
}

/* May this unit borrow of the workflow at all, whatever its size? */
static bool is_admitted(const struct wf_policy *p, const struct wf *w, const struct unit *u, int64_t stage)
{
    if (u->n_tasks > 1 || u->is_gang) return false;
    if (p->param.lend == WF_LEND_FITS && (u->est == POL_NEVER || u->est > stage)) return false;
    if (!p->param.short_only) return true;
    int64_t longest = wf_history(p, u->user);
    return longest >= 0 && longest <= w->shortest;
}

/*
 * How much a borrower may take from outside, but for memory: what a waiting workflow spares,
 * and with mode=strict nothing unless no other unit waits before it.
 */
static struct reservation_amount outside_of(const struct wf_policy *p, uint32_t id)
{
    struct reservation_amount a = { 0 };
    for (int d = 0; d < WF_DIMS && (p->head == POL_NONE || p->head == id); d++) {
        int64_t spare = p->hold.is_on ? d == 0   ? p->hold.spare.cpu_milli
                                        : d == 1 ? p->hold.spare.gpu_milli
                                                 : p->hold.spare.licence[d - 2]
                                      : POL_NEVER;
        if (d >= 2 && p->sched.licence_free[d - 2] < spare) spare = p->sched.licence_free[d - 2];
        *reservation_dim(&a, d) = spare > 0 ? spare : 0;
    }
    return a;
}

/* Is the loan of something, and within what the group may have? */
static bool is_within_quota(const struct wf_policy *p, const struct wf *w, const struct wf_loan *l)
{
    struct reservation_amount a = loan_amount(p, l);
    bool any = l->take.sum.mem > 0;
    for (int k = 0; k < POL_ENGINES_MAX; k++) any |= l->take.sum.engine[k] > 0;
    for (int d = 0; d < WF_DIMS; d++) {
        uint32_t at = l->group * WF_DIMS + (uint32_t)d;
        if (*reservation_dim(&a, d) == 0) continue;
        if (w->quota[at] != POL_NEVER && w->lent[at] + *reservation_dim(&a, d) > w->quota[at]) return false;
        any = true;
    }
    return any;
}

/* A place for the unit: of each resource what is free outside, then what the workflow leaves; the loan out. */
static bool find_room(struct wf_policy *p, struct wf *w, uint32_t id, uint32_t group, struct wf_loan *l)
{
    const struct unit *u = sched_unit(&p->sched, id);
    const uint32_t shape = p->sched.classes.at[u->request_class].shape[0];
    const struct pol_shape *s = &p->view->shape[shape];
    const struct reservation *r = &w->reservation;
    struct reservation_amount outside = outside_of(p, id);
    int32_t licence[PLAN_LICENCES_MAX];
    bool any = false;
    *l = (struct wf_loan){ .from = w,
                           .part = POL_NONE,
                           .group = group,
                           .ordinal = u->ordinal,
                           .started = p->view->now_us,
                           .prev = POL_NONE,
                           .task = u->task };
    for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++) {
        int64_t ask = plan_licence(&p->sched.plan, shape, k),
                more = ask > outside.licence[k] ? ask - outside.licence[k] : 0;
        if (more > r->licence[WF_KEPT][k] - r->licence[WF_NEED][k] - r->licence[WF_LENT][k]) return false;
        licence[k] = (int32_t)more;
        any |= more > 0;
    }
    struct pol_place place;
    if (any && !s->exclusive && s->cpu_milli <= outside.cpu_milli &&
        (int64_t)s->n_gpu * s->gpu_milli <= outside.gpu_milli && placement_find(&p->sched.placement, shape, &place)) {
        l->node = place.node;
        l->cards = place.cards;
        l->take.shape = shape;
        memcpy(l->take.licence, licence, sizeof licence);
        if (is_within_quota(p, w, l)) return true;
    }
    for (uint32_t i = 0; i < r->n_parts; i++) {
        if (!reservation_can_lend(r, &p->sched.plan, i, shape, &outside, &l->take, &l->cards)) continue;
        l->part = i;
        l->node = r->part[i].node;
        memcpy(l->take.licence, licence, sizeof licence);
        if (is_within_quota(p, w, l)) return true;
    }
    return false;
}

static void lend_to(struct wf_policy *p, uint32_t id, const struct wf_loan *l)
{
    struct sched *d = &p->sched;
    struct wf *w = l->from;
    const struct reservation_take holds = reservation_take(&d->plan, l->node, l->take.shape, l->cards);
    struct reservation_amount a = loan_amount(p, l), all = reservation_amount(&d->plan, &holds);
    POL_RESERVE(d->place, d->cap_place, 1);
    d->place[0] = (struct pol_place){ .node = l->node, .cards = l->cards };
    sched_start(d, id, "borrows what a workflow leaves");
    d->held[id].node = POL_NONE;            /* the plan learns of its end from the view */
    wf_plan_borrower(p, l, +1);
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) d->licence_free[k] += l->take.licence[k];
    for (int x = 0; x < WF_DIMS; x++)
        *reservation_dim(&p->hold.spare, x) -= *reservation_dim(&all, x) - *reservation_dim(&a, x);
    const struct pol_amount part = told(&a);
    /* Memory and engines are kept here alone: of a workflow that reserves no more the host knows nothing to lend. */
    struct reservation_amount kept = reservation_total(&w->reservation, WF_KEPT);
    bool is_known = false;
    for (int x = 0; x < WF_DIMS; x++) is_known |= *reservation_dim(&kept, x) > 0;
    if (is_known) p->reservations->lend(p->host->ctx, l->task, w->job, &part, "what the stage leaves");
    POL_RESERVE(p->loan, p->cap_loan, (size_t)id + 1);
    p->loan[id] = *l;
    p->loan[id].next = w->first_loan;
    if (w->first_loan != POL_NONE) p->loan[w->first_loan].prev = id;
    w->first_loan = id;
    count_loan(p, &p->loan[id], +1);
    wf_book_later(p, loan_node(l), &l->take, -1);
}

/* Lend to the waiting units of one group, in order. */
static void lend_group(struct wf_policy *p, struct wf *w, uint32_t group, int64_t stage)
{
    struct sched *d = &p->sched;
    uint32_t id, q = 0;
    for (uint32_t i = 0; i < p->ordinary.n_queues; i++)
        if (wf_is_queue_of(p, i, w->list, group))
            queue_walk_open(&p->ordinary.walk[i], &p->ordinary.queue[i], &d->units, NULL, NULL);
    while ((id = wf_first_of(p, w->list, group, &q)) != POL_NONE) {
        struct queue_walk *wk = &p->ordinary.walk[q];
        struct wf_loan l;
        const struct unit *u = sched_unit(d, id);
        if (!is_admitted(p, w, u, stage)) { queue_walk_step(wk, &d->units, POL_NEVER); continue; }
        if (!find_room(p, w, id, group, &l)) { queue_walk_drop(wk, &d->units); continue; }
        queue_walk_step(wk, &d->units, POL_NEVER);
        lend_to(p, id, &l);
    }
}

/* Lend to all groups, by priority, then in the order in which they are listed. */
static void lend_all_of(struct wf_policy *p, struct wf *w, int64_t stage)
{
    const struct lend_shares *shares = wf_shares(p, w);
    for (int64_t prio = -1, next; ; prio = next) {
        next = POL_NEVER;
        for (uint32_t g = 0; g < shares->n; g++)
            if (shares->at[g].prio > prio && shares->at[g].prio < next) next = shares->at[g].prio;
        if (next == POL_NEVER) return;
        for (uint32_t g = 0; g < shares->n; g++) if (shares->at[g].prio == next) lend_group(p, w, g, stage);
    }
}

/* What may be taken from outside now; true if some of it is more than last time. */
static bool offer(struct wf_policy *p)
{
    struct wf_offer *was = &p->offered, is = { .freed_epoch = p->sched.plan.freed_epoch, .head = p->head };
    bool grew = is.freed_epoch != was->freed_epoch || is.head != was->head;
    for (int d = 0; d < WF_DIMS; d++) {
        *reservation_dim(&is.spare, d) = p->hold.is_on ? *reservation_dim(&p->hold.spare, d) : POL_NEVER;
        grew |= *reservation_dim(&is.spare, d) > *reservation_dim(&was->spare, d);
    }
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) grew |= (is.licence[k] = p->sched.licence_free[k]) > was->licence[k];
    *was = is;
    return grew;
}

static bool lends_anything(struct wf *w)
{
    if (!w->is_counted) w->has_rest = reservation_has_rest(&w->reservation);
    w->is_counted = true;
    return w->has_rest;
}

void wf_lend_all(struct wf_policy *p)
{
    struct sched *d = &p->sched;
    const uint32_t n_fresh = d->n_fresh;
    const bool grew = offer(p);
    bool any = false;
    for (uint32_t q = 0; q < p->ordinary.n_queues; q++) any |= p->ordinary.queue[q].n > 0;
    for (uint32_t i = 0; i < p->n_active; i++) {
        struct wf *w = p->active[i];
        bool open = w->list != POL_NONE && any && p->param.lend != WF_LEND_NONE &&
                    (p->param.lend != WF_LEND_START || w->entered);
        bool all = w->grew || grew || n_fresh > 1;
        if (open && (all || n_fresh == 1) && lends_anything(w)) {
            int64_t stage = p->param.lend == WF_LEND_FITS ? stage_left(p, w) : 0;
            if (all) {
                lend_all_of(p, w, stage);
            } else {                    /* the others found no room before, and there is no more */
                struct wf_loan l;
                uint32_t id = d->fresh[0],
                         group = p->ordinary.group[p->ordinary.of_unit[id] * p->param.shares.n + w->list];
                const struct unit *u = sched_unit(d, id);
                if (u->state == UNIT_WAITING && group < wf_shares(p, w)->n && is_admitted(p, w, u, stage) &&
                    find_room(p, w, id, group, &l))
                    lend_to(p, id, &l);
            }
        }
        w->entered = w->grew = false;
    }
}
