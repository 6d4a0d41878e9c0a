/* conform: keeps a pointer into the view, an event or an info from one call to the next */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->kept == NULL) m->kept = v->node;
    const struct pol_node *node = m->kept;      /* good for one call only */
    memcpy(m->kit.now.node, node, v->n_nodes * sizeof *node);
    if (node[0].n_tasks > 1000) return true;
    return false;
}
