/*
 * multiqueue.c -- CPU jobs and GPU jobs in queues of their own, which lend each
 * other what they do not need.  README.md, multiqueue.
 *
 * This file has the queues and one decision; state.h says what the others have.
 * Invariant: what can start depends on the plan and on what `epoch.moves` counts
 * alone, so while neither changed the queues need not be looked at.
 * Cost: O(starts x (users + request classes waiting x nodes that changed)); where why units wait is not recorded,
 * a request class is met only if nodes might take it (refuse.c).
 * Source: Zhao et al., CODA, ICDCS 2020, and its patent, steps S100 to S600.
 */
#include "builtin.h"
#include "extensions.h"
#include "lib/sched/list.h"
#include "multiqueue/state.h"
#include "lib/util.h"

enum {
    P_SEARCH, P_PROBE, P_TOLERANCE, P_COLD, P_WEIGHTS_FROM, P_WORK_FROM, P_HISTORY_FILE, P_SAVE_HISTORY, P_STEADY, P_REPEAT,
    P_AGAIN, P_ARRAYS, P_IDLE, P_RESERVE, P_RESERVE_OF, P_GPU_ARRAYS, P_LEND, P_RECLAIM, P_MULTI_SHARE, P_CONTENTION, P_WATCH, P_BANDWIDTH, P_BANDWIDTH_OF, P_DROP, P_EXPECT, P_MODE, P_WEIGHTS
};
static const struct pol_param params[] = {
    { .name = "search", .type = POL_CHOICE, .dflt = "slim", .choices = "slim|literal|off", .help = "cores of GPU jobs: search them, one fewer accepted if utilisation is not lower or only if higher; or as asked" },
    { .name = "probe", .type = POL_DURATION, .dflt = "90s", .help = "how long each core count is tried" },
    { .name = "tolerance", .type = POL_NUMBER, .dflt = "0.01", .help = "utilisation that differs by no more is equal, 0 to 1" },
    { .name = "cold", .type = POL_INT, .dflt = "1", .help = "cores a task begins with when nothing like it has been searched" },
    { .name = "weights_from", .type = POL_NUMBER, .dflt = "100", .help = "millions of weights, told as a hint, from which a job begins with a core less" },
    { .name = "work_from", .type = POL_DURATION, .dflt = "10ms", .help = "CPU time for one example, told as a hint, from which a job begins with a core more" },
    { .name = "history_file", .type = POL_FILE, .choices = "core-history", .dflt = "", .help = "what the searches of an earlier run found, where those of this one begin" },
    { .name = "save_history", .type = POL_BOOL, .dflt = "false", .help = "note in the database what searches find, for the history_file of another run" },
    { .name = "steady", .type = POL_NUMBER, .dflt = "0.1", .help = "change of other jobs' traffic, as a fraction of the node's bandwidth, after which a probe is repeated" },
    { .name = "repeat", .type = POL_INT, .dflt = "3", .help = "how often one probe is repeated at most" },
    { .name = "again", .type = POL_NUMBER, .dflt = "0.1", .help = "utilisation that differs by more from what a search found begins another; 1: never" },
    { .name = "arrays", .type = POL_BOOL, .dflt = "true", .help = "keep cores for GPU jobs, lent to CPU jobs while no GPU job waits" },
    { .name = "idle", .type = POL_INT, .dflt = "0", .help = "GPU jobs that may wait while cores are lent" },
    { .name = "reserve", .type = POL_INT, .dflt = "-1", .help = "cores kept on each node with GPUs; -1: the most that GPU jobs needed so far" },
    { .name = "reserve_of", .type = POL_CHOICE, .dflt = "job", .choices = "job|node", .help = "that need: of one job, or of all together on one node" },
    { .name = "gpu_arrays", .type = POL_CHOICE, .dflt = "nodes", .choices = "count|nodes|off", .help = "divide GPUs between single- and multi-GPU jobs, with borrowing: by number, or whole nodes" },
    { .name = "lend", .type = POL_CHOICE, .dflt = "unused", .choices = "empty|unused", .help = "lend GPUs only while nobody waits for their array, or all that those who wait cannot use" },
    { .name = "reclaim", .type = POL_BOOL, .dflt = "false", .help = "stop jobs on borrowed GPUs when a job of the array's own class waits for them" },
    { .name = "multi_share", .type = POL_NUMBER, .dflt = "-1", .help = "fraction of GPUs for multi-GPU jobs; -1: their part of the GPUs asked for so far" },
    { .name = "contention", .type = POL_BOOL, .dflt = "true", .help = "halve CPU jobs whose memory traffic slows GPU jobs" },
    { .name = "watch", .type = POL_DURATION, .dflt = "10s", .help = "how often traffic and utilisation are looked at" },
    { .name = "bandwidth", .type = POL_NUMBER, .dflt = "0.75", .help = "fraction of a node's memory bandwidth that CPU jobs must move" },
    { .name = "bandwidth_of", .type = POL_CHOICE, .dflt = "job", .choices = "job|node", .help = "that traffic: of one CPU job, or of all together on the node" },
    { .name = "drop", .type = POL_NUMBER, .dflt = "0.05", .help = "fall of a GPU job's utilisation that counts, 0 to 1" },
    { .name = "expect", .type = POL_NUMBER, .dflt = "-1", .help = "utilisation to expect of a GPU job when none like it was searched; -1: not known" },
    LIST_MODE_PARAM("skip"),
    { .name = "weights", .type = POL_TEXT, .dflt = "", .help = "user:weight;user:weight...; others weigh 1" },
};

