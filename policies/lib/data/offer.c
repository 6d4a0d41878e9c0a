/*
 * offer.c -- one decision of the policies that offer free GPUs to jobs in turn, see
 * offer.h.
 */
#include "lib/data/offer.h"

#include "lib/util.h"

/* ---- in step with the scheduler state ---- */

static int64_t wait_key(void *self, const struct unit *u) { return gpujobs_wait_key(&((struct offer *)self)->jobs, u); }
static struct queue *queue_of(void *self, const struct unit *u) { return gpujobs_queue(&((struct offer *)self)->jobs, u); }

static bool is_left(const struct offer *o, uint32_t class) { return o->rule.singles != NULL && gpujobs_is_apart(&o->jobs, class); }

static void waits(void *self, const struct unit *u, int sign)
{
    struct offer *o = self;
    gpujobs_waits(&o->jobs, u, sign);
    if (is_left(o, u->request_class)) o->rule.singles->waits(self, u, sign);
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct offer *o = self;
    int64_t ask = gpujobs_ask(&o->jobs, u->request_class);
    if (ask == 0) return;
    gpujobs_moved(&o->jobs, u, sign);
    o->queue[o->job[u->job.slot].queue].held += sign * ask;
    if (is_left(o, u->request_class)) o->rule.singles->moved(self, u, sign);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct offer *o = self;
    (void)kind;
    gpujobs_class_gone(&o->jobs, class);
    if (o->rule.singles != NULL) o->rule.singles->class_gone(self, class);
}

static const struct sched_ops sched_ops = { .wait_key = wait_key, .queue = queue_of, .moved = moved, .waits = waits,
                                            .class_gone = class_gone };

void offer_init(struct offer *o, const struct pol_host *host, const struct offer_rule *rule)
{
    sched_init(&o->sched, host, rule->placement, &sched_ops, o);
    gpujobs_init(&o->jobs, &o->sched, rule->by);
    o->jobs.quota = rule->quota * GPU;
    o->jobs.sets_apart = rule->singles != NULL;
    o->rule = *rule;
    o->beat.asked = -1;
    o->nodes.only = POL_NONE;
    o->nodes.draws = host->seed;
}

void offer_fini(struct offer *o)
{
    for (uint32_t i = 0; i < o->n_queues; i++) queue_fini(&o->queue[i].jobs);
    gpujobs_fini(&o->jobs);
    sched_fini(&o->sched);
    queue_walk_fini(&o->walk);
    queue_walk_fini(&o->inner);
    free(o->queue); free(o->queue_of); free(o->job); free(o->group); free(o->rep.at);
    free(o->nodes.is_open); free(o->nodes.at); free(o->nodes.drawn); free(o->nearest.at);
}

/* ---- queues and the groups in them ---- */

static uint32_t number_queue(struct offer *o, const struct gpujob *j)
{
    size_t id = !o->rule.by_queue ? 0 : j->queue != POL_NONE ? 2 * (size_t)j->queue + 1 : 2 * (size_t)j->user;
    POL_RESERVE(o->queue_of, o->cap_queue_of, id + 1);
    if (o->queue_of[id] == 0) {
        POL_RESERVE(o->queue, o->cap_queue, (size_t)o->n_queues + 1);
        o->queue_of[id] = ++o->n_queues;
    }
    return o->queue_of[id] - 1;
}

static bool within_quota(const struct offer *o, const struct gpujob *j, int64_t ask)
{
    return o->jobs.quota == 0 || j->held == 0 || j->held + ask <= o->jobs.quota;
}

/* For the record: by the first of the tasks that the job has waiting. */
static void tell_waiting(const struct offer *o, const struct gpujob *j, const char *reason)
{
    const struct sched *d = &o->sched;
    uint32_t id = queue_first(j->data.n > 0 ? &j->data : &j->wait);
    if (id != POL_NONE) d->host->hold(d->host->ctx, sched_unit(d, id)->task, false, reason);
}

