/* run: it appends more decisions than all its tasks could need */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (int64_t at = v->now_us + 1; m->n_calls == 20; at++) {
        m->kit.host->wake(m->kit.host->ctx, at);
        if (at == v->now_us + 200000) break;
    }
    return false;
}
