/* load: policy 'bad' has no decide function */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

const struct pol_ops fairway_policy = { POL_HEADER, .name = "bad", .source = "a test", .summary = "x", .create = create, .destroy = destroy };
