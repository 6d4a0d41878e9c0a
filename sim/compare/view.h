/*
 * view.h -- a case as it is shown: scaled numbers, sentences, bounds; for tables here and for the HTML page.
 * Layer: compare.
 *
 * columns.c     which metrics and columns are shown, how they are scaled, how policies differ
 * print.c       tables for people
 * sentences.c   the same as sentences, and how far from the bounds
 * long_table.c  every number, for programs
 */
#ifndef COMPARE_VIEW_H
#define COMPARE_VIEW_H

#include "compare/compare.h"
#include "compare/published.h"

struct compare_view {
    const struct compare *c;
    const struct compare_case *k;
    const struct compare_policy *base;
    const struct published *published;      /* of the case */
    const char *const *metric; size_t n_metrics;
    const char *scope;
    enum table_format format;
    FILE *to;
};

/* ---- columns.c ---- */

/* Names borrowed.  What a window cannot hold is left out of what was not asked for. */
struct compare_metrics { const char **at; size_t n, cap; };
void compare_add_metric(struct compare_metrics *l, const struct compare *c, const char *metric);
/* What is shown of a case unless metrics are named; k NULL: of any. */
void compare_add_usual(struct compare_metrics *l, const struct compare *c, const struct compare_case *k,
                       const char *scope);

/* How a metric is shown: seconds as hours where they are many, shares in per cent. */
struct compare_scale { double by; char unit[16]; };
struct compare_scale compare_scale_of(const struct compare_view *v, const char *metric);

/* The columns of the means, in order: jobs done, jobs that did not end as they should where there are any, the view's
 * metrics, and those that have a lower bound over it: 1.07 means that no schedule could be more than 7 % better. */
enum compare_column_type { COMPARE_COUNT, COMPARE_MEAN, COMPARE_OVER_BOUND };
struct compare_column { enum compare_column_type type; const char *metric, *heading; struct compare_scale scale; };
struct compare_columns { struct compare_column *at; size_t n; };
void compare_columns_init(struct compare_columns *l, const struct compare_view *v);     /* the caller frees at */
struct stats_ci compare_column_value(const struct compare_view *v, const struct compare_column *col,
                                     const struct compare_policy *p);

/* One metric against the base: relative (-0.04: 4 % less) or, where the base has a 0, in the metric's own unit. */
struct compare_change { struct stats_ci by; bool is_percent; struct compare_scale scale; };
struct compare_change compare_change_of(const struct compare_view *v, const struct compare_policy *p,
                                        const char *metric);

/* ---- print.c ---- */

int  compare_digits(double x);              /* after the point: four significant, none for whole numbers */
void compare_cell(struct table *t, struct stats_ci ci, double by, const char *unit);
void compare_policy_cell(struct table *t, const struct compare_policy *p);

/* A line of text, escaped for the format, wrapped for people. */
void compare_line(const struct compare_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- sentences.c ---- */

/* How a policy differs from the base, in a sentence; and what to keep in mind where `judged` intervals were looked at,
 * NULL where nothing.  The caller frees either. */
char *compare_sentence(const struct compare_view *v, const struct compare_policy *p, size_t *judged);
char *compare_sentence_caution(size_t judged);
/* Why policies may look alike that are not: the i-th of 2 x n_policies remarks, NULL where there is none.  The caller
 * frees it. */
char *compare_remark(const struct compare_view *v, size_t i);
/* What became of a policy's jobs, counts that are means over its seeds: "97 of 100 jobs done, 3 unfinished".  The
 * caller frees it. */
char *compare_fates(const struct compare_view *v, const struct compare_policy *p);
/* The whole case in one sentence, for who reads no other: which policy does best by the first metric of the view, how
 * it differs from the base in that and in what it makes worse, and who may be as good; of a policy alone, what became
 * of its jobs.  A policy that is told true durations is called best only where fewer than two are not.  The caller
 * frees it. */
char *compare_conclusion(const struct compare_view *v);
/* Which wait the metrics shown mean, NULL where they mean none. */
const char *compare_waits(const struct compare_view *v);
void compare_print_sentences(const struct compare_view *v);
void compare_print_bounds(const struct compare_view *v);
/* A run's value over its bound, over the policy's seeds; n = 0 where the metric has no bound. */
struct stats_ci compare_over_bound(const struct compare *c, const struct compare_policy *p, const char *metric);

/* ---- long_table.c ---- */

void compare_print_long(const struct compare *c, struct compare_view *view,
                        const struct compare_policy *const *base, const struct published *published);

#endif
