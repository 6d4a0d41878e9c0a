/*
 * space.h -- the sets of a search as points of a unit cube, a side a variable.  Layer: search.
 *
 * A range is a side by its scale, linear or logarithmic; steps and the entries of a
 * list are equal parts of it.  A value is text, as one would write it into the
 * scenario; a number between steps has four significant digits, so that it can be
 * read and typed, and so that the run it makes is found again.
 */
#ifndef SEARCH_SPACE_H
#define SEARCH_SPACE_H

#include "input/scenario/search.h"

/* How many values it has; 0: any in a range. */
size_t space_choices(const struct search_variable *v);
/* The value at u in [0, 1]; owned by the caller. */
char  *space_value(const struct search_variable *v, double u);
/* The value times a factor, for further places of a range. */
char  *space_value_times(const struct search_variable *v, double u, double factor);
/* The middle of the part of the side that value k of several has. */
double space_at(const struct search_variable *v, size_t k);

/* Mirror at the sides of the cube what lies outside: continuous, and the same point inside. */
double space_fold(double x);

/*
 * A Latin hypercube: n points, u[i * n_sides + side].  Each side is cut into n equal
 * parts, and each part has one point, anywhere in it.
 * Source: McKay, Beckman & Conover, Technometrics 21, 1979.
 */
void   space_hypercube(uint64_t draw, size_t n, size_t n_sides, double *u);

#endif
