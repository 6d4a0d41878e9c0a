/*
 * job_metrics.c -- the collector of jobs: completion time, waiting, slowdown and
 * fairness of those that ended and count, in all, by class, by number of GPUs, by
 * user and of workflows; and the row of every job.
 *
 * Cost: O(1) an arrival, an end, and a start and a stop of a task; 10 to 30 bytes of a scratch array a job that ended,
 * which is gone through when the run is over, and 36 KB a class and a size.
 */
#include "metrics/collector.h"

#include "base/mem.h"
#include "base/quantiles.h"
#include "base/scratch.h"
#include "db/event_log.h"
#include "metrics/fairness.h"
#include "metrics/stage_wait.h"

static const struct collector_metric metric[] = {
    { "jobs_counted", "1", COLLECTOR_ONE },
    { "jct", "s", COLLECTOR_SPREAD }, { "wait", "s", COLLECTOR_SPREAD }, { "not_running", "s", COLLECTOR_SPREAD },
    { "span", "s", COLLECTOR_SPREAD },
    { "slowdown", "1", COLLECTOR_SPREAD }, { "bounded_slowdown", "1", COLLECTOR_SPREAD },
    { "stage_wait", "s", COLLECTOR_SPREAD }, { "rho", "1", COLLECTOR_SPREAD }, { "rho_above_1", "1", COLLECTOR_ONE },
    /* By user: */
    { "jct_mean", "s", COLLECTOR_ONE }, { "wait_mean", "s", COLLECTOR_ONE },
    { "not_running_mean", "s", COLLECTOR_ONE }, { "slowdown_mean", "1", COLLECTOR_ONE },
    { "s_whole_mean", "1", COLLECTOR_ONE }, { "s_whole_sigma", "1", COLLECTOR_ONE },
    { "s_share_mean", "1", COLLECTOR_ONE }, { "s_share_sigma", "1", COLLECTOR_ONE },
    { NULL, NULL, COLLECTOR_ONE },
};

/* The last is of workflows alone, the one before it of all jobs together. */
enum { JCT, WAIT, NOT_RUNNING, SPAN, SLOWDOWN, BOUNDED, RHO, STAGE_WAIT, SPREADS };

static const char *const spread[SPREADS] = {
    "jct", "wait", "not_running", "span", "slowdown", "bounded_slowdown", "rho", "stage_wait",
};

/* Ways to divide jobs: all of them, workflows, by class and by number of GPUs. */
enum way { ALL, WORKFLOWS, CLASSES, SIZES, WAYS };

/* Of one ended job that counts: the value of each spread, NaN where it is not defined; its group of each way, NONE: it
 * is in none. */
struct ended { double x[SPREADS]; uint32_t in[WAYS]; };

/* Of one user: sums over jobs that count. */
struct by_user { double jct, wait, not_running, slowdown; uint32_t n, n_slowdown; };

/* Jobs that count and are looked at together: how many, and of each spread that it has (is_of) the sum and, but for all
 * jobs, how many in which bin; NULL: there is no job. */
struct group { uint64_t n; double sum[SPREADS]; struct quantiles *q; };

struct job_metrics {
    const struct collector_out *out;
    struct stage_wait stages;
    struct fairness ideal[IDEALS];
    struct scratch job;     /* numbers of those that ended and count, in order of their ends */
    struct groups { struct group *at; size_t n, cap; } group[WAYS];
    uint64_t n_rho_above_1;
    struct by_user *user;   size_t n_users, cap_users;     /* the intern hands out dense ids */
    uint32_t n_active;                                      /* users with a job in the system */
    int64_t  active; sim_tick since;                        /* that x us, up to `since` */
    int64_t *was_active;    size_t cap_was_active;          /* by job slot: the same when it arrived */
    double   gpu_milli, cpu_milli;                          /* of the whole cluster, up or down; INFINITY: none */
};

/* The group, made if it is not there. */
static inline struct group *group_at(struct groups *g, uint32_t at)
{
    if (g->n <= at) {
        MEM_RESERVE(g->at, g->cap, (size_t)at + 1);
        g->n = (size_t)at + 1;
    }
    return &g->at[at];
}

static bool init(void *self, const struct world *w)
{
    struct job_metrics *m = self;
    scratch_init(&m->job, 1);
    (void)group_at(&m->group[ALL], 0);              /* has its rows without a job */
    const struct cluster *c = world_cluster(w);
    int64_t cpu_milli = 0;
    for (uint32_t i = 0; i < c->n_nodes; i++) cpu_milli += c->node[i].cpu_total;
    m->cpu_milli = cpu_milli > 0 ? (double)cpu_milli : INFINITY;
    m->gpu_milli = c->n_cards > 0 ? (double)((int64_t)c->n_cards * GPU_WHOLE) : INFINITY;
    return true;
}

