/*
 * skew.h -- gangs that are placed on as few nodes as may be, or wait: those of models that go slowly on several.
 *
 * Tiresias' profiler calls a model skewed, and has it consolidated, where few tensors hold most of its parameters, as
 * such a one sends them unevenly.  What that costs it is what `profiles.distance` has measured.
 *
 * Cost: of a gang that is consolidated O(nodes x those that it takes).
 */
#ifndef POL_TIRESIAS_SKEW_H
#define POL_TIRESIAS_SKEW_H

#include "lib/sched/sched.h"

enum skew_who { SKEW_NOBODY, SKEW_SLOW, SKEW_ALL };

struct skew {
    struct sched *sched;                /* borrowed */
    enum skew_who who;
    double slow;                        /* SKEW_SLOW: of models that go below this on several nodes, over one */
    const struct pol_profiles *profiles;        /* SKEW_SLOW */
    uint32_t *least; size_t cap_least;  /* by request class: nodes that its tasks need at least; 0: not looked at */
    uint32_t *node; size_t cap_node;    /* of a gang's tasks */
};

void skew_init(struct skew *s, struct sched *d, enum skew_who who, double slow);
void skew_fini(struct skew *s);
/* Is it to be on as few nodes as may be?  Only gangs of GPU tasks alike.  Fails the run if nobody told of any model. */
bool skew_holds(const struct skew *s, const struct unit *u);
/* As sched_place and sched_fits; of one that is, on as few nodes as the empty cluster would take, or not at all. */
bool skew_place(struct skew *s, uint32_t unit);
bool skew_fits(struct skew *s, uint32_t unit);

#endif