/* Groups change place only between walks. */
static void settle_group(struct offer *o, const struct gpujob *j, uint32_t x)
{
    const struct gpujobs_group *g = &o->jobs.group[x];
    POL_RESERVE(o->group, o->cap_group, (size_t)x + 1);
    POL_RESERVE(o->rep.at, o->rep.cap, (size_t)x + 1);
    struct offer_group *s = &o->group[x];
    struct unit *rep = &o->rep.at[x];
    int64_t key = o->rule.fifo ? 0 : j->held;
    bool in = g->n_waiting > 0 && !is_left(o, g->request_class) && within_quota(o, j, gpujobs_ask(&o->jobs, g->request_class));
    if (!in && g->n_waiting > 0 && !is_left(o, g->request_class)) tell_waiting(o, j, "its job holds its quota");
    if (s->is_in && in && rep->key == key) return;
    if (s->is_in) queue_del(&o->queue[s->queue].jobs, &o->rep, x);
    s->is_in = in;
    if (!in) return;
    s->queue = o->job[g->job].queue;
    const struct request_class *k = &o->sched.classes.at[g->request_class];
    *rep = (struct unit){ .key = key, .ordinal = j->ordinal, .index = g->nth, .request_class = g->request_class,
                          .kind = k->kind, .cpu_milli = k->cpu_milli, .mem_b = k->mem_b };
    queue_add(&o->queue[s->queue].jobs, &o->rep, x);
}

static void settle(struct offer *o)
{
    struct gpujobs *g = &o->jobs;
    for (uint32_t i = 0; i < g->dirty.n; i++) {
        uint32_t slot = g->dirty.slot[i];
        struct gpujob *j = &g->at[slot];
        j->is_dirty = false;
        POL_RESERVE(o->job, o->cap_job, (size_t)slot + 1);
        if (o->job[slot].ordinal != j->ordinal || !o->job[slot].is_known)
            o->job[slot] = (struct offer_job){ .ordinal = j->ordinal, .is_known = true, .queue = number_queue(o, j), .counted_us = -1 };
        for (uint32_t x = j->first_group; x != POL_NONE; x = g->group[x].next) settle_group(o, j, x);
    }
    g->dirty.n = 0;
}

void offer_open(struct offer *o, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    sched_open(&o->sched, view, ev, n_ev);
    gpujobs_open(&o->jobs, ev, n_ev);
    settle(o);
    o->beat.next = POL_NEVER;
}

/* ---- nodes with GPUs to give ---- */

static void look_at(struct offer *o, uint32_t node)
{
    const struct plan_node *n = &o->sched.plan.node[node];
    uint64_t bit = UINT64_C(1) << node % 64;
    const bool is_open = n->n.is_up && n->gpu_free > 0;
    if (is_open == ((o->nodes.is_open[node / 64] & bit) != 0)) return;
    o->nodes.is_open[node / 64] ^= bit;
    o->nodes.n_open += is_open ? 1 : UINT32_MAX;
}

/* Take in what changed in the plan. */
static void see_open(struct offer *o)
{
    const struct plan *p = &o->sched.plan;
    POL_RESERVE(o->nodes.is_open, o->nodes.cap_is_open, (p->n_nodes + 63) / 64);
    if (o->nodes.seen == 0 || p->touches.n - o->nodes.seen > p->touches.mask) {
        for (uint32_t i = 0; i < p->n_nodes; i++) look_at(o, i);
    } else {
        for (uint64_t k = o->nodes.seen + 1; k <= p->touches.n; k++) look_at(o, p->touches.log[k & p->touches.mask]);
    }
    o->nodes.seen = p->touches.n;
}

static void list_open(struct offer *o)
{
    see_open(o);
    POL_RESERVE(o->nodes.at, o->nodes.cap, o->nodes.n_open);
    o->nodes.n = 0;
    for (size_t w = 0; w < (o->sched.plan.n_nodes + 63) / 64; w++)
        for (uint64_t left = o->nodes.is_open[w]; left != 0; left &= left - 1)
            o->nodes.at[o->nodes.n++] = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(left);
}

/* ---- one job's choice ---- */

