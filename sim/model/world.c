#include "model/world_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/graph.h"

void world_fold(struct world *w, enum fact fact, uint64_t a, uint64_t b, uint64_t c)
{
    evloop_fold(&w->loop, (uint64_t)fact ^ (uint64_t)w->loop.now << 3);
    evloop_fold(&w->loop, a);
    evloop_fold(&w->loop, b);
    evloop_fold(&w->loop, c);
}

void world_notify(struct world *w, enum notice_type type, uint32_t job, uint32_t task, uint32_t node)
{
    MEM_RESERVE(w->notice, w->cap_notice, w->n_notice + 1);
    w->notice[w->n_notice++] = (struct notice){ .type = type, .job = job, .task = task, .node = node };
}

static void set_misc(struct world *w, uint32_t misc, sim_tick at, uint64_t subject, enum ev_class cls)
{
    evq_set(&w->loop.q, (struct ev){ .at = at, .subject = subject, .slot = ev_slot(SLOT_MISC, misc), .cls = (uint8_t)cls });
}

/* In a closed loop the next job waits outside until one has ended. */
static void arm_arrival(struct world *w)
{
    uint32_t inside = w->jobs.n_live - (uint32_t)w->n_ended;
    if (w->has_next && (w->cfg.concurrency == 0 || inside < w->cfg.concurrency))
        set_misc(w, MISC_ARRIVAL, i64_max(w->next.submit, w->loop.now), w->next_ordinal, EV_ARRIVAL);
}

bool world_awaits_none(const struct world *w)
{
    return w->source_ended || !evq_pending(&w->loop.q, ev_slot(SLOT_MISC, MISC_ARRIVAL));
}

void world_end_job(struct world *w, uint32_t job, enum job_status status)
{
    struct job *j = &w->jobs.job[job];
    j->status = (uint8_t)status;
    j->end = status == JOB_DONE || status == JOB_TIMEOUT || status == JOB_FAILED ? w->loop.now : -1;
    switch (status) {
    case JOB_DONE:       w->count.done++; break;
    case JOB_TIMEOUT:    w->count.timeout++; break;
    case JOB_REJECTED:   w->count.rejected++; break;
    case JOB_UNFINISHED: w->count.unfinished++; break;
    case JOB_FAILED:     w->count.failed++; break;
    case JOB_LIVE:       SIM_ASSERT(false);
    }
    reservations_end(&w->reservations, job);
    world_fold(w, FACT_JOB_END, j->ordinal, status, 0);
    TELL(w, job_ended, job);
    MEM_RESERVE(w->ended, w->cap_ended, w->n_ended + 1);
    w->ended[w->n_ended++] = job;
    arm_arrival(w);
}

/* ---- events ---- */


/* Read one job ahead and arm its arrival. */
static void fetch_next(struct world *w)
{
    sim_tick last = w->next.submit;
    w->has_next = w->source.next(w->source.ctx, &w->next, &w->fail) == ST_OK;
    w->source_ended = !w->has_next;
    if (!w->has_next) return;
    SIM_ASSERT(w->next.submit >= last && w->next.n_groups > 0);
    arm_arrival(w);
}

/* Tasks of this shape that the empty cluster can run at once, remembered. */
static uint32_t capacity_of(struct world *w, uint32_t shape)
{
    MEM_RESERVE(w->capacity, w->cap_capacity, (size_t)shape + 1);
    if (w->capacity[shape] == 0) w->capacity[shape] = cluster_capacity(w->cluster, &w->shapes.at[shape]) + 1;
    return w->capacity[shape] - 1;
}

