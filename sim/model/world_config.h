/*
 * world_config.h -- what a world is made of and how it treats its jobs.  Layer: model.
 */
#ifndef MODEL_WORLD_CONFIG_H
#define MODEL_WORLD_CONFIG_H

#include "model/calls/relation.h"
#include "model/data/net.h"
#include "model/fault.h"
#include "model/speed/speed.h"
#include "model/speed/throughput.h"

/*
 * What interrupting a unit costs: RESTORE, time that its restart with kept progress spends before it computes; SAVE,
 * the last work of an attempt that is preempted, and of the attempt at most (checkpointed on demand alone); WORK, work
 * that is added to what is left.
 */
enum restore_as { RESTORE_TIME, RESTORE_SAVE, RESTORE_WORK };

/* What it points at is borrowed for the life of the world. */
struct world_config {
    /* What there is. */
    struct cluster *cluster;            /* reset by world_create */
    struct fault_spec fault;
    const struct throughput *throughput;
    const struct profiles *profiles;    /* what models need around their GPUs; NULL: nothing contends or is measured */
    struct monitor_spec monitor;
    const struct data *data;            /* named blocks, placed; NULL: jobs name none */
    struct net_spec net;                /* all zero: reading and writing take no time */
    const struct calltime *calltime;    /* times of calls; NULL: no task makes any */
    const struct relation *relation;    /* as given, for deciders; NULL: profiled from calltime */

    /* How jobs are treated. */
    /*
     * What an interrupted unit keeps of its progress (nominal work done):
     *   > 0  the largest multiple of the interval, on a preemption and on a fault
     *     0  all of it on a preemption (checkpointed on demand); on a fault
     *        what the last such checkpoint held
     *    -1  nothing, ever
     */
    sim_tick checkpoint_interval;
    sim_tick restore_cost;              /* of jobs that have none of their own; SAVE, WORK: at nominal speed */
    enum restore_as restore_as;
    sim_tick mismatch_after;            /* a unit on cards that lack the memory or cores asked fails after this time */
    bool     enforce_limits;            /* end a unit when an attempt has run for its job's limit */
    bool     reject_infeasible;         /* else a job that can never fit is an error */
    uint32_t multi_from;                /* cards from which a job is of the class multi; 0: JOB_MULTI_FROM */
    uint32_t concurrency;               /* jobs in the system at most: the next arrives when one ends; 0: no limit */

    /* How the run goes. */
    uint64_t seed;                      /* of faults and of a monitor's errors */
    sim_tick horizon;                   /* stop here; TICK_NEVER: when all is done */
    sim_tick sample_every;              /* 0: no samples */
    bool     audit;                     /* verify every invariant after every instant */
};

#endif
