/*
 * stage_wait.h -- how long workflows waited between their stages.  Layer: metrics.
 * O(1) a start and an end of a task.
 */
#ifndef METRICS_STAGE_WAIT_H
#define METRICS_STAGE_WAIT_H

#include "model/world_view.h"

/* When the tasks of each stage of a live job first started last, and ended last; us, -1 never. */
struct stage_wait_job { sim_tick *start, *end; uint32_t n; };

struct stage_wait { struct stage_wait_job *job; size_t cap; };     /* by job slot */

void stage_wait_fini(struct stage_wait *s);     /* zero-initialise to begin */

/* To be called from an observer's members of the same names, of jobs whose tasks have an order. */
void stage_wait_arrived(struct stage_wait *s, const struct world *w, uint32_t job);
void stage_wait_started(struct stage_wait *s, const struct world *w, uint32_t task);
void stage_wait_stopped(struct stage_wait *s, const struct world *w, uint32_t task, enum stop_reason reason);

/* Time between the end of each stage and the last first start of the next. */
sim_tick stage_wait_of(const struct stage_wait *s, uint32_t job);

#endif
