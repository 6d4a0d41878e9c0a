/*
 * act.h -- activities whose speed changes while they run.  Layer: core.
 *
 * Invariant, for every activity a at every instant t >= since[a]:
 *     left(t) = left[a] - (t - since[a]) * rate[a]
 * All terms are integers, so folding at t equals folding at t' and then at t:
 * looking at progress cannot change a finish time.  Finish = since +
 * ceil(left / rate); an activity with rate 0 has no pending event.
 */
#ifndef CORE_ACT_H
#define CORE_ACT_H

#include "core/evq.h"

struct act { sim_work left; sim_tick since; uint64_t subject; sim_rate rate; uint32_t slot; };

/* Begin (or begin again) with `left` work at `rate`; arms the finish event of a->slot. */
void     act_start(struct act *a, struct evq *q, uint32_t slot, uint64_t subject,
                   sim_work left, sim_rate rate, sim_tick now);
/* Change the rate: fold what was done and move the finish.  No change, no fold. */
void     act_set_rate(struct act *a, struct evq *q, sim_rate rate, sim_tick now);
/* Stop: cancels the event; returns what is left. */
sim_work act_stop(struct act *a, struct evq *q, sim_tick now);
sim_work act_left(const struct act *a, sim_tick now);

#endif
