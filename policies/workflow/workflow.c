/*
 * workflow.c -- reservation of whole workflows, stage by stage, and lending of what
 * they leave.  README.md, "Workflows".
 *
 * This file has the events, the order of one decision, and ordinary jobs outside of
 * reservations; state.h says what the others have.
 * Cost: O(events + what changed) a decision, and a reservation's plan (reservation.h)
 * whenever something was freed while a workflow waits.
 * Source: workflow reservation patent application, paragraphs 64 to 119.
 */
#include "workflow/state.h"

#include "builtin.h"
#include "lib/sched/list.h"
#include "lib/util.h"

enum {
    P_PLACE,
    P_RESERVE,
    P_MOST,
    P_LEND,
    P_SHARES,
    P_SHORT,
    P_HISTORY,
    P_ESTIMATE,
    P_MODE,
    P_ADMIT,
    P_BARRIER,
    P_FREED
};
static const struct pol_param params[] = {
    PLACEMENT_RULE_PARAM,
    { .name = "reserve",
      .type = POL_TEXT,
      .dflt = "max",
      .help = "max: the largest stage; sum: all stages; at least so much, cpus:8;gpus:2;LICENCE:3; or of each "
              "workflow, [w1,sum],[*,max]" },
    { .name = "most",
      .type = POL_NUMBER,
      .dflt = "1",
      .help =
          "largest share of the cluster for one stage, 0 to 1; a larger stage is run in parts, one after the other" },
    { .name = "lend",
      .type = POL_CHOICE,
      .dflt = "always",
      .choices = "none|start|always|fits",
      .help = "start borrowers never, at a stage's start, at any time, or when they end within the stage" },
    { .name = "shares",
      .type = POL_TEXT,
      .dflt = "[*,p0],[*,p1]",
      .help =
          "who lends and who may borrow: [wf,p0],[user,p1,ratio],[queue:Q,p1,ratio],[machines:LABEL,p2];[w1,p0],..." },
    { .name = "short",
      .type = POL_BOOL,
      .dflt = "false",
      .help = "lend only to users whose tasks so far ran no longer than any of the workflow's" },
    { .name = "history",
      .type = POL_TEXT,
      .dflt = "",
      .help = "longest run times known before, in seconds: alice:7;bob:25" },
    { .name = "estimate",
      .type = POL_CHOICE,
      .dflt = "limit",
      .choices = "limit|true",
      .help = "run times as users state them, or as they will be (clairvoyant)" },
    LIST_MODE_PARAM("skip"),
    { .name = "admit",
      .type = POL_CHOICE,
      .dflt = "reclaim",
      .choices = "wait|reclaim|preempt",
      .help = "for a workflow that finds no room: wait, stop those who borrowed of one that has ended, or any ordinary "
              "job" },
    { .name = "barrier",
      .type = POL_CHOICE,
      .dflt = "stage",
      .choices = "stage|task",
      .help = "a task starts when all stages before its own have ended, or when the tasks before it have" },
    { .name = "freed",
      .type = POL_CHOICE,
      .dflt = "keep",
      .choices = "keep|lend",
      .help =
          "what a task that ends before its stage leaves: kept until the next stage, or lent (barrier=task: lent)" },
};

/* ---- a workflow arrives ---- */

static void free_wf(struct wf *w)
{
    reservation_fini(&w->reservation);
    free(w->lent);
    free(w->quota);
    free(w);
}

/* Sorted by priority, the higher first, then by arrival. */
void wf_insert(struct wf ***list, size_t *cap, uint32_t *n, struct wf *w)
{
    POL_RESERVE(*list, *cap, (size_t)*n + 1);
    uint32_t at = (*n)++;
    for (; at > 0 && ((*list)[at - 1]->priority < w->priority ||
                      ((*list)[at - 1]->priority == w->priority && (*list)[at - 1]->ordinal > w->ordinal));
         at--)
        (*list)[at] = (*list)[at - 1];
    (*list)[at] = w;
}

