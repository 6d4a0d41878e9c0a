#include "metrics/metrics_priv.h"

#include <string.h>

#include "base/stats.h"

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
static double span_s(const struct finished *f)     { return (double)f->span / 1e6; }
static double slowdown(const struct finished *f)   { return metrics_ratio((double)f->jct, (double)f->nominal); }
static double rho(const struct finished *f)        { return f->rho; }
static double stage_wait_s(const struct finished *f) { return f->stage_wait < 0 ? NAN : (double)f->stage_wait / 1e6; }
static double bounded(const struct finished *f)
{
    return fmax(1, (double)f->jct / (double)i64_max(f->nominal, 10 * TICK_SEC));
}

#define WORKFLOWS (NONE - 1)        /* no class: jobs whose tasks have an order */

static bool is_in(const struct finished *f, uint32_t klass)
{
    return klass == NONE || (klass == WORKFLOWS ? f->stage_wait >= 0 : f->klass == klass);
}

/* Values of the jobs of a class (NONE: of all) into x; returns how many are defined. */
static size_t gather(const struct metrics *m, double (*of)(const struct finished *), uint32_t klass, double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n_jobs; i++) {
        if (!is_in(&m->job[i], klass)) continue;
        double v = of(&m->job[i]);
        if (!isnan(v)) x[n++] = v;
    }
    return n;
}

static void put_jobs(struct metrics *m, uint32_t klass, const char *scope, double *x)
{
    static const struct { const char *name, *unit; double (*of)(const struct finished *); } kind[] = {
        { "jct", "s", jct_s }, { "wait", "s", wait_s }, { "span", "s", span_s },
        { "slowdown", "1", slowdown }, { "bounded_slowdown", "1", bounded }, { "stage_wait", "s", stage_wait_s },
    };
    for (size_t k = 0; k < ARRAY_LEN(kind); k++) {
        if (kind[k].of == stage_wait_s && klass != WORKFLOWS) continue;
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
        const struct user_sum *u = metrics_user(m, i);
        const char *user = intern_name(world_users(w), i);
        char *scope;
        size_t len = strlen(user) + sizeof "user=";
        MEM_ARRAY(scope, len);
        (void)snprintf(scope, len, "user=%s", user);
        put(m, "jobs_counted", scope, u->n, "1");
        put(m, "jct_mean", scope, metrics_ratio(u->jct / 1e6, u->n), "s");
        put(m, "wait_mean", scope, metrics_ratio(u->wait / 1e6, u->n), "s");
        put(m, "slowdown_mean", scope, metrics_ratio(u->slowdown, u->n_slowdown), "1");
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
    put(m, "rho_above_1", "all", metrics_ratio((double)above, (double)n), "1");
}

/* S and sigma; nothing where ideal times were not asked for. */
static void put_ideals(struct metrics *m)
{
    for (int i = 0; i < IDEALS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "s_%s_mean", fairness_name[i]);
        put(m, name, "all", fairness_mean(&m->fairness[i]), "1");
        (void)snprintf(name, sizeof name, "s_%s_sigma", fairness_name[i]);
        put(m, name, "all", fairness_sigma(&m->fairness[i]), "1");
    }
}

/* Nothing for a run without data. */
static void put_bytes(struct metrics *m)
{
    const struct bytes_read_sum *s = &m->moved.run;
    double read = (double)bytes_read_total(s->read);
    if (read <= 0 && bytes_read_total(s->vain) == 0) return;
    for (int l = 0; l < LEVELS; l++) {
        char name[32];
        (void)snprintf(name, sizeof name, "bytes_%s", bytes_read_level[l]);
        put(m, name, "all", (double)s->read[l], "B");
        (void)snprintf(name, sizeof name, "%s_share", bytes_read_level[l]);
        put(m, name, "all", metrics_ratio((double)s->read[l], read), "1");
    }
    put(m, "bytes_read", "all", read, "B");
    put(m, "bytes_vain", "all", (double)bytes_read_total(s->vain), "B");
    put(m, "bytes_network", "all", (double)bytes_read_network(s), "B");
}

/* Nothing for a run in which nothing was reserved. */
static void put_reserves(struct metrics *m, const struct world *w)
{
    const struct lending *l = &m->lending;
    bool any = false;
    for (int d = 0; d < LENDING_DIMS; d++) any |= l->reserved_us[d] > 0;
    for (int d = 0; d < 2 && any; d++) {
        const struct { const char *what; usage_wide x; } sum[] = {
            { "reserved", l->reserved_us[d] }, { "reserved_used", l->used_us[d] }, { "lent", l->lent_us[d] }, { "reclaimed", l->reclaimed_us[d] } };
        for (size_t i = 0; i < ARRAY_LEN(sum); i++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s_%s_hours", sum[i].what, lending_name(w, d));
            put(m, name, "all", hours(sum[i].x), "h");
        }
    }
    if (any) put(m, "reclaims", "all", (double)l->n_reclaims, "1");
    for (uint32_t k = 0; k < world_cluster(w)->licences.n; k++) {
        char scope[160];
        (void)snprintf(scope, sizeof scope, "licence=%.140s", intern_name(&world_cluster(w)->licences, k));
        put(m, "licence_util", scope, metrics_ratio((double)l->licence_us[k], (double)world_cluster(w)->licence_total[k] * (double)world_now(w)), "1");
        if (any) put(m, "reserved_licence_hours", scope, (double)l->reserved_us[2 + k] / 3600e6, "h");
        if (any) put(m, "lent_licence_hours", scope, (double)l->lent_us[2 + k] / 3600e6, "h");
    }
}

