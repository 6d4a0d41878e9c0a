/*
 * request_class.h -- units that ask for the same are of one request class.
 *
 * A task's class is its shape; a gang's the list of its tasks' shapes.  A class
 * is *monotone* when taking more away can never make it fit: then one failure
 * holds until something becomes free.  Gangs of unlike tasks, and gangs whose
 * tasks ask shares of several cards, are not: placing the first task elsewhere
 * may leave better room for the next.
 */
#ifndef POL_LIB_SCHED_REQUEST_CLASS_H
#define POL_LIB_SCHED_REQUEST_CLASS_H

#include "policy.h"

struct request_class {
    uint32_t *shape;            /* [n_tasks] owned */
    uint32_t  n_tasks;
    bool      is_monotone, is_uniform;
    struct { uint64_t freed_epoch, change_epoch; } failed;          /* the plan's, when it last did not fit; 0: never */
    /* The same when no victims would do, and the least key of a unit that was refused; preempt.h. */
    struct { uint64_t freed_epoch, key_epoch; int64_t key; } no_victims;
};

struct request_classes { struct request_class *at; size_t cap; uint32_t n; uint32_t *slot; size_t n_slot; };

void     request_class_fini(struct request_classes *k);           /* zero-initialise to begin */
/* The id of the class, from 0 in first-seen order; shape [n] is copied when new.  O(n). */
uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes);

#endif
