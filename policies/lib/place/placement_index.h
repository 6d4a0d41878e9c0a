/*
 * placement_index.h -- one index over the plan's nodes, whatever the shapes that are asked for.
 *
 * A treap of groups of nodes that are alike, ordered by what the rule prefers.  Each vertex
 * knows the least and the most that nodes below it have free, and so a bound of what a task
 * would cost there: a search leaves out what cannot fit and what cannot be cheaper than what
 * it has found.
 *
 * Costs: O(log n) expected for each node that changed since the last question.  A search
 * is exact; it looks at O(node classes x log n) vertices where few nodes have much of one
 * resource and too little of another, and in the worst case at all; where a rule knows no bounds,
 * at all that have room.
 * Source: branch and bound over bounding boxes as in Guttman, R-trees, SIGMOD 1984;
 * treaps: Seidel & Aragon, Randomized search trees, Algorithmica 16, 1996.
 */
#ifndef POL_LIB_SCHED_PLACEMENT_INDEX_H
#define POL_LIB_SCHED_PLACEMENT_INDEX_H

#include "lib/map.h"
#include "lib/place/plan.h"

/* Compared by hi, then lo, then node index; the smallest wins. */
struct placement_cost { int64_t hi, lo; };

enum { PLACEMENT_CLASS_OTHER = 63 };              /* nodes of the last class, and of none */
enum { PLACEMENT_EMPTY = 1, PLACEMENT_BUSY = 2 };
enum { PLACEMENT_RETIRED = 64 };
enum { PLACEMENT_NEW_KEPT = 8 };                  /* the more of them came, the more is a search worth */

/* What is known of many nodes, all on which something can start. */
struct placement_box {
    int64_t  cpu_min, cpu_max, mem_min, mem_max;
    uint64_t classes;
    int32_t  gpu_min, gpu_max, preference;      /* the least */
    uint32_t first;                     /* the lowest node, or rank */
    uint16_t card, part;                /* the most */
    uint8_t  idle_min, idle_max, engines, flags;
};

/*
 * Costs of a policy's own.  Nodes of a class stand in the order that `see` gives, and boxes keep the most of what it
 * gives; false: what is free on the node, and these two, do not say all that costs depend on.  Where they change but
 * for the plan, placement_index_note says so; not needed where `most` becomes less.
 *   bound   no node of the box costs less; order: none has more.  hi POL_NEVER: none will do
 *   cost    hi POL_NEVER: the node will not do.  least: a greater cost may be answered for by POL_NEVER; NULL
 */
struct placement_costs {
    bool (*see)(const void *ctx, uint32_t node, int32_t *order, uint16_t *most);
    struct placement_cost (*bound)(const void *ctx, const struct placement_box *b, int32_t order);
    struct placement_cost (*cost)(const void *ctx, uint32_t node, const struct placement_cost *least);
};

/* At most so many tasks fitted, one after the other, when the plan's touches were `seen`; 0: they were not counted. */
struct placement_room { uint64_t seen; uint32_t most; };

/*
 * Of a shape: the node classes that could ever run it, and what it takes away from the preference.  And the vertex
 * that was cheaper than all others (POL_NONE: it fitted nowhere), and its cost, when n_new of the index was this;
 * 0: none was.
 */
struct placement_asked {
    struct placement_room room;
    uint64_t classes, n_new;
    int64_t  share;
    struct placement_cost least;
    uint32_t cheapest;
    uint8_t  engines;
    bool     is_known;
};

struct placement;
struct placement_vertex;
struct placement_index {
    struct placement_vertex *at;
    uint32_t n, root, free;             /* free: the first vertex to use again; POL_NONE */
    size_t   cap;
    uint32_t *vertex, *place;           /* [n_nodes]: a node's vertex, and where it stands in it; NULL: nothing was asked yet */
    const uint32_t *rank;               /* [n_nodes] of equals the lowest is the answer; NULL: the lowest index */
    struct map by_own;
    uint32_t *due; size_t cap_due; uint32_t n_due;      /* vertices of which the treap has not heard yet */
    uint32_t retired[PLACEMENT_RETIRED];        /* the k-th that became empty: [k % PLACEMENT_RETIRED] */
    uint64_t n_retired;
    uint64_t seen;                      /* touches of the plan that it knows of */
    uint64_t n_new;                     /* vertices that came, and changes of nodes that stand alone: `own` says not all of them */
    uint32_t came[PLACEMENT_NEW_KEPT];  /* the vertex that was the k-th: [k % PLACEMENT_NEW_KEPT]; POL_NONE: such a change */
    uint32_t class_first[64];           /* a node of each class */
    uint64_t plain_classes;             /* bit k: cards of nodes of class k are alike, and there are no engines */
    struct placement_asked *asked; size_t cap_asked;    /* [shape] */
    uint32_t n_looked;                  /* nodes that the last search for the cheapest asked for their cost */
};

void placement_index_fini(struct placement_index *x);       /* zero-initialise to begin */
/* The cheapest node on which the shape fits, ties to the first; POL_NONE: none.  Not of plugins of place=. */
uint32_t placement_index_find(struct placement *pl, uint32_t shape);
/* The same by the costs of pl->by_costs. */
uint32_t placement_index_cheapest(struct placement *pl);
void placement_index_note(struct placement *pl, uint32_t node);
/*
 * f(ctx, node [n], n) for the nodes on which the shape fits, those that are alike together where the index knows it, in
 * no order that matters; f leaves the plan as it is.
 */
void placement_index_each(struct placement *pl, const struct pol_shape *s,
                          void (*f)(void *ctx, const uint32_t *node, uint32_t n), void *ctx);
/* Does a task that asks this fit on some node?  For every rule; what it does not admit is not looked at. */
bool placement_index_fits(struct placement *pl, const struct pol_shape *s);
/* The lowest node on which it fits; POL_NONE.  Of rules without a rank. */
uint32_t placement_index_first(struct placement *pl, const struct pol_shape *s);
/* Do n tasks of the shape fit, one after the other? */
bool placement_index_holds(struct placement *pl, uint32_t shape, uint32_t n);
/* Is no node for tasks of the shape, whatever CPU and memory they ask and whatever runs there?  By kube's filters. */
bool placement_index_strands(struct placement *pl, uint32_t shape);

#endif
