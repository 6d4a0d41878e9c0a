/*
 * themis.c -- Themis: leases of GPUs for those whom finish-time fairness treats worst, by auction.  README.md, themis.
 *
 * Leases are each unit's own (rounds.h).  Whenever something happens and GPUs are free, or leases are over, all units
 * that wait or whose lease is over are ranked by how unfairly they would fare if they ran from now on; the worst part
 * of them bids for what is free, and what the auction leaves goes to the others in that order.
 *
 * Cost of a decision in which something can start: O(n log n) of n units that wait or whose lease is over, of the
 * auction O(bidders x free GPUs), and of places one search for each request class; else O(n).
 * Source: Mahajan et al., Themis: Fair and Efficient GPU Cluster Scheduling, NSDI 2020, sections 3 to 5.
 */
#include <math.h>
#include "builtin.h"
#include "lib/util.h"
#include "themis/state.h"

enum { CARD = 1000 };

enum { P_PLACE, P_ESTIMATE, P_FILTER, P_LEASE };
static const struct pol_param params[] = {
    PLACEMENT_PARAM, LIST_ESTIMATE_OF("true"),
    { .name = "filter", .type = POL_NUMBER, .dflt = "0.8",
      .help = "f: the part 1 - f of the units that fare worst bids for what is free; from 0 to 1" },
    { .name = "lease", .type = POL_DURATION, .dflt = "20m", .help = "how long a lease is, if nothing of it is paid" },
};

/* ---- units ---- */

/* Units in the system, integrated over time until now. */
static double present(const struct themis *l)
{
    return l->present + (double)l->n_present * (double)(l->sched.view->now_us - l->counted);
}

/* What is left of it: the longest of its tasks by true times, else what the estimate leaves. */
static int64_t left_of(const struct themis *l, const struct unit *u, int64_t ran)
{
    const struct pol_host *h = l->sched.host;
    int64_t most = 0;
    pol_task t = u->task;
    if (l->sched.estimate != SCHED_TRUE) {
        if (u->est == POL_NEVER) return ran > l->lease ? ran : l->lease;        /* nothing is known of it */
        return u->est > ran ? u->est - ran : 0;
    }
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_task_info *ti = h->task(h->ctx, t);
        if (ti->true_left_us > most) most = ti->true_left_us;
        t = ti->next;
    }
    return most;
}

/* A unit that comes, or was stopped.  Who gets nowhere in a lease, as a preemption loses it all, has longer ones. */
static int64_t wait_key(void *self, const struct unit *u)
{
    struct themis *l = self;
    const int64_t now = l->sched.view->now_us, left = l->sched.estimate == SCHED_TRUE ? left_of(l, u, 0) : 0;
    POL_RESERVE(l->book, l->cap_book, (size_t)u->task.slot + 1);
    struct themis_book *b = &l->book[u->task.slot];
    if (!b->is_known || b->ordinal != u->ordinal || b->index != u->index)
        *b = (struct themis_book){ .ordinal = u->ordinal, .index = u->index, .is_known = true, .since = now,
                                   .present = present(l) };
    else if (left >= b->left) b->stalled++;
    b->waits = now;
    b->left = left;
    return 0;
}

/* Its finish-time fairness if it ran from now on, over what it would take alone on its part of the cluster. */
static void look_at(struct themis *l, uint32_t id)
{
    const struct sched *d = &l->sched;
    const struct unit *u = &d->units.at[id];
    const struct themis_book *b = &l->book[id];
    const int64_t now = d->view->now_us;
    bool runs = u->state == UNIT_RUNNING;
    int64_t ran = u->attained + (runs ? now - u->started : 0), left = left_of(l, u, ran);
    double elapsed = (double)(now - b->since);
    double n = elapsed > 0 ? (present(l) - b->present) / elapsed : (double)(d->running.n + d->wait.n);
    double share = d->view->gpu_total > 0 ? (double)sched_gpu_milli(d, u) * n / (double)d->view->gpu_total : 0;
    double alone = fmax(1, (double)ran + (double)left) * fmax(1, share);
    const struct themis_unit seen = { .id = id, .index = u->index, .ordinal = u->ordinal, .elapsed = elapsed,
        .left = (double)left, .rho = (elapsed + (double)left) / alone, .waited = runs ? 0 : now - b->waits };
    POL_PUSH(l->unit, l->n_units, l->cap_unit, seen);
}