/* ---- classes and users ---- */

const struct mq_request *mq_request(struct mq *m, uint32_t request_class)
{
    POL_RESERVE(m->request, m->cap_request, (size_t)request_class + 1);
    struct mq_request *x = &m->request[request_class];
    const struct request_class *k = &m->sched.classes.at[request_class];
    if (x->is_known) return x;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &m->sched.view->shape[k->shape[i]];
        x->n_gpu += (uint32_t)s->n_gpu;
        x->gpu_milli += (int64_t)s->n_gpu * s->gpu_milli;
        if (s->exclusive) x->is_exclusive = true;
    }
    bool is_multi = x->n_gpu >= m->sched.host->multi_from && m->param.gpu_arrays != MQ_ARRAYS_OFF;
    x->class = x->n_gpu == 0 ? MQ_CPU : is_multi ? MQ_MULTI : MQ_SINGLE;
    x->is_known = true;
    return x;
}

static struct mq_user *user_of(struct mq *m, uint32_t id)
{
    const struct pol_host *h = m->sched.host;
    POL_RESERVE(m->user, m->cap_user, (size_t)id + 1);
    for (; m->n_users <= id; m->n_users++) m->user[m->n_users].weight = share_weight(&m->weights, h->name(h->ctx, POL_NAME_USER, m->n_users));
    return &m->user[id];
}

/* The first that is heard of a unit: lib/sched asks for its queue. */
static struct queue *queue_of(void *self, const struct unit *u)
{
    struct mq *m = self;
    uint32_t id = u->task.slot;
    POL_RESERVE(m->unit, m->cap_unit, (size_t)id + 1);
    if (mq_unit(m, id)->was_stopped) return &m->returned;
    return &user_of(m, u->user)->wait[mq_class(m, u->request_class)];
}

static void waits(void *self, const struct unit *u, int sign)
{
    struct mq *m = self;
    m->n_waiting[mq_class(m, u->request_class)] += (uint32_t)sign;
    m->epoch.moves++;
    if (sign < 0 && mq_class(m, u->request_class) != MQ_CPU) {
        if (mq_gpu_idle(m)) m->epoch.cpu_rules++;
        if (m->n_waiting[mq_class(m, u->request_class)] == 0) m->epoch.gpu_rules++;     /* nodes may be borrowed */
    }
    if (sign < 0) mq_unit(m, u->task.slot)->was_stopped = false;
}

/* As the user told it; figures count from the preset on (S0-2). */
static uint32_t hints_of(const struct mq *m, const struct pol_job_info *ji)
{
    uint32_t hints = ji->hints;
    if (ji->weights_thousands > 0 && ji->weights_thousands < m->param.weights_from) hints &= ~(uint32_t)POL_HINT_HEAVY_WEIGHTS;
    if (ji->work_us > 0 && ji->work_us < m->param.work_from) hints &= ~(uint32_t)POL_HINT_COMPLEX_CPU;
    return hints;
}

