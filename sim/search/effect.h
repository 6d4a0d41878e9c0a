/*
 * effect.h -- what a variable did, from points drawn over the whole cube.  Layer: search.
 */
#ifndef SEARCH_EFFECT_H
#define SEARCH_EFFECT_H

#include <stddef.h>

/* Spearman's rank correlation, ties by their mean rank; NaN where either does not vary.  O(n log n). */
double effect_correlation(const double *x, const double *y, size_t n);

/*
 * The share of y's variance that a grouping explains, corrected for the number of
 * groups (omega squared; Hays, 1963): with the points of a Latin hypercube grouped by
 * one variable, an estimate of its first-order sensitivity index.  0 to 1; NaN where
 * y does not vary, or with no more points than groups.
 *   group [n]  0 .. n_groups - 1
 */
double effect_share(const size_t *group, size_t n_groups, const double *y, size_t n);

#endif
