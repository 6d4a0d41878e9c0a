/*
 * race.h -- which set is best, of many, by a race over seeds.  Layer: search.
 *
 * All sets meet the first seeds; those that are shown to be worse than the best drop out, the others meet twice as
 * many, and so on, `looks` times at most: the seeds go to those that are hard to tell apart.  A set is worse when the
 * interval of its differences to the best, paired by seed, is on the wrong side of 0: Student's t at the level
 * 1 - (1 - confidence) / (looks x comparisons) (Bonferroni).  With two objectives it is worse when a set of the front
 * is better in both in that sense; the front is of the sets that no other is as good as in both and better in one.
 * Source: Birattari, Stuetzle, Paquete & Varrentrapp, A racing algorithm for configuring metaheuristics, GECCO 2002
 * (F-Race), with paired differences in place of ranks, in rounds that double as those of successive halving
 * (Karnin, Koren & Somekh, ICML 2013).
 */
#ifndef SEARCH_RACE_H
#define SEARCH_RACE_H

#include "search/search.h"

enum { RACE_SETS = 64 }; /* so many sets race unless `samples` says otherwise */

/* on [n]: is no other point as low in both and lower in one?  O(n^2). */
void race_front(const double *x, const double *y, size_t n, bool *on);

enum st race_run(struct search *s, struct diag *d);
/* The outcome in one sentence; owned by the caller. */
char *race_words(const struct search *s);
enum st race_tell(const struct search *s, FILE *to, struct diag *d);

#endif
