/*
 * call_times.h -- how long calls take on engines, as a CSV file: api,engine,size_b,time_s.
 * Layer: input.  traces/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_CALL_TIMES_H
#define INPUT_TASKS_CALL_TIMES_H

#include "base/diag.h"
#include "model/calls/calltime.h"
#include "model/cluster/cluster.h"

/* Engine types that no node has are read past: one table serves many clusters. */
enum st call_times_read(struct calltime *t, const struct cluster *c, const char *path, struct diag *d);

#endif
