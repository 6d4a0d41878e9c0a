#include "out/metrics.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "out/frag.h"
#include "out/log.h"
#include "out/stats.h"
#include "out/usage.h"

/* Of one ended job that counts. */
struct finished { int64_t jct, wait, nominal; double rho; uint32_t klass; };

struct value { char *name, *scope; const char *unit; double x; bool is_wall; };

/* Of one user, sums over jobs that count. */
struct user_sum { double jct, wait, slowdown; uint32_t n, n_slowdown; };

struct sum { double x; uint64_t n; };

struct metrics {
    struct metrics_opts opts;
    struct usage usage;
    struct frag  frag;
    struct finished *job;   size_t n_jobs, cap_jobs;
    struct user_sum *user;  size_t cap_user;
    int64_t *active_at;     size_t cap_active;      /* by job slot: usage.active when it arrived */
    int64_t *decide_ns;     size_t n_decide, cap_decide;
    struct value *value;    size_t n_values, cap_values;
    struct sum frag_expected, frag_stranded;        /* over samples */
    int64_t  first_submit, last_end;                /* -1: none */
    int64_t  cpu_milli;                             /* of the whole cluster, up or down */
    usage_wide in_system;                           /* sum of times in the system */
    usage_wide useful, lost;                        /* thousandths of cards x us of nominal work */
    struct diag error;
};

struct metrics *metrics_create(const struct world *w, const struct metrics_opts *o)
{
    struct metrics *m;
    MEM_NEW(m);
    m->opts = *o;
    m->first_submit = m->last_end = -1;
    m->usage.weight_of = o->weight_of;
    m->usage.weight_ctx = o->weight_ctx;
    for (uint32_t i = 0; i < w->cluster->n_nodes; i++) m->cpu_milli += w->cluster->node[i].cpu_total;
    usage_init(&m->usage, w);
    frag_init(&m->frag, w->cluster->n_nodes);
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

/* ---- what happens ---- */

static void on_arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct metrics *m = ctx;
    if (m->first_submit < 0) m->first_submit = w->jobs.job[job].submit;
    usage_enter(&m->usage, w, job);
    frag_arrived(&m->frag, w, job);
    MEM_RESERVE(m->active_at, m->cap_active, (size_t)job + 1);
    m->active_at[job] = m->usage.active;
}

static void on_started(void *ctx, const struct world *w, uint32_t task)
{
    struct metrics *m = ctx;
    usage_take(&m->usage, w, task);
    frag_started(&m->frag, w, task);
}

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_why why)
{
    struct metrics *m = ctx;
    usage_give(&m->usage, w, task);
    frag_stopped(&m->frag, w, task, why);
    if (!m->opts.write_attempts || m->opts.store == NULL || m->error.code != ST_OK) return;
    const struct task *t = &w->jobs.task[task];
    const struct hold *h = cluster_hold(w->cluster, task);
    (void)store_attempt(m->opts.store, m->opts.run, &(struct store_attempt){
        .job_ordinal = w->jobs.job[t->job].ordinal, .task = t->index, .attempt = t->attempts, .node = h->node,
        .cards = h->cards, .start_us = t->started_at, .end_us = world_now(w), .outcome = log_stop_why[why] }, &m->error);
}

/* Neither among the first arrivals nor among the last that the cuts leave out. */
static bool is_counted(const struct metrics *m, uint64_t ordinal)
{
    double n = (double)m->opts.n_jobs, at = (double)ordinal;
    return at >= floor(m->opts.warmup * n) && (m->opts.cooldown <= 0 || at < n - floor(m->opts.cooldown * n));
}

/* Jobs of one user: the intern hands out dense ids. */
static struct user_sum *sums_of(struct metrics *m, uint32_t user)
{
    MEM_RESERVE(m->user, m->cap_user, (size_t)user + 1);
    return &m->user[user];
}

static void count_job(struct metrics *m, const struct job *j, double rho)
{
    struct finished f = { .jct = j->end - j->submit, .wait = j->first_start - j->submit, .nominal = j->nominal,
                          .rho = rho, .klass = j->klass };
    MEM_RESERVE(m->job, m->cap_jobs, m->n_jobs + 1);
    m->job[m->n_jobs++] = f;
    struct user_sum *u = sums_of(m, j->user);
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
    int64_t jct = j->end - j->submit, gpu = (int64_t)w->cluster->n_cards * GPU_WHOLE, cpu = m->cpu_milli;
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
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
        const struct shape *s = &w->shapes.at[w->jobs.task[t].shape];
        m->useful += (usage_wide)w->jobs.task[t].dur * s->n_gpu * s->gpu_milli;
    }
}