/* NULL when the job can run on the whole cluster, else a reason; `shape` out: the one that cannot. */
static const char *infeasible(struct world *w, const struct job_spec *s, uint32_t *shape)
{
    for (uint32_t g = 0; g < s->n_groups; g++) {
        *shape = shapes_id(&w->shapes, &s->group[g].shape);
        uint32_t room = capacity_of(w, *shape);
        for (uint32_t k = 0; k < w->cluster->licences.n; k++)
            if (s->group[g].shape.licence[k] > w->cluster->licence_total[k]) return "a task asks for more licences of a kind than the cluster has";
        if (room == 0) return "a task fits on no node of this cluster, even an empty one";
        if (s->gang && room < s->group[g].n) return "its tasks start together, and do not all fit on the empty cluster";
    }
    if (!s->gang || s->n_groups == 1) return NULL;
    const struct shape **shapes;
    uint32_t *n;
    MEM_ARRAY(shapes, s->n_groups);
    MEM_ARRAY(n, s->n_groups);
    for (uint32_t g = 0; g < s->n_groups; g++) { shapes[g] = &s->group[g].shape; n[g] = s->group[g].n; }
    bool ok = cluster_could_gang(w->cluster, shapes, n, s->n_groups);
    mem_free(shapes);
    mem_free(n);
    return ok ? NULL : "its tasks start together, and do not all fit on the empty cluster";
}

static void report_infeasible(struct world *w, const struct job_spec *s, uint32_t shape, const char *error)
{
    const struct shape *sh = &w->shapes.at[shape];
    char line[48] = "";
    if (s->line > 0) (void)snprintf(line, sizeof line, " (line %u of the trace)", s->line);
    (void)diag_set(&w->fail, ST_EINPUT,
                   "job '%s'%s cannot run: %s; a task asks for %.3g CPUs, %.4g MiB, %" PRId32 " GPUs%s",
                   s->id, line, error, (double)sh->cpu_milli / 1000, (double)sh->mem_b / 1048576, sh->n_gpu,
                   sh->gpu_types || sh->need_all || sh->need_any ? " of given types or labels" : "");
    diag_hint(&w->fail, "`jobs: {infeasible: reject}` in the scenario counts such jobs as rejected and goes on");
}

static struct graph *take_graph(struct world *w, const struct job_spec *s, uint32_t n_tasks)
{
    uint32_t bad;
    struct graph *g = s->gang ? NULL : graph_create(s->graph, n_tasks, &bad);
    if (g == NULL)
        (void)diag_set(&w->fail, ST_EINPUT, s->gang ? "job '%s' (line %u of the trace) is a gang; its tasks cannot have inputs, outputs or order"
                                                    : "job '%s' (line %u of the trace): tasks wait for each other in a circle", s->id, s->line);
    return g;
}

/* A job that was bound before the trace began runs where it is. */
static void bind_job(struct world *w, uint32_t slot, const struct job_spec *s)
{
    struct world_place p = { .node = intern_find(&w->cluster->node_names, s->node), .by_count = true };
    const char *refusal = p.node == NONE ? "the cluster has no such node" : s->gang ? "a gang cannot be bound" : NULL;
    for (uint32_t t = w->jobs.job[slot].first_task; t != NONE && refusal == NULL; t = w->jobs.task[t].next) refusal = world_start(w, t, &p);
    if (refusal != NULL)
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace) is bound to node '%s': %s", s->id, s->line, s->node, refusal);
}

