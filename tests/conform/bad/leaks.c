/* run: the run of policy 'bad' grew by more than 200 MiB of memory, seen */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    void *p = malloc(1 << 20);
    if (p != NULL) m->kept = memset(p, 1, 1 << 20);
    return false;
}
