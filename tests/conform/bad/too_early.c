/* conform: started a task before the tasks that it waits for */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)v;
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type != POL_ARRIVED || kit_job(&m->kit, ev[i].job)->is_gang) continue;
        const struct pol_place place = { .node = 0 };
        const struct pol_task_info *t;
        for (pol_task k = kit_job(&m->kit, ev[i].job)->first_task; k.slot != POL_NONE; k = t->next) {
            t = kit_task(&m->kit, k);
            if (!t->is_waiting && !t->is_running) m->kit.host->start(m->kit.host->ctx, k, &place, 1, NULL);
        }
    }
    return false;
}
