/*
 * speed.h -- how fast units compute where they are: GPU type, CPU cores, and
 * what their neighbours do to the node's memory bandwidth.  Layer: model.
 *
 *   speed = type's speed x util(cores) / best x 1 / slow(pressure)
 *
 * util and slow are the curves of the model's profile (profile.h), taken on
 * the unit's worst node; pressure is what all other tasks on the node move, in
 * % of the node's memory bandwidth.  A unit without GPUs runs at held / asked
 * cores, 1 at most.  A missing profile or bandwidth is a factor of 1.  The
 * finest speed is 1/65536: a unit that can run never stands still.
 *
 * Demand: a profile's bandwidth x util / best on each node, else the task's own
 * figure x held / asked cores; of units that compute, not of those that read
 * or write.  Contention is not fed back into it.
 *
 * Measured: what a monitor that looks every `interval` saw last, each reading
 * with a relative normal error.  GPU utilisation = util(cores) / slow(pressure);
 * 1 for a unit on GPUs without a profile.
 */
#ifndef MODEL_SPEED_SPEED_H
#define MODEL_SPEED_SPEED_H

#include "model/job.h"
#include "model/speed/profile.h"
#include "model/speed/throughput.h"

struct monitor_spec { sim_tick interval; double noise; };   /* 0: looks all the time; relative standard deviation */

/* What it knows of a world; all borrowed. */
struct speed_env {
    const struct cluster *cluster;
    const struct job_table *jobs;
    const struct shapes *shapes;
    const struct throughput *throughput;
    const struct profiles *profiles;        /* NULL: nothing contends, nothing is measured */
    struct monitor_spec monitor;
    uint64_t seed;                          /* of the readings' errors */
    void *ctx;
    void (*rerate)(void *ctx, uint32_t t, sim_rate rate);   /* a unit that computes goes at this rate from now on */
};

struct speed;

/* What a monitor last saw of one task; util of its unit in 1/65536, -1: nothing yet. */
struct speed_reading { int64_t util, bw; };

struct speed *speed_create(const struct speed_env *env);
void speed_destroy(struct speed *s);        /* NULL is fine */

/* The unit begins to compute, ends, has other cores; t is its lead task.  O(its tasks x its nodes). */
void speed_begin(struct speed *s, uint32_t t, sim_tick now);
void speed_end(struct speed *s, uint32_t t, sim_tick now);
void speed_resized(struct speed *s, uint32_t t, sim_tick now);
/* Of a unit that holds its places, in 1/65536 of nominal. */
sim_rate speed_rate(struct speed *s, uint32_t t);
/* Re-rate the units on nodes where something changed.  Once a round. */
void speed_settle(struct speed *s, sim_tick now);

struct speed_reading speed_read(const struct speed *s, uint32_t task, sim_tick now);
/* Sum over computing units of util x thousandths of cards they hold, in 1/65536 of a thousandth. */
int64_t speed_busy(const struct speed *s);

#endif
