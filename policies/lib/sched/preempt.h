/*
 * preempt.h -- running units are preempted for a waiting one.  The rule is in
 * README.md, srtf.  Shared by srtf and las.
 */
#ifndef POL_LIB_SCHED_PREEMPT_H
#define POL_LIB_SCHED_PREEMPT_H

#include "lib/sched/room.h"
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

/* A unit that may be stopped on a node, for preempt_on_node. */
struct preempt_on { struct preempt_unit unit; int64_t started; uint32_t node; bool stays; };

struct preempt {
    struct preempt_order order;
    struct preempt_released released;
    uint64_t without;                       /* the decision in which a unit, and so those after it, had no victims */
    uint64_t key_epoch;                     /* raise it when a running unit's key grew: refusals are then forgotten */
    uint32_t *victim; size_t cap_victim; uint32_t n_victims;
    bool     *back;   size_t cap_back;      /* [n_victims] handed back */
    struct room room;                       /* of a gang for which victims are released */
    struct preempt_on *on; size_t cap_on;   /* scratch of preempt_on_node */
};

void preempt_fini(struct preempt *r);             /* zero-initialise to begin */

/*
 * Make `unit`, which does not fit, fit by preempting running units whose key is greater
 * than `victim_bound`, the last of the running set first.  Its placement is allocated in
 * the plan and left in d->place.
 *   fresh  the present key of a running unit; NULL: the keys in the set are current
 * False: nothing changed.  Cost: O(victims), and a placement; for a gang that is not monotone
 * a placement for each victim.  Within one decision `victim_bound` must not fall from call to call.
 */
bool preempt_for(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound,
               int64_t (*fresh)(void *self, const struct unit *u), const char *reason);

/*
 * As kube-scheduler does it: on one node, the least important of the units there whose key is greater than the
 * bound, no more than must.  Keys are those of the set, and grow with falling priority; a gang finds no room so.
 * The rest as with preempt_for.  README.md, "Kubernetes".  O(victims log victims) once a node would do.
 */
bool preempt_on_node(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound, const char *reason);

/*
 * Would a unit of one task, which does not fit now, fit on some node if every victim were released?  Those nodes
 * are among r->released.node, where preempt_would_do holds.
 */
bool preempt_could_fit(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound,
                       int64_t (*fresh)(void *, const struct unit *));
bool preempt_would_do(const struct sched *d, const struct plan *p, uint32_t shape, uint32_t node);
/* Running unit i from the last, if its key is above the bound; POL_NONE if not. */
uint32_t preempt_nth_last(struct preempt *r, struct sched *d, uint32_t i, int64_t victim_bound,
                          int64_t (*fresh)(void *, const struct unit *));
/*
 * Victims are released one by one in the plan, and then some of them put back: would the unit, which did not fit before
 * the `last` was released, fit now?  Leaves the plan as it was.  Of one task only that victim's nodes are looked at; of
 * a gang of tasks alike a count is kept in `room`, opened before the first release and told of each unit that moves.
 */
void preempt_open_room(struct room *room, struct sched *d, uint32_t unit);
void preempt_moved(struct room *room, const struct sched *d, uint32_t unit, uint32_t victim);
bool preempt_would_fit(const struct room *room, struct sched *d, uint32_t unit, uint32_t last);
/* It runs, and not only since this decision. */
bool preempt_may_stop(const struct sched *d, uint32_t v);

/* What differs between the policies. */
struct preempt_rule {
    bool on_node;                              /* preempt_on_node, else preempt_for */
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
