/*
 * window.c -- the queries of window.h.
 *
 * A metric of a window is computed here, from the jobs and samples in it, as
 * results/README.md defines it; the run's stored metrics are of the whole run.
 */
#include "compare/window.h"

#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/stats.h"
#include "compare/metric_info.h"
#include "db/query.h"
#include "db/select.h"

/* "class=NAME", "user=NAME", "gpus=2-3" or none of them: as a condition with one parameter, ?4. */
static const char *condition(const char *scope, const char **name)
{
    const char *eq = strchr(scope, '=');
    *name = eq != NULL ? eq + 1 : NULL;
    if (strncmp(scope, "gpus=", 5) == 0) return "n_gpu BETWEEN CAST(?4 AS INTEGER) AND CAST(substr(?4, instr(?4, '-') + 1) AS INTEGER)";
    return strncmp(scope, "class=", 6) == 0 ? "class = ?4" : strncmp(scope, "user=", 5) == 0 ? "user = ?4" : "?4 IS NULL";
}

/* What is asked of whom; errors go to d. */
struct asked { struct store *store; int64_t run; const struct window *w; struct diag *d; };

/* Every value of a query's first column; ?1 run, ?2 from, ?3 to in seconds, ?4 the scope's name. */
static double *values(const struct asked *a, const char *sql, const char *name, size_t *n)
{
    sqlite3_stmt *q;
    double *x = NULL;
    size_t cap = 0;
    *n = 0;
    if (query_run(a->store, a->run, sql, &q, a->d) == ST_OK) {
        (void)sqlite3_bind_double(q, 2, (double)a->w->from / 1e6);
        (void)sqlite3_bind_double(q, 3, a->w->to == TICK_NEVER ? INFINITY : (double)a->w->to / 1e6);
        if (name != NULL) (void)sqlite3_bind_text(q, 4, name, -1, SQLITE_STATIC);
        while (sqlite3_step(q) == SQLITE_ROW) {
            MEM_PUSH(x, *n, cap, sqlite3_column_double(q, 0));
        }
    }
    (void)query_end(a->store, q, a->d);
    return x;
}

static double share_above_1(const double *x, size_t n)
{
    size_t above = 0;
    for (size_t i = 0; i < n; i++) above += x[i] > 1;
    return n > 0 ? (double)above / (double)n : NAN;
}

