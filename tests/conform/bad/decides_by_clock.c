/* conform: two runs of the same case decided differently */
#include <time.h>
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    struct timespec now;
    (void)timespec_get(&now, TIME_UTC);
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].rank = (int64_t)(((uint64_t)now.tv_nsec / 1000 + i) * 2654435761u % 1009);
    return false;
}
