/*
 * search.h -- what figures of searches share.  Layer: plot, private.
 */
#ifndef PLOT_SEARCH_H
#define PLOT_SEARCH_H

#include "db/store.h"

/* The latest search in the file, or the latest of a scenario, or with sets of a phase (NULL: any), its rows checked. */
enum st search_find(struct store *s, const char *scenario, const char *phase, int64_t *id, struct diag *d);

#endif