/* The worst level that the job takes now. */
static uint32_t most_level(struct offer *o, uint32_t slot)
{
    const struct offer_rule *r = &o->rule;
    const struct offer_job *x = &o->job[slot];
    int64_t patience = x->declined;
    if (r->second_after < 0) return LOCALITY_LEVELS - 1;
    if (r->from_deficit) {
        const struct gpujob *j = &o->jobs.at[slot];
        gpujobs_share(&o->jobs);
        int64_t missing = j->share - j->held;
        patience += missing > 0 ? (missing + GPU - 1) / GPU : missing / GPU;       /* rounded up */
    }
    return patience > r->any_after ? 2 : patience > r->second_after ? 1 : 0;
}

/* Of the group, and what is on offer: by its data, or by the nodes where there are fewer. */
static bool nearest_of(struct offer *o, struct gpujobs_group *g, bool *listed, struct locality_candidate *best)
{
    struct gpujobs *jobs = &o->jobs;
    if (o->nodes.only != POL_NONE) return gpujobs_nearest(jobs, g, &o->nodes.only, 1, best, &o->nearest);
    see_open(o);
    if (o->nodes.n_open > g->index.n && gpujobs_knows_regions(jobs, g)) return gpujobs_nearest_of_all(jobs, g, best, &o->nearest);
    if (!*listed) list_open(o);
    *listed = true;
    return gpujobs_nearest(jobs, g, o->nodes.at, o->nodes.n, best, &o->nearest);
}

/* The best of the tasks with data, over all groups; nodes on which it is had in o->nearest. */
static struct locality_candidate nearest(struct offer *o, const struct gpujob *j)
{
    struct sched *d = &o->sched;
    struct locality_candidate best = LOCALITY_NONE;
    bool listed = false;
    o->nearest.n = 0;
    if (j->data.n == 0) return best;
    for (uint32_t x = j->first_group; x != POL_NONE; x = o->jobs.group[x].next) {
        struct gpujobs_group *g = &o->jobs.group[x];
        struct request_class *k = &d->classes.at[g->request_class];
        if (g->n_data == 0 || sched_known_unschedulable(d, g->request_class)) continue;
        if (!within_quota(o, j, gpujobs_ask(&o->jobs, g->request_class))) continue;
        if (nearest_of(o, g, &listed, &best) || o->nodes.only != POL_NONE) continue;
        k->failed.freed_epoch = d->plan.freed_epoch;
        k->failed.change_epoch = d->plan.change_epoch;
    }
    return best;
}

/* A place for a unit without data on what is offered, taken in the plan.  A gang is not bound to one node. */
static bool place_plain(struct offer *o, uint32_t id)
{
    struct sched *d = &o->sched;
    const struct unit *u = sched_unit(d, id);
    if (o->nodes.only == POL_NONE || u->n_tasks > 1) return sched_place(d, id);
    uint32_t shape = d->classes.at[u->request_class].shape[0];
    POL_RESERVE(d->place, d->cap_place, 1);
    if (!plan_fits(&d->plan, o->nodes.only, &d->plan.shape[shape]) || !placement_among(&d->placement, shape, &o->nodes.only, 1, d->place)) return false;
    plan_allocate(&d->plan, d->place->node, &d->plan.shape[shape], d->place->cards);
    return true;
}

/* The first unit without data that fits and would rank before the best with data, taken in the plan. */
static uint32_t first_plain(struct offer *o, struct gpujob *j, const struct locality_candidate *best)
{
    struct sched *d = &o->sched;
    uint32_t id;
    for (queue_walk_open(&o->inner, &j->wait, &d->units, sched_skip, d); (id = queue_walk_top(&o->inner)) != POL_NONE; sched_pass(d, &o->inner)) {
        const struct unit *u = sched_unit(d, id);
        struct locality_candidate e = { .index = u->index };
        if (best->task != POL_NONE && !locality_before(&e, best)) return POL_NONE;
        if (within_quota(o, j, gpujobs_ask(&o->jobs, u->request_class)) && place_plain(o, id)) return id;
    }
    return POL_NONE;
}

