/* run: it asks to be woken for the 100,000th time in a row, while jobs wait on an idle cluster */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)ev, (void)n_ev;
    m->kit.host->wake(m->kit.host->ctx, (v->now_us / 60000000 + 1) * 60000000);     /* each minute */
    m->kit.n = 0;
    return true;
}
