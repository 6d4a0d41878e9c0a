/* waits.c -- waits by quantile, class, user and hour of day, what they have in common, and utilisation over time. */
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "calibrate/calibrate.h"
#include "db/query.h"
#include "search/effect.h"

enum { USERS_SHOWN = 10, USE_PARTS = 10 };

const char *const calibrate_metric[4] = { "wait_mean", "wait_p50", "wait_p95", "wait_p99" };

/* ---- over all jobs ---- */

/* The waits of the jobs that are compared, in one array. */
static size_t gather(const struct calibration *c, size_t policy, double *x)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) if (!isnan(c->wait[i])) x[n++] = c->wait[policy * c->n + i];
    return n;
}

/* How far from the record, as `fairway search` measures the distance to figures. */
static double error_of(const struct calibration *c, const char *policy)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < ARRAY_LEN(calibrate_metric); i++) {
        const double was = calibrate_value(c, "waits", calibrate_metric[i], c->policy[0].label);
        const double is = calibrate_value(c, "waits", calibrate_metric[i], policy);
        if (!(was > 0)) continue;
        sum += (is / was - 1) * (is / was - 1);
        n++;
    }
    return n > 0 ? sqrt(sum / n) : NAN;
}

static void add_waits(struct calibration *c)
{
    static const double level[] = { 0.5, 0.9, 0.95, 0.99 };
    static const char *const name[] = { "wait_p50", "wait_p90", "wait_p95", "wait_p99" };
    double *was, *x, at[ARRAY_LEN(level)];
    MEM_ARRAY(was, c->n);
    MEM_ARRAY(x, c->n);
    const size_t n = gather(c, 0, was);
    for (size_t p = 0; p < c->n_policies; p++) {
        const char *label = c->policy[p].label;
        (void)gather(c, p, x);
        calibrate_add(c, "waits", label, (double)n, "", "jobs");
        calibrate_add(c, "waits", label, stats_mean(x, n), "s", "wait_mean");
        if (p > 0) calibrate_add(c, "waits", label, effect_correlation(was, x, n), "", "rank_correlation");
        stats_quantiles(x, n, level, ARRAY_LEN(level), at);
        for (size_t i = 0; i < ARRAY_LEN(level); i++) calibrate_add(c, "waits", label, at[i], "s", "%s", name[i]);
        if (p > 0) calibrate_add(c, "waits", label, error_of(c, label), "", "error");
    }
    mem_free(was);
    mem_free(x);
}

/* ---- by group ---- */

static size_t hour_of(sim_tick at) { return (size_t)(at / (3600 * TICK_SEC) % 24); }

/* Mean waits of the jobs whose group is this one. */
static void add_group(struct calibration *c, const size_t *group, size_t which, const char *of)
{
    double jobs = 0;
    for (size_t i = 0; i < c->n; i++) jobs += group[i] == which && !isnan(c->wait[i]);
    if (!(jobs > 0)) return;
    calibrate_add(c, "groups", "jobs", jobs, "", "%s", of);
    for (size_t p = 0; p < c->n_policies; p++) {
        double sum = 0;
        for (size_t i = 0; i < c->n; i++) if (group[i] == which && !isnan(c->wait[i])) sum += c->wait[p * c->n + i];
        calibrate_add(c, "groups", c->policy[p].label, sum / jobs, "s", "%s", of);
    }
}

static void add_groups(struct calibration *c, const char *what, const struct intern *names, const size_t *group,
                       const size_t *which, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *of = mem_printf("%s=%s", what, intern_name(names, (uint32_t)which[i]));
        add_group(c, group, which[i], of);
        mem_free(of);
    }
}

struct counted { size_t jobs, user; };

static int by_jobs(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;
    if (x->jobs != y->jobs) return x->jobs > y->jobs ? -1 : 1;
    return x->user < y->user ? -1 : x->user > y->user;
}

/* The users with the most jobs, or all. */
static void add_users(struct calibration *c, size_t *group)
{
    struct counted *u;
    size_t which[USERS_SHOWN], n = c->user.n < USERS_SHOWN ? c->user.n : USERS_SHOWN;
    MEM_ARRAY(u, c->user.n);
    for (size_t i = 0; i < c->user.n; i++) u[i].user = i;
    for (size_t i = 0; i < c->n; i++) {
        group[i] = c->job[i].user;
        if (!isnan(c->wait[i])) u[group[i]].jobs++;
    }
    qsort(u, c->user.n, sizeof *u, by_jobs);
    for (size_t i = 0; i < n; i++) which[i] = u[i].user;
    add_groups(c, "user", &c->user, group, which, n);
    mem_free(u);
}

static void add_all_groups(struct calibration *c)
{
    size_t *group, *which, hour;
    MEM_ARRAY(group, c->n);
    MEM_ARRAY(which, c->class.n);
    for (size_t i = 0; i < c->class.n; i++) which[i] = i;
    for (size_t i = 0; i < c->n; i++) group[i] = c->job[i].class;
    add_groups(c, "class", &c->class, group, which, c->class.n);
    add_users(c, group);
    for (size_t i = 0; i < c->n; i++) group[i] = hour_of(c->job[i].submit);
    for (hour = 0; hour < 24; hour++) {
        char of[16];
        (void)snprintf(of, sizeof of, "hour=%02zu", hour);
        add_group(c, group, hour, of);
    }
    mem_free(group);
    mem_free(which);
}

/* ---- utilisation ---- */

/* Means of the samples in each tenth of the record, which ends with its last sample. */
static enum st add_use(struct calibration *c, size_t policy, const char *series, double span_us, struct diag *d)
{
    sqlite3_stmt *q;
    double sum[USE_PARTS] = { 0 }, n[USE_PARTS] = { 0 };
    TRY(query_run(c->store, c->policy[policy].run,
                  "SELECT at_us, value FROM series WHERE run = ?1 AND name = ?2 ORDER BY at_us", &q, d));
    (void)sqlite3_bind_text(q, 2, series, -1, SQLITE_STATIC);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const double at = sqlite3_column_double(q, 0);
        if (at > span_us) continue;
        const size_t i = at < span_us ? (size_t)(at / span_us * USE_PARTS) : USE_PARTS - 1;
        sum[i] += sqlite3_column_double(q, 1);
        n[i]++;
    }
    for (size_t i = 0; i < USE_PARTS; i++)
        calibrate_add(c, "use", c->policy[policy].label, n[i] > 0 ? sum[i] / n[i] : NAN, "", "%s from %.1f h", series,
                      span_us * (double)i / USE_PARTS / 3600e6);
    return query_end(c->store, q, d);
}

static enum st add_uses(struct calibration *c, struct diag *d)
{
    int64_t span_us = 0;
    TRY(query_int(c->store, &span_us, d, "SELECT max(at_us) FROM series WHERE run = %lld AND name = 'cpu_util'",
                  (long long)c->policy[0].run));
    if (span_us <= 0) return ST_OK;
    for (size_t p = 0; p < c->n_policies; p++) {
        TRY(add_use(c, p, "cpu_util", (double)span_us, d));
        if (c->gpu_milli > 0) TRY(add_use(c, p, "gpu_util", (double)span_us, d));
    }
    return ST_OK;
}

enum st calibrate_waits(struct calibration *c, struct diag *d)
{
    add_waits(c);
    add_all_groups(c);
    return add_uses(c, d);
}
