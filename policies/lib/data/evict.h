/*
 * evict.h -- jobs below their share take GPUs back from jobs above theirs.
 * README.md, gsp.  The choice of the unit to stop is gpujobs_victim.
 */
#ifndef POL_LIB_DATA_EVICT_H
#define POL_LIB_DATA_EVICT_H

#include "lib/data/offer.h"

struct evict_rich { uint32_t job, last; int64_t gone; };      /* slot; last victim looked at; asks released in this try */
struct evict {
    struct evict_rich *rich; size_t cap_rich; uint32_t n_rich;
    uint32_t *needy;  size_t cap_needy;  uint32_t n_needy;
    uint32_t *victim; size_t cap_victim; uint32_t n_victims;
    uint64_t *failed_in; size_t cap_failed_in;      /* by kind: decision in which not even all victims made room */
    const char *reason;
};

void evict_fini(struct evict *e);       /* zero-initialise to begin */

/*
 * After offer_gpus: every job below its share, the one that holds least first,
 * gets room for its waiting units as long as it is below.  Each stop makes a
 * start possible that the job could not have otherwise.  O(needy x victims).
 */
void evict_run(struct evict *e, struct offer *o);

/*
 * The parts, for policies that need victims for other ends.  Begin: nothing is
 * released.  Next: of the job furthest above its share (ties: the later one)
 * its next victim, released in the plan and listed; POL_NONE: there is none.
 * Hand back: take again what a released unit held, if that is still free.
 */
void evict_begin(struct evict *e, struct offer *o);
uint32_t evict_next(struct evict *e, struct offer *o);
bool evict_hand_back(struct sched *d, uint32_t victim);

#endif
