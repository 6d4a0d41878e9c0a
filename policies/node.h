/*
 * node.h -- a node and its cards, as the host's ledger keeps them and as policies see them: the view's are the ledger's
 * own.  Units are those of policy.h.
 */
#ifndef POL_NODE_H
#define POL_NODE_H

#include <stdint.h>

enum { POL_ENGINES_MAX = 6 };

/* Totals 0: not known, and no constraint. */
struct pol_card { int64_t mem_total, mem_free; int32_t milli_free; uint32_t reserved; int32_t core_total, core_free; };

/* A node that is down has is_up 0 and nothing can start there. */
struct pol_node {
    int64_t  cpu_total, cpu_free, mem_total, mem_free;
    uint64_t labels;
    uint32_t card0, n_gpu;          /* its cards: view->card[card0 .. card0 + n_gpu) */
    uint32_t gpu_type;              /* POL_NONE without GPUs */
    uint32_t rack;
    int32_t  engine_total[POL_ENGINES_MAX], engine_free[POL_ENGINES_MAX];
    uint32_t n_tasks;               /* running there */
    uint32_t is_up;
    int64_t  cpu_reserved, mem_reserved;    /* in the totals, and never free: the node's own daemons */
    uint32_t max_tasks;             /* at most so many run there; 0: no limit */
    uint32_t reserved;
};

#endif
