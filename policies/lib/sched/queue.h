/*
 * queue.h -- waiting units in order, bucketed by request class.
 *
 * Units of one request class ask for the same.  Once one of them has failed in a decision
 * the others need not be looked at: a walk over the queue drops the whole bucket, and a
 * decision costs in proportion to the request classes that wait, not to the units.
 *
 * add and del: O(log n).  first: O(1).  queue_walk_open: O(request classes waiting); each
 * step O(log n).
 */
#ifndef POL_LIB_SCHED_QUEUE_H
#define POL_LIB_SCHED_QUEUE_H

#include "lib/map.h"
#include "lib/sched/unit.h"

struct queue_bucket { struct unit_set set; uint32_t request_class, first, pos; };   /* pos: in the heap, or POL_NONE */

struct queue {
    struct queue_bucket *b;   size_t cap_b;   uint32_t n_b;
    struct map of_class;                    /* buckets */
    uint32_t *heap;     size_t cap_heap;    uint32_t n_heap;    /* buckets with units, by their first */
    uint32_t n;                             /* units */
};

void     queue_fini(struct queue *q);       /* zero-initialise to begin */
void     queue_add(struct queue *q, struct units *u, uint32_t id);
void     queue_del(struct queue *q, struct units *u, uint32_t id);
uint32_t queue_first(const struct queue *q);    /* POL_NONE when empty */

/*
 * A walk meets units in order.  While it is under way units may leave the queue but none
 * may join it; before the walk's top leaves, step past it.  A walk need not be closed
 * before it is opened again.
 */
struct queue_walk_at { uint32_t bucket, unit; };
struct queue_walk { const struct queue *q; struct queue_walk_at *at; size_t cap_at; uint32_t n; };

void     queue_walk_fini(struct queue_walk *w);         /* zero-initialise to begin */
/* From the start; request classes for which skip(ctx, class) holds are left out; skip may be NULL. */
void     queue_walk_open(struct queue_walk *w, const struct queue *q, const struct units *u,
                   bool (*skip)(void *ctx, uint32_t class), void *ctx);
uint32_t queue_walk_top(const struct queue_walk *w);    /* POL_NONE at the end */
/* To the next unit in order; `most` bounds the estimate of the next one of the same request class. */
void     queue_walk_step(struct queue_walk *w, const struct units *u, int64_t most);
/* Leave out all further units of the top's request class. */
void     queue_walk_drop(struct queue_walk *w, const struct units *u);

#endif
