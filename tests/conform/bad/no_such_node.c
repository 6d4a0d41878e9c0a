/* conform: named a node that does not exist */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    struct pol_place p = { .node = v->n_nodes };
    for (size_t i = 0; i < m->kit.n; i++)
        if (!m->kit.queue[i].is_gang) { m->kit.host->start(m->kit.host->ctx, m->kit.queue[i].task, &p, 1, NULL); break; }
    return false;
}
