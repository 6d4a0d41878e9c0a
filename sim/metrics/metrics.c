#include "metrics/metrics_priv.h"

#include <math.h>

#include "base/mem.h"
#include "db/event_log.h"

struct metrics *metrics_create(const struct world *w, const struct metrics_opts *o)
{
    struct metrics *m;
    MEM_NEW(m);
    m->opts = *o;
    m->first_submit = m->first_start = m->last_end = -1;
    m->usage.weight_of = o->weight_of;
    m->usage.weight_ctx = o->weight_ctx;
    for (uint32_t i = 0; i < world_cluster(w)->n_nodes; i++) m->cpu_milli += world_cluster(w)->node[i].cpu_total;
    for (int i = 0; i < FILL_POINTS; i++) m->at_load[i] = NAN;
    usage_init(&m->usage, w);
    frag_init(&m->frag, world_cluster(w)->n_nodes);
    bound_init(&m->bound, w);
    call_use_init(&m->calls, w);
    return m;
}

void metrics_destroy(struct metrics *m)
{
    if (m == NULL) return;
    for (size_t i = 0; i < m->n_values; i++) {
        mem_free(m->value[i].name);
        mem_free(m->value[i].scope);
    }
    usage_fini(&m->usage);
    frag_fini(&m->frag);
    bytes_read_fini(&m->moved);
    notes_fini(&m->noted);
    bound_fini(&m->bound);
    lending_fini(&m->lending);
    for (int i = 0; i < IDEALS; i++) fairness_fini(&m->fairness[i]);
    mem_free(m->job);
    mem_free(m->user);
    mem_free(m->active_at);
    mem_free(m->decide_ns);
    mem_free(m->value);
    mem_free(m);
}

enum st metrics_error(const struct metrics *m, struct diag *d)
{
    if (m->error.code != ST_OK && d->code == ST_OK) *d = m->error;
    return m->error.code;
}

void metrics_decision_time(struct metrics *m, int64_t nanoseconds)
{
    MEM_RESERVE(m->decide_ns, m->cap_decide, m->n_decide + 1);
    m->decide_ns[m->n_decide++] = nanoseconds;
}

void metrics_note(struct metrics *m, int64_t at_us, const char *name, double value) { notes_add(&m->noted, at_us, name, value); }

/* ---- what happens ---- */

static void on_arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct metrics *m = ctx;
    if (m->first_submit < 0) m->first_submit = world_job(w, job)->submit;
    usage_enter(&m->usage, w, job);
    m->asked += world_job(w, job)->gpu_milli_total;
    frag_arrived(&m->frag, w, job);
    bytes_read_arrived(&m->moved, w, job);
    lending_arrived(&m->lending, w, job);
    MEM_RESERVE(m->active_at, m->cap_active, (size_t)job + 1);
    m->active_at[job] = m->usage.active;
}

static void on_started(void *ctx, const struct world *w, uint32_t task)
{
    struct metrics *m = ctx;
    if (m->first_start < 0) m->first_start = world_now(w);
    usage_take(&m->usage, w, task);
    frag_started(&m->frag, w, task);
    bytes_read_started(&m->moved, w, task);
    lending_started(&m->lending, w, task);
}

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_why why)
{
    struct metrics *m = ctx;
    usage_give(&m->usage, w, task);
    frag_stopped(&m->frag, w, task, why);
    bytes_read_stopped(&m->moved, w, task, why);
    lending_stopped(&m->lending, w, task, why);
    call_use_stopped(&m->calls, w, task, why);
    if (!m->opts.write_attempts || m->opts.store == NULL || m->error.code != ST_OK) return;
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    (void)store_attempt(m->opts.store, m->opts.run, &(struct store_attempt){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .attempt = t->attempts, .node = h->node,
        .cards = h->cards, .start_us = t->started_at, .end_us = world_now(w), .outcome = event_log_stop_reason[why],
        .is_short = h->is_short, .lender = lending_of(&m->lending, task) }, &m->error);
}

static void on_sent(void *ctx, const struct world *w, uint32_t task, uint32_t from)
{
    struct metrics *m = ctx;
    (void)from;
    call_use_sent(&m->calls, w, task);
}

