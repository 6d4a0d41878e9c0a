/*
 * gs.c -- free GPUs go to the job that holds fewest: gs, with preemption (gsp),
 * with delay scheduling (gsd).  README.md, gs.
 *
 * The three differ in the rule that they hand to lib/data/offer.c.
 * Cost: offer.h, evict.h.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 3.
 */
#include "lib/data/evict.h"
#include "builtin.h"
#include "lib/util.h"

/* One state for all three; evict is used by gsp alone. */
struct gs { struct offer offer; struct evict evict; };

#define QUOTA_PARAM { .name = "quota", .type = POL_INT, .dflt = "0", .help = "GPUs that one job may hold at once; 0: no limit" }
#define OFFER_PARAM { .name = "offer", .type = POL_CHOICE, .dflt = "all", .choices = "all|node", \
                      .help = "free GPUs: all at once, or those of one node after the other, drawn at random" }
enum { P_PLACE, P_QUOTA, P_OFFER, P_SECOND, P_ANY, P_HEARTBEAT };
static const struct pol_param params[] = {
    PLACEMENT_RULE_PARAM, QUOTA_PARAM, OFFER_PARAM,
    { .name = "second_after", .type = POL_INT, .dflt = "3", .help = "T1: beyond it a task takes its second least transfer cost" },
    { .name = "any_after", .type = POL_INT, .dflt = "6", .help = "T2: beyond it a task takes any" },
    { .name = "heartbeat", .type = POL_DURATION, .dflt = "1s", .help = "how often GPUs that were declined are offered again" },
};
enum { N_PARAMS = P_OFFER + 1, N_DELAY_PARAMS = sizeof params / sizeof *params };

static struct gs *make(const struct pol_host *host, const union pol_value *value, struct offer_rule *rule, char *error, size_t cap)
{
    if (value[P_QUOTA].i < 0 || value[P_QUOTA].i > INT32_MAX) {
        (void)snprintf(error, cap, "quota=%lld is not between 0 and 2^31 - 1", (long long)value[P_QUOTA].i);
        return NULL;
    }
    rule->placement = (enum placement_rule)value[P_PLACE].i;
    rule->quota = value[P_QUOTA].i;
    rule->by_node = value[P_OFFER].i == 1;
    rule->reason = "its job holds the fewest GPUs";
    struct gs *s = pol_alloc(1, sizeof *s);
    offer_init(&s->offer, host, rule);
    s->evict.reason = "its job is above its share; run the shortest";
    return s;
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct offer_rule rule = { .by = LOCALITY_TIME, .second_after = -1, .heartbeat_us = 1 };
    return make(host, value, &rule, error, cap);
}

static void *create_delay(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct offer_rule rule = { .by = LOCALITY_LEAST, .from_deficit = true, .second_after = value[P_SECOND].i, .any_after = value[P_ANY].i,
                               .heartbeat_us = value[P_HEARTBEAT].i };
    if (rule.second_after >= 0 && rule.any_after >= rule.second_after && rule.heartbeat_us > 0) return make(host, value, &rule, error, cap);
    (void)snprintf(error, cap, "it needs 0 <= second_after <= any_after and a heartbeat longer than 0");
    return NULL;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct gs *s = self;
    offer_open(&s->offer, view, ev, n_ev);
    offer_gpus(&s->offer, false);
    offer_cpus(&s->offer);
    offer_close(&s->offer);
}

static void decide_stopping(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct gs *s = self;
    offer_open(&s->offer, view, ev, n_ev);
    offer_gpus(&s->offer, false);
    evict_run(&s->evict, &s->offer);
    offer_cpus(&s->offer);
}

static void destroy(void *self)
{
    struct gs *s = self;
    evict_fini(&s->evict);
    offer_fini(&s->offer);
    free(s);
}

#define SOURCE "Tang et al., scheduling data-intensive jobs on GPU clusters, section 3"

const struct pol_ops pol_gs = {
    POL_HEADER, .name = "gs", .source = SOURCE ".2 (1)",
    .summary = "free GPUs go to the job that holds the fewest, for its task with the least transfer",
    .n_params = N_PARAMS, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};

const struct pol_ops pol_gsp = {
    POL_HEADER, .name = "gsp", .source = SOURCE ".2 (2)",
    .summary = "gs, and jobs above their share lose their shortest-run tasks to those below",
    .flags = POL_PREEMPTS, .n_params = N_PARAMS, .params = params,
    .create = create, .decide = decide_stopping, .destroy = destroy,
};

const struct pol_ops pol_gsd = {
    POL_HEADER, .name = "gsd", .source = SOURCE ".2 (3); Zaharia et al., Delay Scheduling, EuroSys 2010",
    .summary = "gs, but tasks decline a bounded number of GPUs that are far from their data",
    .n_params = N_DELAY_PARAMS, .params = params,
    .create = create_delay, .decide = decide, .destroy = destroy,
};
