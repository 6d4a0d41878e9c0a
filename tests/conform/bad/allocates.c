/* run: the run of policy 'bad' grew by more than 200 MiB of memory, seen in decide at t= */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    while (m->n_calls == 20) {
        void *p = malloc(1 << 20);
        if (p != NULL) memset(p, 1, 1 << 20);
    }
    return false;
}