static void on_called(void *ctx, const struct world *w, uint32_t task, bool done)
{
    struct metrics *m = ctx;
    call_use_called(&m->calls, w, task, done);
    if (!m->opts.write_attempts || m->opts.store == NULL || m->error.code != ST_OK) return;
    const struct task *t = world_task(w, task);
    const struct call_run *r = &world_calls(w)->run[task];
    (void)store_call(m->opts.store, m->opts.run, &(struct store_call){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .call = r->at, .home = world_cluster(w)->hold[task].node,
        .node = r->node, .engine = intern_name(&world_cluster(w)->engines, r->engine),
        .api = intern_name(&world_config(w)->calltime->apis, world_call_at(w, task, r->at)->api),
        .start_us = r->since, .end_us = world_now(w), .exec_us = r->exec, .way_us = r->overhead, .done = done }, &m->error);
}

static void on_resized(void *ctx, const struct world *w, uint32_t task, int64_t was)
{
    struct metrics *m = ctx;
    usage_resize(&m->usage, w, task, was);
}

static void on_moved(void *ctx, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole)
{
    struct metrics *m = ctx;
    bytes_read_bytes(&m->moved, w, task, level, bytes, whole);
}

/* Neither among the first arrivals nor among the last that the cuts leave out. */
static bool is_counted(const struct metrics *m, uint64_t ordinal)
{
    double n = (double)m->opts.n_jobs, at = (double)ordinal;
    return at >= floor(m->opts.warmup * n) && (m->opts.cooldown <= 0 || at < n - floor(m->opts.cooldown * n));
}

/* An ideal time of the job, us; -1 unknown. */
static int64_t ideal_of(const struct metrics *m, uint64_t ordinal, enum ideal which)
{
    const int64_t *of = which == IDEAL_WHOLE ? m->opts.ideal_whole : m->opts.ideal_share;
    return of != NULL && ordinal < m->opts.n_ideal ? of[ordinal] : -1;
}

static void count_job(struct metrics *m, const struct job *j, double rho, sim_tick stage_wait)
{
    struct finished f = { .jct = j->end - j->submit, .wait = j->first_start - j->submit,
                          .span = j->end - j->first_start, .nominal = j->nominal,
                          .rho = rho, .klass = j->klass, .stage_wait = stage_wait };
    MEM_RESERVE(m->job, m->cap_jobs, m->n_jobs + 1);
    m->job[m->n_jobs++] = f;
    for (enum ideal i = 0; i < IDEALS; i++) fairness_add(&m->fairness[i], fairness_s(ideal_of(m, j->ordinal, i), f.span));
    struct user_sum *u = metrics_user(m, j->user);
    u->n++;
    u->jct += (double)f.jct;
    u->wait += (double)f.wait;
    if (f.nominal <= 0) return;
    u->n_slowdown++;
    u->slowdown += (double)f.jct / (double)f.nominal;
}

/*
 * Completion time over what the job would take alone on 1/N of the cluster,
 * which slows it only as far as it asks for more than that.
 */
static double fairness(const struct metrics *m, const struct world *w, const struct job *j, uint32_t slot)
{
    int64_t jct = j->end - j->submit, gpu = (int64_t)world_cluster(w)->n_cards * GPU_WHOLE, cpu = m->cpu_milli;
    if (j->end < 0 || jct <= 0 || j->nominal <= 0) return NAN;
    double n_active = (double)(m->usage.active - m->active_at[slot]) / (double)jct;
    double demand = fmax(gpu > 0 ? (double)j->gpu_milli_total / (double)gpu : 0,
                         cpu > 0 ? (double)j->cpu_milli_total / (double)cpu : 0);
    return (double)jct / ((double)j->nominal * fmax(1, n_active * demand));
}

static void add_work(struct metrics *m, const struct world *w, const struct job *j)
{
    m->lost += (usage_wide)j->lost * j->gpu_milli_total / j->n_tasks;
    if (j->status != JOB_DONE) return;
    for (uint32_t t = j->first_task; t != NONE; t = world_task(w, t)->next) {
        const struct shape *s = world_shape(w, world_task(w, t)->shape);
        m->useful += (usage_wide)world_task(w, t)->dur * s->n_gpu * s->gpu_milli;
    }
}

