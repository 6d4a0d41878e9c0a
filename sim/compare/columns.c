/*
 * columns.c -- what a comparison shows, decided once for tables and for the page: which metrics, which
 * columns with their scales, and how one policy differs from another.
 */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compare/view.h"
#include "compare/metric_info.h"

struct compare_scale compare_scale_of(const struct compare_view *v, const char *metric)
{
    struct compare_scale s = { .by = 1 };
    double most = 0;
    (void)compare_unit(v->c, metric, s.unit, sizeof s.unit);
    for (size_t i = 0; i < v->k->n_policies; i++)
        most = fmax(most, compare_mean(v->c, &v->k->policy[i], metric, v->scope).mean);
    if (strcmp(s.unit, "s") == 0) {
        if (most >= 3 * 3600) s = (struct compare_scale){ 1 / 3600.0, "h" };
        else if (most >= 3 * 60) s = (struct compare_scale){ 1 / 60.0, "min" };
    } else if (strcmp(s.unit, "B") == 0) {
        s = most >= 1e12  ? (struct compare_scale){ 1e-12, "TB" }
            : most >= 1e9 ? (struct compare_scale){ 1e-9, "GB" }
                          : (struct compare_scale){ 1e-6, "MB" };
    } else if (metric_info_is_percent(metric)) {
        s = (struct compare_scale){ 100, "%" };
    } else if (strcmp(s.unit, "1") == 0) {
        s.unit[0] = '\0';
    }
    return s;
}

/* ---- which metrics ---- */

static bool has_metric(const struct compare *c, const struct compare_case *k, const char *metric)
{
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++)
            if (!isnan(compare_value(c, k->policy[i].run[j], metric, "all"))) return true;
    return false;
}

void compare_add_metric(struct compare_metrics *l, const struct compare *c, const char *metric)
{
    struct diag ignored = { 0 };
    if (window_is_on(&c->window) && window_check(metric, &ignored) != ST_OK) return;
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->at[i], metric) == 0) return;
    MEM_PUSH(l->at, l->n, l->cap, metric);
}

void compare_add_usual(struct compare_metrics *l, const struct compare *c, const struct compare_case *k,
                       const char *scope)
{
    size_t i = 0;
    while (i < METRIC_LIST_USUAL &&
           (strcmp(scope, "all") != 0 || k == NULL || !has_metric(c, k, metric_info_lists[i].sign)))
        i++;
    for (size_t m = 0; m < metric_info_lists[i].n; m++) compare_add_metric(l, c, metric_info_lists[i].at[m]);
}

/* ---- columns ---- */

struct stats_ci compare_column_value(const struct compare_view *v, const struct compare_column *col,
                                     const struct compare_policy *p)
{
    if (col->type == COMPARE_OVER_BOUND) return compare_over_bound(v->c, p, col->metric);
    struct stats_ci x = compare_mean(v->c, p, col->metric, col->type == COMPARE_COUNT ? "all" : v->scope);
    if (col->type == COMPARE_COUNT) x.half = NAN;
    return x;
}

static bool any_over_bound(const struct compare_view *v, const char *metric)
{
    for (size_t p = 0; p < v->k->n_policies; p++)
        if (compare_over_bound(v->c, &v->k->policy[p], metric).n > 0) return true;
    return false;
}

void compare_columns_init(struct compare_columns *l, const struct compare_view *v)
{
    *l = (struct compare_columns){ .n = 0 };
    MEM_ARRAY(l->at, 1 + METRIC_TROUBLES + v->n_metrics + METRIC_BOUNDED);
    l->at[l->n++] = (struct compare_column){ COMPARE_COUNT, "jobs_done", "jobs done", { .by = 1 } };
    for (size_t i = 0; i < METRIC_TROUBLES; i++)
        if (compare_any(v->c, v->k, metric_info_troubles[i].metric))
            l->at[l->n++] = (struct compare_column){
                COMPARE_COUNT, metric_info_troubles[i].metric, metric_info_troubles[i].heading, { .by = 1 }
            };
    for (size_t m = 0; m < v->n_metrics; m++)
        l->at[l->n++] =
            (struct compare_column){ COMPARE_MEAN, v->metric[m], v->metric[m], compare_scale_of(v, v->metric[m]) };
    for (size_t b = 0; b < METRIC_BOUNDED && strcmp(v->scope, "all") == 0; b++) {
        const char *metric = metric_info_bounded[b].metric;
        if (any_over_bound(v, metric))
            l->at[l->n++] = (struct compare_column){ COMPARE_OVER_BOUND, metric, metric, { .by = 1 } };
    }
}

/* ---- differences ---- */

struct compare_change compare_change_of(const struct compare_view *v, const struct compare_policy *p,
                                        const char *metric)
{
    struct compare_change g = { .by = compare_ratio(v->c, p, v->base, metric, v->scope),
                                .is_percent = true,
                                .scale = { 100, "%" } };
    if (isnan(g.by.mean)) {
        struct stats_ci by = compare_diff(v->c, p, v->base, metric, v->scope);
        return (struct compare_change){ .by = by, .scale = compare_scale_of(v, metric) };
    }
    g.by.mean -= 1;
    g.by.lo -= 1;
    g.by.hi -= 1;
    return g;
}
