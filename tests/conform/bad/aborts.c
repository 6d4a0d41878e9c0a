/* run: decide call 20, after 0 decisions: signal 6, it called abort */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->n_calls == 20) abort();
    return false;
}
