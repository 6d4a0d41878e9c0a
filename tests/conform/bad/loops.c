/* run: policy 'bad' did not return within 300 ms, in decide at t= */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (volatile int i = 0; m->n_calls == 20 && i < 2; i = 0) { }
    return false;
}
