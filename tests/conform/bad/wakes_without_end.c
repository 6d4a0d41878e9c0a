/* conform: asks to be woken without end */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    m->kit.host->wake(m->kit.host->ctx, v->now_us + 1);
    return false;
}
