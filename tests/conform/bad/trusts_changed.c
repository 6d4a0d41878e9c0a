/* conform: decides otherwise when nodes are listed as changed that did not change */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].rank = (int64_t)(m->kit.queue[i].ordinal % (v->n_changed + 2));
    return false;
}
