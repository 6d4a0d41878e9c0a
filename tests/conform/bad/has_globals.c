/* conform: decides otherwise beside another instance of itself */
#include <stdint.h>
static uint64_t n_mine;
#include "bad.h"

static bool bad(struct mine *m, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    (void)m, (void)v, (void)ev, (void)n_ev;
    if (m->n_calls == 1) n_mine = 0;            /* right as long as there is one at a time */
    for (size_t i = 0; i < n_ev; i++) n_mine += ev[i].type == POL_ARRIVED;
    for (size_t i = 0; i < m->kit.n; i++) m->kit.queue[i].rank = (int64_t)(m->kit.queue[i].ordinal * n_mine * 7919 % 101);
    return false;
}