static void group_fini(struct group *g)
{
    for (int k = 0; k < SPREADS && g->q != NULL; k++) quantiles_fini(&g->q[k]);
    mem_free(g->q);
}

static void fini(void *self)
{
    struct job_metrics *m = self;
    stage_wait_fini(&m->stages);
    for (int i = 0; i < IDEALS; i++) fairness_fini(&m->ideal[i]);
    for (int w = 0; w < WAYS; w++) {
        for (size_t i = 0; i < m->group[w].n; i++) group_fini(&m->group[w].at[i]);
        mem_free(m->group[w].at);
    }
    scratch_fini(&m->job);
    MEM_FREE(m->user, m->was_active);
}

/* ---- what is said of a job ---- */

/* By cards over all tasks, in powers of two: 0, 1, 2-3, 4-7 ... */
static uint32_t size_of(int32_t n_gpu) { return n_gpu > 0 ? 32 - (uint32_t)__builtin_clz((unsigned)n_gpu) : 0; }

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* What is kept of a job, times in us; stage_wait -1: it is no workflow. */
struct kept { int64_t jct, wait, not_running, nominal, stage_wait; double rho; uint32_t klass, size; };

/*
 * As numbers.  Of what mostly follows from the others, how its bits differ from that, and last, so that it costs nothing:
 * it had at least its share of the cluster, was as fast as it says, nothing was lost, and it is no workflow.
 */
enum { N_JCT, N_WAIT, N_CLASS_SIZE, N_RHO, N_NOMINAL, N_NOT_RUNNING, N_STAGES, SIZE_BITS = 6 };

static void pack(const struct kept *j, double slowdown, uint64_t n[SCRATCH_NUMBERS])
{
    n[N_JCT] = (uint64_t)j->jct;
    n[N_WAIT] = (uint64_t)j->wait;
    n[N_NOT_RUNNING] = (uint64_t)(j->not_running ^ j->wait);
    n[N_NOMINAL] = (uint64_t)(j->nominal ^ (j->jct - j->wait));
    n[N_STAGES] = (uint64_t)(j->stage_wait + 1);
    n[N_RHO] = bits_of(j->rho) ^ bits_of(slowdown);
    n[N_CLASS_SIZE] = (uint64_t)j->klass << SIZE_BITS | j->size;
}

static double slowdown_of(int64_t jct, int64_t nominal) { return collector_ratio((double)jct, (double)nominal); }

static struct kept unpacked(const uint64_t n[SCRATCH_NUMBERS])
{
    const int64_t jct = (int64_t)n[N_JCT], wait = (int64_t)n[N_WAIT], nominal = (int64_t)n[N_NOMINAL] ^ (jct - wait);
    return (struct kept){ .jct = jct, .wait = wait, .not_running = (int64_t)n[N_NOT_RUNNING] ^ wait, .nominal = nominal,
                          .stage_wait = (int64_t)n[N_STAGES] - 1, .rho = of_bits(n[N_RHO] ^ bits_of(slowdown_of(jct, nominal))),
                          .klass = (uint32_t)(n[N_CLASS_SIZE] >> SIZE_BITS), .size = n[N_CLASS_SIZE] & ((1 << SIZE_BITS) - 1) };
}

static inline struct ended values_of(const struct kept *j)
{
    const double bounded = (double)j->jct / (double)i64_max(j->nominal, 10 * TICK_SEC);
    return (struct ended){
        .x = { [JCT] = (double)j->jct / 1e6, [WAIT] = (double)j->wait / 1e6, [NOT_RUNNING] = (double)j->not_running / 1e6,
               [SPAN] = (double)(j->jct - j->wait) / 1e6, [SLOWDOWN] = slowdown_of(j->jct, j->nominal),
               [BOUNDED] = bounded > 1 ? bounded : 1, [RHO] = j->rho,
               [STAGE_WAIT] = j->stage_wait < 0 ? NAN : (double)j->stage_wait / 1e6 },
        .in = { [WORKFLOWS] = j->stage_wait < 0 ? NONE : 0, [CLASSES] = j->klass, [SIZES] = j->size } };
}

/* ---- while jobs come and go ---- */

static int64_t active_until(const struct job_metrics *m, sim_tick now) { return m->active + (int64_t)m->n_active * (now - m->since); }

