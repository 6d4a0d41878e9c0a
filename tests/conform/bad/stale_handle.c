/* conform: named a job or task that is over */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < n_ev; i++)
        if (ev[i].type == POL_TASK_ENDED) m->kit.host->start(m->kit.host->ctx, (pol_task){ ev[i].task.slot, ev[i].task.gen - 1 }, m->kit.place, 1, NULL);
    return false;
}
