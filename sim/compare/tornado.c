/* tornado.c -- the runs of a sweep of changes, and the differences between them. */
#include "compare/tornado.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "compare/metric_info.h"
#include "db/query.h"

/* ---- loading ---- */

enum st tornado_count(struct store *s, const char *scenario, size_t *n, size_t *last, struct diag *d)
{
    sqlite3_stmt *q;
    int64_t has = 0;
    *n = *last = 0;
    TRY(query_int(s, &has, d, "SELECT count(*) FROM sqlite_master WHERE name IN ('change_sweep', 'change_run')"));
    if (has < 2) return ST_OK;
    TRY(query_begin(s, "SELECT scenario FROM change_sweep ORDER BY id", &q, d));
    for (size_t i = 0; sqlite3_step(q) == SQLITE_ROW; i++)
        if (scenario == NULL || strcmp(query_text(q, 0), scenario) == 0) { ++*n; *last = i; }
    return query_end(s, q, d);
}

struct found { int64_t id; char *label; size_t change; };

/* The runs that are done, in the order of the changes; of a run that is not only that it is missing. */
static enum st read_runs(struct tornado *t, struct store *s, size_t i, struct found **run, size_t *n, struct diag *d)
{
    sqlite3_stmt *q;
    size_t cap = 0;
    int64_t place = -1;
    TRY(query_begin(s, "SELECT c.place, c.name, c.sets, w.scenario, r.id, r.policy FROM change_run c"
                       " JOIN (SELECT id, scenario FROM change_sweep ORDER BY id LIMIT 1 OFFSET ?1) w ON w.id = c.sweep"
                       " LEFT JOIN run r ON r.key = c.key AND r.status = 'done' ORDER BY c.place, r.id", &q, d));
    (void)sqlite3_bind_int64(q, 1, (int64_t)i);
    while (sqlite3_step(q) == SQLITE_ROW) {
        if (t->scenario == NULL) t->scenario = query_text_dup(q, 3);
        if (t->n == 0 || sqlite3_column_int64(q, 0) != place)
            MEM_PUSH(t->at, t->n, t->cap, (struct tornado_change){ query_text_dup(q, 1), query_text_dup(q, 2), NULL });
        place = sqlite3_column_int64(q, 0);
        if (sqlite3_column_type(q, 4) == SQLITE_NULL) t->n_missing++;
        else MEM_PUSH(*run, *n, cap, (struct found){ sqlite3_column_int64(q, 4), query_text_dup(q, 5), t->n - 1 });
    }
    return query_end(s, q, d);
}

static enum st load_runs(struct tornado *t, struct store *s, const struct found *run, size_t n, struct diag *d)
{
    struct compare_run *as;
    MEM_ARRAY(as, n + 1);
    for (size_t i = 0; i < n; i++) as[i] = (struct compare_run){ run[i].id, t->at[run[i].change].name, run[i].label };
    const enum st st = compare_load_runs(&t->c, s, as, n, d);
    mem_free(as);
    if (st != ST_OK) return st;
    for (size_t i = 0; i < t->n; i++)
        for (size_t k = 0; k < t->c.n && t->at[i].k == NULL; k++)
            if (strcmp(t->c.at[k].scenario, t->at[i].name) == 0) t->at[i].k = &t->c.at[k];
    t->has_all = t->n > 2 && strcmp(t->at[t->n - 1].name, "all together") == 0;
    if (t->n < 2 || t->at[0].k == NULL)
        return diag_set(d, ST_EINPUT, "no run of the base of the changes to '%s' is done",
                        t->scenario != NULL ? t->scenario : "?");
    return ST_OK;
}

enum st tornado_load(struct tornado *t, struct store *s, size_t i, struct diag *d)
{
    struct found *run = NULL;
    size_t n = 0, n_sweeps, last;
    *t = (struct tornado){ .n = 0 };
    TRY(tornado_count(s, NULL, &n_sweeps, &last, d));
    if (n_sweeps <= i) {
        (void)diag_set(d, ST_EINPUT, "the database has no runs of a sweep of changes");
        return diag_hint(
            d, "name some under `sweep: {changes: ...}` and run `fairway sweep`: " DIAG_DOC("scenarios/REFERENCE.md"));
    }
    enum st st = read_runs(t, s, i, &run, &n, d);
    if (st == ST_OK) st = load_runs(t, s, run, n, d);
    for (size_t k = 0; k < n; k++) mem_free(run[k].label);
    mem_free(run);
    if (st != ST_OK) tornado_fini(t);
    return st;
}

void tornado_fini(struct tornado *t)
{
    for (size_t i = 0; i < t->n; i++) MEM_FREE(t->at[i].name, t->at[i].sets);
    MEM_FREE(t->at, t->scenario);
    if (t->c.values != NULL) compare_fini(&t->c);
    *t = (struct tornado){ .n = 0 };
}

/* ---- differences ---- */

enum tornado_verdict tornado_judge(const struct stats_ci *diff)
{
    if (diff->n > 1 && diff->mean == 0 && diff->half == 0) return TORNADO_SAME;
    if (diff->n < 2 || !(diff->half > 0)) return TORNADO_OPEN;
    return diff->lo <= 0 && diff->hi >= 0 ? TORNADO_NOT_TOLD_APART : TORNADO_DIFFERS;
}

