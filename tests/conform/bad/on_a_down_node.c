/* conform: started a task on a node that is down */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (uint32_t n = 0; n < v->n_nodes; n++) {
        if (v->node[n].is_up) continue;
        m->kit.now.node[n].is_up = 1;
        m->kit.now.node[n].n_tasks = 0;
    }
    return false;
}
