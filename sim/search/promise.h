/*
 * promise.h -- the smallest cluster that keeps its promises, at several loads.  Layer: search.
 *
 * A promise is a limit on the mean of a metric over seeds, or on its value in the one run where nothing hangs on a
 * seed.  A size keeps it where the whole interval does, and breaks it where the whole interval does not; a size keeps
 * all promises or breaks at least one, or stays open.  Which sizes are tried is size.h's to say.  A size is looked
 * at with `seeds` seeds, the same for all, and while it is open with twice as many, `looks` times at most; so that
 * many looks do not make chance findings, intervals are at the level 1 - (1 - confidence) / (looks x promises)
 * (Bonferroni).  The largest size comes first: what it breaks, no size keeps.  The answers are judged again with fresh
 * seeds, each with as many as its choice took, at the level `confidence`.
 */
#ifndef SEARCH_PROMISE_H
#define SEARCH_PROMISE_H

#include "search/search.h"

enum st promise_run(struct search *s, struct diag *d);

/* Of one interval. */
enum trial_verdict promise_of(const struct published_row *r, const struct stats_ci *ours);
/* Of a set: kept where all are, broken where one is, or where no run of it succeeds. */
enum trial_verdict promise_verdict(const struct trial *t, const struct trial_set *x);

/* An answer in one sentence; owned by the caller. */
char *promise_words(const struct search *s, const struct search_answer *a);
enum st promise_tell(const struct search *s, FILE *to, struct diag *d);

#endif
