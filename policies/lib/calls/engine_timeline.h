/*
 * engine_timeline.h -- a time line for each engine, and what is planned on it: the
 * estimates that the list schedulers share, and HEFT's insertion.
 *
 * Invariant: the slots of a lane are in order of time and do not overlap.
 */
#ifndef POL_LIB_CALLS_ENGINE_TIMELINE_H
#define POL_LIB_CALLS_ENGINE_TIMELINE_H

#include "policy.h"

struct slot { int64_t start, end; uint32_t task; };
struct lane { uint32_t node, kind; struct slot *slot; size_t cap; uint32_t n; };

/*
 * The earliest start of `dur` on the lane, not before `ready`: after all that is
 * planned, or with `inserts` in the first gap that is long enough.  O(slots).
 */
int64_t lane_fit(const struct lane *l, int64_t ready, int64_t dur, bool inserts);
void    lane_put(struct lane *l, uint32_t task, int64_t start, int64_t dur);
void    lane_drop(struct lane *l, uint32_t task);       /* if it is there */
void    lane_fini(struct lane *l);

/*
 * HEFT (Topcuoglu, Hariri, Wu, TPDS 2002): tasks in order of upward rank, each
 * to the lane that ends it first, in a gap if there is one.
 *   w     [n][n_kinds] time of a task on a kind of engine; -1: cannot run there
 *   next  followers of task i: next[next_start[i] .. next_start[i + 1])
 *   comm  of each such edge: time between lanes of different nodes
 *   may   is the lane open to the task?  NULL: all are
 * Means of w are over the lanes.  Ties: smaller index, smaller lane.
 */
struct heft_in {
    uint32_t n, n_kinds;
    uint32_t first;             /* slots are named by first + index */
    const int64_t *w;
    const uint32_t *next_start, *next;
    const int64_t *comm;
    int64_t now;
    bool (*may)(const void *ctx, uint32_t task, uint32_t lane);
    const void *ctx;
};
struct heft_out { double rank; uint32_t lane; int64_t start, end; };      /* lane POL_NONE: it can run on none */

/* Puts slots on the lanes.  out [n].  O(n (lanes slots + edges)). */
void heft_plan(const struct heft_in *in, struct lane *lane, uint32_t n_lanes, struct heft_out *out);

#endif
