/* conform: started one task of a gang */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].is_gang = 0;
    return false;
}
