/*
 * fs.c -- most tasks placed, at the least cost of reading their inputs: fs, with
 * preemption (fsp), without shares (fsu).  README.md, "The flow policies".
 *
 * The three differ in the rule that they hand to lib/data/flowpol.c.
 * Cost: lib/flow/README.md.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 4.
 */
#include "lib/data/flowpol.h"
#include "builtin.h"
#include "lib/util.h"

enum { P_PLACE, P_ALPHA1, P_ALPHA2, P_ALPHA3, P_MODE, P_REPLACE };
enum { N_FSU = P_ALPHA2 + 1, N_FS = P_MODE + 1, N_FSP = P_REPLACE + 1 };

static const struct pol_param params[] = {
    PLACEMENT_RULE_PARAM,
    { .name = "alpha1", .type = POL_NUMBER, .dflt = "1.5", .help = "weight of transfers within the rack, above 1" },
    { .name = "alpha2", .type = POL_NUMBER, .dflt = "2", .help = "weight of transfers between racks, above 1" },
    { .name = "alpha3", .type = POL_NUMBER, .dflt = "20", .help = "cost of either arc of a task that is left waiting, in seconds, above 1" },
    { .name = "mode", .type = POL_CHOICE, .dflt = "hard", .choices = "hard|soft", .help = "tasks that may be left: those beyond the share, or all but one" },
    { .name = "replace", .type = POL_BOOL, .dflt = "false", .help = "solve for running tasks too, each staying at what it cost less what it ran" },
};

/* alpha1 and alpha2 in thousandths, as the price takes them. */
struct fs { struct flowpol pol; int64_t rack_milli, cross_milli; };

/* Section 4.2: bytes over disk, rack and aggregation speed. */
static int64_t price(const void *ctx, const struct pol_transfer *x, enum locality_scope scope)
{
    const struct fs *s = ctx;
    (void)scope;
    pol_wide sum = ((pol_wide)x->local_us * 1000 + (pol_wide)x->rack_us * s->rack_milli + (pol_wide)x->cross_us * s->cross_milli) / 1000;
    return sum < FLOWNET_COST_MAX ? (int64_t)sum : FLOWNET_COST_MAX;
}

/* Above 1, to three decimals; 0: it is not. */
static int64_t milli(double x) { return x > 1 && x <= 1000000 ? (int64_t)(x * 1000 + 0.5) : 0; }

static void *make(const struct pol_host *host, const union pol_value *value, struct flowpol_rule *rule, const char *reason, char *error, size_t cap)
{
    static const char *const name[] = { [P_ALPHA1] = "alpha1", [P_ALPHA2] = "alpha2", [P_ALPHA3] = "alpha3" };
    for (int k = P_ALPHA1; k <= (rule->share == FLOWPOL_ALL ? P_ALPHA2 : P_ALPHA3); k++) {
        if (milli(value[k].x) > 1000) continue;
        (void)snprintf(error, cap, "%s=%g is not between 1.001 and 1000000", name[k], value[k].x);
        return NULL;
    }
    struct fs *s = pol_alloc(1, sizeof *s);
    s->rack_milli = milli(value[P_ALPHA1].x);
    s->cross_milli = milli(value[P_ALPHA2].x);
    rule->placement = (enum placement_rule)value[P_PLACE].i;
    rule->price = (struct locality_price){ .of = price, .ctx = s };
    /* The job's arc to its unscheduled vertex, and that vertex's arc to the sink. */
    if (rule->share != FLOWPOL_ALL) rule->leave = 2 * 1000 * milli(value[P_ALPHA3].x);
    flowpol_init(&s->pol, host, rule, reason);
    return s;
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct flowpol_rule rule = { .share = FLOWPOL_BASIC, .is_soft = value[P_MODE].i == 1 };
    return make(host, value, &rule, "least cost for most tasks, each job its share first", error, cap);
}

static void *create_stopping(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct flowpol_rule rule = { .share = FLOWPOL_FINAL, .is_soft = value[P_MODE].i == 1, .stops = true, .replaces = value[P_REPLACE].i == 1, .keep_milli = 1000 };
    return make(host, value, &rule, "least cost for most tasks, each job its share first", error, cap);
}

static void *create_unfair(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct flowpol_rule rule = { .share = FLOWPOL_ALL };
    return make(host, value, &rule, "least cost for most tasks", error, cap);
}

#define SOURCE "Tang et al., scheduling data-intensive jobs on GPU clusters, section 4"

const struct pol_ops pol_fs = {
    POL_HEADER, .name = "fs", .source = SOURCE ".3 (2)",
    .summary = "minimum-cost maximum flow of tasks to GPUs, jobs first to their share",
    .n_params = N_FS, .params = params,
    .create = create, .decide = flowpol_decide, .destroy = flowpol_destroy,
};

const struct pol_ops pol_fsp = {
    POL_HEADER, .name = "fsp", .source = SOURCE ".3 (1); Isard et al., Quincy, SOSP 2009 (replace)",
    .summary = "fs, and jobs above their share lose their shortest-run tasks to those below",
    .flags = POL_PREEMPTS, .n_params = N_FSP, .params = params,
    .create = create_stopping, .decide = flowpol_decide, .destroy = flowpol_destroy,
};

const struct pol_ops pol_fsu = {
    POL_HEADER, .name = "fsu", .source = SOURCE ".3 (3)",
    .summary = "minimum-cost maximum flow of tasks to GPUs, whosever they are",
    .n_params = N_FSU, .params = params,
    .create = create_unfair, .decide = flowpol_decide, .destroy = flowpol_destroy,
};
