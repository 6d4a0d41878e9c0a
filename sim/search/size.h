/*
 * size.h -- which sizes of a cluster can still be the cheapest that keeps its promises.  Layer: search.
 *
 * A size is a point of a grid, a side a node group; a point's cost is a sum over its sides.  Whoever has more nodes of
 * no group less, or less load, is taken to keep what others keep: one that keeps every promise leaves only cheaper
 * ones, and one that breaks some leaves none that is below it, at its load or at a higher one.  The next to try is the
 * one whose verdict, whichever it is, leaves fewest: with one group that is bisection.
 */
#ifndef SEARCH_SIZE_H
#define SEARCH_SIZE_H

#include "search/trial.h"

/* leans: an open one keeps every promise in the mean. */
struct size_seen {
    size_t point, load;
    enum trial_verdict verdict;
    bool leans;
};

struct size {
    size_t n_sides, n_points, *n; /* n [n_sides] */
    double *cost;                 /* [n_points] */
    size_t *by_cost;              /* [n_points] points by rising cost, those of one cost by their numbers */
    struct size_seen *seen;
    size_t n_seen, cap_seen;
};

/* least: the cost of the first point; step [n_sides]: what one step of a side adds, at least 0. */
void size_init(struct size *z, size_t n_sides, const size_t *n, double least, const double *step);
void size_fini(struct size *z);
/* Where a point is on a side. */
size_t size_step(const struct size *z, size_t point, size_t side);

void size_saw(struct size *z, size_t point, size_t load, enum trial_verdict verdict, bool leans);
/*
 * The point to try next at this load; n_points: none is left.  Open verdicts count as they lean at first; then as
 * broken, for the cheapest that is sure to keep; then as kept, for the dearest that is sure to break.
 * O(n_points (n_seen + n_sides)).
 */
size_t size_next(const struct size *z, size_t load);

/* kept: the cheapest that is seen to keep, else n_points; least: no cheaper one can (INFINITY: none at all). */
struct size_answer {
    size_t kept;
    double least;
    bool is_decided;
};
struct size_answer size_answer(const struct size *z, size_t load);

#endif
