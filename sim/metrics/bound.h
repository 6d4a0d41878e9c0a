/*
 * bound.h -- how far from the best possible: lower bounds on the makespan and
 * on the mean completion time that hold for every schedule, known or not.
 * Layer: metrics.
 *
 * They hang on the jobs, the cluster, the models' speeds and those of an idle
 * network alone: no faults, no packing, no gangs, no place of data.  What a
 * real schedule adds to them (waiting, lost work, restores, far reads, slow
 * nodes) only lengthens it, so no run can be below.  The proofs stand in bound.c.
 *
 * Which jobs: those that ended, as in the metrics they stand beside.  Leaving
 * jobs out only frees capacity, so a bound on some of them is one for all.  A
 * job that its limit ended is counted with no work and at most its limit.
 */
#ifndef METRICS_BOUND_H
#define METRICS_BOUND_H

#include "model/world_view.h"

/* Pooled machines: CPU, memory, GPUs, GPUs weighted by speed, and each GPU type alone. */
enum { BOUND_CPU, BOUND_MEM, BOUND_GPU, BOUND_SPEED, BOUND_TYPE, BOUND_TYPES_MAX = 8, BOUND_POOLS = BOUND_TYPE + BOUND_TYPES_MAX };

struct bound_job {
    sim_tick submit;
    uint64_t ordinal;
    double   least;             /* us: the longest task, or chain of them, at the best speeds there are */
    double   drag;              /* us: its end comes at least this long after its mean busy time */
    bool     counted;           /* in the mean completion time */
};

struct bound {
    uint32_t n_pools;
    double   capacity[BOUND_POOLS];     /* of each machine; an area over it is in us */
    struct bound_job *job; size_t n, cap;
    double  *area;         size_t cap_area;     /* [n][n_pools] */
    uint32_t *order;            /* indices by submit */
    bool     closed;            /* arrivals hang on the policy (a limit on concurrency): submits bound nothing */
    uint32_t type_of[BOUND_TYPES_MAX];          /* of the machines from BOUND_TYPE on */
    uint64_t types;             /* bits: GPU types that the cluster has cards of */
};

void bound_init(struct bound *b, const struct world *w);        /* zero-initialise first */
void bound_fini(struct bound *b);
/* A job that ended.  O(tasks x GPU types). */
void bound_add(struct bound *b, const struct world *w, uint32_t job, bool counted);

/*
 * The bounds over what was added, us; NaN when there is none.  Sorts the jobs.
 *   first  the first submit: makespans count from it
 * O(n log n) for each machine that counts.
 */
double bound_makespan(struct bound *b, sim_tick first);
double bound_jct_mean(struct bound *b);

#endif
