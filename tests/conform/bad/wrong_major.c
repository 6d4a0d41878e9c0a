/* load: it is built for major 7 of the policy ABI; this program has major 1 */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

const struct pol_ops fairway_policy = { .abi_major = 7, .size = sizeof(struct pol_ops), .name = "bad", .source = "a test",
    .summary = "of another age", .create = create, .decide = decide, .destroy = destroy };
