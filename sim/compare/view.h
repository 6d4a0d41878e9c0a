/*
 * view.h -- a case as it is shown: scaled numbers, sentences, bounds; for tables here and for the HTML page.
 * Layer: compare.
 *
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

/* How a metric is shown: seconds as hours where they are many, shares in per cent. */
struct compare_scale { double by; char unit[16]; };
struct compare_scale compare_scale_of(const struct compare_view *v, const char *metric);
int  compare_digits(double x);              /* after the point: four significant, none for whole numbers */
void compare_cell(struct table *t, struct stats_ci ci, double by, const char *unit);
void compare_policy_cell(struct table *t, const struct compare_policy *p);
/* Does any policy have several runs that differ in the metrics shown? */
bool compare_is_repeated(const struct compare_view *v);

/* A line of text, escaped for the format, wrapped for people. */
void compare_line(const struct compare_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* sentences.c */
void compare_print_sentences(const struct compare_view *v);
void compare_print_bounds(const struct compare_view *v);
/* A run's value over its bound, over the policy's seeds; n = 0 where the metric has no bound. */
struct stats_ci compare_over_bound(const struct compare *c, const struct compare_policy *p, const char *metric);

/* long_table.c */
void compare_print_long(const struct compare *c, struct compare_view *view, const struct compare_policy *const *base, const struct published *published);

#endif