/* The standard deviation of all of x, not of a sample. */
static double sigma(const double *x, size_t n)
{
    double mean = stats_mean(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 0 ? sqrt(sum / (double)n) : NAN;
}

static double of_values(const char *metric, double *x, size_t n)
{
    static const struct { const char *tail; double p; } quantile[] = { { "_p50", 0.5 }, { "_p95", 0.95 }, { "_p99", 0.99 }, { "_max", 1 } };
    const char *tail = metric_info_tail(metric);
    double out = NAN;
    if (strcmp(metric, "rho_above_1") == 0) return share_above_1(x, n);
    if (strstr(metric, "_sigma") != NULL) return sigma(x, n);
    for (size_t i = 0; i < ARRAY_LEN(quantile); i++)
        if (strcmp(tail, quantile[i].tail) == 0) { stats_quantiles(x, n, &quantile[i].p, 1, &out); return out; }
    return stats_mean(x, n);
}

/* The jobs' values of a metric, in the order in which they came. */
static double *of_each_job(const struct asked *a, const char *metric, const char *scope, size_t *n)
{
    const char *name, *where = condition(scope, &name);
    const struct metric_job *column = metric_info_job_of(metric);
    char sql[512];
    SIM_ASSERT(column != NULL);
    (void)snprintf(sql, sizeof sql, "SELECT %s FROM v_job WHERE run = ?1 AND submit >= ?2 AND submit < ?3 AND %s AND %s IS NOT NULL ORDER BY ordinal",
                   column->name, where, column->name);
    return values(a, sql, name, n);
}

static double of_jobs(const struct asked *a, const char *metric, const char *scope)
{
    size_t n;
    double *x = of_each_job(a, metric, scope, &n), out = of_values(metric, x, n);
    mem_free(x);
    return out;
}

static double of_count(const struct asked *a, const char *metric, const char *scope)
{
    const char *name, *where = condition(scope, &name), *which = metric + strlen("jobs_");
    char filter[128] = "1", sql[512];
    size_t n;
    if (strcmp(which, "counted") == 0) (void)snprintf(filter, sizeof filter, "counted AND status IN ('done', 'timeout')");
    else if (strcmp(which, "arrived") != 0) (void)snprintf(filter, sizeof filter, "status = '%s'", which);
    (void)snprintf(sql, sizeof sql, "SELECT count(*) FROM job WHERE run = ?1 AND submit_us / 1e6 >= ?2 AND submit_us / 1e6 < ?3 AND %s AND %s", where, filter);
    double *x = values(a, sql, name, &n), out = n > 0 ? x[0] : NAN;
    mem_free(x);
    return out;
}

static double of_samples(const struct asked *a, const char *metric)
{
    char sql[256];
    size_t n;
    (void)snprintf(sql, sizeof sql, "SELECT value FROM series WHERE run = ?1 AND name = '%s' AND at_us / 1e6 >= ?2 AND at_us / 1e6 < ?3 ORDER BY at_us", metric);
    double *x = values(a, sql, NULL, &n), out = stats_mean(x, n);
    mem_free(x);
    return out;
}

double window_value(struct store *s, int64_t run, const char *metric, const char *scope, const struct window *w, struct diag *d)
{
    const struct asked a = { s, run, w, d };
    const struct metric_info *m = metric_info_of(metric);
    const bool of_rows = m != NULL && (m->window == WINDOW_JOBS || m->window == WINDOW_COUNT);
    if (of_rows && select_jobs_kept(s, run, d) != ST_OK) return NAN;
    switch (m != NULL ? m->window : WINDOW_NONE) {
    case WINDOW_JOBS:    return of_jobs(&a, metric, scope);
    case WINDOW_COUNT:   return of_count(&a, metric, scope);
    case WINDOW_SAMPLES: return of_samples(&a, metric);
    case WINDOW_NONE:    break;
    }
    return NAN;
}

size_t window_rises(struct store *s, int64_t run, const char *metric, const char *scope, const struct window *w, size_t *beyond,
                    struct diag *d)
{
    const struct asked a = { s, run, w, d };
    const struct metric_info *m = metric_info_of(metric);
    const char *tail = metric_info_tail(metric);
    const double p = strcmp(tail, "_max") == 0 ? 1 : strcmp(tail, "_p99") == 0 ? 0.99 : 0.95;
    size_t n, rises = 0;
    double level;
    *beyond = SIZE_MAX;
    if (m == NULL || m->window != WINDOW_JOBS) return SIZE_MAX;
    double *x = of_each_job(&a, metric, scope, &n), *sorted;
    MEM_ARRAY(sorted, n);
    if (n > 0) memcpy(sorted, x, n * sizeof *x);
    stats_quantiles(sorted, n, &p, 1, &level);
    for (size_t i = 1; i < n; i++) rises += x[i] > level && !(x[i - 1] > level);
    if (metric_info_is_tail(metric)) *beyond = (size_t)((double)n * (1 - p) + 0.5);
    MEM_FREE(sorted, x);
    return rises;
}

enum st window_check(const char *metric, struct diag *d)
{
    const struct metric_info *m = metric_info_of(metric);
    if (m != NULL && m->window != WINDOW_NONE) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "'%s' is of a whole run: it has no value in a window of time", metric);
    return diag_hint(d, "a window has jct, wait, not_running, span, slowdown, bounded_slowdown and rho with their "
                     "tails, rho_above_1, s_whole and s_share, jobs_counted..., and of sampled runs gpu_util, gpu_active, "
                     "cpu_util, mem_util, card_occupancy, frag_...");
}
