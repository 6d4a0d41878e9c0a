/*
 * flowpol.c -- one decision of the flow policies: what the solver is told, and what its
 * answer starts and stops, see flowpol.h.
 */
#include "lib/data/flowpol.h"

#include "lib/util.h"

enum { NO_LIMIT = 1 << 30 };    /* as a share: more than any number of tasks */

/* ---- in step with the scheduler state ---- */

static int64_t now_of(const struct flowpol *f) { return f->offer.sched.view->now_us; }
static int64_t wait_cost(const struct flowpol *f, int64_t us) { return (int64_t)((pol_wide)us * f->rule.wait_milli / 1000); }

/*
 * What leaving a task costs now, if it waits since time 0.  All waits grow alike, so this one figure grows
 * for all of them; how much less a task has waited is in its shift.
 */
static int64_t leave_now(const struct flowpol *f) { return f->rule.leave + wait_cost(f, now_of(f)); }

static void waits(void *self, const struct unit *u, int sign)
{
    struct flowpol *f = self;
    uint32_t id = u->task.slot;
    POL_RESERVE(f->wait, f->cap_wait, (size_t)id + 1);
    struct flowpol_wait *w = &f->wait[id];
    if (sign < 0) {
        w->before += now_of(f) - w->since;
        flownet_drop(&f->net, u);
        return;
    }
    if (w->gen != u->task.gen + 1) *w = (struct flowpol_wait){ .gen = u->task.gen + 1 };      /* 0: no task yet */
    w->since = now_of(f);
    flownet_wait(&f->net, u, wait_cost(f, w->since - w->before));
}

/* Costs were learnt anew: tell the solver those of waiting tasks; it is told of running ones in every decision. */
static void tell_anew(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    struct sched *d = &f->offer.sched;
    queue_walk_open(&d->walk, &g->apart, &d->units, NULL, NULL);
    for (uint32_t id; (id = queue_walk_top(&d->walk)) != POL_NONE; queue_walk_step(&d->walk, &d->units, POL_NEVER)) {
        flownet_drop(&f->net, sched_unit(d, id));
        flownet_wait(&f->net, sched_unit(d, id), wait_cost(f, f->wait[id].since - f->wait[id].before));
    }
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct flowpol *f = self;
    if (sign < 0) flownet_drop(&f->net, u);
}

static void class_gone(void *self, uint32_t class) { flownet_class_gone(&((struct flowpol *)self)->net, class); }

static const struct offer_singles singles = { .waits = waits, .moved = moved, .class_gone = class_gone };

void flowpol_init(struct flowpol *f, const struct pol_host *host, const struct flowpol_rule *rule, const char *reason)
{
    struct offer_rule offer = { .by = LOCALITY_OWN, .placement = rule->placement, .second_after = -1, .heartbeat_us = 1,
                                .reason = "not a single: offered as by gs", .singles = &singles };
    offer_init(&f->offer, host, &offer);
    f->offer.jobs.locality.price = rule->price;
    flownet_init(&f->net, &f->offer.sched, &f->offer.jobs);
    f->rule = *rule;
    f->reason = reason;
    f->evict.reason = "its job is above its share; run the shortest";
    f->wake_us = -1;
}

void flowpol_fini(struct flowpol *f)
{
    flownet_fini(&f->net);
    evict_fini(&f->evict);
    offer_fini(&f->offer);
    free(f->wait); free(f->moved); free(f->victim_of); free(f->is_used); free(f->list);
}

void flowpol_destroy(void *flowpol)
{
    flowpol_fini(flowpol);
    free(flowpol);
}

/* ---- shares ---- */

/* K of the basic share: jobs that hold or want GPUs. */
static uint32_t n_active(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    uint32_t k = 0;
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        k += j != NULL && j->held + j->waiting > 0;
    }
    return k;
}

/* To how many of the job's tasks in the network it has a claim; `held`: what its other tasks hold. */
static uint32_t claim(const struct flowpol *f, const struct gpujob *j, int64_t held, int64_t q, uint32_t k)
{
    if (f->rule.share == FLOWPOL_ALL) return NO_LIMIT;
    if (f->rule.share == FLOWPOL_NONE) return 0;
    int64_t share = j->share;
    if (f->rule.is_soft) return share > 0 && held == 0;
    if (f->rule.share == FLOWPOL_BASIC && q / GPU >= k) share = gpushare_basic(q, GPU, k, j->held + j->waiting);
    return share > held ? (uint32_t)((share - held + GPU - 1) / GPU) : 0;
}

