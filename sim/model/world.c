#include "model/world.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"

/*
 * Event slots, four families interleaved so that each grows without moving the
 * others: what a unit is doing, its limit, a node's next fault or repair, and
 * the rest (arrival, sample, timers).
 */
enum { SLOT_ACT, SLOT_LIMIT, SLOT_NODE, SLOT_MISC, SLOT_FAMILIES };
enum { MISC_ARRIVAL, MISC_SAMPLE, MISC_TIMER0 };

static uint32_t ev_slot(uint32_t family, uint32_t i)
{
    SIM_ASSERT(i < NONE / SLOT_FAMILIES);
    return i * SLOT_FAMILIES + family;
}

#define TELL(w, member, ...) \
    do { for (uint32_t o_ = 0; o_ < (w)->n_obs; o_++) \
             if ((w)->obs[o_].member != NULL) (w)->obs[o_].member((w)->obs[o_].ctx, (w), __VA_ARGS__); } while (0)
#define TELL0(w, member) \
    do { for (uint32_t o_ = 0; o_ < (w)->n_obs; o_++) \
             if ((w)->obs[o_].member != NULL) (w)->obs[o_].member((w)->obs[o_].ctx, (w)); } while (0)

/* A unit's place among the events of one instant: job order, then task order. */
enum { INDEX_BITS = 20 };
static uint64_t order_of(const struct world *w, uint32_t t)
{
    const struct task *k = &w->jobs.task[t];
    return w->jobs.job[k->job].ordinal << INDEX_BITS | k->index;
}

/* What enters the digest, tagged so that no two kinds of fact can be confused. */
enum fact { FACT_ARRIVE = 1, FACT_START, FACT_STOP, FACT_JOB_END, FACT_NODE };
static void fold(struct world *w, enum fact kind, uint64_t a, uint64_t b, uint64_t c)
{
    engine_fold(&w->engine, (uint64_t)kind ^ (uint64_t)w->engine.now << 3);
    engine_fold(&w->engine, a);
    engine_fold(&w->engine, b);
    engine_fold(&w->engine, c);
}

static void notify(struct world *w, enum notice_kind kind, uint32_t job, uint32_t task, uint32_t node)
{
    MEM_RESERVE(w->notice, w->cap_notice, w->n_notice + 1);
    w->notice[w->n_notice++] = (struct notice){ .kind = kind, .job = job, .task = task, .node = node };
}

static struct task *task_at(struct world *w, uint32_t t) { return &w->jobs.task[t]; }
static struct job  *job_of(struct world *w, uint32_t t) { return &w->jobs.job[w->jobs.task[t].job]; }

/* The task whose activity drives this one: the first of its gang, or itself. */
static uint32_t lead(const struct world *w, uint32_t t)
{
    const struct job *j = &w->jobs.job[w->jobs.task[t].job];
    return j->gang ? j->first_task : t;
}

/* Visit the unit of lead task `t`: all tasks of a gang, else the task alone. */
#define UNIT_EACH(w, t, k) \
    for (uint32_t k = (t), gang_ = job_of((w), (t))->gang; k != NONE; k = gang_ ? (w)->jobs.task[k].next : NONE)

/* ---- progress ---- */

static sim_work total_work(const struct task *t) { return (sim_work)t->dur << RATE_BITS; }

static sim_work progress(const struct world *w, const struct task *t)
{
    if (t->state != TASK_RUNNING || t->phase == PHASE_RESTORE) return t->done;
    return total_work(t) - act_left(&t->act, w->engine.now);
}

static sim_rate unit_rate(struct world *w, uint32_t t)
{
    uint32_t model = job_of(w, t)->model;
    sim_rate slowest = UINT32_MAX;
    UNIT_EACH(w, t, k) {
        uint32_t node = w->cluster->hold[k].node;
        bool on_gpu = w->shapes.at[w->jobs.task[k].shape].n_gpu > 0;
        sim_rate r = perf_rate(w->cfg.perf, w->cluster, model, on_gpu ? w->cluster->node[node].gpu_type : NONE);
        if (r < slowest) slowest = r;
    }
    return slowest;
}

static void begin_compute(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    k->phase = PHASE_COMPUTE;
    act_start(&k->act, &w->engine.q, ev_slot(SLOT_ACT, t), order_of(w, t),
              total_work(k) - k->done, unit_rate(w, t), w->engine.now);
}

/* ---- stopping ---- */