static int by_stage(const void *a, const void *b)
{
    const struct reservation_task *x = a, *y = b;
    if (x->stage != y->stage) return x->stage < y->stage ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;      /* the index in the job, until steps are made */
}

/*
 * A step is a stage, or as much of one, in order, as the empty cluster holds at
 * once and `most` allows.  False if a task fits nowhere.
 */
static bool make_steps(struct wf_policy *p, struct reservation *r)
{
    struct plan *e = &p->whole.plan;
    r->step_start = pol_alloc((size_t)r->n_tasks + 1, sizeof *r->step_start);
    int64_t licence[PLAN_LICENCES_MAX] = { 0 }, cpu = 0, gpu = 0;
    struct plan_mark m = plan_mark(e);
    bool ok = true, begun = false;
    r->n_steps = 0;
    for (uint32_t i = 0; i < r->n_tasks && ok; i++) {
        struct reservation_task *t = &r->task[i];
        const struct pol_shape *s = &e->shape[t->shape];
        bool fresh = !begun || r->task[i - 1].stage != t->stage, fits = true;
        for (int tries = 0; tries < 2; tries++) {
            if (fresh) {
                plan_undo(e, m);
                m = plan_mark(e);
                memset(licence, 0, sizeof licence);
                cpu = gpu = 0;
                r->step_start[r->n_steps++] = i;
                begun = true;
            }
            fits = placement_find(&p->whole.placement, t->shape, &t->place);
            for (uint32_t k = 0; k < plan_n_licences(e); k++)
                fits &= licence[k] + plan_licence(e, t->shape, k) <= e->licences->total[k];
            bool within = (double)(cpu + s->cpu_milli) <= p->param.most * (double)p->whole.cpu &&
                          (s->n_gpu == 0 ||
                           (double)(gpu + (int64_t)s->n_gpu * s->gpu_milli) <= p->param.most * (double)p->whole.gpu);
            if ((fits && within) || fresh) break;
            fresh = true;
        }
        ok = fits;
        if (!ok) break;
        plan_allocate(e, t->place.node, s, t->place.cards);
        cpu += s->cpu_milli;
        gpu += (int64_t)s->n_gpu * s->gpu_milli;
        for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++) licence[k] += plan_licence(e, t->shape, k);
        t->step = r->n_steps - 1;
        t->made = t->place;
    }
    plan_undo(e, m);
    r->step_start[r->n_steps] = r->n_tasks;
    return ok;
}

/*
 * Is the job a workflow, which gets a reservation, or do its tasks run and borrow one by one?  The latter if
 * it is of a share group, and that is stated more exactly than that it lends: by name, not by `*`.
 * list: the first of those that name its lender most exactly; POL_NONE: none does.
 */
static bool is_workflow(const struct wf_policy *p, pol_job job, const struct pol_job_info *ji, uint32_t *list)
{
    enum lend_match lends = LEND_NO, borrows = LEND_NO;
    const struct pol_shape *s = &p->view->shape[p->host->task(p->host->ctx, ji->first_task)->shape];
    *list = POL_NONE;
    if (ji->n_stages == 0) return false;
    for (uint32_t i = 0; i < p->param.shares.n; i++) {
        const struct lend_shares *l = &p->param.shares.at[i];
        enum lend_match m = lend_match(&l->owner, p->host, job, ji, s);
        if (m > lends) { lends = m; *list = i; }
        for (uint32_t g = 0; g < l->n; g++) if ((m = lend_match(&l->at[g], p->host, job, ji, s)) > borrows) borrows = m;
    }
    return lends >= borrows;
}

const struct lend_shares *wf_shares(const struct wf_policy *p, const struct wf *w)
{
    static const struct lend_shares nobody;
    return w->list == POL_NONE ? &nobody : &p->param.shares.at[w->list];
}

