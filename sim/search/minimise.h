/*
 * minimise.h -- the smallest value of a function of a point in the unit cube, without
 * derivatives: GSL's nmsimplex2.  Layer: search.
 */
#ifndef SEARCH_MINIMISE_H
#define SEARCH_MINIMISE_H

#include <stddef.h>

/* The function at x [n], which lies in the cube.  Returns -1 to stop, else 0 and *y. */
typedef int minimise_fn(void *ctx, const double *x, double *y);

/*
 * From `start`, with a first step `step` [n] along each side, until the simplex is
 * smaller than `size` (the mean distance of its corners from their centre) or the
 * function stops it.  Points outside of the cube are mirrored into it.
 *   best  [n]  out: the best point met, and *y its value, when there was any
 * Source: Nelder & Mead, Computer Journal 7, 1965, as GSL 2.7 has it.
 */
void minimise(size_t n, const double *start, const double *step, double size, minimise_fn *fn, void *ctx, double *best,
              double *y);

#endif