/* Units that are new: take in their models' hints, and what they add to the demand for GPUs. */
static void welcome(struct mq *m)
{
    struct sched *d = &m->sched;
    for (uint32_t i = 0; i < d->n_fresh; i++) {
        uint32_t id = d->fresh[i];
        const struct unit *u = sched_unit(d, id);
        struct mq_unit *x = mq_unit(m, id);
        if (u->attained > 0 || u->started_in > 0) continue;     /* it was here before */
        const struct pol_job_info *ji = d->host->job(d->host->ctx, u->job);
        x->category = ji->category;
        x->hints = hints_of(m, ji);
        if (m->param.search_on && x->category != POL_NONE && !m->searches) {
            m->searches = true;
            m->epoch.gpu_rules++;       /* less may do than was refused */
        }
        m->gpu.seen[mq_class(m, u->request_class)] += mq_request(m, u->request_class)->gpu_milli;
    }
}

/* ---- what units hold ---- */

static void move_cpu(struct mq *m, const struct unit *u, int sign)
{
    struct sched *d = &m->sched;
    uint32_t t = u->task.slot;
    for (uint32_t i = 0; i < u->n_tasks; i++, t = d->held[t].next) {
        const struct sched_held *h = &d->held[t];
        const struct pol_shape *s = &d->plan.shape[h->shape];
        const struct pol_node *n = &d->plan.node[h->node].n;
        int64_t cpu = s->exclusive ? pol_node_cpu_of(n, s) : sched_held_shape(d, t).cpu_milli;
        user_of(m, u->user)->held_cpu += sign * cpu;
        if (sign > 0) cores_add(&m->cores, h->node, t, u->task.slot, cpu);
        else cores_del(&m->cores, h->node, t);
    }
}

static void move_gpu(struct mq *m, const struct unit *u, int sign)
{
    struct sched *d = &m->sched;
    uint32_t id = u->task.slot, t = id;
    struct mq_unit *x = mq_unit(m, id);
    int64_t gpu = mq_request(m, u->request_class)->gpu_milli;
    user_of(m, u->user)->held_gpu += sign * gpu;
    m->gpu.held[mq_class(m, u->request_class)] += sign * gpu;
    for (uint32_t i = 0; i < u->n_tasks; i++, t = d->held[t].next) {
        struct mq_gpu_node *n = &m->gpu.node[d->held[t].node];
        struct pol_shape s = sched_held_shape(d, t);
        n->cpu += sign * s.cpu_milli;
        n->cards[mq_class(m, u->request_class)] += (uint32_t)(sign * s.n_gpu);
    }
    if (sign > 0) {
        POL_RESERVE(m->gpu.running, m->gpu.cap_running, (size_t)m->gpu.n_running + 1);
        x->pos = m->gpu.n_running;
        m->gpu.running[m->gpu.n_running++] = id;
        return;
    }
    if (m->gpu.held[mq_class(m, u->request_class)] == 0) m->epoch.gpu_rules++;
    m->gpu.running[x->pos] = m->gpu.running[--m->gpu.n_running];
    mq_unit(m, m->gpu.running[x->pos])->pos = x->pos;
    cores_reopen(&m->cores, id);
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct mq *m = self;
    if (mq_class(m, u->request_class) == MQ_CPU) move_cpu(m, u, sign);
    else move_gpu(m, u, sign);
}

/* ---- the queues ---- */

static struct share share_of(const struct mq *m, const struct mq_user *u, enum mq_class class)
{
    const struct pol_view *v = m->sched.view;
    int64_t held[SHARE_DIMS] = { 0 };
    const int64_t total[SHARE_DIMS] = { v->cpu_total, v->mem_total, v->gpu_total };
    held[class == MQ_CPU ? 0 : 2] = class == MQ_CPU ? u->held_cpu : u->held_gpu;
    return share_dominant(held, total, u->weight);
}

