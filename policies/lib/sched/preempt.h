/*
 * preempt.h -- running units are preempted for a waiting one.  The rule is in
 * README.md, srtf.  Shared by srtf and las.
 */
#ifndef POL_LIB_SCHED_PREEMPT_H
#define POL_LIB_SCHED_PREEMPT_H

#include "lib/sched/sched.h"

struct preempt_unit { int64_t key; uint64_t ordinal; uint32_t index, id; };

/* This decision's running units from the last, as far as looked at. */
struct preempt_order {
    struct preempt_unit *at; size_t cap; uint32_t n;
    uint64_t in;                            /* the decision */
    uint32_t *all; size_t cap_all;          /* scratch */
};

/* The plan with the first n of that order released, on the nodes that they hold something of. */
struct preempt_released {
    struct plan plan;
    uint32_t n;
    uint64_t in;                            /* the decision */
    uint32_t *node; size_t cap_node; uint32_t n_nodes;
    uint64_t *node_in; size_t cap_node_in;  /* [node] the decision in which it was listed */
};

struct preempt {
    struct preempt_order order;
    struct preempt_released released;
    uint64_t key_epoch;                     /* raise it when a running unit's key grew: refusals are then forgotten */
    uint32_t *victim; size_t cap_victim; uint32_t n_victims;
    bool     *back;   size_t cap_back;      /* [n_victims] handed back */
};

void preempt_fini(struct preempt *r);             /* zero-initialise to begin */

/*
 * Make `unit`, which does not fit, fit by preempting running units whose key is greater
 * than `victim_bound`, the last of the running set first.  Its placement is allocated in
 * the plan and left in d->place.
 *   fresh  the present key of a running unit; NULL: the keys in the set are current
 * False: nothing changed.  Cost: O(victims) for a unit of one task; for a gang a placement
 * for each victim.  Within one decision `victim_bound` must not fall from call to call.
 */
bool preempt_for(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound,
               int64_t (*fresh)(void *self, const struct unit *u), const char *reason);

/* What differs between the policies. */
struct preempt_rule {
    int64_t (*victim_bound)(void *self, const struct unit *u);      /* preempt_for's, for a waiting unit */
    int64_t (*fresh)(void *self, const struct unit *u);
    const char *reason;                        /* of a preemption */
};
/*
 * One decision: each waiting unit in order starts, if need be after a preemption; one that
 * cannot is passed over (skip), or ends the decision.
 */
void preempt_run(struct preempt *r, struct sched *d, const struct preempt_rule *rule, bool skip);

#endif
