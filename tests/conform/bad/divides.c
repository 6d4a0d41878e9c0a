/* run: signal 8, an integer division by zero */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    volatile int64_t zero = 0;
    if (m->n_calls == 20) m->own[0] = v->now_us / zero;
    return false;
}
