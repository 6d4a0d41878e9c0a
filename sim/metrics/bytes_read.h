/*
 * bytes_read.h -- the collector of how much data a run read, from how far, and how much of it in
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

#include "metrics/collector.h"

struct bytes_read_sum { int64_t read[LEVELS], vain[LEVELS]; };     /* bytes */

struct bytes_read_attempt { int64_t whole[LEVELS], part[LEVELS]; };

struct bytes_read {
    const struct collector_out *out;
    struct bytes_read_attempt *task; size_t cap_task;        /* by task slot: its present attempt */
    struct bytes_read_sum     *job;  size_t cap_job;         /* by job slot, those with inputs or order */
    struct bytes_read_sum run;
};

int64_t bytes_read_total(const int64_t by_level[LEVELS]);
/* What went over the network, for good or in vain: all that was not local. */
int64_t bytes_read_network(const struct bytes_read_sum *s);

extern const char *const bytes_read_level[LEVELS];       /* local, rack, cross */

#endif
