/* run: it starts something with places NULL */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->kit.n > 0) m->kit.host->start(m->kit.host->ctx, m->kit.queue[0].task, NULL, 1, NULL);
    return false;
}
