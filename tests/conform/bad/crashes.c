/* run: policy 'bad' crashed in decide at t= */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    volatile int *nowhere = (volatile int *)(uintptr_t)(v->now_us % 3);
    if (m->n_calls == 20) *nowhere = 1;
    return false;
}
