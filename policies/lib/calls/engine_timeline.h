/*
 * engine_timeline.h -- a time line for each engine, and what is planned on it: the
 * estimates that the list schedulers share, and HEFT's insertion.
 *
 * Invariant: the slots of a time line are in order of time and do not overlap.
 */
#ifndef POL_LIB_CALLS_ENGINE_TIMELINE_H
#define POL_LIB_CALLS_ENGINE_TIMELINE_H

#include "policy.h"

struct engine_slot { int64_t start, end; uint32_t task; };
struct engine_timeline { uint32_t node, engine; struct engine_slot *slot; size_t cap; uint32_t n; };

/*
 * The earliest start of `dur` on the time line, not before `ready`: after all that is
 * planned, or with `inserts` in the first gap that is long enough.  O(slots).
 */
int64_t engine_timeline_fit(const struct engine_timeline *l, int64_t ready, int64_t dur, bool inserts);
void    engine_timeline_put(struct engine_timeline *l, uint32_t task, int64_t start, int64_t dur);
void    engine_timeline_drop(struct engine_timeline *l, uint32_t task);       /* if it is there */
void    engine_timeline_fini(struct engine_timeline *l);

/*
 * HEFT (Topcuoglu, Hariri, Wu, TPDS 2002): tasks in order of upward rank, each
 * to the time line that ends it first, in a gap if there is one.
 *   w     [n][n_kinds] time of a task on a engine type; -1: cannot run there
 *   next  followers of task i: next[next_start[i] .. next_start[i + 1])
 *   comm  of each such edge: time between time lines of different nodes
 *   may   is the time line open to the task?  NULL: all are
 * Means of w are over the time lines.  Ties: smaller index, smaller time line.
 */
struct heft_in {
    uint32_t n, n_engines;
    uint32_t first;             /* slots are named by first + index */
    const int64_t *w;
    const uint32_t *next_start, *next;
    const int64_t *comm;
    int64_t now;
    bool (*may)(const void *ctx, uint32_t task, uint32_t line);
    const void *ctx;
};
struct heft_out { double rank; uint32_t line; int64_t start, end; };      /* time line POL_NONE: it can run on none */

/* Puts slots on the time lines.  out [n].  O(n (time lines slots + edges)). */
void heft_plan(const struct heft_in *in, struct engine_timeline *line, uint32_t n_lines, struct heft_out *out);

#endif
