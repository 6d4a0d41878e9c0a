/* conform: never settles */
#define FLAGS POL_PREEMPTS
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    rule(m, v);
    for (size_t i = 0; i < m->kit.n; i++)
        if (m->kit.queue[i].is_gone) m->kit.host->preempt(m->kit.host->ctx, m->kit.queue[i].task, NULL);
    return true;
}