uint32_t offer_pick(struct offer *o, uint32_t slot, bool *declines)
{
    struct sched *d = &o->sched;
    struct gpujob *j = &o->jobs.at[slot];
    *declines = false;
    struct locality_candidate best = nearest(o, j);
    uint32_t most = best.task == POL_NONE || best.level == 0 ? LOCALITY_LEVELS : most_level(o, slot);
    bool takes = best.task != POL_NONE && best.level <= most;
    uint32_t plain = j->wait.n == 0 ? POL_NONE : first_plain(o, j, takes ? &best : &LOCALITY_NONE);
    if (plain != POL_NONE) return plain;
    *declines = best.task != POL_NONE && !takes;
    if (*declines) d->host->hold(d->host->ctx, sched_unit(d, best.task)->task, false, "declines free GPUs that are far from its data");
    if (!takes) return POL_NONE;
    uint32_t shape = d->classes.at[sched_unit(d, best.task)->request_class].shape[0];
    POL_RESERVE(d->place, d->cap_place, 1);
    (void)placement_among(&d->placement, shape, o->nearest.at, o->nearest.n, d->place);
    plan_allocate(&d->plan, d->place->node, &d->plan.shape[shape], d->place->cards);
    return best.task;
}

void offer_take(struct offer *o, uint32_t unit, const char *reason)
{
    o->job[sched_unit(&o->sched, unit)->job.slot].declined = 0;
    sched_start(&o->sched, unit, reason);
    settle(o);
}

/* ---- offers ---- */

/* One more offer declined, if something became free or a heartbeat passed since the last that counted. */
static void decline(struct offer *o, uint32_t slot)
{
    struct offer_job *x = &o->job[slot];
    int64_t now = o->sched.view->now_us;
    x->passed_in = o->pass;
    o->declined_in = o->sched.round;
    if (x->counted_us < 0 || x->counted_freed != o->jobs.n_freed || now >= pol_after(x->counted_us, o->rule.heartbeat_us)) {
        x->declined++;
        x->counted_freed = o->jobs.n_freed;
        x->counted_us = now;
    }
    int64_t beat = pol_after(x->counted_us, o->rule.heartbeat_us);
    if (beat < o->beat.next) o->beat.next = beat;
}

/* What a job declines to wait for a better place is not for those that have their share. */
static bool has_enough(struct offer *o, uint32_t slot)
{
    if (!o->below_share && (!o->rule.from_deficit || o->declined_in != o->sched.round)) return false;
    gpujobs_share(&o->jobs);
    return o->jobs.at[slot].held >= o->jobs.at[slot].share;
}

static bool skip(void *offer, uint32_t class) { return sched_skip(&((struct offer *)offer)->sched, class); }

/* What fits nowhere is passed over, but while a job may decline, behind which each is told if it has its share. */
static bool may_fit(void *offer, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    struct offer *o = offer;
    const bool may_decline = o->jobs.n_data > 0 || o->declined_in == o->sched.round;
    return (o->rule.from_deficit && may_decline) || sched_may_fit(&o->sched, class, cpu_milli, mem_b, est);
}

/* Serve the queue's first job that takes something; false: none does. */
static bool serve(struct offer *o, struct offer_queue *q)
{
    struct sched *d = &o->sched;
    struct queue_walk *w = &o->walk;
    uint32_t x;
    queue_walk_search(w, &q->jobs, &o->rep, &(struct queue_filter){ .skip = skip, .may_fit = may_fit, .ctx = o });
    while ((x = queue_walk_top(w)) != POL_NONE) {
        const struct gpujobs_group *g = &o->jobs.group[x];
        uint32_t class = g->request_class, slot = g->job;
        bool declines = false, monotone = d->classes.at[class].is_monotone;
        if (o->job[slot].passed_in != o->pass) {
            uint32_t unit = POL_NONE;
            if (has_enough(o, slot)) {
                o->job[slot].passed_in = o->pass;
                /* Below their share alone: the rest is offered later in the same decision. */
                if (!o->below_share) tell_waiting(o, &o->jobs.at[slot], "its job has its share, and what is free is what others declined");
            } else if (!sched_known_unschedulable(d, class)) {
                unit = offer_pick(o, slot, &declines);
            }
            if (unit != POL_NONE) {
                offer_take(o, unit, o->rule.reason);
                return true;
            }
            if (declines) decline(o, slot);
        }
        if (monotone && sched_known_unschedulable(d, class)) queue_walk_drop(w, &o->rep);
        else queue_walk_step(w, &o->rep, POL_NEVER);
    }
    return false;
}