/* What is to be reserved for it: as the first entry says that names it most exactly. */
static const struct wf_reserve *reserve_of(const struct wf_policy *p, pol_job job, const struct pol_job_info *ji,
                                           uint32_t shape)
{
    const struct wf_reserve *best = NULL;
    enum lend_match most = LEND_NO, m;
    for (uint32_t i = 0; i < p->param.n_reserve; i++)
        if ((m = lend_match(&p->param.reserve[i].who, p->host, job, ji, &p->view->shape[shape])) > most) {
            most = m;
            best = &p->param.reserve[i];
        }
    return best;
}

static void on_workflow(struct wf_policy *p, pol_job job, const struct pol_job_info *ji, uint32_t list)
{
    const struct pol_host *h = p->host;
    struct wf *w = pol_alloc(1, sizeof *w);
    w->job = job;
    w->ordinal = ji->ordinal;
    w->priority = ji->priority;
    w->first_loan = POL_NONE;
    w->list = list;
    w->lent = pol_alloc((size_t)wf_shares(p, w)->n * WF_DIMS, sizeof *w->lent);
    w->quota = pol_alloc((size_t)wf_shares(p, w)->n * WF_DIMS, sizeof *w->quota);
    w->shortest = POL_NEVER;
    struct reservation *r = &w->reservation;
    r->task = pol_alloc(ji->n_tasks, sizeof *r->task);
    r->n_tasks = ji->n_tasks;
    const struct pol_task_info *ti;
    uint32_t n = 0;
    for (pol_task t = ji->first_task; t.slot != POL_NONE; t = ti->next) {
        ti = h->task(h->ctx, t);
        int64_t est = p->param.est_true ? ti->true_left_us : ji->limit_us;
        r->task[n] = (struct reservation_task){
            .task = t, .shape = ti->shape, .stage = ti->stage, .step = ti->index, .est = est
        };
        if (est < w->shortest) w->shortest = est;
        r->task[n].is_running = ti->is_running;     /* bound by the trace: it is reserved for when those have ended */
        w->n_running += ti->is_running;
        placement_arrived(&p->sched.placement, ti->shape, 1);
        n++;
    }
    qsort(r->task, n, sizeof *r->task, by_stage);
    w->reserve = reserve_of(p, job, ji, r->task[0].shape);
    if (!make_steps(p, r)) {
        h->fail(h->ctx, "a task of a workflow fits on no node of the empty cluster");
        free_wf(w);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        POL_RESERVE(p->of_task, p->cap_of_task, (size_t)r->task[i].task.slot + 1);
        p->of_task[r->task[i].task.slot] = (struct wf_of_task){ w, i, r->task[i].task.gen };
    }
    wf_insert(&p->waiting, &p->cap_waiting, &p->n_waiting, w);
}

/* ---- events ---- */

static struct reservation_task *task_of(struct wf_policy *p, pol_task t, struct wf **w)
{
    if (t.slot >= p->cap_of_task || p->of_task[t.slot].wf == NULL || p->of_task[t.slot].gen != t.gen) return NULL;
    *w = p->of_task[t.slot].wf;
    return &(*w)->reservation.task[p->of_task[t.slot].at];
}

/* The task left its place; this is booked at once, as the view shows it already. */
static void task_left(struct wf_policy *p, struct wf *w, struct reservation_task *t)
{
    if (!t->is_running) return;
    t->is_running = false;
    w->n_running--;
    if (!w->holds) return;
    struct reservation_take take = reservation_take(&p->sched.plan, t->place.node, t->shape, t->place.cards);
    reservation_move(&w->reservation, &p->sched.plan, WF_USED, t->part, &take, -1);
    wf_idle_move(p, t->place.node, &take, +1);
}

void wf_remove_from(struct wf **list, uint32_t *n, const struct wf *w)
{
    for (uint32_t i = 0, k = 0, all = *n; i < all; i++) {
        if (list[i] == w) { --*n; continue; }
        list[k++] = list[i];
    }
}