static void tell_shares(struct flowpol *f, bool all)
{
    struct gpujobs *g = &f->offer.jobs;
    int64_t q = f->offer.sched.view->gpu_total, leave = leave_now(f);
    uint32_t k = f->rule.share == FLOWPOL_BASIC && !f->rule.is_soft ? n_active(f) : 0;
    gpujobs_share(g);
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        if (j == NULL || j->held + j->waiting == 0) continue;
        uint32_t slot = g->order.at[i].slot;
        /* The job's running tasks in the network: all of its tasks there less those that wait. */
        int64_t in_net = flownet_told(&f->net, slot).n_tasks, waiting = 0;
        for (uint32_t x = j->first_group; x != POL_NONE; x = g->group[x].next)
            if (gpujobs_is_apart(g, g->group[x].request_class)) waiting += g->group[x].n_waiting;
        flownet_job(&f->net, slot, all ? NO_LIMIT : claim(f, j, j->held - (in_net - waiting) * GPU, q, k), leave);
    }
}

/* ---- running tasks in the network ---- */

/*
 * Staying costs what reading there did, less what the task has run (d* - p*), but always
 * less than leaving it: a task is stopped to give its GPU to another or to get a better
 * one, never to leave the GPU idle.  A task that started at this instant is left out of
 * the network, so that the rounds of an instant come to an end.
 */
static void tell_running(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    struct sched *d = &f->offer.sched;
    int64_t now = now_of(f), leave = leave_now(f);
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        if (j == NULL || j->runs.n == 0) continue;
        POL_RESERVE(f->list, f->cap_list, j->runs.n);
        unit_set_list(&j->runs, &d->units, f->list);
        for (uint32_t r = 0; r < j->runs.n; r++) {
            const struct unit *u = sched_unit(d, f->list[r]);
            if (!gpujobs_is_apart(g, u->request_class) || u->started == now) continue;
            if (g->has_relearnt) gpujobs_relearn(g, f->list[r]);
            int64_t shift = f->rule.wait_milli > 0 ? leave - wait_cost(f, f->wait[f->list[r]].before) : 0;
            int64_t ran = (int64_t)((pol_wide)(now - u->started) * f->rule.keep_milli / 1000);
            int64_t stay = flownet_price(&f->net, u, d->held[f->list[r]].node) - ran + shift;
            flownet_run(&f->net, u, shift, stay < leave ? stay : leave - 1);
        }
    }
}

/* ---- from a solution to starts and stops ---- */

static bool is_running(struct flowpol *f, uint32_t unit) { return sched_unit(&f->offer.sched, unit)->state == UNIT_RUNNING; }

static void list_moved(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    struct sched *d = &f->offer.sched;
    f->n_moved = 0;
    for (uint32_t i = 0; f->rule.replaces && i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        for (uint32_t v = j != NULL ? unit_set_first(&j->runs, &d->units) : POL_NONE; v != POL_NONE; v = unit_set_next(&j->runs, &d->units, v)) {
            uint32_t node, class;
            if (!assign_has(f->net.assign, v) || (assign_place(f->net.assign, v, &node, &class) && node == d->held[v].node)) continue;
            POL_PUSH(f->moved, f->n_moved, f->cap_moved, v);
        }
    }
    for (uint32_t i = 0; i < f->n_moved; i++) sched_release(d, f->moved[i]);
}

/*
 * The card for a task that the flow put on a node: a free one, else, for a job below its share, one that a
 * victim holds.
 */
static uint64_t choose_card(struct flowpol *f, const struct flownet_put *p, const struct pol_shape *s)
{
    const struct plan *plan = &f->offer.sched.plan;
    uint32_t card0 = plan->node[p->node].n.card0, first = POL_NONE;
    uint64_t victims = 0, best = 0;
    for (uint32_t k = 0; k < plan->node[p->node].n.n_gpu; k++)
        if (f->victim_of[card0 + k] > 0) victims |= UINT64_C(1) << k;
    uint64_t card = flownet_card(&f->net, p->node, p->card, s, victims);
    if (card != 0 || !p->is_due) return card;
    for (uint64_t but = 0; (card = flownet_card(&f->net, p->node, p->card, s, but)) != 0; but |= card) {
        uint32_t v = f->victim_of[card0 + (uint32_t)__builtin_ctzll(card)];
        if (v < first) first = v, best = card;
    }
    return best;
}

static void mark_victims(struct flowpol *f, uint32_t i, bool on)
{
    const struct sched *d = &f->offer.sched;
    uint32_t t = f->evict.victim[i];
    for (uint32_t k = 0; k < sched_unit(d, f->evict.victim[i])->n_tasks; k++, t = d->held[t].next)
        for (uint64_t left = d->held[t].cards; left != 0; left &= left - 1)
            f->victim_of[d->plan.node[d->held[t].node].n.card0 + (uint32_t)__builtin_ctzll(left)] = on ? i + 1 : 0;
}

