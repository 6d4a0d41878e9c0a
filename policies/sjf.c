/*
 * sjf.c -- the shortest job first, by its estimate.  README.md, sjf.
 *
 * As fifo with the estimate, or estimate x GPUs, as the key; ties in order of arrival.
 * Cost: list_run's (lib/sched/list.h).  Source: Smith 1956, weights equal.
 */
#include "lib/sched/list.h"
#include "builtin.h"

struct sjf { struct sched sched; bool by_gpu; };

enum { P_PLACE, P_MODE, P_ESTIMATE, P_BY };
static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict"), LIST_ESTIMATE_PARAM, LIST_BY_PARAM };

static int64_t wait_key(void *self, const struct unit *u)
{
    return ((const struct sjf *)self)->by_gpu ? list_by_gpu(self, u, u->est) : u->est;
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    (void)error, (void)cap;
    ((struct sjf *)self)->by_gpu = value[P_BY].i == LIST_BY_GPU;
    return true;
}

static const struct sched_ops ops = { .wait_key = wait_key, .size = sizeof(struct sjf), .init = init, .knows_licences = true };

LIST_POLICY(pol_sjf, ops, params,
            .name = "sjf", .source = "baseline: shortest job first (Smith 1956, weights equal)",
            .summary = "units by their job's estimated run time; strict, or skipping",
            .flags = POL_USES_LIMITS | POL_CLAIRVOYANT);
