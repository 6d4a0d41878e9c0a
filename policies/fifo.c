/*
 * fifo.c -- first come, first served: units in order of arrival.  README.md, fifo.
 *
 * Cost: list_run's (lib/sched/list.h).  Source: baseline.
 */
#include "lib/sched/list.h"
#include "builtin.h"

static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict") };
static const struct sched_ops ops = { .knows_licences = true };

LIST_POLICY(pol_fifo, ops, params,
            .name = "fifo", .source = "baseline: first come, first served",
            .summary = "units in order of arrival; strict, or skipping what does not fit");