static int worst_first(const void *a, const void *b)
{
    const struct themis_unit *x = a, *y = b;
    if (x->rho != y->rho) return x->rho > y->rho ? -1 : 1;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* ---- leases ---- */

static bool is_running(const struct themis *l, uint32_t id) { return l->sched.units.at[id].state == UNIT_RUNNING; }

/*
 * A place for it in the plan, in sched.place, outside of held nodes.  Once nodes are held they are the same for the
 * rest of the decision, in which nothing more is released, so what was refused stays so.
 */
static bool find_place(struct themis *l, uint32_t id)
{
    struct sched *d = &l->sched;
    const struct unit *u = sched_unit(d, id);
    const uint32_t class = u->request_class;
    if (!l->holds) return sched_may_fit(d, class, u->cpu_milli, u->mem_b, u->est) && sched_place(d, id);
    struct request_kind *k = &d->classes.kind[u->kind];
    const struct request_refusals at = { .key_epoch = d->round };
    const bool shares = sched_shares_refusals(d, class);
    POL_RESERVE(l->failed, l->cap_failed, (size_t)class + 1);
    if (sched_known_unschedulable(d, class) || l->failed[class] == d->round) return false;
    if (shares && request_kind_is_refused(k, at, u->cpu_milli, u->mem_b)) return false;
    if (sched_place_on(d, id, l->open, l->n_open)) return true;
    if (d->classes.at[class].is_monotone) l->failed[class] = d->round;
    if (shares && u->n_tasks == 1) request_kind_refuse(k, at, u->cpu_milli, u->mem_b);
    return false;
}

/* A lease for the unit, where it runs or else wherever there is room for it. */
static bool give(struct themis *l, struct themis_unit *u, double kept)
{
    u->is_done = !themis_is_on_held(l, u->id) && rounds_keep(&l->rounds, u->id);
    if (!u->is_done && find_place(l, u->id)) u->is_done = rounds_lease(&l->rounds, u->id);
    double length = kept * (double)l->lease * (double)(1 + l->book[u->id].stalled);
    int64_t us = length < 1 ? 1 : length < (double)POL_NEVER ? (int64_t)length : POL_NEVER;
    if (u->is_done) rounds_last(&l->rounds, u->id, us);
    l->n_given += u->is_done;
    return u->is_done;
}

/* Those who waited a lease long come first, the worst first; for the first that finds no room nodes are held. */
static void serve_starved(struct themis *l)
{
    for (uint32_t i = 0; i < l->n_units; i++) {
        struct themis_unit *u = &l->unit[i];
        if (u->waited < l->lease || give(l, u, 1)) continue;
        if (themis_hold(l, u->id)) return;
    }
}

/* How fast the unit goes where its tasks are, over that on one node. */
static double pace_at(const struct themis *l, const struct unit *u, const struct pol_place *place)
{
    const struct sched *d = &l->sched;
    bool is_apart = false, is_cross = false;
    double pace = 1;
    for (uint32_t i = 1; i < u->n_tasks; i++) {
        is_apart |= place[i].node != place[0].node;
        is_cross |= d->view->node[place[i].node].rack != d->view->node[place[0].node].rack;
    }
    for (uint32_t i = 0; i < u->n_tasks && is_apart; i++) {
        int64_t speed = l->profiles->apart(d->host->ctx, u->task, d->view->node[place[i].node].gpu_type, is_cross);
        if (speed > 0) pace = fmin(pace, (double)speed / 1e6);
    }
    return pace;
}

/* The pace at which it would run if it had the free GPUs for itself; where it is, if it is free to stay. */
static double pace_of(struct themis *l, uint32_t id)
{
    struct sched *d = &l->sched;
    const struct unit *u = sched_unit(d, id);
    double pace = 1;
    if (u->n_tasks == 1) return 1;
    if (is_running(l, id) && !themis_is_on_held(l, id)) {
        uint32_t t = id;
        POL_RESERVE(d->place, d->cap_place, u->n_tasks);
        for (uint32_t i = 0; i < u->n_tasks; i++, t = d->held[t].next)
            d->place[i] = (struct pol_place){ .node = d->held[t].node };
        return pace_at(l, u, d->place);
    }
    struct plan_mark m = plan_mark(&d->plan);
    if (find_place(l, id)) pace = pace_at(l, u, d->place);
    plan_undo(&d->plan, m);
    return pace;
}

/* Whole cards that are free, outside of held nodes; shares make up cards. */
static uint32_t free_gpus(const struct themis *l)
{
    const struct plan *p = &l->sched.plan;
    int64_t milli = p->gpu_free;
    for (uint32_t n = 0; l->holds && n < p->n_nodes; n++)
        if (p->node[n].n.is_up && l->is_held[n]) milli -= p->node[n].gpu_free;
    return (uint32_t)(milli / CARD);
}

/*
 * What it gains by its GPUs: its fairness without them is that of waiting for another lease, with them that of running
 * at its pace for one, and at full speed after it.
 */
static int64_t gain_of(struct themis *l, const struct themis_unit *u)
{
    double lease = (double)l->lease, pace = pace_of(l, u->id);
    double with = u->left <= pace * lease ? u->left / pace : lease + u->left - pace * lease;
    return auction_gain(fmax(1, fmax(1, u->elapsed + lease + u->left) / fmax(1, u->elapsed + with)));
}

static void hold_auction(struct themis *l)
{
    uint32_t n = (uint32_t)ceil((1 - l->filter) * (double)l->n_units), n_bids = 0;
    if (n < 1) n = 1;
    if (n > AUCTION_BIDS_MAX) n = AUCTION_BIDS_MAX;
    POL_RESERVE(l->bid, l->cap_bid, n);
    POL_RESERVE(l->who, l->cap_who, n);
    for (uint32_t i = 0; i < l->n_units && n_bids < n; i++) {
        const struct themis_unit *u = &l->unit[i];
        int64_t milli = sched_gpu_milli(&l->sched, sched_unit(&l->sched, u->id));
        if (u->is_done) continue;
        l->bid[n_bids] = (struct auction_bid){ .gpus = (uint32_t)((milli + CARD - 1) / CARD), .gain = gain_of(l, u) };
        l->who[n_bids++] = i;
    }
    auction_hold(&l->auction, l->bid, n_bids, free_gpus(l));
    for (int moves = 0; moves < 2; moves++)         /* who runs first, lest others take its place */
        for (uint32_t i = 0; i < n_bids; i++) {
            struct themis_unit *u = &l->unit[l->who[i]];
            if (l->bid[i].wins && is_running(l, u->id) == (moves == 0)) (void)give(l, u, l->bid[i].kept);
        }
}

static bool can_anything_start(struct themis *l)
{
    struct sched *d = &l->sched;
    const struct queue_filter f = sched_filter(d);
    queue_walk_search(&d->walk, &d->wait, &d->units, &f);
    return queue_walk_top(&d->walk) != POL_NONE;
}

static void lease_all(struct themis *l)
{
    struct rounds *r = &l->rounds;
    l->holds = false;
    l->n_given++;
    l->n_units = 0;
    if (r->n_due == 0 && !can_anything_start(l)) return;
    for (uint32_t i = 0; i < r->n_candidates; i++) look_at(l, r->candidate[i]);
    qsort(l->unit, l->n_units, sizeof *l->unit, worst_first);
    serve_starved(l);
    hold_auction(l);
    for (uint32_t i = 0; i < l->n_units; i++) if (!l->unit[i].is_done) (void)give(l, &l->unit[i], 1);
}

static void decide(void *self)
{
    struct themis *l = self;
    struct sched *d = &l->sched;
    l->present = present(l);
    l->counted = d->view->now_us;
    if (rounds_begin(&l->rounds)) lease_all(l);
    rounds_end(&l->rounds, "it is among those that fare worst, or there is room besides");
    l->n_present = d->running.n + d->wait.n + l->rounds.n_moving;
}

/* ---- life ---- */

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct themis *l = self;
    l->profiles = pol_extension(l->sched.host, POL_PROFILES);
    l->filter = value[P_FILTER].x;
    l->lease = value[P_LEASE].i;
    rounds_init(&l->rounds, &l->sched, &(struct rounds_rule){ .length = l->lease, .is_each = true });
    if (!(l->filter >= 0 && l->filter <= 1)) return pol_error(error, cap, "filter must be from 0 to 1");
    if (l->lease < 1) return pol_error(error, cap, "lease must be above 0");
    return true;
}

static void fini(void *self)
{
    struct themis *l = self;
    rounds_fini(&l->rounds);
    auction_fini(&l->auction);
    POL_FREE(l->book, l->unit, l->bid, l->who, l->is_held, l->open, l->failed, l->ends, l->no_hold, l->node, l->list);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct themis *l = self;
    (void)kind;
    if (class < l->cap_no_hold) l->no_hold[class] = 0;
    if (class < l->cap_failed) l->failed[class] = 0;
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .run_key = rounds_run_key, .class_gone = class_gone,
    .size = sizeof(struct themis), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_themis, ops, params,
            .name = "themis", .source = "Mahajan et al., Themis: Fair and Efficient GPU Cluster Scheduling, NSDI 2020",
            .summary = "leases for those whom finish-time fairness treats worst, by partial allocation auction",
            .flags = POL_PREEMPTS | POL_CLAIRVOYANT | POL_USES_LIMITS);
