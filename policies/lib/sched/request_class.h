/*
 * request_class.h -- units that ask for the same are of one request class.
 *
 * The class of a single task is its shape, that of a gang the list of its tasks' shapes.
 * A class is *monotone* when allocating more can never make it fit: then one failure
 * holds until something becomes free.  Gangs of unlike tasks, and gangs whose tasks ask
 * for shares of several cards, are not: if less is free, the placement rule may put the
 * first task elsewhere, and that may leave what the next one needs.
 *
 * Cost: O(tasks of the unit) to find its class.
 */
#ifndef POL_LIB_SCHED_REQUEST_CLASS_H
#define POL_LIB_SCHED_REQUEST_CLASS_H

#include "lib/map.h"
#include "policy.h"

struct request_class {
    uint32_t *shape;            /* [n_tasks] owned */
    uint32_t  n_tasks;
    bool      is_monotone, is_uniform;
    struct { uint64_t freed_epoch, change_epoch; } failed;          /* the plan's, when it last did not fit; 0: never */
    /* When not even preempting all victims made it fit, and the least key of a unit refused so; see preempt.h. */
    struct { uint64_t freed_epoch, key_epoch; int64_t key; } no_victims;
};

struct request_classes { struct request_class *at; size_t cap; uint32_t n; struct map of_shapes; };

void     request_class_fini(struct request_classes *k);           /* zero-initialise to begin */
/* The id of the class, from 0 in first-seen order; shape [n] is copied when new.  O(n). */
uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes);

#endif
