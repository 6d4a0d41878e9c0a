/*
 * types.h -- the cluster's types of GPU, and on how many of its tasks an elastic job can run on each.
 *
 * Speeds are as elastic/1 tells them: on one node as long as a size fits there, else on several, as few as may be.
 */
#ifndef POL_LIB_ELASTIC_TYPES_H
#define POL_LIB_ELASTIC_TYPES_H

#include "lib/place/plan.h"

/* cards: of its largest node, up or down.  The rest is what is free in the plan, GPUs only where they are wholly. */
struct elastic_type { uint32_t gpu_type, cards; int64_t gpus, cpu, mem; };
struct elastic_types { struct elastic_type *at; size_t n, cap; };      /* widest first, ties by node */

/* O(nodes x types). */
void elastic_types_list(struct elastic_types *t, const struct plan *p);

/* Tasks that fit at once: on the type's node with most room, and on all of its nodes. */
struct elastic_room { uint32_t gpu_type, near, all; };
/* As the plan is.  O(nodes). */
struct elastic_room elastic_room(const struct plan *p, const struct pol_shape *s, uint32_t gpu_type);

/* A job and its sizes. */
struct elastic_sized { const struct pol_host *host; const struct pol_elastic *ext; pol_job job; uint32_t min, max; };

/* In millionths; of none 0, and where it does not run. */
int64_t elastic_speed_in(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n);
/* The least size above n on which it runs and for which there is room, the greatest below n; 0: none. */
uint32_t elastic_size_above(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n);
uint32_t elastic_size_below(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n);

#endif
