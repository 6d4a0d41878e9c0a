/* conform: waiting on an idle cluster */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    rule(m, v);
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].is_gone = 1;     /* who did not fit is forgotten */
    return true;
}