static void arrive(struct world *w)
{
    struct job_spec s = w->next;
    struct graph *graph = NULL;
    uint64_t n_tasks = 0;
    s.submit = w->loop.now;
    w->has_next = false;        /* it is inside now */
    for (uint32_t g = 0; g < s.n_groups; g++) n_tasks += s.group[g].n;
    if (n_tasks >> JOBS_INDEX_BITS != 0) {
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace) has %" PRIu64 " tasks; a job may have at most %d",
                       s.id, s.line, n_tasks, (1 << JOBS_INDEX_BITS) - 1);
        return;
    }
    if (s.graph != NULL && (graph = take_graph(w, &s, (uint32_t)n_tasks)) == NULL) return;
    struct task_group *group;
    uint32_t model = s.model ? intern_find(&w->cfg.perf->models, s.model) : NONE, shape = NONE;
    uint64_t can = throughput_types(w->cfg.perf, w->cluster, model);
    MEM_ARRAY(group, s.n_groups);
    memcpy(group, s.group, s.n_groups * sizeof *group);
    for (uint32_t g = 0; g < s.n_groups; g++) {
        struct shape *sh = &group[g].shape;
        if (sh->n_gpu == 0 || can == 0) continue;
        uint64_t both = sh->gpu_types == 0 ? can : sh->gpu_types & can;
        sh->gpu_types = both != 0 ? both : UINT64_C(1) << (w->cluster->gpu_types.n & 63);    /* no node has that type */
    }
    s.group = group;
    const char *error = infeasible(w, &s, &shape);
    if (error != NULL && !w->cfg.reject_infeasible) {
        report_infeasible(w, &s, shape, error);
        mem_free(group);
        graph_destroy(graph);
        return;
    }
    uint32_t slot = jobs_add(&w->jobs, &s, w->next_ordinal++, &w->shapes, graph);
    mem_free(group);
    struct job *j = &w->jobs.job[slot];
    j->user = intern_id(&w->users, s.user ? s.user : "-");
    j->queue = s.queue ? intern_id(&w->queues, s.queue) : NONE;
    j->model = model;
    j->klass = intern_id(&w->classes, s.klass ? s.klass : job_class(j));
    if (s.calls != NULL) {
        SIM_ASSERT(w->calls != NULL && !s.gang);
        j->calls = calls_create(s.calls, j->n_tasks);
        world_calls_arrive(w, slot);
    }
    w->count.arrived++;
    world_fold(w, FACT_ARRIVE, j->ordinal, 0, 0);
    TELL(w, arrived, slot);
    if (error != NULL) {
        if (j->calls != NULL) world_calls_forget(w, slot);
        world_end_job(w, slot, JOB_REJECTED);
    } else {
        w->n_waiting += j->n_waiting;
        world_notify(w, NOTICE_ARRIVED, slot, NONE, NONE);
        if (s.node != NULL) bind_job(w, slot, &s);
    }
    fetch_next(w);
}

/* Slots to be taken in an order of their own, not of the slots. */
struct held { uint64_t order; uint32_t slot; };
static int by_order(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

/* What ran there stops in job order: the order of the ledger's list would follow its history. */
static void node_down(struct world *w, uint32_t node)
{
    struct held *held;
    size_t n = 0;
    MEM_ARRAY(held, w->cluster->node[node].n_tasks);
    for (uint32_t t = w->cluster->node[node].first_hold; t != NONE; t = w->cluster->hold[t].next) {
        held[n].order = order_of(w, t);
        held[n++].slot = t;
    }
    qsort(held, n, sizeof *held, by_order);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = held[i].slot;
        if (task_at(w, t)->state == TASK_RUNNING) world_unit_interrupt(w, unit_lead(w, t), STOP_FAILED);   /* a gang-mate may have stopped it */
    }
    mem_free(held);
    if (w->calls != NULL) world_calls_node_down(w, node);
    cluster_set_up(w->cluster, node, false);
    world_notify(w, NOTICE_NODE_DOWN, NONE, NONE, node);
}

static void arm_node(struct world *w, uint32_t node)
{
    struct fault_event f;
    if (!fault_next(&w->faults, node, w->cluster->node[node].is_up, w->loop.now, &f)) return;
    evq_set(&w->loop.q, (struct ev){ .at = f.at, .subject = node, .slot = ev_slot(SLOT_NODE, node),
                                       .cls = f.up ? EV_REPAIR : EV_FAULT });
}

static void turn_node(struct world *w, uint32_t node, bool up)
{
    if (up) {
        cluster_set_up(w->cluster, node, true);
        world_notify(w, NOTICE_NODE_UP, NONE, NONE, node);
    } else {
        node_down(w, node);
    }
    world_fold(w, FACT_NODE, node, up, 0);
    TELL(w, node_changed, node);
    arm_node(w, node);
}

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
        turn_node(w, i, e->cls == EV_REPAIR);
        return;
    case SLOT_FLOW:
        world_data_flow_over(w, i);
        return;
    default:
        break;
    }
    if (i == MISC_ARRIVAL) { arrive(w); return; }
    SIM_ASSERT(i >= MISC_TIMER0);
    w->timer[i - MISC_TIMER0] = -1;
    w->n_busy_timers--;
    world_notify(w, NOTICE_TIMER, NONE, NONE, NONE);
}

/* ---- rounds ---- */

static void release_ended(struct world *w)
{
    for (size_t i = 0; i < w->n_ended; i++) jobs_release(&w->jobs, w->ended[i]);
    w->n_ended = 0;
}

