/* create: crashed while it was loaded: signal 6 */
#include "bad.h"

__attribute__((constructor)) static void begin(void) { abort(); }

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    return false;
}