static void end_job(struct world *w, uint32_t job, enum job_status status)
{
    struct job *j = &w->jobs.job[job];
    j->status = (uint8_t)status;
    j->end = status == JOB_DONE || status == JOB_TIMEOUT ? w->engine.now : -1;
    switch (status) {
    case JOB_DONE:       w->count.done++; break;
    case JOB_TIMEOUT:    w->count.timeout++; break;
    case JOB_REJECTED:   w->count.rejected++; break;
    case JOB_UNFINISHED: w->count.unfinished++; break;
    case JOB_LIVE:       SIM_ASSERT(false);
    }
    fold(w, FACT_JOB_END, j->ordinal, status, 0);
    TELL(w, job_ended, job);
    MEM_RESERVE(w->ended, w->cap_ended, w->n_ended + 1);
    w->ended[w->n_ended++] = job;
}

/* One task leaves its node; the unit's bookkeeping is its caller's. */
static void leave_node(struct world *w, uint32_t t, enum stop_why why)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    fold(w, FACT_STOP, order_of(w, t), why, 0);
    TELL(w, stopped, t, why);
    k->attained += w->engine.now - k->started_at;
    cluster_give(w->cluster, t);
    k->state = why == STOP_DONE || why == STOP_TIMEOUT ? TASK_DONE : TASK_WAITING;
    j->n_running--;
    w->n_running--;
    if (k->state == TASK_DONE) {
        j->n_done++;
    } else {
        k->ready_at = w->engine.now;
        j->n_waiting++;
        w->n_waiting++;
    }
}

static void finish_unit(struct world *w, uint32_t t, enum stop_why why)
{
    uint32_t job = w->jobs.task[t].job;
    (void)act_stop(&task_at(w, t)->act, &w->engine.q, w->engine.now);
    evq_cancel(&w->engine.q, ev_slot(SLOT_LIMIT, t));
    if (why == STOP_TIMEOUT) w->jobs.job[job].timed_out = true;
    UNIT_EACH(w, t, k) {
        uint32_t node = w->cluster->hold[k].node;
        leave_node(w, k, why);
        notify(w, NOTICE_TASK_ENDED, job, k, node);
    }
    struct job *j = &w->jobs.job[job];
    if (j->n_done < j->n_tasks) return;
    end_job(w, job, j->timed_out ? JOB_TIMEOUT : JOB_DONE);
    notify(w, NOTICE_JOB_ENDED, job, NONE, NONE);
}

/* Progress that survives an interruption now; see world_config.checkpoint_interval. */
static sim_work kept_progress(const struct world *w, const struct task *t, enum stop_why why)
{
    sim_work p = progress(w, t), every = w->cfg.checkpoint_interval;
    if (every < 0) return 0;
    if (every == 0) return why == STOP_PREEMPTED ? p : t->done;
    every <<= RATE_BITS;
    return p / every * every;
}

static void interrupt_unit(struct world *w, uint32_t t, enum stop_why why)
{
    struct task *head = task_at(w, t);
    uint32_t job = head->job;
    struct job *j = &w->jobs.job[job];
    sim_work p = progress(w, head), kept = kept_progress(w, head, why);
    (void)act_stop(&head->act, &w->engine.q, w->engine.now);
    evq_cancel(&w->engine.q, ev_slot(SLOT_LIMIT, t));
    UNIT_EACH(w, t, k) {
        j->lost += (p - kept) >> RATE_BITS;
        leave_node(w, k, why);
    }
    task_at(w, t)->done = kept;
    if (why == STOP_PREEMPTED) { j->n_preempted++; w->count.preemptions++; }
    else { j->n_failed++; w->count.task_failures++; }
    notify(w, NOTICE_READY, job, j->gang ? NONE : t, NONE);
}

/* ---- events ---- */

static void set_misc(struct world *w, uint32_t misc, sim_tick at, uint64_t subject, enum ev_class cls)
{
    evq_set(&w->engine.q, (struct ev){ .at = at, .subject = subject, .slot = ev_slot(SLOT_MISC, misc), .cls = (uint8_t)cls });
}