static enum st decide(void *ctx, bool *again, struct diag *d)
{
    struct world *w = ctx;
    if (w->fail.code != ST_OK) { *d = w->fail; return d->code; }
    /* Lend this round's notices; what the decisions cause gathers in the other array. */
    struct notice *lent = w->notice;
    size_t n_lent = w->n_notice, cap_lent = w->cap_notice;
    w->notice = w->batch; w->cap_notice = w->cap_batch; w->n_notice = 0;
    w->batch = lent; w->cap_batch = cap_lent;
    size_t n_ended = w->n_ended;
    TRY(w->decider.decide(w->decider.ctx, w, lent, n_lent, again, d));
    SIM_ASSERT(w->n_ended == n_ended);          /* deciding ends no job */
    release_ended(w);
    speed_settle(w->speed, w->loop.now);
    if (w->net != NULL) net_settle(w->net, w->loop.now);
    if (w->n_notice > 0) *again = true;
    return ST_OK;
}

static void audit(const struct world *w)
{
    uint32_t running = 0, waiting = 0, live = 0;
    cluster_audit(w->cluster);
    reservations_audit(&w->reservations);
    if (w->calls != NULL) world_calls_audit(w);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        const struct job *j = &w->jobs.job[s];
        if (!j->is_live) continue;
        uint32_t run = 0, wait = 0, done = 0;
        live++;
        for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
            const struct task *k = &w->jobs.task[t];
            SIM_ASSERT(k->is_live && k->job == s);
            SIM_ASSERT((k->state == TASK_RUNNING) == (cluster_hold(w->cluster, t) != NULL));
            run += k->state == TASK_RUNNING;
            wait += k->state == TASK_WAITING;
            done += k->state == TASK_DONE;
            SIM_ASSERT((k->state == TASK_BLOCKED) == (j->graph != NULL && j->graph->n_before[k->index] > 0));
            if (unit_lead(w, t) != t) continue;
            sim_work p = world_unit_progress(w, k);
            SIM_ASSERT(p >= 0 && p <= total_work(k) && k->done <= p);
            SIM_ASSERT(k->state != TASK_RUNNING || j->calls != NULL || k->flow != NONE || evq_pending(&w->loop.q, ev_slot(SLOT_ACT, t)));
        }
        SIM_ASSERT(run == j->n_running && wait == j->n_waiting && done == j->n_done && run + wait + done + j->n_blocked == j->n_tasks);
        SIM_ASSERT(!j->gang || run == 0 || run == j->n_tasks);
        SIM_ASSERT(run + wait > 0);             /* an ended job was released */
        running += run;
        waiting += wait;
    }
    SIM_ASSERT(live == w->jobs.n_live && running == w->n_running && waiting == w->n_waiting);
    SIM_ASSERT(w->count.arrived == w->count.done + w->count.timeout + w->count.failed + w->count.rejected + w->count.unfinished + live);
}

static enum st after(void *ctx, struct diag *d)
{
    struct world *w = ctx;
    if (w->cfg.audit) audit(w);
    TELL0(w, instant);
    if (w->n_running == 0 && w->n_waiting > 0 && world_awaits_none(w) && w->n_busy_timers == 0 &&
        w->cluster->sum.n_up == w->cluster->n_nodes) {
        w->is_stuck = w->decider.strands;
        if (w->is_stuck) return ST_OK;
        return diag_set(d, ST_EPOLICY, "the policy left %u tasks of %u jobs waiting with nothing running and nothing to wait for",
                        w->n_waiting, w->jobs.n_live);
    }
    return ST_OK;
}

static void sample(void *ctx, const struct ev *e)
{
    struct world *w = ctx;
    TELL0(w, sample);
    set_misc(w, MISC_SAMPLE, e->at + w->cfg.sample_every, 0, EV_SAMPLE);
}

static const struct evloop_ops ops = { .apply = apply, .decide = decide, .sample = sample, .after = after };

/* ---- life ---- */

static uint32_t flow_slot(uint32_t flow) { return ev_slot(SLOT_FLOW, flow); }

/* The unit of lead task `t` computes at another rate from now on. */
static void rerate(void *ctx, uint32_t t, sim_rate rate)
{
    struct world *w = ctx;
    act_set_rate(&w->jobs.task[t].act, &w->loop.q, rate, w->loop.now);
}