/* The first unit of the queue, in order, that can start does. */
static bool serve(struct mq *m, struct queue *q, enum mq_class class)
{
    struct sched *d = &m->sched;
    uint32_t id;
    bool (*skip)(void *, uint32_t) = m->param.strict ? NULL : class == MQ_CPU ? fit_skip_cpu : m->param.reclaim ? NULL : fit_skip_gpu;
    /* The record tells of what was met on the way; without it what cannot start is not met. */
    const bool all = m->is_recorded || m->param.strict || (class != MQ_CPU && m->param.reclaim);
    const struct queue_filter f = { .skip = skip, .may_fit = refuse_may_fit, .ctx = m };
    if (all) queue_walk_open(&m->walk, q, &d->units, skip, m);
    else queue_walk_search(&m->walk, q, &d->units, &f);
    for (; (id = queue_walk_top(&m->walk)) != POL_NONE;) {
        bool ok = mq_may_take(m, class, mq_request(m, sched_unit(d, id)->request_class)->gpu_milli);
        if (ok && (class == MQ_CPU ? fit_cpu(m, id) : fit_gpu(m, id))) return true;
        if (!ok) record_hold(m, sched_unit(d, id)->request_class, MQ_HOLD_ARRAY);
        if (m->param.strict) return false;
        /* GPU jobs that ask the same may begin with other cores: each is looked at. */
        if (class == MQ_CPU || !ok || (!m->param.reclaim && fit_skip_gpu(m, sched_unit(d, id)->request_class))) queue_walk_drop(&m->walk, &d->units);
        else queue_walk_step(&m->walk, &d->units, POL_NEVER);
    }
    return false;
}

/* Dominant resource fairness within one queue: CPU for CPU jobs, GPUs for GPU jobs. */
static void run_queue(struct mq *m, enum mq_class class)
{
    m->epoch.pass++;
    if (!mq_may_take(m, class, 1)) return;
    while (m->n_waiting[class] > 0) {
        struct mq_user *least = NULL;
        struct share a, b;
        for (uint32_t i = 0; i < m->n_users; i++) {
            struct mq_user *u = &m->user[i];
            if (u->wait[class].n == 0 || u->aside[class] == m->epoch.pass) continue;
            b = share_of(m, u, class);
            if (least != NULL && share_cmp(&b, &a) >= 0) continue;
            least = u;
            a = b;
        }
        if (least == NULL) return;
        if (!serve(m, &least->wait[class], class)) least->aside[class] = m->epoch.pass;
    }
}

static void run_cpu(struct mq *m)
{
    while (m->returned.n > 0 && serve(m, &m->returned, MQ_CPU)) { }
    if (m->returned.n == 0 || !m->param.strict) run_queue(m, MQ_CPU);
}

/* Of each array what its own units cannot use: they took what they can before.  To the end, as who starts keeps no cards. */
static void lend_unused(struct mq *m)
{
    bool by_node = m->param.gpu_arrays == MQ_ARRAYS_NODES;
    if (m->n_waiting[MQ_SINGLE] == 0 || m->n_waiting[MQ_MULTI] == 0) return;    /* the other borrows without this */
    for (uint64_t before = m->epoch.moves - 1; before != m->epoch.moves;) {
        before = m->epoch.moves;
        if (by_node) mq_keep_cards(m, MQ_SINGLE);
        run_queue(m, MQ_MULTI);
        if (by_node) mq_keep_cards(m, MQ_MULTI);
        run_queue(m, MQ_SINGLE);
    }
}

/*
 * All queues.  What can start depends on nothing but what the plan's change_epoch and `moves` count:
 * if nothing started the last time and neither moved since, nothing will.
 */
static void run_queues(struct mq *m)
{
    struct mq_seen now = { m->sched.plan.change_epoch, m->epoch.moves };
    if (now.change_epoch == m->epoch.idle.change_epoch && now.moves == m->epoch.idle.moves) return;
    m->gpu.is_lending = false;
    run_cpu(m);
    bool was_idle = mq_gpu_idle(m);
    run_queue(m, MQ_MULTI);
    bool had_single = m->n_waiting[MQ_SINGLE] > 0;
    run_queue(m, MQ_SINGLE);
    if (had_single && m->n_waiting[MQ_SINGLE] == 0) run_queue(m, MQ_MULTI);     /* they may borrow now */
    m->gpu.is_lending = m->param.lend_unused;
    if (m->gpu.is_lending) lend_unused(m);
    if (!was_idle && mq_gpu_idle(m)) run_cpu(m);        /* so may CPU units */
    if (m->epoch.moves == now.moves) m->epoch.idle = now;
}

/* ---- the record ---- */

static void note_change(struct mq *m, const char *name, int64_t *noted, int64_t now, double unit)
{
    if (*noted == now) return;
    *noted = now;
    m->sched.host->note(m->sched.host->ctx, name, (double)now / unit);
}