/* Read one job ahead and arm its arrival. */
static void fetch_next(struct world *w)
{
    sim_tick last = w->engine.now;
    w->has_next = false;
    enum st st = w->source.next(w->source.ctx, &w->next, &w->fail);
    if (st == ST_END) { w->source_ended = true; return; }
    if (st != ST_OK) { w->source_ended = true; return; }
    SIM_ASSERT(w->next.submit >= last && w->next.n_groups > 0);
    w->has_next = true;
    set_misc(w, MISC_ARRIVAL, w->next.submit, w->next_ordinal, EV_ARRIVAL);
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

static void report_infeasible(struct world *w, const struct job_spec *s, uint32_t shape, const char *why)
{
    const struct shape *sh = &w->shapes.at[shape];
    (void)diag_set(&w->fail, ST_EINPUT,
                   "job '%s' (line %u of the trace) cannot run: %s; a task asks for %.3g CPUs, %.4g MiB, %" PRId32 " GPUs%s",
                   s->id, s->line, why, (double)sh->cpu_milli / 1000, (double)sh->mem_b / 1048576, sh->n_gpu,
                   sh->gpu_types || sh->need_all || sh->need_any ? " of given types or labels" : "");
    diag_hint(&w->fail, "`jobs: {infeasible: reject}` in the scenario counts such jobs as rejected and goes on");
}

static void arrive(struct world *w)
{
    struct job_spec s = w->next;
    uint64_t n_tasks = 0;
    for (uint32_t g = 0; g < s.n_groups; g++) n_tasks += s.group[g].n;
    if (n_tasks >> INDEX_BITS != 0) {
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace) has %" PRIu64 " tasks; a job may have at most %d",
                       s.id, s.line, n_tasks, (1 << INDEX_BITS) - 1);
        return;
    }
    struct task_group *group;
    uint32_t model = s.model ? intern_find(&w->cfg.perf->models, s.model) : NONE, shape = NONE;
    uint64_t can = perf_types(w->cfg.perf, w->cluster, model);
    MEM_ARRAY(group, s.n_groups);
    memcpy(group, s.group, s.n_groups * sizeof *group);
    for (uint32_t g = 0; g < s.n_groups; g++) {
        struct shape *sh = &group[g].shape;
        if (sh->n_gpu == 0 || can == 0) continue;
        uint64_t both = sh->gpu_types == 0 ? can : sh->gpu_types & can;
        sh->gpu_types = both != 0 ? both : UINT64_C(1) << (w->cluster->gpu_types.n & 63);    /* no node has that type */
    }
    s.group = group;
    const char *why = infeasible(w, &s, &shape);
    if (why != NULL && !w->cfg.reject_infeasible) {
        report_infeasible(w, &s, shape, why);
        mem_free(group);
        return;
    }
    uint32_t slot = jobs_add(&w->jobs, &s, w->next_ordinal++, &w->shapes);
    mem_free(group);
    struct job *j = &w->jobs.job[slot];
    j->user = intern_id(&w->users, s.user ? s.user : "-");
    j->queue = s.queue ? intern_id(&w->queues, s.queue) : NONE;
    j->model = model;
    j->klass = intern_id(&w->classes, s.klass ? s.klass : job_class(j));
    w->count.arrived++;
    fold(w, FACT_ARRIVE, j->ordinal, 0, 0);
    TELL(w, arrived, slot);
    if (why != NULL) {
        end_job(w, slot, JOB_REJECTED);
    } else {
        w->n_waiting += j->n_tasks;
        notify(w, NOTICE_ARRIVED, slot, NONE, NONE);
    }
    fetch_next(w);
}

struct held { uint64_t order; uint32_t task; };
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
        held[n++].task = t;
    }
    qsort(held, n, sizeof *held, by_order);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = held[i].task;
        if (task_at(w, t)->state == TASK_RUNNING) interrupt_unit(w, lead(w, t), STOP_FAILED);   /* a gang-mate may have stopped it */
    }
    mem_free(held);
    cluster_set_up(w->cluster, node, false);
    notify(w, NOTICE_NODE_DOWN, NONE, NONE, node);
}

static void arm_node(struct world *w, uint32_t node)
{
    struct fault_event f;
    if (!fault_next(&w->faults, node, w->cluster->node[node].is_up, w->engine.now, &f)) return;
    evq_set(&w->engine.q, (struct ev){ .at = f.at, .subject = node, .slot = ev_slot(SLOT_NODE, node),
                                       .cls = f.up ? EV_REPAIR : EV_FAULT });
}

static void turn_node(struct world *w, uint32_t node, bool up)
{
    if (up) {
        cluster_set_up(w->cluster, node, true);
        notify(w, NOTICE_NODE_UP, NONE, NONE, node);
    } else {
        node_down(w, node);
    }
    fold(w, FACT_NODE, node, up, 0);
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
        if (task_at(w, i)->phase == PHASE_RESTORE) begin_compute(w, i);
        else finish_unit(w, i, STOP_DONE);
        return;
    case SLOT_LIMIT:
        finish_unit(w, i, STOP_TIMEOUT);
        return;
    case SLOT_NODE:
        turn_node(w, i, e->cls == EV_REPAIR);
        return;
    default:
        break;
    }
    if (i == MISC_ARRIVAL) { arrive(w); return; }
    SIM_ASSERT(i >= MISC_TIMER0);
    w->timer[i - MISC_TIMER0] = -1;
    w->n_busy_timers--;
    notify(w, NOTICE_TIMER, NONE, NONE, NONE);
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
    if (w->n_notice > 0) *again = true;
    return ST_OK;
}

