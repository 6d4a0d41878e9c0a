/* run: its job is not a gang */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    static const struct pol_place place;
    if (m->n_calls >= 20 && m->kit.n > 0) m->kit.host->start(m->kit.host->ctx, m->kit.queue[0].task, &place, UINT32_MAX, NULL);
    return false;
}