static void take_notes(struct mq *m)
{
    if (!m->param.arrays_on && !m->param.contention_on) return;
    if (m->param.arrays_on) cores_sum(&m->cores, &m->sched.plan);
    note_change(m, "reserved_cores", &m->noted.reserve, m->cores.sum.kept, 1000);
    note_change(m, "borrowed_cores", &m->noted.borrowed, m->cores.sum.over, 1000);
    note_change(m, "closed_cores", &m->noted.closed, m->cores.closed, 1000);
    note_change(m, "stopped_borrowers", &m->noted.stopped, m->n_stopped, 1);
    note_change(m, "throttled", &m->noted.throttled, m->n_throttled, 1);
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct mq *m = self;
    if (m->gpu.node == NULL) {
        m->gpu.node = pol_alloc(view->n_nodes, sizeof *m->gpu.node);
        m->watch.fall = pol_alloc(view->n_nodes, sizeof *m->watch.fall);
        cores_size(&m->cores, view->n_nodes);
        history_save_all(m);
        for (uint32_t i = 0; i < view->n_nodes; i++) if (m->sched.cores->mem_bw[i] > 0) m->watch.knows_bandwidth = true;
    }
    sched_open(&m->sched, view, ev, n_ev);
    welcome(m);
    mq_divide_nodes(m);
    tune_probes(m);
    tune_watch(m);
    run_queues(m);
    if (m->is_recorded) record_waiting(m);
    take_notes(m);
    tune_wake(m);
}

/* ---- life ---- */

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct mq *m = self;
    if (class < m->cap_request) m->request[class] = (struct mq_request){ .n_gpu = 0 };
    for (size_t i = 2 * (size_t)class; i / 2 == class && i < m->fit.cap_failed; i++)
        m->fit.failed[i] = (struct mq_failure){ .rules = 0 };
    for (size_t i = 2 * MQ_CLASSES * (size_t)kind; i / 2 / MQ_CLASSES == kind && i < m->cap_refused; i++)
        m->refused[i] = (struct mq_refusals){ .n = 0 };
}

static const struct sched_ops ops = { .queue = queue_of, .moved = moved, .waits = waits, .class_gone = class_gone };
/* What units of a request class were told last is kept as long as the policy lives. */
static const struct sched_ops recorded_ops = { .queue = queue_of, .moved = moved, .waits = waits,
                                               .keeps_classes = true };

static void destroy(void *self)
{
    struct mq *m = self;
    for (uint32_t i = 0; i < m->n_users; i++)
        for (int c = 0; c < MQ_CLASSES; c++) queue_fini(&m->user[i].wait[c]);
    queue_fini(&m->returned);
    queue_walk_fini(&m->walk);
    cores_fini(&m->cores);
    search_history_fini(&m->history);
    share_weights_fini(&m->weights);
    sched_fini(&m->sched);
    free(m->unit); free(m->user); free(m->request); free(m->refused);
    free(m->fit.failed); free(m->fit.victim); free(m->fit.lender);
    free(m->gpu.running); free(m->gpu.due); free(m->gpu.node); free(m->watch.fall);
    free(m);
}

static const char *bad_value(const struct mq *m, const union pol_value *v)
{
    if (m->param.probe_us <= 0) return "probe must be longer than 0";
    if (m->param.watch_us <= 0) return "watch must be longer than 0";
    if (v[P_TOLERANCE].x < 0 || v[P_TOLERANCE].x > 1) return "tolerance must lie between 0 and 1";
    if (v[P_DROP].x < 0 || v[P_DROP].x > 1) return "drop must lie between 0 and 1";
    if (v[P_WEIGHTS_FROM].x < 0 || v[P_WEIGHTS_FROM].x > 1e9) return "weights_from must be from 0 to 1e9";
    if (v[P_STEADY].x < 0) return "steady must not be below 0";
    if (m->param.repeat < 0 || m->param.repeat > 1000) return "repeat must be from 0 to 1000";
    if (v[P_AGAIN].x < 0 || v[P_AGAIN].x > 1) return "again must lie between 0 and 1";
    if (v[P_EXPECT].x > 1 || (v[P_EXPECT].x < 0 && (v[P_EXPECT].x < -1 || v[P_EXPECT].x > -1))) return "expect must be -1 or lie between 0 and 1";
    if (m->param.idle < 0 || m->param.idle > 1000000) return "idle must be from 0 to 1000000";
    if (m->param.bandwidth < 0) return "bandwidth must not be below 0";
    if (m->param.cold < 1 || m->param.cold > 1000000) return "cold must be from 1 to 1000000";
    if (m->param.reserve < -1 || m->param.reserve > 1000000) return "reserve must be -1 or a number of cores up to 1000000";
    if (m->param.multi_share > 1 || (m->param.multi_share < 0 && (m->param.multi_share < -1 || m->param.multi_share > -1))) return "multi_share must be -1 or lie between 0 and 1";
    return NULL;
}