static void on_user_changed(void *self, const struct world *w, uint32_t user, bool is_active)
{
    struct job_metrics *m = self;
    if (m->n_users <= user) {
        MEM_RESERVE(m->user, m->cap_users, (size_t)user + 1);
        m->n_users = (size_t)user + 1;
    }
    m->active = active_until(m, world_now(w));
    m->since = world_now(w);
    m->n_active += is_active ? 1 : -1U;
}

static void on_arrived(void *self, const struct world *w, uint32_t job)
{
    struct job_metrics *m = self;
    MEM_RESERVE(m->was_active, m->cap_was_active, (size_t)job + 1);
    m->was_active[job] = active_until(m, world_now(w));
    if (world_job(w, job)->graph != NULL) stage_wait_arrived(&m->stages, w, job);
}

static void on_graph_started(void *self, const struct world *w, uint32_t task)
{
    stage_wait_started(&((struct job_metrics *)self)->stages, w, task);
}

static void on_graph_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    stage_wait_stopped(&((struct job_metrics *)self)->stages, w, task, reason);
}

/* An ideal time of the job, us; -1 unknown. */
static int64_t ideal_of(const struct metrics_opts *o, uint64_t ordinal, enum ideal which)
{
    const int64_t *of = which == IDEAL_WHOLE ? o->ideal_whole : o->ideal_share;
    return of != NULL && ordinal < o->n_ideal ? of[ordinal] : -1;
}

/* One more in a group, the first n spreads of it: x as struct ended has it, but 0 for what is no number. */
static inline void count_in(struct group *g, const double *x, int n)
{
    g->n++;
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) g->sum[k] += x[k];
}

static inline void count_bins(struct group *g, const uint32_t *bin, int n)
{
    if (g->q == NULL) MEM_ARRAY(g->q, SPREADS);
#pragma GCC unroll 8
    for (int k = 0; k < n; k++) quantiles_count(&g->q[k], bin[k]);
}

static void count_groups(struct job_metrics *m, const struct ended *f)
{
    double x[SPREADS];
    uint32_t bin[SPREADS];
#pragma GCC unroll 8
    for (int k = 0; k < STAGE_WAIT; k++) bin[k] = quantiles_bin(f->x[k]);
    memcpy(x, f->x, sizeof x);
    x[SLOWDOWN] = collector_greater(0, x[SLOWDOWN]);
    x[RHO] = collector_greater(0, x[RHO]);
    struct group *const class = group_at(&m->group[CLASSES], f->in[CLASSES]), *const size = group_at(&m->group[SIZES], f->in[SIZES]);
    count_in(m->group[ALL].at, x, RHO + 1);
    count_in(class, x, RHO);
    count_in(size, x, RHO);
    count_bins(class, bin, RHO + 1);            /* those of all jobs are made of these */
    count_bins(size, bin, RHO);
    if (f->in[WORKFLOWS] != NONE) {
        bin[STAGE_WAIT] = quantiles_bin(x[STAGE_WAIT]);
        count_in(group_at(&m->group[WORKFLOWS], 0), x, SPREADS);
        count_bins(m->group[WORKFLOWS].at, bin, SPREADS);
    }
    m->n_rho_above_1 += f->x[RHO] > 1;
}

static void count_job(struct job_metrics *m, const struct job *j, double rho, sim_tick stage_wait)
{
    const int64_t jct = j->end - j->submit, wait = j->first_start - j->submit;
    const struct kept kept = { .jct = jct, .wait = wait, .not_running = jct - j->ran, .nominal = j->nominal, .stage_wait = stage_wait,
                               .rho = rho, .klass = j->klass, .size = size_of(j->n_gpu_total) };
    const struct ended f = values_of(&kept);
    uint64_t n[SCRATCH_NUMBERS];
    pack(&kept, f.x[SLOWDOWN], n);
    scratch_append(&m->job, n);
    count_groups(m, &f);
    for (enum ideal i = 0; i < IDEALS; i++) {
        const int64_t ideal = ideal_of(m->out->opts, j->ordinal, i);
        if (ideal > 0) fairness_add(&m->ideal[i], fairness_s(ideal, jct - wait));
    }
    struct by_user *u = &m->user[j->user];
    u->n++;
    u->jct += (double)jct;
    u->wait += (double)wait;
    u->not_running += (double)kept.not_running;
    if (j->nominal <= 0) return;
    u->n_slowdown++;
    u->slowdown += f.x[SLOWDOWN];
}

/*
 * Completion time over what the job would take alone on 1/N of the cluster,
 * which slows it only as far as it asks for more than that.  active: users with a job x us, while it was there.
 */
