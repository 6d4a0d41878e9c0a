/*
 * maxmin.h -- max-min fair rates, a pure function.  Layer: model.
 */
#ifndef MODEL_DATA_MAXMIN_H
#define MODEL_DATA_MAXMIN_H

#include "base/base.h"

/*
 * Progressive filling in integers: the link with the smallest fair share
 * (capacity left / flows left, rounded down; ties: the lower index) fixes the
 * rate of its flows, until all are fixed.  Shares only grow while filling, so
 *   - each flow has a link where no flow is faster and less than one unit a
 *     flow at that rate is unused;
 *   - a link carries more than its capacity only when it has more flows than
 *     units, and then each of them goes at 1.
 * Rates do not depend on the order of flows or hops; the order of links
 * decides rounding alone.
 *
 *   cap    [n_links]    capacity, >= 1
 *   start  [n_flows+1]  first hop of each flow in hop
 *   hop    [..]         link index of each hop, each link at most once a flow
 *   rate   [n_flows]    out; at least 1, overwritten; MAXMIN_FREE for a flow without hops
 *
 * Scratch is the caller's: scratch [maxmin_scratch(n_links, n_hops)] words.
 * Borrows all until return.  O((n_hops + n_links) log n_links) in all.
 * Source: Bertsekas & Gallager, Data Networks, section 6.5.
 */
#define MAXMIN_FREE INT64_MAX
size_t maxmin_scratch(uint32_t n_links, uint32_t n_hops);
void   maxmin_solve(uint32_t n_links, const int64_t *cap, uint32_t n_flows, const uint32_t *start,
                    const uint32_t *hop, int64_t *rate, int64_t *scratch);

#endif
