/*
 * share.h -- dominant shares, exactly, and users' weights.
 * Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011, section 4.
 */
#ifndef POL_LIB_SCHED_SHARE_H
#define POL_LIB_SCHED_SHARE_H

#include "policy.h"

enum { SHARE_DIMS = 3, SHARE_ONE = 1000 };      /* CPU, memory, GPU; weights in thousandths */

/* held / (total * weight / SHARE_ONE) */
struct share { int64_t held, total, weight; };

/* The largest of held[d] / total[d]; a dimension with total 0 counts 0. */
struct share share_dominant(const int64_t held[SHARE_DIMS], const int64_t total[SHARE_DIMS], int64_t weight);
/* < 0, 0, > 0 as a is smaller, equal, greater: compared as fractions, without rounding. */
int share_cmp(const struct share *a, const struct share *b);

/*
 * Weights as "alice:2;bob:0.5": names up to the last colon, at most three
 * decimals, above 0 and up to a million.  share_weights_parse returns false
 * with error [cap] filled; share_weight gives SHARE_ONE for a user not named.
 */
struct share_weights { struct share_named { char *user; int64_t weight; } *at; size_t n, cap; };
bool    share_weights_parse(struct share_weights *w, const char *text, char *error, size_t cap);
int64_t share_weight(const struct share_weights *w, const char *user);
void    share_weights_fini(struct share_weights *w);

#endif
