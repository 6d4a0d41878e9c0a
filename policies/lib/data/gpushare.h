/*
 * gpushare.h -- how many GPUs each job should have: the basic share
 * A* = min(floor(Q/K), N_j), and what that leaves idle spread evenly over the
 * jobs that still want some.  Shared by gs, gsp, gsd and the flow policies.
 *
 * Amounts are in any unit; `grain` is one GPU in it (1, or 1000 when GPUs are
 * counted in thousandths), and shares grow by a grain at a time, the last one
 * of a job being what it still wants.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 3.1.
 */
#ifndef POL_LIB_DATA_GPUSHARE_H
#define POL_LIB_DATA_GPUSHARE_H

#include "policy.h"

/* A*: Q GPUs in all, K jobs, of which this one could use `want`. */
int64_t gpushare_basic(int64_t q, int64_t grain, uint32_t k, int64_t want);

/*
 * The final shares: sum of share = min(q, sum of want).
 *   want   [k]  what each job could use: it holds or waits for it; >= 0
 *   share  [k]  out
 * Jobs in order of arrival: what cannot be spread evenly goes to the first.
 * A grain to each in turn until nothing is left or wanted comes to the same.
 * O(k x distinct wants) at worst, a few passes over the jobs in practice.
 */
void gpushare(int64_t q, int64_t grain, uint32_t k, const int64_t *want, int64_t *share);

#endif
