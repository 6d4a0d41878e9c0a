/*
 * request_class.h -- units that ask for the same are of one kind.
 *
 * A task's kind is its shape; a gang's the list of its tasks' shapes.  A kind
 * is *monotone* when taking more away can never make it fit: then one failure
 * holds until something becomes free.  Gangs of unlike tasks, and gangs whose
 * tasks ask shares of several cards, are not: placing the first task elsewhere
 * may leave better room for the next.
 */
#ifndef POL_LIB_SCHED_REQUEST_CLASS_H
#define POL_LIB_SCHED_REQUEST_CLASS_H

#include "policy.h"

struct kind {
    uint32_t *shape;            /* [n_tasks] owned */
    uint32_t  n_tasks;
    bool      is_monotone, is_uniform;
    uint64_t  failed_freed_epoch, failed_change_epoch;       /* the plan's, when it last failed; 0: never */
    uint64_t  no_victims_freed_epoch, no_victims_key_epoch;     /* the same for making room; see preempt.c */
    int64_t   no_victims_key;
};

struct kinds { struct kind *at; size_t cap; uint32_t n; uint32_t *slot; size_t n_slot; };

void     kinds_fini(struct kinds *k);           /* zero-initialise to begin */
/* The kind's id, from 0 in first-seen order; shape [n] is copied when new.  O(n). */
uint32_t kinds_id(struct kinds *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes);

#endif
