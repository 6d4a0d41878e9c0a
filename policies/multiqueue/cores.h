/*
 * cores.h -- whose cores a node's are: an array for CPU jobs, an array kept for
 * GPU jobs, what CPU jobs borrow of it, and cores closed to them.
 * README.md, multiqueue.  Source: CODA's patent, steps S400 and S600 (S0-11 to S0-15, S0-22).
 *
 * The CPU tasks of a node are listed in the order in which they started.  The CPU array
 * is what the reserve leaves; a task borrows if it and those before it hold more than the
 * array.  While a plan without a task is tried, the task is lifted: it counts nowhere, and
 * keeps its turn in the list.  Cost: O(1) each; cores_borrower O(tasks of the node).
 */
#ifndef MQ_CORES_H
#define MQ_CORES_H

#include "lib/sched/sched.h"

struct cores_task { uint32_t prev, next, unit; int64_t cpu; bool is_lifted; };   /* by task slot */
/* held: by CPU tasks; kept, over: for GPU jobs, and borrowed of that, when last summed. */
struct cores_node { uint32_t first, last; int64_t held, closed, kept, over; };
struct cores_closure { uint32_t node, until; int64_t cpu; };                    /* until: a GPU unit ends */

struct cores {
    struct cores_node *node;  uint32_t n_nodes;
    struct cores_task *task;  size_t cap_task;
    struct cores_closure *closure; size_t n_closures, cap_closures;
    int64_t reserve;            /* milli-CPU of each node with GPUs */
    int64_t closed;             /* of all nodes */
    /* Of all nodes, with the reserve and the plan's touches of that time. */
    struct { int64_t kept, over, reserve; uint64_t touches; } sum;
};

void cores_fini(struct cores *c);               /* zero-initialise to begin */
void cores_size(struct cores *c, uint32_t n_nodes);

/* A CPU task starts last on the node, or leaves it, or holds other cores. */
void cores_add(struct cores *c, uint32_t node, uint32_t task, uint32_t unit, int64_t cpu);
void cores_del(struct cores *c, uint32_t node, uint32_t task);
void cores_resize(struct cores *c, uint32_t node, uint32_t task, int64_t cpu);
void cores_lift(struct cores *c, uint32_t node, uint32_t task, bool lifted);

/* Of the cores that the node has for tasks, those for CPU jobs. */
static inline int64_t cores_array(const struct cores *c, const struct pol_node *n)
{
    int64_t all = n->cpu_total - n->cpu_reserved;
    if (n->n_gpu == 0) return all;
    return all > c->reserve ? all - c->reserve : 0;
}
static inline int64_t cores_over(const struct cores *c, const struct pol_node *n, uint32_t node)
{
    int64_t over = c->node[node].held - cores_array(c, n);
    return over > 0 ? over : 0;
}

/*
 * The next borrowing task of a node after task `after` (POL_NONE: from the beginning), the
 * one that started last coming first; lifted tasks are left out.  POL_NONE: no more.
 *   before  kept between calls: what those hold that started before the one returned
 */
uint32_t cores_borrower(const struct cores *c, const struct pol_node *n, uint32_t node, uint32_t after, int64_t *before);

/* Bring `sum` up to date: O(nodes that changed), O(nodes) when the reserve did. */
void cores_sum(struct cores *c, const struct plan *p);

/* `cpu` of the node's cores take no new CPU job until the unit ends. */
void cores_close(struct cores *c, uint32_t node, uint32_t until, int64_t cpu);
/* The unit ended: what was closed for it is open. */
void cores_reopen(struct cores *c, uint32_t unit);

#endif