/* End its reservation; who borrows of it is an ordinary unit from now on. */
static void dissolve(struct wf_policy *p, struct wf *w)
{
    if (!w->holds) return;
    wf_idle_reservation(p, w, -1);
    while (w->first_loan != POL_NONE) {
        uint32_t slot = w->first_loan;
        wf_loan_end(p, slot);
        p->loan[slot].is_former = true;
    }
    reservation_drop(&w->reservation);
    w->holds = false;
    wf_remove_from(p->active, &p->n_active, w);
}

static void borrower_left(struct wf_policy *p, pol_task t)
{
    if (t.slot < p->cap_loan && p->loan[t.slot].task.gen == t.gen) p->loan[t.slot].is_former = false;
    if (t.slot >= p->cap_loan || p->loan[t.slot].from == NULL || p->loan[t.slot].task.gen != t.gen) return;
    const struct wf_loan *l = &p->loan[t.slot];
    wf_idle_move(p, l->part == POL_NONE ? POL_NONE : l->node, &l->take, +1);
    wf_loan_end(p, t.slot);
}

static void remember(struct wf_policy *p, pol_task t)
{
    if (t.slot >= p->sched.units.cap || sched_unit(&p->sched, t.slot)->state != UNIT_RUNNING) return;
    const struct unit *u = sched_unit(&p->sched, t.slot);
    size_t old = p->ordinary.cap_longest;
    POL_RESERVE(p->ordinary.longest, p->ordinary.cap_longest, (size_t)u->user + 1);
    for (size_t i = old; i < p->ordinary.cap_longest; i++) p->ordinary.longest[i] = -1;
    int64_t ran = u->attained + (p->view->now_us - u->started);
    if (ran > p->ordinary.longest[u->user]) p->ordinary.longest[u->user] = ran;
}

static void on_event(struct wf_policy *p, const struct pol_event *e)
{
    struct wf *w = NULL;
    struct reservation_task *t;
    switch ((enum pol_event_type)e->type) {
    case POL_TASK_ENDED:
        if ((t = task_of(p, e->task, &w)) == NULL) {
            remember(p, e->task);
            borrower_left(p, e->task);
            return;
        }
        task_left(p, w, t);
        t->is_done = true;
        w->changed = true;
        if (t->step == w->step && w->left > 0) w->left--;
        return;
    case POL_READY:     /* interrupted; or a workflow's task whose forerunners ended, which its stage sees to */
        if ((t = task_of(p, e->task, &w)) == NULL) { borrower_left(p, e->task); return; }
        if (t->is_running) {
            task_left(p, w, t);
            w->is_broken = true;
        }
        w->changed = true;
        return;
    case POL_NODE_DOWN:
        for (uint32_t i = 0; i < p->n_active; i++)
            for (uint32_t k = 0; k < p->active[i]->reservation.n_parts; k++)
                p->active[i]->is_broken |= p->active[i]->reservation.part[k].node == e->node;
        return;
    case POL_ARRIVED: case POL_JOB_ENDED: case POL_NODE_UP: case POL_TIMER: case POL_CALL: case POL_REFUSED: return;
    }
}

/* Take in the events of workflows; all others are passed on to the shared scheduler code. */
static size_t sort_events(struct wf_policy *p, const struct pol_event *ev, size_t n_ev)
{
    size_t n = 0;
    POL_RESERVE(p->scratch.event, p->scratch.cap_event, n_ev);
    for (size_t i = 0; i < n_ev; i++) {
        on_event(p, &ev[i]);
        const struct pol_job_info *ji = ev[i].job.slot != POL_NONE ? p->host->job(p->host->ctx, ev[i].job) : NULL;
        uint32_t list;
        struct wf *w = NULL;
        if (ji != NULL && ev[i].type == POL_ARRIVED && is_workflow(p, ev[i].job, ji, &list))
            on_workflow(p, ev[i].job, ji, list);
        if (ji == NULL || task_of(p, ji->first_task, &w) == NULL) { p->scratch.event[n++] = ev[i]; continue; }
        if (ev[i].type == POL_JOB_ENDED) w->is_over = true;
    }
    return n;
}

/* ---- workflows come and go ---- */

