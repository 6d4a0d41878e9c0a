/*
 * world.c -- a world's beginning and end, its events and its rounds.
 *
 * One instant (core/evloop.h): events are applied, each by the file of what it is
 * about; then the decider is told what happened, and acts; then speeds and transfers
 * settle, and slots of ended jobs are released.
 */
#include "model/world_priv.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

void world_set_event(struct world *w, uint32_t misc, sim_tick at, uint64_t subject, enum ev_class cls)
{
    evq_set(&w->loop.q, (struct ev){ .at = at, .subject = subject, .slot = ev_slot(SLOT_MISC, misc), .cls = (uint8_t)cls });
}

void world_end_job(struct world *w, uint32_t job, enum job_status status)
{
    struct job *j = &w->jobs.job[job];
    j->status = (uint8_t)status;
    j->end = status == JOB_DONE || status == JOB_TIMEOUT || status == JOB_FAILED ? w->loop.now : -1;
    switch (status) {
    case JOB_DONE:       w->count.done++; w->count.last_end = j->end; break;
    case JOB_TIMEOUT:    w->count.timeout++; w->count.last_end = j->end; break;
    case JOB_REJECTED:   w->count.rejected++; break;
    case JOB_UNFINISHED: w->count.unfinished++; break;
    case JOB_FAILED:     w->count.failed++; break;
    case JOB_NEVER_ELIGIBLE: w->count.never_eligible++; break;
    case JOB_LIVE:       SIM_ASSERT(false);
    }
    w->count.in_system += w->loop.now - j->submit;
    if (j->reservation != NULL) reservations_end(&w->reservations, job);
    world_fold(w, FACT_JOB_END, j->ordinal, status, 0);
    if (--w->user_jobs[j->user] == 0) TELL(w, user_changed, j->user, false);
    TELL(w, job_ended, job);
    if (j->end < 0) TELL(w, job_dropped, job);
    if (j->graph != NULL) TELL(w, graph_ended, job);
    MEM_PUSH(w->round.ended, w->round.n_ended, w->round.cap_ended, job);
    world_after_ended(w, j);
    if (w->cfg.concurrency > 0) world_arrival_arm(w);
}

