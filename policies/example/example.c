/*
 * example.c -- the job that asks for the fewest GPUs first; but one that came
 * `patience` earlier for each GPU it asks more goes before it.
 *
 * A whole policy.  Give jobs another key in `wait_key`, and it is your own.
 */
#include "lib/sched/list.h"

struct mine { struct sched sched; int64_t patience_us; };      /* the struct sched comes first */

enum { P_PLACE, P_MODE, P_PATIENCE };
static const struct pol_param params[] = {
    PLACEMENT_PARAM, LIST_MODE_PARAM("skip"),
    { .name = "patience", .type = POL_DURATION, .dflt = "1h", .help = "for each GPU more, a job goes behind those that come this much later" },
};

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    ((struct mine *)self)->patience_us = value[P_PATIENCE].i;
    if (value[P_PATIENCE].i <= INT64_C(365) * 24 * 3600 * 1000000) return true;
    (void)snprintf(error, cap, "patience is at most a year");
    return false;
}

/* The least key goes first, of equal ones whoever came first. */
static int64_t wait_key(void *self, const struct unit *u)
{
    const struct mine *m = self;
    const struct pol_host *h = m->sched.host;
    return h->job(h->ctx, u->job)->submit_us + (sched_gpu_milli(&m->sched, u) + 999) / 1000 * m->patience_us;
}

static const struct sched_ops ops = { .wait_key = wait_key, .init = init, .size = sizeof(struct mine), .knows_licences = true };

LIST_POLICY(fairway_policy, ops, params,
            .name = "example", .source = "begun with `fairway policies --new`",
            .summary = "fewest GPUs first, but whoever waited long before those that came late");
