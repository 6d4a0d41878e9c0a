/*
 * speed.h -- how fast units compute where they are: GPU type, CPU cores, and
 * what their neighbours do to the node's memory bandwidth.  Layer: model.
 *
 *   speed = type's speed x scale x cores x 1 / slow x cards x distance x data
 *
 * With a profile: cores = util(cores) / best and slow = slow(pressure), the curves of
 * the model's profile (profile.h) on the unit's worst node; pressure is what all
 * other tasks on the node ask for, in % of the node's memory bandwidth.  A row
 * that is not of the node's GPU type holds for cores (and bandwidth) in
 * proportion to the speed there: twice as fast a GPU eats twice as much.
 * Without a profile: slow = bandwidth asked / got; without GPUs, too, cores =
 * held / asked, 1 at most.
 * cards: of a part of a card beside others (`sharing`).
 * distance = 1 / (1 + gpu_bw / way between its cards + net_bw / way between its nodes), of GPU units: what each
 * card exchanges with the others on its node, and each node with the others, at the type's speed.  Computing waits
 * for it.  Between cards: the node's NVLink if all are of one group, else its PCIe, each card's own.  Between nodes:
 * the slowest of the nodes' own links, the network's cards and racks, and the aggregation if the racks differ, each
 * to itself; in the network's shared mode what the unit's ring of standing flows (net.h) gets beside all others.
 * A speed that was measured for such a spread (profiles' `apart`) takes the place of all this on several nodes.
 * data = min(1, memory(GB) / cores, disk got / asked), of profiles that say it: memory is a curve of what was measured
 * with so much of the node's memory; or of a set of `data` bytes the unit's memory there keeps a part, the rest it
 * asks of the node's disk (net_spec's): (1 - memory / data) x data_bw x cores, at the type's speed as above.  What all
 * ask of a disk is divided max-min fairly.  Data come while the unit computes, so that cores and data are no product:
 * their product here is the lesser of both.  Transfers (net.h) do not take of the disk what is divided here.
 * scale: of an elastic job, by its number of GPUs (scaling.h).  Where that tells of several nodes, distance is 1,
 * and what the unit exchanges contends with nobody's.
 * Phases (phases.h): for a part of its work a unit goes as another model does, in every figure here.
 * A missing profile or bandwidth is a factor of 1.  The finest speed is 1/65536:
 * a unit that can run never stands still.
 *
 * Demand: a profile's bandwidth x util / best on each node, else the task's own
 * figure x held / asked cores; of units that compute, not of those that read
 * or write.  Contention is not fed back into it.
 *
 * Got: what is asked, while tasks without a profile ask for no more than the node
 * can move.  Else it is divided among them max-min fairly, or in proportion.  A task
 * with a profile is slowed as that says, and its traffic is not taken from theirs:
 * what was measured is how it does beside such traffic, not what that loses to it.
 *
 * Measured: what a monitor that looks every `interval` saw last, each reading
 * with a relative normal error.  GPU utilisation = util(cores) / slow(pressure) x data;
 * 1 for a unit on GPUs without a profile.
 */
#ifndef MODEL_SPEED_SPEED_H
#define MODEL_SPEED_SPEED_H

#include "model/job.h"
#include "model/data/net.h"
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
    const struct net_spec *net_spec;        /* links between nodes; capacities of 0 never limit */
    struct net *net;                        /* where units exchange beside transfers; NULL: links to themselves */
    struct monitor_spec monitor;
    uint64_t seed;                          /* of the readings' errors */
    void *ctx;
    void (*rerate)(void *ctx, uint32_t t, sim_rate rate);   /* a unit that computes goes at this rate from now on */
};

struct speed;

/* What makes a unit's speed, each on its worst node. */
struct speed_factors {
    sim_rate type;              /* of nominal, in 1/65536 */
    double   scale;             /* above 0 */
    double   cores, cards, distance, data;      /* 0 to 1 */
    double   slow;              /* 1 or more */
    double   util;              /* of its GPUs, 0 to 1 */
    const char *model;          /* as which it goes in this phase; NULL: its own, which has no phases */
};

/* What a monitor last saw of one task; util of its unit in 1/65536, -1: nothing yet. */
struct speed_reading { int64_t util, bw; };

struct speed *speed_create(const struct speed_env *env);
void speed_destroy(struct speed *s);        /* NULL is fine */

/* The unit begins to compute, ends, has other cores; t is its lead task.  O(its tasks x its nodes). */
void speed_begin(struct speed *s, uint32_t t, sim_tick now);
void speed_end(struct speed *s, uint32_t t, sim_tick now);
void speed_resized(struct speed *s, uint32_t t, sim_tick now);
/* A unit that computes is in another phase of its model (task.model_phase). */
void speed_turned(struct speed *s, uint32_t t, sim_tick now);
/* Of a unit that holds its places, in 1/65536 of nominal. */
sim_rate speed_rate(struct speed *s, uint32_t t);
struct speed_factors speed_factors(struct speed *s, uint32_t t);
/* Re-rate the units on nodes where something changed, and whose way to others did.  Once a round, after net_settle. */
void speed_settle(struct speed *s, sim_tick now);

/* Stops the program unless what is kept by node is the sum over tasks there that compute.  O(tasks). */
void speed_audit(const struct speed *s);

struct speed_reading speed_read(const struct speed *s, uint32_t task, sim_tick now);
/* Sum over computing units of util x thousandths of cards they hold, in 1/65536 of a thousandth. */
int64_t speed_busy(const struct speed *s);

#endif