static int by_order(const void *a, const void *b)
{
    const struct world_slot *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

void world_sort(struct world_slot *slot, size_t n) { qsort(slot, n, sizeof *slot, by_order); }

/* ---- events ---- */

static void apply(void *ctx, const struct ev *e)
{
    struct world *w = ctx;
    uint32_t i = e->slot / SLOT_FAMILIES;
    if (w->fail.code != ST_OK) return;
    switch (e->slot % SLOT_FAMILIES) {
    case SLOT_ACT:
        world_unit_phase_over(w, i);
        return;
    case SLOT_LIMIT:
        world_unit_finish(w, i, STOP_TIMEOUT);
        return;
    case SLOT_NODE:
        world_node_turn(w, i, e->cls == EV_REPAIR);
        return;
    case SLOT_FLOW:
        world_data_flow_over(w, i);
        return;
    case SLOT_AFTER:
        world_after_due(w, i);
        return;
    default:
        break;
    }
    if (i == MISC_ARRIVAL) { world_arrival_due(w); return; }
    SIM_ASSERT(i >= MISC_TIMER0);
    w->timers.at[i - MISC_TIMER0] = -1;
    w->timers.n_busy--;
    world_notify(w, NOTICE_TIMER, NONE, NONE, NONE);
}

/* ---- rounds ---- */

static void release_ended(struct world *w)
{
    for (size_t i = 0; i < w->round.n_ended; i++) jobs_release(&w->jobs, w->round.ended[i], &w->shapes);
    w->round.n_ended = 0;
}

static enum st decide(void *ctx, bool *again, struct diag *d)
{
    struct world *w = ctx;
    if (w->fail.code != ST_OK) { *d = w->fail; return d->code; }
    struct world_round *r = &w->round;
    struct notice *told = r->notice;
    size_t n_told = r->n_notice, cap_told = r->cap_notice, n_ended = r->n_ended;
    /* The decider reads this array; what its decisions cause gathers in the other. */
    r->notice = r->told; r->cap_notice = r->cap_told; r->n_notice = 0;
    r->told = told; r->cap_told = cap_told;
    TRY(r->decider.decide(r->decider.ctx, w, told, n_told, again, d));
    SIM_ASSERT(r->n_ended == n_ended);          /* deciding ends no job */
    shapes_told(&w->shapes);
    release_ended(w);
    if (w->net != NULL) net_settle(w->net, w->loop.now);
    speed_settle(w->speed, w->loop.now);
    if (r->n_notice > 0) *again = true;
    return ST_OK;
}

static enum st after(void *ctx, struct diag *d)
{
    struct world *w = ctx;
    if (w->cfg.audit) world_audit(w);
    TELL0(w, instant);
    if (w->n_running == 0 && w->n_waiting > 0 && world_awaits_none(w) && w->timers.n_busy == 0 &&
        w->cluster->sum.n_up == w->cluster->n_nodes) {
        w->is_stuck = w->round.decider.strands;
        if (w->is_stuck) return ST_OK;
        return diag_breach(d, BREACH_WAITING, "the policy left %u tasks of %u jobs waiting with nothing running and nothing to wait for",
                        w->n_waiting, w->jobs.n_live);
    }
    return ST_OK;
}

static void sample(void *ctx, const struct ev *e)
{
    struct world *w = ctx;
    TELL0(w, sample);
    world_set_event(w, MISC_SAMPLE, e->at + w->cfg.sample_every, 0, EV_SAMPLE);
}

static const struct evloop_ops ops = { .apply = apply, .decide = decide, .sample = sample, .after = after };

/* ---- life ---- */

static uint32_t flow_slot(uint32_t flow) { return ev_slot(SLOT_FLOW, flow); }

/* The unit of lead task `t` computes at another rate from now on. */
static void rerate(void *ctx, uint32_t t, sim_rate rate)
{
    struct world *w = ctx;
    struct act *a = &w->jobs.task[t].act;
    bool is_other = a->rate != rate;
    act_set_rate(a, &w->loop.q, rate, w->loop.now);
    if (is_other) TELL(w, rated, t);
}

struct world *world_create(const struct world_config *cfg, struct source src, struct decider dec)
{
    struct world *w;
    MEM_NEW(w);
    w->cfg = *cfg;
    if (w->cfg.multi_from == 0) w->cfg.multi_from = JOB_MULTI_FROM;
    w->cluster = cfg->cluster;
    w->arrivals.source = src;
    w->round.decider = dec;
    w->shapes.reuse = dec.shapes;
    cluster_reset(w->cluster);
    w->reservations = (struct reservations){ .cluster = w->cluster, .jobs = &w->jobs };
    evloop_init(&w->loop, &ops, w);
    if (cfg->net.mode == NET_SHARED) w->net = net_create(&w->cfg.net, w->cluster, &w->loop.q, flow_slot);
    w->speed = speed_create(&(struct speed_env){ .cluster = w->cluster, .jobs = &w->jobs, .shapes = &w->shapes, .throughput = cfg->throughput,
                                                 .profiles = cfg->profiles, .net_spec = &w->cfg.net, .net = w->net,
                                                 .monitor = cfg->monitor, .seed = cfg->seed,
                                                 .ctx = w, .rerate = rerate });
    if (cfg->calltime != NULL) w->calls = call_queue_create(w->cluster->n_nodes);
    w->engine_types = cluster_engine_types(w->cluster);
    w->types_of_none = throughput_types(cfg->throughput, w->cluster, NONE);
    fault_init(&w->faults, &w->cfg.fault, w->cluster->n_nodes, cfg->seed);
    for (uint32_t n = 0; n < w->cluster->n_nodes; n++) {
        if (w->cluster->own[n].listed != n) fault_number(&w->faults, n, w->cluster->own[n].listed, cfg->seed);
        world_node_arm(w, n);
    }
    if (cfg->sample_every > 0) world_set_event(w, MISC_SAMPLE, 0, 0, EV_SAMPLE);
    world_after_init(w);
    world_arrival_fetch(w);
    return w;
}

void world_strand(struct world *w) { w->is_stuck = true; }

void world_count_refusal(struct world *w) { w->count.refusals++; }

void world_changes_clear(struct world *w) { cluster_changes_clear(w->cluster); }

void world_observe(struct world *w, struct observer o)
{
    void (*member[OBSERVER_MEMBERS])(void);
    memcpy(member, (const char *)&o + sizeof o.ctx, sizeof member);
    for (size_t i = 0; i < OBSERVER_MEMBERS; i++) {
        struct world_listeners *l = &w->listeners[i];
        if (member[i] != NULL) MEM_PUSH(l->at, l->n, l->cap, (struct listener){ .tell = member[i], .ctx = o.ctx });
    }
    if (o.counts_shapes) w->shapes.reuse = SHAPES_STAY;
}

void world_destroy(struct world *w)
{
    if (w == NULL) return;
    net_destroy(w->net);
    speed_destroy(w->speed);
    call_queue_destroy(w->calls);
    dependency_queue_destroy(w->dependencies);
    evloop_fini(&w->loop);
    fault_fini(&w->faults);
    shapes_fini(&w->shapes);
    jobs_fini(&w->jobs);
    intern_fini(&w->users);
    intern_fini(&w->queues);
    intern_fini(&w->classes);
    for (size_t i = 0; i < OBSERVER_MEMBERS; i++) mem_free(w->listeners[i].at);
    MEM_FREE(w->round.notice, w->round.told, w->round.ended, w->timers.at, w->flow_task, w->user_jobs, w->arrivals.user, w);
}

/* The horizon, or nodes that never return: what is left is unfinished. */
static void give_up(struct world *w, sim_tick at)
{
    w->loop.now = i64_max(at, w->loop.now);
    world_after_flush(w);
    struct world_slot *left;
    size_t n = 0;
    MEM_ARRAY(left, w->jobs.n_live);
    for (uint32_t slot = 0; slot < w->jobs.n_job_slots; slot++)
        if (w->jobs.job[slot].is_live) left[n++] = (struct world_slot){ .order = w->jobs.job[slot].ordinal, .slot = slot };
    world_sort(left, n);
    for (size_t i = 0; i < n; i++) {
        struct job *j = &w->jobs.job[left[i].slot];
        for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next)
            if (w->jobs.task[t].state == TASK_RUNNING) world_unit_abandon(w, unit_lead(w, t));
        w->n_waiting -= j->n_waiting;
        if (j->calls != NULL) world_calls_forget(w, left[i].slot);
        world_end_job(w, left[i].slot, JOB_UNFINISHED);
    }
    mem_free(left);
    TELL0(w, instant);
    release_ended(w);
    w->arrivals.ended = true;
}

