/* load: it defines no 'fairway_policy' */
#define NO_TABLE
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}

const struct pol_ops my_policy;
const struct pol_ops my_policy = { POL_HEADER, .create = create, .decide = decide, .destroy = destroy };
