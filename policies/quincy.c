/*
 * quincy.c -- Quincy, for comparison: waiting costs time, reading costs bytes,
 * running tasks may be moved or stopped.  README.md, "The flow policies".
 *
 * A rule for lib/data/flowpol.c.  Cost: lib/flow/README.md.
 * Source: Isard et al., Quincy, SOSP 2009; costs as Firmament implements them (Gog
 * et al., OSDI 2016).
 */
#include "lib/data/flowpol.h"
#include "builtin.h"
#include "lib/util.h"

enum { P_PLACE, P_WAIT, P_RACK, P_CORE, P_PREFERRED, P_KEEP, P_REPLACE };
static const struct pol_param params[] = {
    PLACEMENT_RULE_PARAM,
    { .name = "wait", .type = POL_NUMBER, .dflt = "0.5", .help = "cost of leaving a task, per second that it waited, above 0" },
    { .name = "rack", .type = POL_NUMBER, .dflt = "1", .help = "cost of a GB through the rack's switch" },
    { .name = "core", .type = POL_NUMBER, .dflt = "2", .help = "cost of a GB through the core switch" },
    { .name = "preferred", .type = POL_NUMBER, .dflt = "0.1", .help = "a node or rack with this part of a task's data is preferred" },
    { .name = "keep", .type = POL_NUMBER, .dflt = "1", .help = "what a second of running counts against moving or stopping a task" },
    { .name = "replace", .type = POL_BOOL, .dflt = "true", .help = "running tasks may be moved or stopped" },
};

/* Costs in millionths: a price in thousandths for 10^9 bytes is a millionth for 10^6. */
struct quincy { struct flowpol pol; int64_t rack_milli, core_milli, preferred_milli; };

/*
 * A preferred node has an arc of its own; a preferred rack an aggregator whose
 * arc costs what the worst node of the rack does, one without data; everything
 * else goes through the cluster's, at the price of all data through the core.
 */
static int64_t price(const void *ctx, const struct pol_transfer *x, enum locality_scope scope)
{
    const struct quincy *q = ctx;
    pol_wide all = (pol_wide)x->local_b + x->rack_b + x->cross_b;
    pol_wide near = scope == LOCALITY_AT_NODE ? (pol_wide)x->local_b : (pol_wide)x->local_b + x->rack_b;
    if (scope != LOCALITY_ELSEWHERE && near * 1000 < all * q->preferred_milli) return INT64_MAX;
    pol_wide cost = scope == LOCALITY_ELSEWHERE ? all * q->core_milli : (pol_wide)x->rack_b * q->rack_milli + (pol_wide)x->cross_b * q->core_milli;
    cost /= 1000000;
    return cost < FLOWNET_COST_MAX ? (int64_t)cost : FLOWNET_COST_MAX;
}

static int64_t milli(double x) { return x >= 0 && x <= 1000000 ? (int64_t)(x * 1000 + 0.5) : -1; }

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    for (int k = P_WAIT; k <= P_KEEP; k++) {
        int64_t least = k == P_WAIT, most = k == P_PREFERRED ? 1000 : 1000000000;
        if (milli(value[k].x) >= least && milli(value[k].x) <= most) continue;
        (void)snprintf(error, cap, "%s=%g is not between %g and %g", params[k].name, value[k].x, (double)least / 1000, (double)most / 1000);
        return NULL;
    }
    struct quincy *q = pol_alloc(1, sizeof *q);
    q->rack_milli = milli(value[P_RACK].x);
    q->core_milli = milli(value[P_CORE].x);
    q->preferred_milli = milli(value[P_PREFERRED].x);
    if (value[P_REPLACE].i == 0) *flags &= ~(uint32_t)POL_PREEMPTS;
    /* A millionth more than the wait: what costs as much as waiting is done. */
    struct flowpol_rule rule = { .share = FLOWPOL_NONE, .leave = 1, .replaces = value[P_REPLACE].i == 1, .wait_milli = milli(value[P_WAIT].x),
                              .keep_milli = milli(value[P_KEEP].x), .price = { price, q }, .placement = (enum placement_rule)value[P_PLACE].i };
    flowpol_init(&q->pol, host, &rule, "least cost over all tasks, waiting ones and running ones");
    return q;
}

const struct pol_ops pol_quincy = {
    POL_HEADER, .name = "quincy", .source = "Isard et al., Quincy, SOSP 2009; costs as Firmament implements them (Gog et al., OSDI 2016)",
    .summary = "minimum-cost flow of all tasks: waiting costs time, reading costs bytes, stopping costs what ran",
    .flags = POL_PREEMPTS, .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = flowpol_decide, .destroy = flowpol_destroy,
};
