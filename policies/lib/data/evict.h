/*
 * evict.h -- preemption by shares: jobs below their share take GPUs back from jobs above
 * theirs.  README.md, gsp.  Which unit of a job stops is up to gpujobs_victim.
 *
 * Cost: evict_run O(needy jobs x victims).
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, section 3.2 (2).
 */
#ifndef POL_LIB_DATA_EVICT_H
#define POL_LIB_DATA_EVICT_H

#include "lib/data/offer.h"

/* A job above its share, by its slot: the last victim looked at, and what asks were released in this try. */
struct evict_rich { uint32_t job, last; int64_t gone; };
struct evict {
    struct evict_rich *rich; size_t cap_rich; uint32_t n_rich;
    uint32_t *needy;  size_t cap_needy;  uint32_t n_needy;
    uint32_t *victim; size_t cap_victim; uint32_t n_victims;
    /* By request class: the decision in which not even all victims were enough. */
    uint64_t *failed_in; size_t cap_failed_in;
    const char *reason;
};

void evict_fini(struct evict *e);       /* zero-initialise to begin */

/*
 * To be called after offer_gpus.  For each job below its share, the one that holds least
 * first, units of others are preempted until it has its share or nothing of it would fit;
 * only for a start that is not possible otherwise.
 */
void evict_run(struct evict *e, struct offer *o);

/*
 * The parts, for policies that need victims for other ends.  Begin: nothing is released.
 * Next: the next victim of the job furthest above its share (ties: the later one), which is
 * released in the plan and listed; POL_NONE: there is none.  Hand back: allocate to a
 * released unit again what it held, if that is still free.
 */
void evict_begin(struct evict *e, struct offer *o);
uint32_t evict_next(struct evict *e, struct offer *o);
bool evict_hand_back(struct sched *d, uint32_t victim);

#endif