/* Nothing for a run without calls. */
static void put_calls(struct metrics *m, const struct world *w)
{
    const struct call_use *s = &m->calls;
    const struct call_queue *q = world_calls(w);
    if (q == NULL) return;
    double span = (double)s->last;
    put(m, "task_time_mean", "all", metrics_ratio((double)s->task_us / 1e6, (double)s->n_tasks), "s");
    put(m, "queue_master_mean", "all", metrics_ratio((double)s->master, span), "1");
    put(m, "queue_nodes_mean", "all", metrics_ratio((double)s->queued, span), "1");
    const struct { const char *name; double x; const char *unit; } count[] = {
        { "queue_master_max", s->max_master, "1" }, { "queue_nodes_max", s->max_queued, "1" }, { "queue_node_max", s->max_node, "1" },
        { "tasks_sent", (double)q->n_sent, "1" }, { "tasks_moved", (double)q->n_moved, "1" }, { "calls_done", (double)q->n_done, "1" },
        { "calls_cross", (double)q->n_cross, "1" }, { "calls_lost", (double)q->n_lost, "1" }, { "calls_cross_bytes", (double)q->cross_b, "B" },
    };
    for (size_t i = 0; i < ARRAY_LEN(count); i++) put(m, count[i].name, "all", count[i].x, count[i].unit);
    usage_wide useful = 0, best = 0, cap = 0, taken = 0;
    for (uint32_t k = 0; k < world_cluster(w)->engines.n; k++) {
        char scope[96];
        (void)snprintf(scope, sizeof scope, "engine=%.80s", intern_name(&world_cluster(w)->engines, k));
        put(m, "engine_useful", scope, metrics_ratio((double)s->useful[k], (double)s->cap[k]), "1");
        put(m, "engine_taken", scope, metrics_ratio((double)s->busy[k], (double)s->cap[k]), "1");
        put(m, "engine_best", scope, metrics_ratio((double)s->best[k], (double)s->cap[k]), "1");
        useful += s->useful[k];
        best += s->best[k];
        cap += s->cap[k];
        taken += s->busy[k];
    }
    put(m, "engine_useful", "all", metrics_ratio((double)useful, (double)cap), "1");
    put(m, "engine_taken", "all", metrics_ratio((double)taken, (double)cap), "1");
    put(m, "engine_best", "all", metrics_ratio((double)best, (double)cap), "1");
    put(m, "useful_share", "all", metrics_ratio((double)useful, (double)taken), "1");
    put(m, "best_share", "all", metrics_ratio((double)best, (double)taken), "1");
}

static void put_cluster(struct metrics *m, const struct world *w)
{
    const struct usage *u = &m->usage;
    put(m, "gpu_util", "all", metrics_ratio((double)u->gpu_used, (double)u->gpu_cap), "1");
    if (world_config(w)->profiles != NULL) put(m, "gpu_active", "all", metrics_ratio((double)u->gpu_busy / RATE_ONE, (double)u->gpu_cap), "1");
    put(m, "cpu_util", "all", metrics_ratio((double)u->cpu_used, (double)u->cpu_cap), "1");
    put(m, "mem_util", "all", metrics_ratio((double)u->mem_used, (double)u->mem_cap), "1");
    put(m, "card_occupancy", "all", metrics_ratio((double)(u->card_used * GPU_WHOLE), (double)u->gpu_cap), "1");
    put(m, "gpu_hours", "all", hours(u->gpu_used), "h");
    put(m, "cpu_hours", "all", hours(u->cpu_used), "h");
    put(m, "lost_gpu_hours", "all", hours(m->lost), "h");
    put(m, "goodput", "all", metrics_ratio((double)m->useful, (double)(m->useful + m->lost)), "1");
    /* These hang on when samples are taken, and are absent without: hence a scope of their own. */
    put(m, "frag_expected", "samples", metrics_ratio(m->frag_expected.x, (double)m->frag_expected.n), "1");
    put(m, "frag_stranded", "samples", metrics_ratio(m->frag_stranded.x, (double)m->frag_stranded.n), "1");
    put(m, "frag_lack_cpu", "samples", metrics_ratio(m->frag_lack_cpu.x, (double)m->frag_lack_cpu.n), "1");

    double end = (double)world_now(w) / 1e6, in = (double)(world_count(w)->arrived - world_count(w)->rejected);
    put(m, "little_l", "all", metrics_ratio((double)u->jobs / 1e6, end), "1");
    put(m, "little_lambda", "all", metrics_ratio(in, end), "1/s");
    put(m, "little_w", "all", metrics_ratio((double)m->in_system / 1e6, in), "s");
}

