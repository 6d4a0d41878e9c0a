/* conform: started a task that already runs */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    rule(m, v);
    for (size_t i = 0; i < m->kit.n; i++)
        if (m->kit.queue[i].is_gone && !m->kit.queue[i].is_gang) {
            m->kit.host->start(m->kit.host->ctx, m->kit.queue[i].task, m->kit.place, 1, NULL);
            break;
        }
    return true;
}
