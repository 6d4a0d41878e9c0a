/* load: its table is cut short: it says it has 24 bytes */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

const struct pol_ops fairway_policy = { .abi_major = POL_ABI_MAJOR, .size = 24, .name = "bad", .source = "a test",
    .summary = "ends early", .create = create, .decide = decide, .destroy = destroy };