/* What the policy noted: as findings, and as levels. */
static void put_notes(struct metrics *m, const struct world *w)
{
    for (uint32_t i = 0; i < m->noted.name.n; i++) {
        const struct notes_sum *s = &m->noted.at[i];
        const struct { const char *tail; double x; } figure[] = {
            { "count", (double)s->n }, { "mean", s->sum / (double)s->n }, { "max", s->max }, { "last", s->last },
            { "level", notes_level(s, world_now(w)) },
        };
        const char *name = intern_name(&m->noted.name, i);
        char *full;
        size_t len = strlen(name) + sizeof "_count";
        MEM_ARRAY(full, len);
        for (size_t k = 0; k < ARRAY_LEN(figure); k++) {
            (void)snprintf(full, len, "%s_%s", name, figure[k].tail);
            put(m, full, "notes", figure[k].x, "1");
        }
        mem_free(full);
    }
}

static void put_counts(struct metrics *m, const struct world *w)
{
    const struct world_count *c = world_count(w);
    if (m->last_end >= 0) {
        double makespan = (double)(m->last_end - m->first_submit) / 1e6;
        put(m, "makespan", "all", makespan, "s");
        put(m, "makespan_bound", "all", bound_makespan(&m->bound, m->first_submit) / 1e6, "s");
        put(m, "dt", "all", (double)(m->last_end - m->first_start) / 1e6, "s");
        put(m, "throughput", "all", metrics_ratio((double)(c->done + c->timeout) * 3600, makespan), "1/h");
    }
    put(m, "jct_mean_bound", "all", bound_jct_mean(&m->bound) / 1e6, "s");
    const struct { const char *name; uint64_t n; } count[] = {
        { "jobs_arrived", c->arrived }, { "jobs_done", c->done }, { "jobs_timeout", c->timeout },
        { "jobs_rejected", c->rejected }, { "jobs_unfinished", c->unfinished },
        { "preemptions", c->preemptions }, { "failures", c->task_failures }, { "starts", c->starts },
        { "events", world_n_events(w) }, { "instants", world_n_instants(w) }, { "peak_live_jobs", world_peak_live_jobs(w) },
    };
    for (size_t i = 0; i < ARRAY_LEN(count); i++) put(m, count[i].name, "all", (double)count[i].n, "1");
}

/* Defined where tasks ask for memory or cores of cards: then a scheduler that only counts cards can be wrong. */
static void put_mismatches(struct metrics *m, const struct world *w)
{
    bool any = false;
    for (uint32_t i = 0; i < world_n_shapes(w); i++) any |= world_shape(w, i)->gpu_mem_b > 0 || world_shape(w, i)->gpu_cores > 0;
    if (!any) return;
    put(m, "mismatches", "all", (double)world_count(w)->mismatches, "1");
    put(m, "jobs_failed", "all", (double)world_count(w)->failed, "1");
}

static void put_filling(struct metrics *m)
{
    static const char *const name[FILL_POINTS] = {
        [FRAG_AT_80] = "frag_at_80", [FRAG_AT_90] = "frag_at_90", [GPU_AT_100] = "gpu_at_100", [CPU_AT_100] = "cpu_at_100",
    };
    if (!m->opts.fills) return;
    for (int i = 0; i < FILL_POINTS; i++) put(m, name[i], "all", m->at_load[i], "1");
    put(m, "unscheduled", "all", (double)m->n_unscheduled, "1");
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
        struct store_wall wall = { .name = v->name, .value = v->x, .unit = v->unit };
        struct store_metric metric = { .name = v->name, .scope = v->scope, .value = v->x, .unit = v->unit };
        TRY(v->is_wall ? store_wall(m->opts.store, m->opts.run, &wall, d) : store_metric(m->opts.store, m->opts.run, &metric, d));
    }
    return ST_OK;
}

enum st metrics_finish(struct metrics *m, const struct world *w, struct diag *d)
{
    TRY(metrics_error(m, d));
    usage_fold(&m->usage, w);
    (void)lending_instant(&m->lending, w);
    call_use_fold(&m->calls, w);
    double *x;
    MEM_ARRAY(x, m->n_jobs);
    put_jobs(m, NONE, "all", x);
    bool any_workflow = false;
    for (size_t i = 0; i < m->n_jobs; i++) any_workflow |= m->job[i].stage_wait >= 0;
    if (any_workflow) put_jobs(m, WORKFLOWS, "workflows", x);
    for (uint32_t k = 0; k < world_classes(w)->n; k++) {
        const char *name = intern_name(world_classes(w), k);
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
    put_ideals(m);
    put_bytes(m);
    put_reserves(m, w);
    put_calls(m, w);
    put_cluster(m, w);
    put_counts(m, w);
    put_mismatches(m, w);
    put_filling(m);
    put_notes(m, w);
    put_decisions(m);
    return write_values(m, d);
}

double metrics_value(const struct metrics *m, const char *name, const char *scope)
{
    for (size_t i = 0; i < m->n_values; i++)
        if (strcmp(m->value[i].name, name) == 0 && strcmp(m->value[i].scope, scope) == 0) return m->value[i].x;
    return NAN;
}