static void on_job_ended(void *ctx, const struct world *w, uint32_t job)
{
    struct metrics *m = ctx;
    const struct job *j = &w->jobs.job[job];
    bool counted = is_counted(m, j->ordinal);
    usage_leave(&m->usage, w, job);
    frag_ended(&m->frag, w, job);
    m->in_system += world_now(w) - j->submit;
    add_work(m, w, j);
    double rho = fairness(m, w, j, job);
    if (j->end >= 0) {
        m->last_end = j->end;
        if (counted) count_job(m, j, rho);
    }
    if (m->opts.store == NULL || m->error.code != ST_OK) return;
    (void)store_job(m->opts.store, m->opts.run, &(struct store_job){
        .ordinal = j->ordinal, .id = j->id, .user = intern_name(&w->users, j->user),
        .queue = j->queue == NONE ? NULL : intern_name(&w->queues, j->queue),
        .klass = intern_name(&w->classes, j->klass),
        .model = j->model == NONE ? NULL : intern_name(&w->cfg.perf->models, j->model),
        .status = log_job_status[j->status], .submit_us = j->submit, .start_us = j->first_start, .end_us = j->end,
        .nominal_us = j->nominal, .limit_us = j->limit, .lost_us = j->lost,
        .cpu_milli = j->cpu_milli_total, .gpu_milli = j->gpu_milli_total, .n_tasks = j->n_tasks,
        .n_gpu = (uint32_t)j->n_gpu_total, .n_preempted = j->n_preempted, .n_failed = j->n_failed,
        .rho = rho, .counted = counted }, &m->error);
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    struct metrics *m = ctx;
    usage_capacity(&m->usage, w);
    frag_node(&m->frag, node);
}

static void on_instant(void *ctx, const struct world *w)
{
    struct metrics *m = ctx;
    usage_instant(&m->usage, w);
}

static double ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static void put_series(struct metrics *m, sim_tick at, const char *name, double x)
{
    if (isnan(x) || m->opts.store == NULL || m->error.code != ST_OK) return;
    (void)store_series(m->opts.store, m->opts.run, at, name, x, &m->error);
}

static void add(struct sum *s, double x)
{
    if (isnan(x)) return;
    s->x += x;
    s->n++;
}

static void on_sample(void *ctx, const struct world *w)
{
    struct metrics *m = ctx;
    const struct cluster_sum *s = &w->cluster->sum;
    struct frag_now f = frag_sample(&m->frag, w);
    sim_tick at = world_now(w);
    add(&m->frag_expected, f.expected);
    add(&m->frag_stranded, f.stranded);
    put_series(m, at, "gpu_util", ratio((double)s->gpu_used, (double)s->gpu_total));
    put_series(m, at, "cpu_util", ratio((double)s->cpu_used, (double)s->cpu_total));
    put_series(m, at, "mem_util", ratio((double)s->mem_used, (double)s->mem_total));
    put_series(m, at, "card_occupancy", ratio((double)s->card_used * GPU_WHOLE, (double)s->gpu_total));
    put_series(m, at, "tasks_waiting", w->n_waiting);
    put_series(m, at, "tasks_running", w->n_running);
    put_series(m, at, "jobs_in_system", w->jobs.n_live);
    put_series(m, at, "users_active", m->usage.n_active);
    put_series(m, at, "frag_expected", f.expected);
    put_series(m, at, "frag_stranded", f.stranded);
}

struct observer metrics_observer(struct metrics *m)
{
    return (struct observer){ .ctx = m, .arrived = on_arrived, .started = on_started, .stopped = on_stopped,
                              .job_ended = on_job_ended, .node_changed = on_node_changed, .instant = on_instant,
                              .sample = on_sample };
}

/* ---- what comes of it ---- */

static void put(struct metrics *m, const char *name, const char *scope, double x, const char *unit)
{
    if (isnan(x)) return;
    MEM_RESERVE(m->value, m->cap_values, m->n_values + 1);
    m->value[m->n_values++] = (struct value){ .name = mem_strdup(name), .scope = mem_strdup(scope), .unit = unit, .x = x };
}

static void put_wall(struct metrics *m, const char *name, double x, const char *unit)
{
    size_t n = m->n_values;
    put(m, name, "all", x, unit);
    if (m->n_values > n) m->value[n].is_wall = true;
}