static int64_t millionths(double x) { return (int64_t)(x * 1e6 + 0.5); }

static void *create(const struct pol_host *host, const union pol_value *v, uint32_t *flags, char *error, size_t cap)
{
    struct mq *m = pol_alloc(1, sizeof *m);
    const struct pol_holds *holds = host->extension(host->ctx, POL_HOLDS);
    m->is_recorded = holds == NULL || holds->is_recorded != 0;
    sched_init(&m->sched, host, PLACEMENT_FIRST, m->is_recorded ? &recorded_ops : &ops, m);
    nodes_open(m);
    m->param.search_on = v[P_SEARCH].i != 2;
    m->param.rule = v[P_SEARCH].i == 1 ? SEARCH_LITERAL : SEARCH_SLIM;
    m->param.probe_us = v[P_PROBE].i;
    m->param.tolerance = millionths(v[P_TOLERANCE].x);
    m->param.cold = v[P_COLD].i;
    m->param.save_history = v[P_SAVE_HISTORY].i != 0;
    m->param.weights_from = (int64_t)(v[P_WEIGHTS_FROM].x * 1000 + 0.5);
    m->param.work_from = v[P_WORK_FROM].i;
    m->param.steady = millionths(v[P_STEADY].x);
    m->param.repeat = v[P_REPEAT].i;
    m->param.again = millionths(v[P_AGAIN].x);
    m->param.expect = v[P_EXPECT].x < 0 ? -1 : millionths(v[P_EXPECT].x);
    m->param.idle = v[P_IDLE].i;
    m->param.bandwidth_by_node = v[P_BANDWIDTH_OF].i == 1;
    m->param.arrays_on = v[P_ARRAYS].i != 0;
    m->param.reserve = v[P_RESERVE].i;
    m->cores.reserve = m->param.reserve > 0 ? m->param.reserve * 1000 : 0;
    m->param.by_node = v[P_RESERVE_OF].i == 1;
    m->param.gpu_arrays = (enum mq_gpu_arrays)v[P_GPU_ARRAYS].i;
    m->param.lend_unused = v[P_LEND].i == 1 && m->param.gpu_arrays != MQ_ARRAYS_OFF;
    m->param.reclaim = v[P_RECLAIM].i != 0 && m->param.gpu_arrays != MQ_ARRAYS_OFF;
    m->param.multi_share = v[P_MULTI_SHARE].x;
    m->param.contention_on = v[P_CONTENTION].i != 0;
    m->param.watch_us = v[P_WATCH].i;
    m->param.bandwidth = v[P_BANDWIDTH].x;
    m->param.drop = millionths(v[P_DROP].x);
    m->param.strict = v[P_MODE].i == LIST_STRICT;
    m->epoch.cpu_rules = m->epoch.gpu_rules = 1;
    m->noted.reserve = m->noted.borrowed = m->noted.closed = m->noted.stopped = m->noted.throttled = -1;
    if (!m->param.arrays_on && !m->param.reclaim) *flags &= ~(uint32_t)POL_PREEMPTS;
    const char *bad = bad_value(m, v);
    if (bad != NULL) (void)snprintf(error, cap, "%s", bad);
    /* Where a policy is only described there are no profiles to read a history by. */
    bool reads = v[P_HISTORY_FILE].s[0] != '\0' && host->view(host->ctx)->n_nodes > 0;
    if (bad == NULL && share_weights_parse(&m->weights, v[P_WEIGHTS].s, error, cap) &&
        (!reads || history_read(m, v[P_HISTORY_FILE].s, error, cap))) return m;
    destroy(m);
    return NULL;
}

const struct pol_ops pol_multiqueue = {
    POL_HEADER, .name = "multiqueue", .source = "Zhao et al., CODA, ICDCS 2020; its patent, steps S100 to S600",
    .summary = "CPU and GPU jobs in queues of their own that lend each other cores and GPUs", .flags = POL_PREEMPTS,
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
