/*
 * check.h -- is what a run's tables tell possible?
 *
 * From the rows alone, and from what the case asked for: nothing of the simulator's state, nor of its code.
 */
#ifndef STORM_CHECK_H
#define STORM_CHECK_H

#include <stddef.h>
#include "db/store.h"
#include "storm/case.h"

/* The first thing that is wrong in the run's rows, in words, into `wrong`; returns whether there is any. */
bool storm_check(struct store *s, int64_t run, const struct storm_case *c, char *wrong, size_t cap);

#endif
