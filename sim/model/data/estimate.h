/*
 * estimate.h -- how fast transfers really were: the moving average that a monitor
 * of bandwidth keeps by level, in place of the speed of links.  Layer: model.
 *
 * The speed of a level is bytes over time, both summed over the last `window`
 * transfers of that level that ended or were cut short; before the first of
 * them it is `start`.  Sums are exact, so nothing drifts.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 2.4.
 */
#ifndef MODEL_DATA_ESTIMATE_H
#define MODEL_DATA_ESTIMATE_H

#include "model/data/blocks.h"

enum { ESTIMATE_WINDOW_MAX = 1000 };        /* so that sums of bytes stay below 2^59 */

/* window: transfers; 0: nothing is measured.  start: bytes a second; 0: the speed of the path's slowest link. */
struct estimate_spec { uint32_t window; int64_t start_bps[LEVELS]; };

struct estimate_sample { int64_t bytes, us; };
/* The last n transfers of a level: a ring of [window], whose oldest is at `next` once it is full. */
struct estimate_level { struct estimate_sample *last, sum; uint32_t n, next; };
struct estimate {
    uint32_t window;
    struct estimate_level level[LEVELS];
    uint64_t version;           /* how often a speed can have changed */
};

void estimate_init(struct estimate *e, uint32_t window);
void estimate_fini(struct estimate *e);
/* A transfer of the level got so many bytes, > 0, in `us`, > 0.  O(1). */
void estimate_add(struct estimate *e, enum data_level level, int64_t bytes, sim_tick us);
/* Time of `size` bytes at the level's speed, us, rounded down; -1 before anything was measured. */
int64_t estimate_us(const struct estimate *e, enum data_level level, int64_t size);

#endif
