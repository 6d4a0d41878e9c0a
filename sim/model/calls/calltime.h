/*
 * calltime.h -- how long a call takes: on an engine of each type, and on the way
 * to another node.  Layer: model.
 *
 * An API has an implementation for some types of engine (cluster.engines).  Its
 * time is measured at some sizes; between two of them it lies on the straight
 * line, rounded down to a microsecond.  One measured size stands for all.
 */
#ifndef MODEL_CALLS_CALLTIME_H
#define MODEL_CALLS_CALLTIME_H

#include "base/intern.h"
#include "model/cluster/cluster.h"

struct call_point { int64_t size; sim_tick us; };
struct call_row { struct call_point *at; uint32_t n; size_t cap; };            /* by size, increasing */

/* row [api * ENGINE_TYPES_MAX + engine type] */
struct calltime { struct intern apis; struct call_row *row; size_t cap_row; };

void calltime_fini(struct calltime *t);             /* zero-initialise to begin */
/* A measured time, 0 <= us <= DUR_MAX; size > 0.  False: that size is there already.  O(sizes of the row). */
bool calltime_add(struct calltime *t, uint32_t api, uint32_t engine, int64_t size, sim_tick us);
/*
 * Time of a call on an engine of that type; -1: it cannot run there, or its
 * size is outside of what was measured.  O(log sizes).
 */
sim_tick calltime_us(const struct calltime *t, uint32_t api, uint32_t engine, int64_t size);
/* The least over the types in `mask`; -1: none of them can run it. */
sim_tick calltime_best(const struct calltime *t, uint32_t api, int64_t size, uint32_t mask);

/* Time on the way from node a to b and back: 0 if they are one.  us; rounded up.  -1: longer than can be counted. */
sim_tick calltime_overhead(const struct cluster *c, uint32_t a, uint32_t b, int64_t size, int64_t result);

#endif
