/* trace_stats.h -- the figures of a prepared trace as a table.  Layer: cmd. */
#ifndef CMD_TRACE_STATS_H
#define CMD_TRACE_STATS_H

#include "input/trace/trace.h"
#include "base/table.h"

/*
 * One row a figure: name, value, unit; then one row a repair.  Streams the
 * trace once; keeps 8 bytes a job for exact quantiles of durations.
 * On ST_OK *out is owned by the caller.
 */
enum st trace_stats_table(const struct trace *t, struct table **out, struct diag *d);

#endif
