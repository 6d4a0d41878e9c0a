/*
 * yarn.c -- YARN's two schedulers, for comparison: capacity and fair.  README.md,
 * capacity and fair.
 *
 * Both are rules for lib/data/offer.c.  Cost: offer.h.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 5.4.
 */
#include "lib/data/offer.h"
#include "builtin.h"
#include "lib/util.h"

enum { P_PLACE, P_DELAY, P_HEARTBEAT };
static const struct pol_param params[] = {
    PLACEMENT_RULE_PARAM,
    { .name = "delay", .type = POL_INT, .dflt = "0", .help = "offers a job declines before it takes a node in the rack; twice as many: any" },
    { .name = "heartbeat", .type = POL_DURATION, .dflt = "1s", .help = "how often GPUs that were declined are offered again" },
};

static void *make(const struct pol_host *host, const union pol_value *value, bool fifo, char *error, size_t cap)
{
    int64_t delay = value[P_DELAY].i;
    if (delay < 0 || delay > INT32_MAX || value[P_HEARTBEAT].i <= 0) {
        (void)snprintf(error, cap, "it needs a delay from 0 to 2^31 - 1 and a heartbeat longer than 0");
        return NULL;
    }
    struct offer_rule rule = { .by_queue = true, .fifo = fifo, .by = LOCALITY_RACK, .placement = (enum placement_rule)value[P_PLACE].i,
                               .second_after = delay - 1, .any_after = 2 * delay - 1, .heartbeat_us = value[P_HEARTBEAT].i,
                               .reason = fifo ? "first job of the queue that holds least" : "job that holds least, in the queue that does" };
    struct offer *o = pol_alloc(1, sizeof *o);
    offer_init(o, host, &rule);
    return o;
}

static void *create_capacity(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    return make(host, value, true, error, cap);
}

static void *create_fair(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    return make(host, value, false, error, cap);
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct offer *o = self;
    offer_open(o, view, ev, n_ev);
    offer_gpus(o, false);
    offer_cpus(o);
    offer_close(o);
}

static void destroy(void *self)
{
    offer_fini(self);
    free(self);
}

const struct pol_ops pol_capacity = {
    POL_HEADER, .name = "capacity", .source = "Tang et al., section 5.4; YARN's CapacityScheduler with equal queues",
    .summary = "queues with equal parts of the GPUs, first come first served in each; local, rack, any",
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create_capacity, .decide = decide, .destroy = destroy,
};

const struct pol_ops pol_fair = {
    POL_HEADER, .name = "fair", .source = "Tang et al., section 5.4; YARN's FairScheduler with equal queues",
    .summary = "queues with equal parts of the GPUs, jobs with equal parts of their queue's; local, rack, any",
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create_fair, .decide = decide, .destroy = destroy,
};