static void write_transfers(struct metrics *m, const struct world *w, uint32_t job)
{
    const struct bytes_read_sum *s = bytes_read_job(&m->moved, w, job);
    for (int l = 0; s != NULL && l < LEVELS; l++)
        (void)store_transfer(m->opts.store, m->opts.run, &(struct store_transfer){
            .ordinal = world_job(w, job)->ordinal, .level = bytes_read_level[l], .read_b = s->read[l], .vain_b = s->vain[l] }, &m->error);
}

static void on_job_ended(void *ctx, const struct world *w, uint32_t job)
{
    struct metrics *m = ctx;
    const struct job *j = world_job(w, job);
    bool counted = is_counted(m, j->ordinal);
    usage_leave(&m->usage, w, job);
    frag_ended(&m->frag, w, job);
    m->in_system += world_now(w) - j->submit;
    add_work(m, w, j);
    m->n_unscheduled += j->status == JOB_UNFINISHED && j->first_start < 0;
    double rho = fairness(m, w, j, job);
    if (j->status == JOB_DONE || j->status == JOB_TIMEOUT) {
        m->last_end = j->end;
        bound_add(&m->bound, w, job, counted);
        if (counted) count_job(m, j, rho, lending_stage_wait(&m->lending, job));
    }
    if (m->opts.store == NULL || m->error.code != ST_OK) return;
    (void)store_job(m->opts.store, m->opts.run, &(struct store_job){
        .ordinal = j->ordinal, .id = j->id, .user = intern_name(world_users(w), j->user),
        .queue = j->queue == NONE ? NULL : intern_name(world_queues(w), j->queue),
        .class = intern_name(world_classes(w), j->klass),
        .model = j->model == NONE ? NULL : intern_name(&world_config(w)->perf->models, j->model),
        .status = event_log_job_status[j->status], .submit_us = j->submit, .start_us = j->first_start, .end_us = j->end,
        .nominal_us = j->nominal, .limit_us = j->limit, .lost_us = j->lost,
        .cpu_milli = j->cpu_milli_total, .gpu_milli = j->gpu_milli_total, .n_tasks = j->n_tasks,
        .n_gpu = (uint32_t)j->n_gpu_total, .n_preempted = j->n_preempted, .n_failed = j->n_failed,
        .ideal_whole_us = ideal_of(m, j->ordinal, IDEAL_WHOLE), .ideal_share_us = ideal_of(m, j->ordinal, IDEAL_SHARE),
        .rho = rho, .counted = counted, .stage_wait_us = lending_stage_wait(&m->lending, job) }, &m->error);
    write_transfers(m, w, job);
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    struct metrics *m = ctx;
    usage_capacity(&m->usage, w);
    frag_node(&m->frag, node);
    call_use_node(&m->calls, w);
}

static void put_series(struct metrics *m, sim_tick at, const char *name, double x)
{
    if (isnan(x) || m->opts.store == NULL || m->error.code != ST_OK) return;
    (void)store_series(m->opts.store, m->opts.run, &(struct store_series){ .name = name, .at_us = at, .value = x }, &m->error);
}

static double in_units(int64_t x, int d) { return d < 2 ? (double)x / 1000 : (double)x; }

static void on_lent(void *ctx, const struct world *w, uint32_t task, uint32_t lender)
{
    struct metrics *m = ctx;
    lending_lent(&m->lending, w, task, lender);
}

/* A row for each resource that the job reserves. */
static void on_staged(void *ctx, const struct world *w, uint32_t job, const struct reservations_stage *s)
{
    struct metrics *m = ctx;
    for (int d = 0; d < LENDING_DIMS; d++) {
        if (lending_dim(&s->reserved, d) == 0 || m->opts.store == NULL || m->error.code != ST_OK) continue;
        (void)store_stage(m->opts.store, m->opts.run, &(struct store_stage){
            .resource = lending_name(w, d), .ordinal = world_job(w, job)->ordinal, .stage = s->stage + 1, .at_us = world_now(w),
            .reserved = in_units(lending_dim(&s->reserved, d), d), .need = in_units(lending_dim(&s->need, d), d),
            .lendable = in_units(lending_dim(&s->lendable, d), d), .usable = in_units(lending_dim(&s->usable, d), d),
            .reclaimed = in_units(lending_dim(&s->reclaimed, d), d) }, &m->error);
    }
}