/* What is on offer, until no job takes any of it. */
static void serve_all(struct offer *o)
{
    o->pass++;
    for (;;) {
        struct offer_queue *least = NULL;
        for (uint32_t i = 0; i < o->n_queues; i++) {
            struct offer_queue *q = &o->queue[i];
            if (q->jobs.n > 0 && q->passed_in != o->pass && (least == NULL || q->held < least->held)) least = q;
        }
        if (least == NULL) return;
        if (!serve(o, least)) least->passed_in = o->pass;
    }
}

void offer_gpus(struct offer *o, bool below_share)
{
    o->below_share = below_share;
    if (!o->rule.by_node) {
        serve_all(o);
        return;
    }
    list_open(o);
    uint32_t n = o->nodes.n;
    POL_RESERVE(o->nodes.drawn, o->nodes.cap_drawn, n);
    if (n > 0) memcpy(o->nodes.drawn, o->nodes.at, n * sizeof *o->nodes.drawn);
    while (n > 0 && o->jobs.waiting > 0) {
        uint32_t i = pol_draw_below(&o->nodes.draws, n);
        o->nodes.only = o->nodes.drawn[i];
        o->nodes.drawn[i] = o->nodes.drawn[--n];
        serve_all(o);
    }
    o->nodes.only = POL_NONE;
}

/* ---- CPU units ---- */

static bool place_near(struct offer *o, uint32_t id)
{
    struct sched *d = &o->sched;
    const struct plan *p = &d->plan;
    struct request_class *k = &d->classes.at[sched_unit(d, id)->request_class];
    struct locality_candidate best = LOCALITY_NONE;
    o->nearest.n = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        if (!plan_fits(p, i, &p->shape[k->shape[0]])) continue;
        struct locality_reach_at a = locality_at(&o->jobs.locality, id, i);
        struct locality_candidate e = { .cost = a.cost, .level = a.level, .task = id };
        if (best.task != POL_NONE && locality_before(&best, &e)) continue;
        if (best.task == POL_NONE || locality_before(&e, &best)) o->nearest.n = 0;
        best = e;
        POL_PUSH(o->nearest.at, o->nearest.n, o->nearest.cap, i);
    }
    if (best.task == POL_NONE) {
        k->failed.freed_epoch = p->freed_epoch;
        k->failed.change_epoch = p->change_epoch;
        return false;
    }
    POL_RESERVE(d->place, d->cap_place, 1);
    (void)placement_among(&d->placement, k->shape[0], o->nearest.at, o->nearest.n, d->place);
    plan_allocate(&d->plan, d->place->node, &p->shape[k->shape[0]], d->place->cards);
    return true;
}

void offer_cpus(struct offer *o)
{
    struct sched *d = &o->sched;
    struct queue_walk *w = &d->walk;
    const struct queue_filter f = sched_filter(d);
    uint32_t id;
    for (queue_walk_search(w, &d->wait, &d->units, &f); (id = queue_walk_top(w)) != POL_NONE;) {
        if (sched_known_unschedulable(d, sched_unit(d, id)->request_class) || !(o->jobs.has_data[id] ? place_near(o, id) : sched_place(d, id))) {
            sched_pass(d, w);
            continue;
        }
        queue_walk_step(w, &d->units, POL_NEVER);
        sched_start(d, id, "CPU task, in order of arrival");
    }
}

void offer_close(struct offer *o)
{
    if (o->beat.next == POL_NEVER) return;
    if (o->beat.asked > o->sched.view->now_us && o->beat.asked <= o->beat.next) return;
    o->beat.asked = o->beat.next;
    o->sched.host->wake(o->sched.host->ctx, o->beat.next);
}