static void forget(struct wf_policy *p, struct wf *w)
{
    dissolve(p, w);
    wf_remove_from(p->waiting, &p->n_waiting, w);
    for (uint32_t i = 0; i < w->reservation.n_tasks; i++) {
        struct wf_of_task *o = &p->of_task[w->reservation.task[i].task.slot];
        if (o->wf == w) o->wf = NULL;
    }
    free_wf(w);
}

/* Before events are taken in: reservations that end. */
static void close_reservations(struct wf_policy *p)
{
    for (uint32_t i = 0; i < p->n_active;) {
        struct wf *w = p->active[i];
        if (w->is_over) { forget(p, w); continue; }
        if (!w->is_broken) { i++; continue; }
        p->reservations->reserve(
            p->host->ctx, w->job,
            &(struct pol_reserve){ .stage = w->reservation.task[w->reservation.step_start[w->step]].stage },
            "a node of the reservation is lost");
        dissolve(p, w);
        wf_insert(&p->waiting, &p->cap_waiting, &p->n_waiting, w);
    }
    for (uint32_t i = 0; i < p->n_waiting;) {
        struct wf *w = p->waiting[i];
        if (w->is_over) forget(p, w);
        else i++;
    }
}

/* ---- ordinary jobs outside ---- */

static struct wf_hold hold_for(const struct wf_policy *p)
{
    struct wf_hold h = { .is_on = p->n_waiting > 0 };
    if (!h.is_on) return h;
    const struct wf *w = p->waiting[0];
    const struct reservation *r = &w->reservation;
    struct reservation_amount most = { 0 };
    for (uint32_t s = wf_next_step(r, 0); s < r->n_steps; s++) {
        struct reservation_amount need = { 0 };
        for (uint32_t i = r->step_start[s]; i < r->step_start[s + 1]; i++) {
            if (r->task[i].is_done) continue;
            const struct pol_shape *sh = &p->view->shape[r->task[i].shape];
            need.cpu_milli += sh->cpu_milli;
            need.gpu_milli += (int64_t)sh->n_gpu * sh->gpu_milli;
            for (uint32_t k = 0; k < PLAN_LICENCES_MAX; k++)
                need.licence[k] += plan_licence(&p->sched.plan, r->task[i].shape, k);
        }
        for (int d = 0; d < WF_DIMS; d++)
            if (*reservation_dim(&need, d) > *reservation_dim(&most, d))
                *reservation_dim(&most, d) = *reservation_dim(&need, d);
    }
    h.spare = p->outside.reserved;
    bool fits_outside = true;
    for (uint32_t i = 0; i < p->sched.plan.n_nodes; i++) {
        const struct plan_node *n = &p->sched.plan.node[i];
        if (!n->n.is_up) continue;
        h.spare.cpu_milli += n->n.cpu_free;
        h.spare.gpu_milli += n->gpu_free;
    }
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) h.spare.licence[k] += p->sched.licence_free[k];
    for (int d = 0; d < WF_DIMS; d++) {
        int64_t reserved = d == 0   ? p->outside.reserved.cpu_milli
                           : d == 1 ? p->outside.reserved.gpu_milli
                                    : p->outside.reserved.licence[d - 2];
        fits_outside &= *reservation_dim(&h.spare, d) - reserved >= *reservation_dim(&most, d);
        *reservation_dim(&h.spare, d) -= *reservation_dim(&most, d);
    }
    /* Enough is free in sum, and yet no placement was found: nothing starts outside until one is. */
    if (fits_outside) h.spare = (struct reservation_amount){ .cpu_milli = -1, .gpu_milli = -1 };
    return h;
}