/* mean, p50, p95, p99 and max of x [n], which is permuted. */
static void put_spread(struct metrics *m, const char *name, const char *scope, double *x, size_t n, const char *unit)
{
    static const double p[] = { 0.5, 0.95, 0.99, 1 };
    static const char *const tail[] = { "p50", "p95", "p99", "max" };
    char full[64];
    double q[ARRAY_LEN(p)];
    (void)snprintf(full, sizeof full, "%s_mean", name);
    put(m, full, scope, stats_mean(x, n), unit);        /* before selection changes the order of summing */
    stats_quantiles(x, n, p, ARRAY_LEN(p), q);
    for (size_t i = 0; i < ARRAY_LEN(p); i++) {
        (void)snprintf(full, sizeof full, "%s_%s", name, tail[i]);
        put(m, full, scope, q[i], unit);
    }
}

static double jct_s(const struct finished *f)      { return (double)f->jct / 1e6; }
static double wait_s(const struct finished *f)     { return (double)f->wait / 1e6; }
static double slowdown(const struct finished *f)   { return ratio((double)f->jct, (double)f->nominal); }
static double rho(const struct finished *f)        { return f->rho; }
static double bounded(const struct finished *f)
{
    return fmax(1, (double)f->jct / (double)i64_max(f->nominal, 10 * TICK_SEC));
}

/* Values of the jobs of a class (NONE: of all) into x; returns how many are defined. */
static size_t gather(const struct metrics *m, double (*of)(const struct finished *), uint32_t klass, double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_jobs; i++) {
        if (klass != NONE && m->job[i].klass != klass) continue;
        double v = of(&m->job[i]);
        if (!isnan(v)) x[n++] = v;
    }
    return n;
}

static void put_jobs(struct metrics *m, uint32_t klass, const char *scope, double *x)
{
    static const struct { const char *name, *unit; double (*of)(const struct finished *); } kind[] = {
        { "jct", "s", jct_s }, { "wait", "s", wait_s }, { "slowdown", "1", slowdown }, { "bounded_slowdown", "1", bounded },
    };
    for (size_t k = 0; k < ARRAY_LEN(kind); k++) {
        size_t n = gather(m, kind[k].of, klass, x);
        if (k == 0) put(m, "jobs_counted", scope, (double)n, "1");
        put_spread(m, kind[k].name, scope, x, n, kind[k].unit);
    }
}

static double hours(usage_wide milli_us) { return (double)milli_us / (1000 * 3600e6); }

static void put_users(struct metrics *m, const struct world *w)
{
    double *share;
    size_t n_shares = 0;
    MEM_ARRAY(share, m->usage.n_users);
    for (uint32_t i = 0; i < m->usage.n_users; i++) {
        const struct usage_user *x = &m->usage.user[i];
        const struct user_sum *u = sums_of(m, i);
        const char *user = intern_name(&w->users, i);
        char *scope;
        size_t len = strlen(user) + sizeof "user=";
        MEM_ARRAY(scope, len);
        (void)snprintf(scope, len, "user=%s", user);
        put(m, "jobs_counted", scope, u->n, "1");
        put(m, "jct_mean", scope, ratio(u->jct / 1e6, u->n), "s");
        put(m, "wait_mean", scope, ratio(u->wait / 1e6, u->n), "s");
        put(m, "slowdown_mean", scope, ratio(u->slowdown, u->n_slowdown), "1");
        put(m, "gpu_hours", scope, hours(x->gpu_us), "h");
        put(m, "cpu_hours", scope, hours(x->cpu_us), "h");
        double s = usage_share(x);
        put(m, "dominant_share", scope, s, "1");
        if (!isnan(s)) share[n_shares++] = s;
        mem_free(scope);
    }
    put(m, "jain", "all", stats_jain(share, n_shares), "1");
    mem_free(share);
}

static void put_fairness(struct metrics *m, double *x)
{
    size_t n = gather(m, rho, NONE, x), above = 0;
    for (size_t i = 0; i < n; i++) above += x[i] > 1;
    put_spread(m, "rho", "all", x, n, "1");
    put(m, "rho_above_1", "all", ratio((double)above, (double)n), "1");
}