static void audit(const struct world *w)
{
    uint32_t running = 0, waiting = 0, live = 0;
    cluster_audit(w->cluster);
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
            if (lead(w, t) != t) continue;
            sim_work p = progress(w, k);
            SIM_ASSERT(p >= 0 && p <= total_work(k) && k->done <= p);
            SIM_ASSERT(k->state != TASK_RUNNING || evq_pending(&w->engine.q, ev_slot(SLOT_ACT, t)));
        }
        SIM_ASSERT(run == j->n_running && wait == j->n_waiting && done == j->n_done && run + wait + done == j->n_tasks);
        SIM_ASSERT(!j->gang || run == 0 || run == j->n_tasks);
        SIM_ASSERT(run + wait > 0);             /* an ended job was released */
        running += run;
        waiting += wait;
    }
    SIM_ASSERT(live == w->jobs.n_live && running == w->n_running && waiting == w->n_waiting);
    SIM_ASSERT(w->count.arrived == w->count.done + w->count.timeout + w->count.rejected + w->count.unfinished + live);
}

static enum st after(void *ctx, struct diag *d)
{
    struct world *w = ctx;
    if (w->cfg.audit) audit(w);
    TELL0(w, instant);
    if (w->n_running == 0 && w->n_waiting > 0 && w->source_ended && w->n_busy_timers == 0 &&
        w->cluster->sum.n_up == w->cluster->n_nodes)
        return diag_set(d, ST_EPOLICY, "the policy left %u tasks of %u jobs waiting with nothing running and nothing to wait for",
                        w->n_waiting, w->jobs.n_live);
    return ST_OK;
}

static void sample(void *ctx, const struct ev *e)
{
    struct world *w = ctx;
    TELL0(w, sample);
    set_misc(w, MISC_SAMPLE, e->at + w->cfg.sample_every, 0, EV_SAMPLE);
}

static const struct engine_ops ops = { .apply = apply, .decide = decide, .sample = sample, .after = after };

/* ---- life ---- */

void world_init(struct world *w, const struct world_config *cfg, struct source src, struct decider dec)
{
    memset(w, 0, sizeof *w);
    w->cfg = *cfg;
    w->cluster = cfg->cluster;
    w->source = src;
    w->decider = dec;
    cluster_reset(w->cluster);
    engine_init(&w->engine, &ops, w);
    fault_init(&w->faults, &w->cfg.fault, w->cluster->n_nodes, cfg->seed);
    for (uint32_t n = 0; n < w->cluster->n_nodes; n++) arm_node(w, n);
    if (cfg->sample_every > 0) set_misc(w, MISC_SAMPLE, 0, 0, EV_SAMPLE);
    fetch_next(w);
}

void world_observe(struct world *w, struct observer o)
{
    SIM_ASSERT(w->n_obs < ARRAY_LEN(w->obs));
    w->obs[w->n_obs++] = o;
}

void world_fini(struct world *w)
{
    engine_fini(&w->engine);
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
    memset(w, 0, sizeof *w);
}

/* The horizon, or nodes that never return: what is left is unfinished. */
static void give_up(struct world *w, sim_tick at)
{
    w->engine.now = i64_max(at, w->engine.now);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        struct job *j = &w->jobs.job[s];
        if (!j->is_live) continue;
        for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
            if (w->jobs.task[t].state == TASK_WAITING) continue;
            if (w->jobs.task[t].state == TASK_RUNNING) {
                if (lead(w, t) == t) {
                    task_at(w, t)->done = progress(w, task_at(w, t));
                    (void)act_stop(&task_at(w, t)->act, &w->engine.q, w->engine.now);
                }
                leave_node(w, t, STOP_HORIZON);
            }
        }
        w->n_waiting -= j->n_waiting;
        end_job(w, s, JOB_UNFINISHED);
    }
    TELL0(w, instant);
    release_ended(w);
    w->source_ended = true;
}