struct world *world_create(const struct world_config *cfg, struct source src, struct decider dec)
{
    struct world *w;
    MEM_NEW(w);
    w->cfg = *cfg;
    w->cluster = cfg->cluster;
    w->source = src;
    w->decider = dec;
    cluster_reset(w->cluster);
    w->reservations = (struct reservations){ .cluster = w->cluster, .jobs = &w->jobs };
    evloop_init(&w->loop, &ops, w);
    if (cfg->net.mode == NET_SHARED) w->net = net_create(&w->cfg.net, w->cluster, &w->loop.q, flow_slot);
    w->speed = speed_create(&(struct speed_env){ .cluster = w->cluster, .jobs = &w->jobs, .shapes = &w->shapes, .throughput = cfg->perf,
                                                 .profiles = cfg->profiles, .monitor = cfg->monitor, .seed = cfg->seed,
                                                 .ctx = w, .rerate = rerate });
    if (cfg->calltime != NULL) w->calls = call_queue_create(w->cluster->n_nodes);
    w->engine_types = cluster_engine_types(w->cluster);
    fault_init(&w->faults, &w->cfg.fault, w->cluster->n_nodes, cfg->seed);
    for (uint32_t n = 0; n < w->cluster->n_nodes; n++) arm_node(w, n);
    if (cfg->sample_every > 0) set_misc(w, MISC_SAMPLE, 0, 0, EV_SAMPLE);
    fetch_next(w);
    return w;
}

void world_strand(struct world *w) { w->is_stuck = true; }

void world_changes_clear(struct world *w) { cluster_changes_clear(w->cluster); }

void world_observe(struct world *w, struct observer o)
{
    MEM_RESERVE(w->obs, w->cap_obs, w->n_obs + 1);
    w->obs[w->n_obs++] = o;
}

void world_destroy(struct world *w)
{
    if (w == NULL) return;
    net_destroy(w->net);
    speed_destroy(w->speed);
    call_queue_destroy(w->calls);
    evloop_fini(&w->loop);
    fault_fini(&w->faults);
    shapes_fini(&w->shapes);
    jobs_fini(&w->jobs);
    intern_fini(&w->users);
    intern_fini(&w->queues);
    intern_fini(&w->classes);
    mem_free(w->notice);
    mem_free(w->batch);
    mem_free(w->ended);
    mem_free(w->timer);
    mem_free(w->capacity);
    mem_free(w->flow_task);
    mem_free(w->obs);
    mem_free(w);
}

/* The horizon, or nodes that never return: what is left is unfinished. */
static void give_up(struct world *w, sim_tick at)
{
    w->loop.now = i64_max(at, w->loop.now);
    struct held *left;
    size_t n = 0;
    MEM_ARRAY(left, w->jobs.n_live);
    for (uint32_t slot = 0; slot < w->jobs.n_job_slots; slot++)
        if (w->jobs.job[slot].is_live) left[n++] = (struct held){ .order = w->jobs.job[slot].ordinal, .slot = slot };
    qsort(left, n, sizeof *left, by_order);
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
    w->source_ended = true;
}

enum st world_step(struct world *w, struct diag *d)
{
    if (w->fail.code != ST_OK) { *d = w->fail; return d->code; }
    if (w->source_ended && w->jobs.n_live == 0) return ST_END;
    const struct ev *top = evq_peek(&w->loop.q);
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

const char *world_wake(struct world *w, sim_tick at)
{
    if (at <= w->loop.now) return "it asks to be woken at a time that is not in the future";
    uint32_t slot = NONE;
    for (uint32_t i = 0; i < w->n_timer; i++) {
        if (w->timer[i] == at) return NULL;
        if (w->timer[i] < 0 && slot == NONE) slot = i;
    }
    if (slot == NONE) {
        MEM_RESERVE(w->timer, w->cap_timer, (size_t)w->n_timer + 1);
        slot = w->n_timer++;
    }
    w->timer[slot] = at;
    w->n_busy_timers++;
    set_misc(w, MISC_TIMER0 + slot, at, 0, EV_TIMER);
    return NULL;
}
