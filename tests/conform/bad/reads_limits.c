/* conform: reads users' estimates though its flags do not say so */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].rank = kit_job(&m->kit, m->kit.queue[i].job)->limit_us;
    return false;
}