enum st world_step(struct world *w, struct diag *d)
{
    if (w->fail.code != ST_OK) { *d = w->fail; return d->code; }
    if (w->arrivals.ended && w->jobs.n_live == 0) return ST_END;
    const struct evq_item *top = evq_peek(&w->loop.q);
    if (top == NULL || (top->at > w->cfg.horizon && !w->is_stuck)) {
        give_up(w, top == NULL ? w->loop.now : w->cfg.horizon);
        return ST_END;
    }
    if (w->is_stuck) {
        give_up(w, w->loop.now);
        return ST_END;
    }
    if (top->cls == EV_SAMPLE && w->loop.q.n == 1 && w->n_running == 0 && world_awaits_none(w)) {
        give_up(w, w->loop.now);              /* only samples are left: nodes that stay down */
        return ST_END;
    }
    return evloop_step(&w->loop, d);
}

enum pol_refusal world_wake(struct world *w, sim_tick at)
{
    if (at <= w->loop.now) return POL_REFUSAL_PAST;
    uint32_t slot = NONE;
    for (uint32_t i = 0; i < w->timers.n; i++) {
        if (w->timers.at[i] == at) return POL_OK;
        if (w->timers.at[i] < 0 && slot == NONE) slot = i;
    }
    if (slot == NONE) {
        MEM_RESERVE(w->timers.at, w->timers.cap, (size_t)w->timers.n + 1);
        slot = w->timers.n++;
    }
    w->timers.at[slot] = at;
    w->timers.n_busy++;
    world_set_event(w, MISC_TIMER0 + slot, at, 0, EV_TIMER);
    return POL_OK;
}
