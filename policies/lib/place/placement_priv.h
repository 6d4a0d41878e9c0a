/*
 * placement_priv.h -- the costs that placement.c and placement_index.c have in common.
 */
#ifndef POL_LIB_SCHED_PLACEMENT_PRIV_H
#define POL_LIB_SCHED_PLACEMENT_PRIV_H

#include "lib/place/placement.h"
#include "lib/util.h"

enum { PLACEMENT_WHOLE = 1000, PLACEMENT_SHARE_BITS = 20 };

/* What is free after the task: CPU, memory, GPU. */
struct placement_after { int64_t cpu, mem, gpu; };

static inline bool placement_less(struct placement_cost a, struct placement_cost b)
{
    return a.hi != b.hi ? a.hi < b.hi : a.lo < b.lo;
}
static inline bool placement_same(struct placement_cost a, struct placement_cost b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

/* a * 2^20 / b rounded down; a >= 0, b > 0. */
static inline int64_t placement_share(int64_t a, int64_t b)
{
    if (a < INT64_C(1) << (63 - PLACEMENT_SHARE_BITS)) return (a << PLACEMENT_SHARE_BITS) / b;
    return (int64_t)(((pol_wide)a << PLACEMENT_SHARE_BITS) / b);
}

static inline int64_t placement_cost_best(const struct plan *p, const struct placement_after *f)
{
    int64_t sum = p->largest.cpu > 0 ? placement_share(f->cpu, p->largest.cpu) : 0;
    if (p->largest.mem > 0) sum += placement_share(f->mem, p->largest.mem);
    if (p->largest.gpu > 0) sum += placement_share(f->gpu, p->largest.gpu);
    return sum;
}

/* n: whose totals they are. */
static inline int64_t placement_cost_spread(const struct pol_node *n, const struct placement_after *f)
{
    int64_t most = n->cpu_total > 0 ? placement_share(n->cpu_total - f->cpu, n->cpu_total) : 0, x;
    if (n->mem_total > 0 && (x = placement_share(n->mem_total - f->mem, n->mem_total)) > most) most = x;
    int64_t gpu = (int64_t)n->n_gpu * PLACEMENT_WHOLE;
    if (gpu > 0 && (x = placement_share(gpu - f->gpu, gpu)) > most) most = x;
    return most;
}

/* The cost of a node; hi POL_NEVER where the shape does not fit or is not admitted. */
struct placement_cost placement_leaf(const struct placement *pl, uint32_t shape, uint32_t node);

#endif
