/*
 * changes.h -- which runs are of which change of a sweep, kept in the database.  Layer: sweep.
 *
 * A sweep of changes is known by its changes and its base: the same one with more seeds or policies goes on in its
 * rows.  A run is named by its key, so that one that is made again stays in.  compare/tornado.h reads them.
 */
#ifndef SWEEP_CHANGES_H
#define SWEEP_CHANGES_H

#include "sweep/results.h"

/* Nothing where the sweep has no changes; else its rows are written anew. */
enum st changes_keep(const struct results *r, struct diag *d);

#endif
