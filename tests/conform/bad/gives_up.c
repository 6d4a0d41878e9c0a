/* run: policy 'bad' failed at t= */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->n_calls == 20) m->kit.host->fail(m->kit.host->ctx, "out of ideas");
    return false;
}