static double rho_of(const struct job_metrics *m, const struct job *j, int64_t active)
{
    int64_t jct = j->end - j->submit;
    if (j->end < 0 || jct <= 0 || j->nominal <= 0) return NAN;
    double n_active = (double)active / (double)jct;
    double demand = collector_greater((double)j->gpu_milli_total / m->gpu_milli, (double)j->cpu_milli_total / m->cpu_milli);
    return (double)jct / ((double)j->nominal * collector_greater(1, n_active * demand));
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    struct job_metrics *m = self;
    const struct job *j = world_job(w, job);
    const struct metrics_opts *o = m->out->opts;
    bool counted = collector_is_counted(m->out, j->ordinal);
    double rho = rho_of(m, j, active_until(m, world_now(w)) - m->was_active[job]);
    sim_tick stage_wait = j->graph != NULL ? stage_wait_of(&m->stages, job) : -1;
    if (counted && (j->status == JOB_DONE || j->status == JOB_TIMEOUT)) count_job(m, j, rho, stage_wait);
    if (!collector_writes_jobs(m->out)) return;
    (void)store_job(o->store, o->run, &(struct store_job){
        .ordinal = j->ordinal, .id = j->id, .user = intern_name(world_users(w), j->user),
        .queue = j->queue == NONE ? NULL : intern_name(world_queues(w), j->queue),
        .class = intern_name(world_classes(w), j->klass),
        .model = j->model == NONE ? NULL : intern_name(&world_config(w)->throughput->models, j->model),
        .status = event_log_job_status[j->status], .submit_us = j->submit, .start_us = j->first_start, .end_us = j->end,
        .nominal_us = j->nominal, .limit_us = j->limit,
        .recorded_start_us = j->record != NULL ? j->record->start : -1, .lost_us = j->lost, .ran_us = j->ran,
        .cpu_milli = j->cpu_milli_total, .gpu_milli = j->gpu_milli_total, .n_tasks = j->n_asked,
        .n_gpu = (uint32_t)j->n_gpu_total, .n_preempted = j->n_preempted, .n_failed = j->n_failed,
        .ideal_whole_us = ideal_of(o, j->ordinal, IDEAL_WHOLE), .ideal_share_us = ideal_of(o, j->ordinal, IDEAL_SHARE),
        .rho = rho, .counted = counted, .stage_wait_us = stage_wait }, m->out->error);
    if (j->after == NULL) return;
    (void)store_dependency(o->store, o->run, &(struct store_dependency){
        .ordinal = j->ordinal, .submitted_us = j->after->submitted, .after = j->after->text, .last = j->after->last },
        m->out->error);
}

/* ---- when the run is over ---- */

/* Is there such a spread? */
static bool is_of(enum way w, int k) { return k < RHO || w == (k == RHO ? ALL : WORKFLOWS); }

/* Of each spread the bins that some group wants. */
struct wanted { bool is[SPREADS][QUANTILES_BINS + 1]; };

static void choose_values(struct job_metrics *m, struct wanted *any)
{
    for (enum way w = ALL; w < WAYS; w++)
        for (size_t i = 0; i < m->group[w].n; i++)
            for (int k = 0; k < SPREADS; k++) {
                struct quantiles *q = &m->group[w].at[i].q[k];
                if (!is_of(w, k)) continue;
                collector_choose(q);
                quantiles_mark(q, any->is[k]);
            }
}

static void keep_value(struct job_metrics *m, const struct ended *f, int k, uint32_t bin)
{
    for (enum way w = ALL; w < WAYS; w++) {
        const uint32_t at = f->in[w];
        if (at == NONE) continue;
        struct quantiles *q = &m->group[w].at[at].q[k];
        if (quantiles_wants(q, bin)) quantiles_keep(q, bin, f->x[k]);
    }
}

static void keep_values(struct job_metrics *m, const struct wanted *any)
{
    uint64_t at = 0, numbers[SCRATCH_NUMBERS];
    for (uint64_t i = m->group[ALL].at[0].n; i > 0; i--) {
        scratch_take(&m->job, &at, numbers);
        const struct kept kept = unpacked(numbers);
        const struct ended f = values_of(&kept);
        const int n = f.in[WORKFLOWS] != NONE ? SPREADS : STAGE_WAIT;
#pragma GCC unroll 8
        for (int k = 0; k < n; k++) {                           /* what is no number is in no bin that is wanted */
            const uint32_t bin = quantiles_bin(f.x[k]);
            if (any->is[k][bin]) keep_value(m, &f, k, bin);
        }
    }
}

static void put_spread(const struct job_metrics *m, const struct group *g, int k, const char *scope)
{
    const double n = (double)g->q[k].n;
    collector_put_spread(m->out, spread[k], scope, n > 0 ? g->sum[k] / n : NAN, &g->q[k]);
}

