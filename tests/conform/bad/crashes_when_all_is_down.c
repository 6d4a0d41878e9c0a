/* conform: crashes */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    int64_t up = 0;
    for (uint32_t n = 0; n < v->n_nodes; n++) up += v->node[n].is_up;
    volatile int64_t share = 100 / up;
    return share == 0;
}
