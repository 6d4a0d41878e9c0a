/*
 * unit.h -- scheduling units, and ordered sets of them.
 *
 * A unit is named by the slot of its (first) task.  It is in at most one ordered set at a
 * time: a queue while it waits, the running set while it runs.  The order is (key,
 * ordinal, index); no two units are equal in it.
 *
 * A set is a treap whose priorities are a hash of (ordinal, index), so that its shape is
 * the same on every machine.  Each vertex knows the smallest estimate below it, so that
 * "the next unit whose estimate is at most x" is found by a search too.
 * Cost: O(log n) expected for add, del and every search.
 */
#ifndef POL_LIB_SCHED_UNIT_H
#define POL_LIB_SCHED_UNIT_H

#include "policy.h"

enum unit_state { UNIT_NONE, UNIT_WAITING, UNIT_RUNNING, UNIT_LEAVING };   /* LEAVING: preempted, not yet told of */

struct unit {
    int64_t  key;
    uint64_t ordinal;
    uint32_t index;             /* of the task in the job; 0 for a gang */
    uint32_t left, right, prio; /* of the vertex in the set that holds it */
    int64_t  est, min_est;      /* estimate; least in the subtree */
    int64_t  attained;          /* running time of earlier attempts */
    int64_t  started;           /* of the present attempt */
    pol_job  job;
    pol_task task;              /* the first of a gang */
    uint32_t request_class, kind;       /* see request_class.h */
    int64_t  cpu_milli, mem_b;  /* that its first task asks */
    uint32_t n_tasks;           /* 1, or the gang's */
    uint32_t user;
    uint32_t bucket;            /* of the queue in which it waits; POL_NONE: it is in none yet */
    uint8_t  state;             /* enum unit_state */
    bool     is_gang, is_whole;         /* is_whole: the job has no other units */
    bool     is_monotone;               /* its request class is */
    uint64_t started_in;        /* decision in which it was last started */
};

struct units { struct unit *at; size_t cap; };

struct unit_set { uint32_t root, n; };      /* initialise with UNIT_SET_EMPTY */
#define UNIT_SET_EMPTY ((struct unit_set){ POL_NONE, 0 })

bool     unit_before(const struct unit *a, const struct unit *b);

void     unit_set_add(struct unit_set *s, struct units *u, uint32_t id);
void     unit_set_del(struct unit_set *s, struct units *u, uint32_t id);
/* POL_NONE where there is none.  next and prev: the neighbour of unit `id` in
 * order, whether or not it is in the set. */
uint32_t unit_set_first(const struct unit_set *s, const struct units *u);
uint32_t unit_set_last(const struct unit_set *s, const struct units *u);
uint32_t unit_set_next(const struct unit_set *s, const struct units *u, uint32_t id);
uint32_t unit_set_prev(const struct unit_set *s, const struct units *u, uint32_t id);
/* All of them in order: out [s->n]. */
void     unit_set_list(const struct unit_set *s, const struct units *u, uint32_t *out);
/* The first unit after `id` (POL_NONE: of all) whose estimate is at most `most`. */
uint32_t unit_set_next_within(const struct unit_set *s, const struct units *u, uint32_t id, int64_t most);

#endif