/*
 * Allocate in the plan what the flow put.  False: some did not fit, and their places are closed for this
 * decision.
 */
static bool take_places(struct flowpol *f)
{
    struct sched *d = &f->offer.sched;
    uint32_t n = 0;
    bool all = true;
    for (uint32_t i = 0; i < f->net.n_put; i++) {
        struct flownet_put p = f->net.put[i];
        if (is_running(f, p.unit)) continue;
        const struct pol_shape *s = &d->plan.shape[d->classes.at[sched_unit(d, p.unit)->request_class].shape[0]];
        p.cards = plan_fits(&d->plan, p.node, s) ? choose_card(f, &p, s) : 0;
        if (p.cards == 0) {
            flownet_close(&f->net, p.node, p.card);
            all = false;
            continue;
        }
        uint32_t v = f->victim_of[d->plan.node[p.node].n.card0 + (uint32_t)__builtin_ctzll(p.cards)];
        if (v > 0) {
            mark_victims(f, v - 1, false);
            f->is_used[v - 1] = true;
        }
        plan_allocate(&d->plan, p.node, s, p.cards);
        f->net.put[n++] = p;
    }
    f->net.n_put = n;
    return all;
}

/*
 * Victims, and tasks to be moved, whose GPU nobody took run on if they still can, the last first; the rest
 * are preempted.
 */
static void settle_stops(struct flowpol *f)
{
    struct sched *d = &f->offer.sched;
    struct evict *e = &f->evict;
    for (uint32_t i = e->n_victims; i-- > 0;) {
        if (!f->is_used[i]) mark_victims(f, i, false);
        if (!f->is_used[i] && evict_hand_back(d, e->victim[i])) e->victim[i] = POL_NONE;
    }
    for (uint32_t i = f->n_moved; i-- > 0;) {
        uint32_t node, class;
        if (!assign_place(f->net.assign, f->moved[i], &node, &class) && evict_hand_back(d, f->moved[i])) f->moved[i] = POL_NONE;
    }
    for (uint32_t i = 0; i < e->n_victims; i++)
        if (e->victim[i] != POL_NONE) sched_preempt(d, e->victim[i], e->reason);
    for (uint32_t i = 0; i < f->n_moved; i++)
        if (f->moved[i] != POL_NONE) sched_preempt(d, f->moved[i], "the flow has a better use of its GPU, or a better GPU for it");
    e->n_victims = f->n_moved = 0;
}

static bool commit(struct flowpol *f)
{
    struct sched *d = &f->offer.sched;
    list_moved(f);
    POL_RESERVE(f->is_used, f->cap_is_used, (size_t)f->evict.n_victims + 1);
    memset(f->is_used, 0, f->evict.n_victims * sizeof *f->is_used);
    bool all = take_places(f);
    settle_stops(f);
    for (uint32_t i = 0; i < f->net.n_put; i++) {
        const struct flownet_put *p = &f->net.put[i];
        POL_RESERVE(d->place, d->cap_place, 1);
        *d->place = (struct pol_place){ .node = p->node, .cards = p->cards };
        offer_take(&f->offer, p->unit, f->reason);
    }
    return all;
}

/* ---- one decision's flow ---- */

/* Tasks that jobs have a claim to and did not get. */
static uint32_t shortfall(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    int64_t sum = 0;
    POL_RESERVE(f->list, f->cap_list, g->cap);
    memset(f->list, 0, g->cap * sizeof *f->list);
    for (uint32_t i = 0; i < f->net.n_put; i++) f->list[sched_unit(&f->offer.sched, f->net.put[i].unit)->job.slot]++;
    for (uint32_t i = 0; i < g->order.n; i++) {
        if (gpujobs_nth(g, i) == NULL) continue;
        struct flownet_job t = flownet_told(&f->net, g->order.at[i].slot);
        uint32_t due = t.share < t.n_tasks ? t.share : t.n_tasks;
        if (due > f->list[g->order.at[i].slot]) sum += due - f->list[g->order.at[i].slot];
    }
    return sum < NO_LIMIT ? (uint32_t)sum : NO_LIMIT;
}

/* Release as many tasks as jobs miss, and solve again, until none is missing or none can be stopped. */
static bool with_victims(struct flowpol *f, struct assign_result *r)
{
    struct evict *e = &f->evict;
    evict_begin(e, &f->offer);
    for (uint32_t missing; (missing = shortfall(f)) > 0;) {
        uint32_t was = e->n_victims;
        while (missing > 0 && evict_next(e, &f->offer) != POL_NONE) missing--;
        if (e->n_victims == was) return true;
        for (uint32_t i = was; i < e->n_victims; i++) mark_victims(f, i, true);
        flownet_places(&f->net, false);
        if (!flownet_solve(&f->net, r)) return false;
    }
    return true;
}