static void put_lending(struct metrics *m, const struct world *w)
{
    const struct { const char *name; const struct reservations_amount *a; } sum[] = {
        { "reserved", &world_reserved(w)->reserved }, { "reserved_used", &world_reserved(w)->used }, { "lent", &world_reserved(w)->lent } };
    for (int d = 0; d < 2 + (int)world_cluster(w)->licences.n; d++)
        for (size_t i = 0; i < ARRAY_LEN(sum); i++) {
            char name[160];
            (void)snprintf(name, sizeof name, "%s_%s", sum[i].name, lending_name(w, d));
            put_series(m, world_now(w), name, in_units(lending_dim(sum[i].a, d), d));
        }
}

static void on_instant(void *ctx, const struct world *w)
{
    struct metrics *m = ctx;
    usage_instant(&m->usage, w);
    call_use_fold(&m->calls, w);
    if (lending_instant(&m->lending, w) && m->opts.write_lending) put_lending(m, w);
}

static void add(struct sum *s, double x)
{
    if (isnan(x)) return;
    s->x += x;
    s->n++;
}

static void fill_sample(struct metrics *m, const struct cluster_sum *s, sim_tick at, double frag)
{
    static const double load[FILL_POINTS] = { [FRAG_AT_80] = 0.8, [FRAG_AT_90] = 0.9, [GPU_AT_100] = 1, [CPU_AT_100] = 1 };
    const double value[FILL_POINTS] = { frag, frag, metrics_ratio((double)s->gpu_used, (double)s->gpu_total),
                                        metrics_ratio((double)s->cpu_used, (double)s->cpu_total) };
    double now = metrics_ratio((double)m->asked, (double)s->gpu_total);
    put_series(m, at, "gpu_asked", now);
    for (int i = 0; i < FILL_POINTS; i++)
        if (isnan(m->at_load[i]) && now >= load[i]) m->at_load[i] = value[i];
}

static void on_sample(void *ctx, const struct world *w)
{
    struct metrics *m = ctx;
    const struct cluster_sum *s = &world_cluster(w)->sum;
    struct frag_now f = frag_sample(&m->frag, w);
    sim_tick at = world_now(w);
    add(&m->frag_expected, f.expected);
    add(&m->frag_stranded, f.stranded);
    add(&m->frag_lack_cpu, f.lack_cpu);
    put_series(m, at, "gpu_util", metrics_ratio((double)s->gpu_used, (double)s->gpu_total));
    if (world_config(w)->profiles != NULL) put_series(m, at, "gpu_active", metrics_ratio((double)world_busy(w) / RATE_ONE, (double)s->gpu_total));
    put_series(m, at, "cpu_util", metrics_ratio((double)s->cpu_used, (double)s->cpu_total));
    put_series(m, at, "mem_util", metrics_ratio((double)s->mem_used, (double)s->mem_total));
    put_series(m, at, "card_occupancy", metrics_ratio((double)s->card_used * GPU_WHOLE, (double)s->gpu_total));
    put_series(m, at, "tasks_waiting", world_n_waiting(w));
    put_series(m, at, "tasks_running", world_n_running(w));
    if (world_calls(w) != NULL) {
        put_series(m, at, "queue_master", world_calls(w)->n_master);
        put_series(m, at, "queue_nodes", world_calls(w)->n_queued);
    }
    put_series(m, at, "jobs_in_system", world_n_live_jobs(w));
    put_series(m, at, "users_active", m->usage.n_active);
    put_series(m, at, "frag_expected", f.expected);
    put_series(m, at, "frag_stranded", f.stranded);
    put_series(m, at, "frag_lack_cpu", f.lack_cpu);
    if (m->opts.fills) fill_sample(m, s, at, f.expected);
}

struct observer metrics_observer(struct metrics *m)
{
    return (struct observer){ .ctx = m, .arrived = on_arrived, .started = on_started, .resized = on_resized, .stopped = on_stopped,
                              .moved = on_moved, .sent = on_sent, .called = on_called, .job_ended = on_job_ended, .node_changed = on_node_changed, .instant = on_instant,
                              .staged = on_staged, .lent = on_lent,
                              .sample = on_sample };
}
