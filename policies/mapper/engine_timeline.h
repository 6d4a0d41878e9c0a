/*
 * engine_timeline.h -- when an engine is booked, and for which task.  The list schedulers
 * and HEFT estimate with it.
 *
 * Invariant: the slots of a timeline are in order of time and do not overlap.
 * Cost: O(slots) each.
 */
#ifndef POL_MAPPER_ENGINE_TIMELINE_H
#define POL_MAPPER_ENGINE_TIMELINE_H

#include "policy.h"

struct engine_slot { int64_t start, end; uint32_t task; };
struct engine_timeline { uint32_t node, engine; struct engine_slot *slot; size_t cap; uint32_t n; };

/*
 * The earliest start of a slot of length `dur`, not before `ready`: after all others, or
 * with `inserts` in the first gap that is long enough.
 */
int64_t engine_timeline_fit(const struct engine_timeline *l, int64_t ready, int64_t dur, bool inserts);
void    engine_timeline_put(struct engine_timeline *l, uint32_t task, int64_t start, int64_t dur);
void    engine_timeline_drop(struct engine_timeline *l, uint32_t task);       /* if it is there */
void    engine_timeline_fini(struct engine_timeline *l);

#endif
