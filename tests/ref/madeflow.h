/*
 * madeflow.h -- scheduling rounds of any size and shape, made up, and the
 * aggregated network of a round: what a library would be given in place of the
 * paper's graph.
 */
#ifndef REF_MADEFLOW_H
#define REF_MADEFLOW_H

#include "input/flow/dimacs.h"
#include "input/flow/round.h"

enum made_sizes { MADE_BLOCKS, MADE_LOGNORMAL };    /* seven of ten 256 MiB, the rest less; median 205 MiB, sigma 1 */

/* Networks of 1.25 GB/s over a1 and a2 (thousandths); disks of 1 to `disks` x 500 MB/s. */
struct made_shape {
    const char *name;
    uint32_t gpus, jobs, tasks;
    uint32_t levels;            /* of memory, 1 to 6; a node's cards are alike unless is_mixed */
    bool     is_mixed;
    uint32_t big;               /* percent of tasks that ask for the highest level; the others for any, evenly */
    double   zipf;              /* nodes' popularity by rank; 0: all alike */
    enum made_sizes sizes;
    double   disks;             /* >= 1 */
    uint32_t reps_min, reps_max;                    /* 1 to 3: a node, one in another rack, its neighbour */
    int64_t  a1, a2, alpha;
    bool     is_all;            /* shares are all tasks (fsu); else an even part of the cards */
};

void made_round(struct flow_round *f, const struct made_shape *m, uint64_t seed);     /* flow_round_fini it */

/*
 * The same optimum: S, jobs, tasks, then a vertex for each (node, level), (rack,
 * level) and level, each with an arc to the next below it and to its like one
 * level up; a task with an arc to its nodes, their racks and all.  Where a
 * node's disk is slower than the way over it, arcs to all but it take its place.
 * The supply is `flow`, the largest there is.
 */
void made_net(struct flow_net *net, const struct flow_round *f, int64_t flow);        /* flow_net_fini it */

#endif