static bool may_start(const struct wf_policy *p, struct wf_hold *h, uint32_t id)
{
    if (!h->is_on) return true;
    const struct request_class *k = &p->sched.classes.at[sched_unit(&p->sched, id)->request_class];
    struct reservation_amount ask = { 0 };
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &p->view->shape[k->shape[i]];
        ask.cpu_milli += s->cpu_milli;
        ask.gpu_milli += (int64_t)s->n_gpu * s->gpu_milli;
        for (uint32_t l = 0; l < PLAN_LICENCES_MAX; l++) ask.licence[l] += plan_licence(&p->sched.plan, k->shape[i], l);
    }
    for (int d = 0; d < WF_DIMS; d++)
        if (*reservation_dim(&ask, d) > 0 && *reservation_dim(&ask, d) > *reservation_dim(&h->spare, d)) return false;
    for (int d = 0; d < WF_DIMS; d++) *reservation_dim(&h->spare, d) -= *reservation_dim(&ask, d);
    return true;
}

bool wf_is_queue_of(const struct wf_policy *p, uint32_t queue, uint32_t list, uint32_t group)
{
    return list == POL_NONE || p->ordinary.group[queue * p->param.shares.n + list] == group;
}

uint32_t wf_first_of(struct wf_policy *p, uint32_t list, uint32_t group, uint32_t *queue)
{
    uint32_t best = POL_NONE;
    for (uint32_t q = 0; q < p->ordinary.n_queues; q++) {
        if (!wf_is_queue_of(p, q, list, group)) continue;
        uint32_t id = queue_walk_top(&p->ordinary.walk[q]);
        if (id == POL_NONE ||
            (best != POL_NONE && !unit_before(sched_unit(&p->sched, id), sched_unit(&p->sched, best))))
            continue;
        best = id;
        *queue = q;
    }
    return best;
}

static void start_outside(struct wf_policy *p)
{
    struct sched *d = &p->sched;
    struct wf_hold *h = &p->hold;
    uint32_t id, g = 0;
    *h = hold_for(p);
    p->head = POL_NONE;
    /* Strictly the first keeps the others waiting, known to fit nowhere or not.  While there are workflows each that
     * waits is told why. */
    const bool each_is_told = h->is_on || p->n_active > 0;
    const struct queue_filter f = sched_filter(d);
    for (uint32_t i = 0; i < p->ordinary.n_queues; i++) {
        struct queue_walk *w = &p->ordinary.walk[i];
        struct queue *q = &p->ordinary.queue[i];
        if (p->param.strict || each_is_told) queue_walk_open(w, q, &d->units, p->param.strict ? NULL : sched_skip, d);
        else queue_walk_search(w, q, &d->units, &f);
    }
    while ((id = wf_first_of(p, POL_NONE, 0, &g)) != POL_NONE) {
        struct wf_hold before = *h;
        bool may = may_start(p, h, id);
        if (!may || !sched_place(d, id)) {
            if (!may)
                p->host->hold(p->host->ctx, sched_unit(d, id)->task, false,
                              "a workflow that waits will need what it asks");
            else if (p->n_active > 0)
                p->host->hold(p->host->ctx, sched_unit(d, id)->task, false, "it fits nowhere outside of reservations");
            *h = before;
            if (p->param.strict) { p->head = id; return; }
            sched_pass(d, &p->ordinary.walk[g]);
            continue;
        }
        queue_walk_step(&p->ordinary.walk[g], &d->units, POL_NEVER);
        sched_start(d, id, "outside of every reservation");
    }
}

/* The queue of those that belong to the same share groups as the unit. */
static uint32_t find_queue(struct wf_policy *p, const struct unit *u)
{
    struct wf_ordinary *o = &p->ordinary;
    const struct lend_lists *l = &p->param.shares;
    const struct pol_job_info *ji = p->host->job(p->host->ctx, u->job);
    const struct pol_shape *s = &p->view->shape[p->sched.classes.at[u->request_class].shape[0]];
    POL_RESERVE(o->group, o->cap_group, ((size_t)o->n_queues + 1) * l->n);
    uint32_t *mine = &o->group[o->n_queues * l->n], q = 0;
    for (uint32_t i = 0; i < l->n; i++) mine[i] = lend_group_of(&l->at[i], p->host, u->job, ji, s);
    while (memcmp(&o->group[q * l->n], mine, l->n * sizeof *mine) != 0) q++;
    if (q < o->n_queues) return q;
    o->n_queues++;
    POL_RESERVE(o->queue, o->cap_queue, o->n_queues);
    POL_RESERVE(o->walk, o->cap_walk, o->n_queues);
    return q;
}

