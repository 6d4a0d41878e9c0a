/*
 * etc.h -- tasks of API calls, and the times of these calls on unlike engines,
 * drawn from the seed: the tables of expected times to compute (ETC) of Braun
 * et al., JPDC 61(6), 2001.  Layer: input.
 *
 * The range-based method: row i has a baseline uniform in [1, task), and on
 * the machine of column j takes baseline x a multiplier uniform in [1, machine).
 * Consistent: each row is sorted, so that what is faster for one is faster for
 * all; semi-consistent: its even columns are (0, 2, 4 ...); inconsistent: none.
 * Here a column is an engine type and a row an API, or an API at one of the
 * sizes at which its time is measured.
 *
 * Every aspect draws from a stream of its own, and every row of the table: the
 * same jobs meet a consistent and an inconsistent table, and both have the same
 * figures in each row.  scenarios/REFERENCE.md documents every parameter.
 */
#ifndef INPUT_SYNTH_ETC_H
#define INPUT_SYNTH_ETC_H

#include "base/diag.h"
#include "model/calls/calltime.h"
#include "model/cluster/cluster.h"

enum etc_order { ETC_CONSISTENT, ETC_SEMI, ETC_INCONSISTENT };
/* An API is a row, and its times grow as its size; or each of its sizes is a row of its own. */
enum etc_rows { ETC_BY_API, ETC_BY_SIZE };
enum { ETC_TASK_HI = 3000, ETC_TASK_LO = 100, ETC_MACHINE_HI = 1000, ETC_MACHINE_LO = 10, ETC_CALLS_MAX = 1000 };

/* The scenario's trace.etc. */
struct etc_opts {
    int64_t  apis, points;      /* rows: APIs, and sizes at which each is measured, in equal ratios */
    double   task, machine;     /* heterogeneity: upper ends of the two ranges, > 1 */
    uint32_t order;             /* an enum etc_order */
    uint32_t rows;              /* an enum etc_rows */
    sim_tick unit;              /* what one unit of the table takes, at size_max */
    uint32_t n_columns, column[ENGINE_TYPES_MAX];   /* engine types by column; 0: as the cluster has them */
    int64_t  jobs, tasks, calls;        /* jobs; the most tasks of a job and calls of a task, uniform from 1 */
    sim_tick gap;               /* mean time between arrivals, exponential; 0: all arrive at once */
    double   focus;             /* chance of a call to be of its task's own API, else any */
    int64_t  size_min, size_max;        /* bytes of a call, log-uniform */
    double   result;            /* its result is uniform in 0 .. this part of them */
};

/* The size of point k < o->points. */
int64_t etc_size(const struct etc_opts *o, int64_t k);
/* Draw the table into *t, in place of whatever it held; columns as in o, else the cluster's in order. */
void etc_times(const struct etc_opts *o, const struct cluster *c, uint64_t seed, struct calltime *t);

#endif
