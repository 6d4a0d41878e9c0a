/*
 * bytes_read.h -- how much data a run read, from how far, and how much of it in
 * vain.  Layer: metrics.
 *
 * What an attempt read counts when the attempt ends: as read when the task is
 * done, else as moved in vain, inputs read whole and the one under way alike,
 * since the next attempt reads everything anew.  So what is read is exactly
 * what done tasks needed, which is asserted for every task; see
 * results/README.md for the metrics that come of it.  O(1) an input.
 */
#ifndef METRICS_BYTES_READ_H
#define METRICS_BYTES_READ_H

#include "model/world_view.h"

struct bytes_read_sum { int64_t read[LEVELS], vain[LEVELS]; };     /* bytes */

struct bytes_read_attempt { int64_t whole[LEVELS], part[LEVELS]; };

struct bytes_read {
    struct bytes_read_attempt *task; size_t cap_task;        /* by task slot: its present attempt */
    struct bytes_read_sum     *job;  size_t cap_job;         /* by job slot */
    struct bytes_read_sum run;
};

void bytes_read_fini(struct bytes_read *m);       /* zero-initialise to begin */

/* To be called from an observer's hooks of the same names; jobs without inputs cost a look at their job. */
void bytes_read_arrived(struct bytes_read *m, const struct world *w, uint32_t job);
void bytes_read_started(struct bytes_read *m, const struct world *w, uint32_t task);
void bytes_read_bytes(struct bytes_read *m, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole);
void bytes_read_stopped(struct bytes_read *m, const struct world *w, uint32_t task, enum stop_why why);

/* Of a live job; NULL when its tasks have neither inputs nor order. */
const struct bytes_read_sum *bytes_read_job(const struct bytes_read *m, const struct world *w, uint32_t job);

int64_t bytes_read_total(const int64_t by_level[LEVELS]);
/* What went over the network, for good or in vain: all that was not local. */
int64_t bytes_read_network(const struct bytes_read_sum *s);

extern const char *const bytes_read_level[LEVELS];       /* local, rack, cross */

#endif
