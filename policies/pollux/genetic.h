/*
 * genetic.h -- Pollux's genetic search for an allocation: NSGA-II over how many tasks each job has on each node.
 *
 * Two objectives: the power mean of exponent -1 of speedup x share of a node x (what a restart leaves, where a job's
 * row differs from its present one), + 1e-3; and utility, speedup by GPU weighed by the share of the nodes in use.
 * A generation: as many children as the population, none twice.  Parents by tournaments of two (rank, then crowding);
 * one-point crossover over jobs; mutation: 10 % of jobs take their present row, 10 % lose each entry with 10 %, and
 * free nodes give some jobs more; repair: at most one job of several nodes on each node, no job above its most,
 * no node above what it has and could have of a job, in the order of jobs.  The best by rank, then crowding, are kept.
 *
 * Cost: O(generations x population x (jobs x nodes + population)); it ends early once no child is new.
 * Source: Qiao et al., Pollux, OSDI 2021, section 4.2; the artifact's pollux.py, and pymoo's NSGA2.
 */
#ifndef POL_POLLUX_GENETIC_H
#define POL_POLLUX_GENETIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GENETIC_GPUS, GENETIC_CPU, GENETIC_MEM, GENETIC_NEEDS };

struct genetic {
    uint32_t n_jobs, n_nodes, population, generations, max_nodes;       /* of a job: nodes at most */
    const uint32_t *min, *max;          /* [n_jobs] tasks */
    const int64_t  *need[GENETIC_NEEDS];        /* [n_jobs] of a task: GPUs, 1 at least; of the rest 0: none */
    const int64_t  *cap[GENETIC_NEEDS]; /* [n_nodes] for all these jobs */
    const uint8_t  *room;               /* [n_jobs x n_nodes] tasks that the node could have, if no other job did */
    const uint8_t  *base;               /* [n_jobs x n_nodes] tasks at present */
    const double   *factor;             /* [n_jobs] what a restart leaves of its speedup */
    /* Over its fair share; nodes and tasks are above 0. */
    double (*speedup)(void *ctx, uint32_t job, uint32_t nodes, uint32_t tasks);
    void    *ctx;
    uint64_t draws;                     /* state of the random numbers */
    /* In: states to begin with.  Out: those that no other beats in both objectives; the best by the first is `best`. */
    uint8_t *front; size_t n_front, cap_front;  /* [n_front x n_jobs x n_nodes] */
    size_t   best;
};

void genetic_run(struct genetic *s);

#endif
