/*
 * placement_index_priv.h -- what the index's two files have in common: a vertex, and what is known of it.
 *
 * placement_index.c keeps the treap in step with the plan, placement_search.c asks it.
 */
#ifndef POL_LIB_SCHED_PLACEMENT_INDEX_PRIV_H
#define POL_LIB_SCHED_PLACEMENT_INDEX_PRIV_H

#include "lib/place/placement_priv.h"

enum { PLACEMENT_PREFERENCE_BITS = 22 };          /* a sum of three shares */
enum { PLACEMENT_NONE_MAX = UINT16_MAX };

/*
 * All that costs and fitting depend on, of one node; the order follows from it.  Where nothing can start (down, or as
 * many tasks as may run) cpu is -1.  It has no padding: two are compared byte by byte.
 */
struct placement_own {
    int64_t  cpu, mem;
    int32_t  gpu, order;                /* order: of kube and by_costs; of others it follows from the rest, and is 0 */
    uint32_t alone;                     /* the node, where the rest does not say all that matters; POL_NONE */
    uint32_t n_tasks;                   /* of kube alone, whose plugins may look at it */
    uint16_t card;                      /* thousandths of the freest card */
    uint16_t part;                      /* of the freest that is in use; kube: n_none; by_costs: most */
    uint8_t  idle, class, engines, flags;       /* wholly free cards; bits of engines of which some is free */
};
_Static_assert(sizeof(struct placement_own) == 40, "padding would be compared");

/* What the treap has not heard of a vertex yet: nothing, that others are in it, or that they are no longer like that. */
enum placement_due { PLACEMENT_DUE_NOTHING, PLACEMENT_DUE_FIRST, PLACEMENT_DUE_ALL };
enum { PLACEMENT_DUE_MANY = 64 };

/* So many changes of free cards are told apart: 0 to 3 whole ones, as a card is 1000 = 8 x 125, which is odd. */
enum { PLACEMENT_NEXT = 4 };
static inline uint32_t placement_change(int32_t gpu_was, int32_t gpu) { return (uint32_t)(gpu - gpu_was) / 8 % PLACEMENT_NEXT; }

/* Nodes that are alike, the lowest first: a heap, and behind it those that came to it since. */
struct placement_vertex {
    struct placement_own own;
    int64_t    key;             /* class, then preference */
    struct placement_box sum;
    uint32_t  *node, n, n_heap;
    uint32_t   hash;            /* of own */
    size_t     cap;
    uint32_t   up, left, right, prio;   /* of one that is free: left is the next free one */
    uint32_t   next[PLACEMENT_NEXT];    /* where the last node went, by how much less or more was free; POL_NONE */
    bool       is_in;           /* it stands in the treap */
    bool       is_retired;      /* placement_index.retired has it: it was empty once, and may be again */
    uint8_t    due;             /* enum placement_due */
};

/* Which of equal nodes is the answer: the lowest by this. */
static inline uint32_t placement_rank(const struct placement_index *x, uint32_t node)
{
    return x->rank != NULL ? x->rank[node] : node;
}

/* Of the nodes of one vertex; empty where nothing can start. */
static inline struct placement_box placement_box_of(const struct placement_index *x, const struct placement_vertex *v)
{
    const struct placement_own *o = &v->own;
    if (o->cpu < 0)
        return (struct placement_box){ .cpu_min = POL_NEVER, .cpu_max = -1, .mem_min = POL_NEVER, .mem_max = -1,
                                       .gpu_min = INT32_MAX, .gpu_max = -1, .preference = INT32_MAX,
                                       .first = POL_NONE, .idle_min = UINT8_MAX };
    return (struct placement_box){ .cpu_min = o->cpu, .cpu_max = o->cpu, .mem_min = o->mem, .mem_max = o->mem,
                                   .classes = UINT64_C(1) << o->class, .gpu_min = o->gpu, .gpu_max = o->gpu,
                                   .preference = (int32_t)(v->key - ((int64_t)o->class << 32)),
                                   .first = placement_rank(x, v->node[0]), .card = o->card, .part = o->part, .idle_min = o->idle,
                                   .idle_max = o->idle, .engines = o->engines, .flags = o->flags };
}

/* Each node is with those like it: what changed since it was asked last. */
void placement_index_update(struct placement *pl);
/* And the treap is of them, to search it. */
void placement_index_settle(struct placement_index *x);

#endif