enum st world_step(struct world *w, struct diag *d)
{
    if (w->fail.code != ST_OK) { *d = w->fail; return d->code; }
    if (w->source_ended && w->jobs.n_live == 0) return ST_END;
    const struct ev *top = evq_peek(&w->engine.q);
    if (top == NULL || top->at > w->cfg.horizon) {
        give_up(w, top == NULL ? w->engine.now : w->cfg.horizon);
        return ST_END;
    }
    if (top->cls == EV_SAMPLE && w->engine.q.n == 1 && w->n_running == 0 && w->source_ended) {
        give_up(w, w->engine.now);              /* only samples are left: nodes that stay down */
        return ST_END;
    }
    return engine_step(&w->engine, d);
}

/* ---- acts ---- */

static const char *check_start(const struct world *w, uint32_t task)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return "there is no such task";
    if (w->jobs.task[task].state == TASK_RUNNING) return "the task is running already";
    if (w->jobs.task[task].state == TASK_DONE) return "the task is done";
    return NULL;
}

/* The task holds its place; make it run. */
static void occupy(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    const struct hold *h = &w->cluster->hold[t];
    k->state = TASK_RUNNING;
    k->attempts++;
    k->started_at = w->engine.now;
    j->n_waiting--;
    j->n_running++;
    w->n_waiting--;
    w->n_running++;
    w->count.starts++;
    if (j->first_start < 0) j->first_start = w->engine.now;
    fold(w, FACT_START, order_of(w, t), h->node, h->cards);
    TELL(w, started, t);
}

static void set_going(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    if (k->done > 0 && w->cfg.restore_cost > 0) {
        k->phase = PHASE_RESTORE;
        act_start(&k->act, &w->engine.q, ev_slot(SLOT_ACT, t), order_of(w, t),
                  w->cfg.restore_cost << RATE_BITS, RATE_ONE, w->engine.now);
    } else {
        begin_compute(w, t);
    }
    if (w->cfg.enforce_limits && j->limit >= 0)
        evq_set(&w->engine.q, (struct ev){ .at = w->engine.now + j->limit, .subject = order_of(w, t),
                                           .slot = ev_slot(SLOT_LIMIT, t), .cls = EV_TIMER });
}

const char *world_start(struct world *w, uint32_t task, const struct world_place *p)
{
    const char *why = check_start(w, task);
    if (why != NULL) return why;
    if (job_of(w, task)->gang) return "its job is a gang: all tasks start together";
    why = cluster_take(w->cluster, task, p->node, &w->shapes.at[w->jobs.task[task].shape], p->cards);
    if (why != NULL) return why;
    occupy(w, task);
    set_going(w, task);
    return NULL;
}

const char *world_start_gang(struct world *w, uint32_t job, const struct world_place *p, uint32_t n)
{
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live) return "there is no such job";
    struct job *j = &w->jobs.job[job];
    if (!j->gang) return "its job is not a gang";
    const char *why = check_start(w, j->first_task);
    if (why != NULL) return why;
    if (n != j->n_tasks) return "it names another number of places than the gang has tasks";
    uint32_t i = 0, t = j->first_task;
    for (; t != NONE && why == NULL; i++, t = w->jobs.task[t].next)
        why = cluster_take(w->cluster, t, p[i].node, &w->shapes.at[w->jobs.task[t].shape], p[i].cards);
    if (why != NULL) {
        t = j->first_task;
        for (uint32_t k = 0; k + 1 < i; k++, t = w->jobs.task[t].next) cluster_give(w->cluster, t);
        return why;
    }
    for (t = j->first_task; t != NONE; t = w->jobs.task[t].next) occupy(w, t);
    set_going(w, j->first_task);
    return NULL;
}

const char *world_preempt(struct world *w, uint32_t task)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return "there is no such task";
    if (w->jobs.task[task].state != TASK_RUNNING) return "the task is not running";
    interrupt_unit(w, lead(w, task), STOP_PREEMPTED);
    return NULL;
}

const char *world_wake(struct world *w, sim_tick at)
{
    if (at <= w->engine.now) return "it asks to be woken at a time that is not in the future";
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

sim_tick world_attained(const struct world *w, uint32_t task)
{
    const struct task *t = &w->jobs.task[task];
    return t->attained + (t->state == TASK_RUNNING ? w->engine.now - t->started_at : 0);
}

sim_tick world_left(const struct world *w, uint32_t task)
{
    const struct task *t = &w->jobs.task[lead(w, task)];
    if (t->state == TASK_DONE) return 0;
    sim_work left = total_work(t) - progress(w, t);
    return (left >> RATE_BITS) + ((left & (RATE_ONE - 1)) != 0);
}
