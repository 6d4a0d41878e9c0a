/* run: it notes a number that is not finite */
#include <math.h>
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    m->kit.host->note(m->kit.host->ctx, "load", (double)INFINITY);
    return false;
}
