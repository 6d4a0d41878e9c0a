/*
 * heft.h -- HEFT: tasks in order of upward rank, each to the engine that ends it
 * first, in a gap of its timeline if there is one.
 * Source: Topcuoglu, Hariri, Wu, Performance-effective and low-complexity task
 * scheduling for heterogeneous computing, TPDS 13(3), 2002.
 */
#ifndef POL_MAPPER_HEFT_H
#define POL_MAPPER_HEFT_H

#include "mapper/engine_timeline.h"

/*
 *   w     [n][n_engines] time of a task on an engine type; -1: cannot run there
 *   next  followers of task i: next[next_start[i] .. next_start[i + 1])
 *   comm  of each such edge: time between timelines of different nodes, on the way while these do other things
 *   way   the same of edge e between two timelines; then comm counts in ranks alone, where it is the mean, and where
 *         the task before is on no timeline.  NULL: comm
 *   there when what none of these tasks writes is there for the task on the timeline.  NULL: now
 *   read  time that the task itself spends on its data on the timeline, before and after it computes, given out[] of
 *         its forerunners; without `way` nothing is on the way meanwhile, and comm counts in ranks alone.  NULL: none
 *   may   is the timeline open to the task?  NULL: all are
 * Means of w are over the timelines.  Ties: smaller index, smaller timeline.
 */
struct heft_in {
    uint32_t n, n_engines;
    uint32_t first;             /* slots are named by first + index */
    const int64_t *w;
    const uint32_t *next_start, *next;
    const int64_t *comm;
    int64_t now;
    bool (*may)(const void *ctx, uint32_t task, uint32_t line);
    int64_t (*way)(const void *ctx, uint32_t edge, uint32_t from, uint32_t to);
    int64_t (*there)(const void *ctx, uint32_t task, uint32_t line);
    int64_t (*read)(const void *ctx, uint32_t task, uint32_t line);
    const void *ctx;
};
struct heft_out { double rank; uint32_t line; int64_t start, end; };      /* timeline POL_NONE: it can run on none */

/* Books the tasks on the timelines.  out [n].  O(n (timelines x slots + edges)). */
void heft_plan(const struct heft_in *in, struct engine_timeline *line, uint32_t n_lines, struct heft_out *out);

#endif