/* Interrupted units come first: they return to the head. */
static int64_t wait_key(void *self, const struct unit *u)
{
    struct wf_policy *p = self;
    POL_RESERVE(p->ordinary.of_unit, p->ordinary.cap_of_unit, (size_t)u->task.slot + 1);
    p->ordinary.of_unit[u->task.slot] = find_queue(p, u);
    return u->attained > 0 ? -1 : 0;
}

static struct queue *queue_of(void *self, const struct unit *u)
{
    struct wf_policy *p = self;
    return &p->ordinary.queue[p->ordinary.of_unit[u->task.slot]];
}

static int64_t run_key(void *self, const struct unit *u) { (void)self; return u->started; }

static const struct sched_ops ops = {
    .wait_key = wait_key, .queue = queue_of, .run_key = run_key, .knows_licences = true
};

/* ---- the policy ---- */

int64_t wf_history(const struct wf_policy *p, uint32_t user)
{
    int64_t longest = user < p->ordinary.cap_longest ? p->ordinary.longest[user] : -1;
    const char *name = p->host->name(p->host->ctx, POL_NAME_USER, user);
    size_t len = strlen(name);
    for (const char *s = p->param.history_text; s != NULL && *s != '\0'; s += strcspn(s, ";"), s += *s == ';') {
        if (strncmp(s, name, len) != 0 || s[len] != ':') continue;
        int64_t before = (int64_t)(strtod(s + len + 1, NULL) * 1e6 + 0.5);
        if (before > longest) longest = before;
    }
    return longest;
}

static bool check_history(const struct pol_host *host, const char *text, char *error, size_t cap)
{
    for (const char *s = text; *s != '\0';) {
        size_t n = strcspn(s, ":;");
        char *end = NULL;
        double v = s[n] == ':' ? strtod(s + n + 1, &end) : -1;
        if (n == 0 || end == NULL || end == s + n + 1 || !(v >= 0) || v > 1e12 || (*end != ';' && *end != '\0')) {
            (void)snprintf(error, cap, "history= expects users and seconds such as alice:7;bob:25, found '%.60s'", s);
            return false;
        }
        struct lend_group user;
        lend_read_name(&user, s, n, false);
        user.who = LEND_USER;
        bool unknown = lend_is_unknown(&user, host, "history=", error, cap);
        free(user.name);
        if (unknown) return false;
        s = *end == ';' ? end + 1 : end;
    }
    return true;
}

/* Every name in shares= and reserve= must be one that the trace or the cluster has. */
static bool check_names(const struct wf_param *param, const struct pol_host *h, char *error, size_t cap)
{
    for (uint32_t i = 0; i < param->n_reserve; i++)
        if (lend_is_unknown(&param->reserve[i].who, h, "reserve=", error, cap)) return false;
    for (uint32_t i = 0; i < param->shares.n; i++) {
        const struct lend_shares *l = &param->shares.at[i];
        if (lend_is_unknown(&l->owner, h, "shares=", error, cap)) return false;
        for (uint32_t g = 0; g < l->n; g++) if (lend_is_unknown(&l->at[g], h, "shares=", error, cap)) return false;
    }
    return true;
}