static const struct compare_policy *policy_of(const struct tornado *t, size_t change, const char *label)
{
    const struct compare_case *k = t->at[change].k;
    for (size_t i = 0; k != NULL && i < k->n_policies; i++)
        if (strcmp(k->policy[i].label, label) == 0) return &k->policy[i];
    return NULL;
}

/* The value of a change under a seed; NaN: none. */
static double value(const struct tornado *t, size_t change, const char *policy, int64_t seed, const char *metric,
                    const char *scope)
{
    const struct compare_policy *p = policy_of(t, change, policy);
    for (size_t i = 0; p != NULL && i < p->n_runs; i++)
        if (p->seed[i] == seed) return compare_value(&t->c, p->run[i], metric, scope);
    return NAN;
}

/* Largest first; of equal ones, and those without a difference last, in their order. */
static int by_size(const void *a, const void *b)
{
    const struct tornado_effect *x = a, *y = b;
    const double l = isnan(x->diff.mean) ? -1 : fabs(x->diff.mean), r = isnan(y->diff.mean) ? -1 : fabs(y->diff.mean);
    return l != r ? (l < r ? 1 : -1) : x->change < y->change ? -1 : 1;
}

static struct tornado_effect effect(const struct tornado *t, size_t change, const char *policy, const char *metric,
                                    const char *scope)
{
    const struct compare_policy *p = policy_of(t, change, policy), *base = policy_of(t, 0, policy);
    struct tornado_effect e = { .change = change };
    if (p == NULL || base == NULL) return e;
    e.value = compare_mean(&t->c, p, metric, scope);
    e.diff = compare_diff(&t->c, p, base, metric, scope);
    e.ratio = compare_ratio(&t->c, p, base, metric, scope);
    return e;
}

/*
 * Of the seeds that all have: the sum of the changes alone, and what all do beyond it.
 * No sum where a change has no value at all: what it does would count as what all do beyond it.
 */
static void add_sums(const struct tornado *t, const char *policy, const char *metric, const char *scope,
                     struct tornado_effects *e)
{
    const struct compare_policy *base = policy_of(t, 0, policy);
    stats_interval *of = metric_info_is_tail(metric) ? stats_skew95 : stats_ci95;
    const bool are_all_there = e->n == t->n - 1 - t->has_all;
    double *sum, *beyond;
    size_t n = 0;
    MEM_ARRAY(sum, base->n_runs);
    MEM_ARRAY(beyond, base->n_runs);
    for (size_t s = 0; s < base->n_runs; s++) {
        const double x = compare_value(&t->c, base->run[s], metric, scope);
        double all = 0;
        for (size_t i = 0; i < e->n; i++)
            all += value(t, e->at[i].change, policy, base->seed[s], metric, scope) - x;
        const double together = t->has_all ? value(t, t->n - 1, policy, base->seed[s], metric, scope) - x : NAN;
        if (isnan(together) || isnan(all) || !are_all_there) continue;
        sum[n] = all;
        beyond[n++] = together - all;
    }
    e->sum = of(sum, n);
    e->beyond = of(beyond, n);
    MEM_FREE(sum, beyond);
}

/* The size of a difference under a seed, in the direction of its mean. */
static double size_of(const struct tornado *t, const struct tornado_effect *e, const char *policy, int64_t seed,
                      double base, const char *metric, const char *scope)
{
    const double by = value(t, e->change, policy, seed, metric, scope) - base;
    return e->diff.mean < 0 ? -by : by;
}

/* By how much the first is larger than each of the others, of the seeds that both have. */
static void find_rival(const struct tornado *t, const char *policy, const char *metric, const char *scope,
                       struct tornado_effects *e)
{
    const struct compare_policy *base = policy_of(t, 0, policy);
    stats_interval *of = metric_info_is_tail(metric) ? stats_skew95 : stats_ci95;
    double *lead;
    MEM_ARRAY(lead, base->n_runs);
    e->rival = e->n;
    for (size_t i = 1; i < e->n && e->rival == e->n; i++) {
        size_t n = 0;
        for (size_t s = 0; s < base->n_runs; s++) {
            const double x = compare_value(&t->c, base->run[s], metric, scope),
                         by = size_of(t, &e->at[0], policy, base->seed[s], x, metric, scope) -
                              size_of(t, &e->at[i], policy, base->seed[s], x, metric, scope);
            if (!isnan(by)) lead[n++] = by;
        }
        const struct stats_ci is = of(lead, n);
        if (tornado_judge(&is) != TORNADO_DIFFERS) e->rival = i;
        if (i == 1 || e->rival == i) e->lead = is;
    }
    mem_free(lead);
}

void tornado_effects(const struct tornado *t, const char *policy, const char *metric, const char *scope,
                     struct tornado_effects *e)
{
    *e = (struct tornado_effects){ .n = 0 };
    const struct compare_policy *base = policy_of(t, 0, policy);
    MEM_ARRAY(e->at, t->n);
    if (base == NULL) return;
    e->base = compare_mean(&t->c, base, metric, scope);
    for (size_t i = 1; i < t->n - t->has_all; i++) {
        e->at[e->n] = effect(t, i, policy, metric, scope);
        e->n += e->at[e->n].value.n > 0;
    }
    qsort(e->at, e->n, sizeof *e->at, by_size);
    if (t->has_all) e->all = effect(t, t->n - 1, policy, metric, scope);
    add_sums(t, policy, metric, scope, e);
    find_rival(t, policy, metric, scope, e);
}
