/* conform: started a task where it does not fit */
#define FLAGS POL_TAKES_REFUSALS
#include "bad.h"

/* It is told, in round after round of one instant, and asks for the same again. */
static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < m->kit.n; i++) {
        const struct unit *u = &m->kit.queue[i];
        if (!u->is_gang) m->kit.host->start(m->kit.host->ctx, u->task, &(struct pol_place){ .node = 0 }, 1, NULL);
    }
    return true;
}
