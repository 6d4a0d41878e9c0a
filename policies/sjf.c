/*
 * sjf.c -- the shortest job first, by its estimate.  README.md, sjf.
 *
 * As fifo with the estimate as the key; ties in order of arrival.
 * Cost: list_run's (lib/sched/list.h).  Source: Smith 1956, weights equal.
 */
#include "lib/sched/list.h"
#include "builtin.h"

static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict"), LIST_ESTIMATE_PARAM };

static int64_t wait_key(void *self, const struct unit *u) { (void)self; return u->est; }
static const struct sched_ops ops = { .wait_key = wait_key, .knows_licences = true };

LIST_POLICY(pol_sjf, ops, params,
            .name = "sjf", .source = "baseline: shortest job first (Smith 1956, weights equal)",
            .summary = "units by their job's estimated run time; strict, or skipping",
            .flags = POL_USES_LIMITS | POL_CLAIRVOYANT);
