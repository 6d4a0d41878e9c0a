/*
 * keep.h -- a search in the database: its sets, their values, what came of them.  Layer: search.
 *
 * The tables are search.sql, made in the file when a search first writes into it.  A
 * search is known by its key, a hash of its section and its scenarios: the same one
 * again writes its rows anew, the same bytes if it comes to the same end.
 */
#ifndef SEARCH_KEEP_H
#define SEARCH_KEEP_H

#include "search/trial.h"

/* What a variable did: see effect.h. */
struct keep_effect { double correlation, share; };

/* Drop what is there of this search and write its variables and targets.  *id: its row. */
enum st keep_begin(const struct trial *t, int64_t *id, struct diag *d);
enum st keep_sets(const struct trial *t, int64_t id, struct trial_set *const *set, size_t n, struct diag *d);
/* The outcome of a size, or of a race. */
struct search;
enum st keep_answers(const struct search *s, struct diag *d);
enum st keep_effects(const struct trial *t, int64_t id, const struct keep_effect *e, struct diag *d);

#endif