/*
 * 1. Tell the solver what changed, and solve.
 * 2. If the rule preempts: jobs below their share that got too little get GPUs of tasks
 *    that may be stopped.
 * 3. Start what fits.  A place where a task does not fit (the node lacks CPU, say) is
 *    closed for this decision, and what still waits is solved again.
 */
static void run_flow(struct flowpol *f, bool all)
{
    struct flownet *n = &f->net;
    struct assign_result r;
    bool replaces = f->rule.replaces && !all, failed, stopped;
    if (f->offer.jobs.apart.n == 0 && !replaces) return;
    flownet_open(n);
    f->evict.n_victims = 0;             /* those of wider units are settled already */
    do {
        if (replaces) tell_running(f);
        flownet_places(n, replaces);
        tell_shares(f, all);
        if (!flownet_solve(n, &r)) return;
        if (f->rule.stops && !f->rule.replaces && f->offer.jobs.n_spare_runs > 0 && !with_victims(f, &r)) return;
        stopped = f->evict.n_victims > 0 || replaces;
        failed = !commit(f);
    } while (failed && !stopped && f->offer.jobs.apart.n > 0);
}

static bool holds_any(struct flowpol *f)
{
    struct gpujobs *g = &f->offer.jobs;
    for (uint32_t i = 0; i < g->order.n; i++) {
        const struct gpujob *j = gpujobs_nth(g, i);
        if (j != NULL && j->held > 0) return true;
    }
    return false;
}

static bool has_free(const struct flowpol *f)
{
    const struct plan *p = &f->offer.sched.plan;
    uint32_t i = 0;
    while (i < p->n_nodes && (!p->node[i].n.is_up || p->node[i].n_idle == 0)) i++;
    return i < p->n_nodes;
}

/*
 * Ask to be woken when some wait will have cost as much as reading does on some node, so
 * that a start that is too dear now is worth it then.  (It surely is: leaving costs a
 * little more than the wait, and rounding its two parts down can only add to it.)
 */
static void ask_wake(struct flowpol *f)
{
    struct sched *d = &f->offer.sched;
    struct gpujobs *g = &f->offer.jobs;
    int64_t now = now_of(f), next = POL_NEVER;
    if (f->rule.wait_milli == 0 || g->apart.n == 0 || !has_free(f)) return;
    queue_walk_open(&d->walk, &g->apart, &d->units, NULL, NULL);
    for (uint32_t id; (id = queue_walk_top(&d->walk)) != POL_NONE; queue_walk_step(&d->walk, &d->units, POL_NEVER)) {
        int64_t waited = f->wait[id].before + now - f->wait[id].since, worth = wait_cost(f, waited);
        const struct locality_reach *r = g->has_data[id] ? &g->locality.reach[id] : NULL;
        for (uint32_t i = 0; i < (r != NULL ? r->n_nodes + r->n_racks + 1 : 1); i++) {
            int64_t cost = r != NULL ? r->at[i].cost : 0;
            if (worth >= cost) continue;
            int64_t at = now + (int64_t)(((pol_wide)cost * 1000 + f->rule.wait_milli - 1) / f->rule.wait_milli) - waited;
            if (at < next) next = at;
        }
    }
    if (next == POL_NEVER || (f->wake_us > now && f->wake_us <= next)) return;
    f->wake_us = next > now ? next : now + 1;
    d->host->wake(d->host->ctx, f->wake_us);
}

/* For the record: the singles that came in this round and that the flow left waiting. */
static void tell_left(struct flowpol *f)
{
    struct sched *d = &f->offer.sched;
    for (uint32_t i = 0; i < d->n_fresh; i++) {
        const struct unit *u = sched_unit(d, d->fresh[i]);
        if (u->state == UNIT_WAITING && gpujobs_is_apart(&f->offer.jobs, u->request_class))
            d->host->hold(d->host->ctx, u->task, false, "left by the flow: waiting costs less than the places that are free");
    }
}

void flowpol_decide(void *flowpol, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct flowpol *f = flowpol;
    offer_open(&f->offer, view, ev, n_ev);
    if (f->offer.jobs.has_relearnt) tell_anew(f);
    POL_RESERVE(f->victim_of, f->cap_victim_of, (size_t)view->n_cards + 1);
    offer_gpus(&f->offer, true);
    run_flow(f, false);
    if (f->rule.stops) evict_run(&f->evict, &f->offer);
    offer_gpus(&f->offer, false);
    /* Nothing runs, so nothing would ever change: a dear place is better than none. */
    if (f->rule.wait_milli == 0 && f->offer.jobs.apart.n > 0 && !holds_any(f)) run_flow(f, true);
    offer_cpus(&f->offer);
    tell_left(f);
    ask_wake(f);
}
