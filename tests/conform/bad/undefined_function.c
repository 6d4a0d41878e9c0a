/* load: it cannot be loaded */
void nobody_has_this(void);
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    nobody_has_this();
    return false;
}