static void destroy(void *self)
{
    struct wf_policy *p = self;
    for (uint32_t i = 0; i < p->n_active; i++) free_wf(p->active[i]);
    for (uint32_t i = 0; i < p->n_waiting; i++) free_wf(p->waiting[i]);
    for (uint32_t q = 0; q < p->ordinary.n_queues; q++) {
        queue_fini(&p->ordinary.queue[q]);
        queue_walk_fini(&p->ordinary.walk[q]);
    }
    for (uint32_t i = 0; i < p->param.n_reserve; i++) {
        free(p->param.reserve[i].who.name);
        free(p->param.reserve[i].amounts);
    }
    free(p->param.reserve);
    lend_fini(&p->param.shares);
    placement_fini(&p->whole.placement);
    for (uint32_t i = 0; i < p->whole.plan.n_nodes; i++) free(p->outside.idle[i]);
    plan_fini(&p->whole.plan);
    POL_FREE(p->active, p->waiting, p->of_task, p->loan, p->ordinary.queue, p->ordinary.walk, p->outside.node,
             p->outside.card, p->outside.idle, p->outside.touched, p->outside.is_touched,
             p->scratch.victim, p->scratch.chosen, p->outside.later, p->ordinary.group, p->ordinary.of_unit,
             p->ordinary.longest, p->scratch.event);
    sched_fini(&p->sched);
    free(p);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct wf_policy *p = pol_alloc(1, sizeof *p);
    p->host = host;
    sched_init(&p->sched, host, (enum placement_rule)value[P_PLACE].i, &ops, p);
    p->whole.plan.licences = p->sched.plan.licences;
    p->whole.plan.ctx = host->ctx;
    p->whole.plan.shapes = p->sched.plan.shapes;
    p->reservations = pol_extension(host, POL_RESERVATIONS);
    placement_init(&p->whole.placement, &p->whole.plan, PLACEMENT_BEST);
    p->param.lend = (enum wf_lend)value[P_LEND].i;
    p->param.short_only = value[P_SHORT].i != 0;
    p->param.history_text = value[P_HISTORY].s;
    p->param.admit = (enum wf_admit)value[P_ADMIT].i;
    p->param.strict = value[P_MODE].i == LIST_STRICT;
    p->param.est_true = value[P_ESTIMATE].i == 1;
    list_estimates(&p->sched, value[P_ESTIMATE].i, flags);
    /* Only these two read estimates. */
    if (!p->param.short_only && p->param.lend != WF_LEND_FITS) *flags &= ~(uint32_t)(POL_USES_LIMITS | POL_CLAIRVOYANT);
    p->param.by_task = value[P_BARRIER].i == 1;
    p->param.lends_freed = value[P_FREED].i == 1;
    p->param.most = value[P_MOST].x;
    bool ok = p->param.most > 0 && p->param.most <= 1;
    if (!ok) (void)snprintf(error, cap, "most= is %g, expected a share above 0 and at most 1", p->param.most);
    ok = ok && wf_reserve_parse(&p->param, value[P_RESERVE].s, error, cap) &&
         check_history(host, p->param.history_text, error, cap) &&
         lend_parse(&p->param.shares, value[P_SHARES].s, error, cap) && check_names(&p->param, host, error, cap);
    if (!ok) {
        destroy(p);
        return NULL;
    }
    return p;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct wf_policy *p = self;
    p->view = view;
    if (p->outside.node == NULL) wf_first_look(p, view);
    plan_shapes(&p->whole.plan, view);
    placement_shapes(&p->whole.placement);
    plan_shapes(&p->sched.plan, view);
    for (size_t i = 0; i < p->outside.n_later; i++)
        wf_idle_move(p, p->outside.later[i].node, &p->outside.later[i].take, p->outside.later[i].sign);
    p->outside.n_later = 0;
    size_t n = sort_events(p, ev, n_ev);
    close_reservations(p);
    if (p->host->is_audited) wf_audit(p);
    wf_show(p);
    sched_open(&p->sched, &p->outside.shown, p->scratch.event, n);
    for (int k = 0; k < PLAN_LICENCES_MAX; k++) p->sched.licence_free[k] -= p->outside.idle_licence[k];
    wf_seen(p);
    wf_advance(p);
    wf_admit(p);
    wf_seen(p);
    start_outside(p);
    wf_lend_all(p);
}

const struct pol_ops pol_workflow = {
    POL_HEADER, .name = "workflow", .source = "workflow reservation patent application, paragraphs 64-119 (seed 1)",
    .summary = "reserves for a workflow what its largest stage needs, and lends what the others leave",
    .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT,
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
