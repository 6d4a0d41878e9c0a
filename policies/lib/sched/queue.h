/*
 * queue.h -- waiting units in order, bucketed by request class.
 *
 * Units of one request class ask for the same.  Once one of them has failed in a decision
 * the others need not be looked at: a walk over the queue drops the whole bucket, and a
 * decision costs in proportion to the request classes that wait, not to the units.
 *
 * Buckets whose requests differ in CPU and memory alone are of one kind, and stand in a
 * treap by their first units; each vertex knows the least CPU, memory and estimate below it.
 * So a walk that is told what could fit searches: it passes over what asks too much, many
 * buckets at a time.
 *
 * Units that join one after the other in order stand in line at the door, and go to their buckets when one joins
 * before the last of them, leaves from between them, or a walk begins: where units start at once, or without a walk,
 * no bucket hears of them.  One alone does not even stand in line.
 *
 * add and del: O(log n) amortised; at an end of the line O(1).  first: O(1).  queue_walk_open:
 * O(request classes waiting), and what stands in line; each step O(log n).  queue_walk_search: O(kinds
 * waiting) searches, as many when it is renewed, each step one more; a search asks may_fit O(log n) times and twice for
 * each bucket below a vertex that asks little CPU in one bucket and little memory in another.
 */
#ifndef POL_LIB_SCHED_QUEUE_H
#define POL_LIB_SCHED_QUEUE_H

#include "lib/map.h"
#include "lib/sched/unit.h"

struct queue_bucket {
    struct unit_set set;
    uint32_t request_class, first, kind;        /* kind: in queue.kind */
    uint32_t left, right, prio;         /* in the treap of the kind, while it has units; of a free one left: the next */
    int64_t  cpu_milli, mem_b, est;     /* asked; the least estimate of its units */
    int64_t  cpu_min, mem_min, est_min; /* the least below */
};
struct queue_kind { uint32_t kind, root, first, pos; };        /* first: unit; pos: in the heap, or POL_NONE */

struct queue {
    struct queue_bucket *b;   size_t cap_b;   uint32_t n_b, free;       /* free: 1 + the first to use again */
    struct map of_class;                    /* buckets */
    struct queue_kind *kind;  size_t cap_kind; uint32_t n_kinds;
    struct map of_kind;
    uint32_t *heap;     size_t cap_heap;    uint32_t n_heap;    /* kinds with units, by their first */
    uint32_t n;                             /* units */
    uint32_t first;                         /* 1 + the first of them; 0: there is none */
    struct { uint32_t *at; size_t cap; uint32_t head, end; } door;      /* at[head .. end), in order */
};

void     queue_fini(struct queue *q);       /* zero-initialise to begin */
void     queue_add(struct queue *q, struct units *u, uint32_t id);
void     queue_del(struct queue *q, struct units *u, uint32_t id);
/* POL_NONE when empty. */
static inline uint32_t queue_first(const struct queue *q) { return q->first != 0 ? q->first - 1 : POL_NONE; }

/*
 * A walk meets units in order.  While it is under way units may leave the queue but none
 * may join it; before the walk's top leaves, step past it.  A walk need not be closed
 * before it is opened again.
 */
/* What a walk leaves out; either member may be NULL. */
struct queue_filter {
    bool (*skip)(void *ctx, uint32_t class);
    /*
     * Could a unit that asks as this class does, but for CPU and memory, and of this estimate start?  If not, none can
     * that asks more, or whose estimate is longer.
     */
    bool (*may_fit)(void *ctx, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est);
    void *ctx;
};
/* bucket POL_NONE: it waits alone, in none; kind: whose next bucket it is, POL_NONE: met before. */
struct queue_walk_at { uint32_t bucket, unit, kind; };
struct queue_walk {
    const struct queue *q;
    struct queue_walk_at *at; size_t cap_at; uint32_t n;
    struct queue_filter filter;
    uint32_t from;              /* of those that may_fit is asked of none stands before this unit */
    uint64_t opened, *met; size_t cap_met;      /* [bucket] the opening in which it was met by a search */
};

void     queue_walk_fini(struct queue_walk *w);         /* zero-initialise to begin */
/* From the start; request classes for which skip(ctx, class) holds are left out; skip may be NULL. */
void     queue_walk_open(struct queue_walk *w, struct queue *q, struct units *u,
                   bool (*skip)(void *ctx, uint32_t class), void *ctx);
/*
 * The same, but what is left out is decided as the walk gets there: for walks during which nothing comes to fit
 * that did not, or which say so when it does.
 */
void     queue_walk_search(struct queue_walk *w, struct queue *q, struct units *u,
                           const struct queue_filter *f);
/* Of a search: something came to fit for those after `unit`, whom the walk has just stepped past. */
void     queue_walk_renew(struct queue_walk *w, const struct units *u, uint32_t unit);
uint32_t queue_walk_top(const struct queue_walk *w);    /* POL_NONE at the end */
/* To the next unit in order; `most` bounds the estimate of the next one of the same request class. */
void     queue_walk_step(struct queue_walk *w, const struct units *u, int64_t most);
/* Leave out all further units of the top's request class. */
void     queue_walk_drop(struct queue_walk *w, const struct units *u);

#endif
