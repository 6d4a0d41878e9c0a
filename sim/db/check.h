/*
 * check.h -- are the rows of a run, or of a search, what this program writes?  Layer: db.
 *
 * Databases come from others, and what wrote one need not have kept the schema's
 * checks.  Readers take numbers of nodes, cards and tasks for places in memory, so
 * the rows of a run are checked before: every column's type and range (schema.def),
 * and that what a row names is there.  O(rows of the run), about two microseconds each.
 */
#ifndef DB_CHECK_H
#define DB_CHECK_H

#include "db/store.h"

/* ST_EWORLD with d saying which column of which table holds what. */
enum st check_run(struct store *s, int64_t run, struct diag *d);
/* Those alone that the story of one job is made of (explain.h): O(attempts and decisions) for finding them. */
enum st check_job(struct store *s, int64_t run, uint64_t ordinal, struct diag *d);
/* The rows of a search, those of its tables alone: O(rows of the search). */
enum st check_search(struct store *s, int64_t search, struct diag *d);

#endif
