/* conform: preempts though its flags say it does not */
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    for (size_t i = 0; i < m->kit.n; i++)
        if (kit_start(&m->kit, v, &m->kit.queue[i], NULL)) { m->own[0] = m->kit.queue[i].task.slot; m->own[1] = m->kit.queue[i].task.gen; m->own[2]++; }
    pol_task t = { (uint32_t)m->own[0], (uint32_t)m->own[1] };
    const struct pol_task_info *i = m->own[2] > 0 ? kit_task(&m->kit, t) : NULL;
    if (i != NULL && i->is_running) m->kit.host->preempt(m->kit.host->ctx, t, NULL);
    return true;
}