static void put_cluster(struct metrics *m, const struct world *w)
{
    const struct usage *u = &m->usage;
    put(m, "gpu_util", "all", ratio((double)u->gpu_used, (double)u->gpu_cap), "1");
    put(m, "cpu_util", "all", ratio((double)u->cpu_used, (double)u->cpu_cap), "1");
    put(m, "mem_util", "all", ratio((double)u->mem_used, (double)u->mem_cap), "1");
    put(m, "card_occupancy", "all", ratio((double)(u->card_used * GPU_WHOLE), (double)u->gpu_cap), "1");
    put(m, "gpu_hours", "all", hours(u->gpu_used), "h");
    put(m, "cpu_hours", "all", hours(u->cpu_used), "h");
    put(m, "lost_gpu_hours", "all", hours(m->lost), "h");
    put(m, "goodput", "all", ratio((double)m->useful, (double)(m->useful + m->lost)), "1");
    /* These two hang on when samples are taken, and are absent without: hence a scope of their own. */
    put(m, "frag_expected", "samples", ratio(m->frag_expected.x, (double)m->frag_expected.n), "1");
    put(m, "frag_stranded", "samples", ratio(m->frag_stranded.x, (double)m->frag_stranded.n), "1");

    double end = (double)world_now(w) / 1e6, in = (double)(w->count.arrived - w->count.rejected);
    put(m, "little_l", "all", ratio((double)u->jobs / 1e6, end), "1");
    put(m, "little_lambda", "all", ratio(in, end), "1/s");
    put(m, "little_w", "all", ratio((double)m->in_system / 1e6, in), "s");
}

static void put_counts(struct metrics *m, const struct world *w)
{
    const struct world_count *c = &w->count;
    if (m->last_end >= 0) {
        double makespan = (double)(m->last_end - m->first_submit) / 1e6;
        put(m, "makespan", "all", makespan, "s");
        put(m, "throughput", "all", ratio((double)(c->done + c->timeout) * 3600, makespan), "1/h");
    }
    const struct { const char *name; uint64_t n; } count[] = {
        { "jobs_arrived", c->arrived }, { "jobs_done", c->done }, { "jobs_timeout", c->timeout },
        { "jobs_rejected", c->rejected }, { "jobs_unfinished", c->unfinished },
        { "preemptions", c->preemptions }, { "failures", c->task_failures }, { "starts", c->starts },
        { "events", w->engine.n_events }, { "instants", w->engine.n_instants }, { "peak_live_jobs", w->jobs.peak_live },
    };
    for (size_t i = 0; i < ARRAY_LEN(count); i++) put(m, count[i].name, "all", (double)count[i].n, "1");
}

static void put_decisions(struct metrics *m)
{
    static const double p[] = { 0.99, 1 };
    double *us, q[2];
    MEM_ARRAY(us, m->n_decide);
    for (size_t i = 0; i < m->n_decide; i++) us[i] = (double)m->decide_ns[i] / 1e3;
    put_wall(m, "decision_mean", stats_mean(us, m->n_decide), "us");
    stats_quantiles(us, m->n_decide, p, 2, q);
    put_wall(m, "decision_p99", q[0], "us");
    put_wall(m, "decision_max", q[1], "us");
    mem_free(us);
}

static enum st write_values(struct metrics *m, struct diag *d)
{
    if (m->opts.store == NULL) return ST_OK;
    for (size_t i = 0; i < m->n_values; i++) {
        const struct value *v = &m->value[i];
        if (v->is_wall) TRY(store_wall(m->opts.store, m->opts.run, v->name, v->x, v->unit, d));
        else TRY(store_metric(m->opts.store, m->opts.run, v->name, v->scope, v->x, v->unit, d));
    }
    return ST_OK;
}

enum st metrics_finish(struct metrics *m, const struct world *w, struct diag *d)
{
    TRY(metrics_error(m, d));
    usage_fold(&m->usage, w);
    double *x;
    MEM_ARRAY(x, m->n_jobs);
    put_jobs(m, NONE, "all", x);
    for (uint32_t k = 0; k < w->classes.n; k++) {
        const char *name = intern_name(&w->classes, k);
        char *scope;
        size_t len = strlen(name) + sizeof "class=";
        MEM_ARRAY(scope, len);
        (void)snprintf(scope, len, "class=%s", name);
        put_jobs(m, k, scope, x);
        mem_free(scope);
    }
    put_fairness(m, x);
    mem_free(x);
    put_users(m, w);
    put_cluster(m, w);
    put_counts(m, w);
    put_decisions(m);
    return write_values(m, d);
}

double metrics_value(const struct metrics *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->n_values; i++)
        if (strcmp(m->value[i].name, name) == 0 && strcmp(m->value[i].scope, scope) == 0) return m->value[i].x;
    return NAN;
}
