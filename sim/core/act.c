/*
 * act.c -- the arithmetic of act.h, in integers.  Invariant: an activity whose rate
 * is not 0 has one pending event, at the first microsecond by which nothing is left.
 */
#include "core/act.h"

static void arm(const struct act *a, struct evq *q)
{
    if (a->rate == 0) { evq_cancel(q, a->slot); return; }
    sim_work r = a->rate, t = a->left / r + (a->left % r != 0);
    evq_set(q, (struct ev){ .at = a->since + t, .subject = a->subject, .slot = a->slot, .cls = EV_FINISH });
}

sim_work act_left(const struct act *a, sim_tick now)
{
    sim_tick dt = now - a->since;
    SIM_ASSERT(dt >= 0);
    if (a->rate == 0) return a->left;
    if (dt > a->left / a->rate) return 0;       /* also keeps the product below left */
    return a->left - dt * (sim_work)a->rate;
}

void act_start(struct act *a, struct evq *q, uint32_t slot, uint64_t subject,
               sim_work left, sim_rate rate, sim_tick now)
{
    SIM_ASSERT(left >= 0);
    *a = (struct act){ .left = left, .since = now, .subject = subject, .rate = rate, .slot = slot };
    arm(a, q);
}

void act_set_rate(struct act *a, struct evq *q, sim_rate rate, sim_tick now)
{
    if (rate == a->rate) return;
    a->left = act_left(a, now);
    a->since = now;
    a->rate = rate;
    arm(a, q);
}

sim_work act_stop(struct act *a, struct evq *q, sim_tick now)
{
    a->left = act_left(a, now);
    a->since = now;
    a->rate = 0;
    evq_cancel(q, a->slot);
    return a->left;
}