static void put_group(const struct job_metrics *m, enum way w, const struct group *g, const char *scope)
{
    collector_put(m->out, "jobs_counted", scope, (double)g->n);
    for (int k = 0; k < SPREADS; k++)
        if (k != RHO && is_of(w, k)) put_spread(m, g, k, scope);
}

/* What a group is called in column scope; the caller frees it. */
static char *scope_of(const struct world *w, enum way by, size_t i)
{
    char range[48];
    const long long least = i > 0 ? 1LL << (i - 1) : 0;
    switch (by) {
    case WORKFLOWS: return mem_strdup("workflows");
    case CLASSES:   return collector_scope("class", intern_name(world_classes(w), (uint32_t)i));
    case SIZES:
        (void)snprintf(range, sizeof range, least < 2 ? "%lld" : "%lld-%lld", least, 2 * least - 1);
        return collector_scope("gpus", range);
    case ALL: case WAYS: break;
    }
    return mem_strdup("all");
}

static void put_way(const struct job_metrics *m, const struct world *w, enum way by)
{
    const struct groups *g = &m->group[by];
    for (size_t i = 0; i < g->n; i++) {
        if (by == SIZES && g->at[i].n == 0) continue;
        char *scope = scope_of(w, by, i);
        put_group(m, by, &g->at[i], scope);
        mem_free(scope);
    }
}

/* All spreads of all groups; of all jobs together the numbers are the sums of those of the classes. */
static void prepare(void *self, const struct world *w)
{
    struct job_metrics *m = self;
    struct groups *classes = &m->group[CLASSES];
    const struct group *all = m->group[ALL].at;
    struct wanted *any;
    if (world_classes(w)->n > 0) (void)group_at(classes, world_classes(w)->n - 1);      /* these have theirs, too */
    SIM_ASSERT(all->n <= UINT32_MAX);
    for (enum way by = ALL; by < WAYS; by++)
        for (size_t i = 0; i < m->group[by].n; i++)
            if (m->group[by].at[i].q == NULL) MEM_ARRAY(m->group[by].at[i].q, SPREADS);
    for (size_t i = 0; i < classes->n; i++)
        for (int k = 0; k < SPREADS; k++) quantiles_add(&all->q[k], &classes->at[i].q[k]);
    MEM_NEW(any);
    choose_values(m, any);
    keep_values(m, any);
    mem_free(any);
}

static void put_spreads(const struct job_metrics *m, const struct world *w)
{
    const struct group *all = m->group[ALL].at;
    for (enum way by = ALL; by < WAYS; by++) put_way(m, w, by);
    put_spread(m, all, RHO, "all");
    collector_put(m->out, "rho_above_1", "all", collector_ratio((double)m->n_rho_above_1, (double)all->q[RHO].n));
}

static void put_users(const struct job_metrics *m, const struct world *w)
{
    for (uint32_t i = 0; i < m->n_users; i++) {
        const struct by_user *u = &m->user[i];
        char *scope = collector_scope("user", intern_name(world_users(w), i));
        collector_put(m->out, "jobs_counted", scope, u->n);
        collector_put(m->out, "jct_mean", scope, collector_ratio(u->jct / 1e6, u->n));
        collector_put(m->out, "wait_mean", scope, collector_ratio(u->wait / 1e6, u->n));
        collector_put(m->out, "not_running_mean", scope, collector_ratio(u->not_running / 1e6, u->n));
        collector_put(m->out, "slowdown_mean", scope, collector_ratio(u->slowdown, u->n_slowdown));
        mem_free(scope);
    }
}

/* S and sigma; not defined where ideal times were not asked for. */
static void put_ideals(const struct job_metrics *m)
{
    for (int i = 0; i < IDEALS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "s_%s_mean", fairness_name[i]);
        collector_put(m->out, name, "all", fairness_mean(&m->ideal[i]));
        (void)snprintf(name, sizeof name, "s_%s_sigma", fairness_name[i]);
        collector_put(m->out, name, "all", fairness_sigma(&m->ideal[i]));
    }
}

static void emit(void *self, const struct world *w)
{
    const struct job_metrics *m = self;
    put_spreads(m, w);
    put_users(m, w);
    put_ideals(m);
}

const struct collector job_metrics_collector = {
    .metric = metric, .size = sizeof(struct job_metrics), .init = init, .prepare = prepare, .emit = emit, .fini = fini,
    .observer = { .arrived = on_arrived, .graph_started = on_graph_started, .graph_stopped = on_graph_stopped,
                  .job_ended = on_job_ended, .user_changed = on_user_changed },
};
