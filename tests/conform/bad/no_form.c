/* load: parameter 'list' of policy 'bad' is a file of no form that is known: kube-scheduler, core-history, kueue, slurm-conf, slurm-accounts, slurm-qos, slurm-rounds, slurm-reservations */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

static const struct pol_param params[] = { { .name = "list", .type = POL_FILE, .choices = "csv", .dflt = "", .help = "a list" } };
const struct pol_ops fairway_policy = { POL_HEADER, .name = "bad", .source = "a test", .summary = "x", .n_params = 1, .params = params,
    .create = create, .decide = decide, .destroy = destroy };
