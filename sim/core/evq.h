/*
 * evq.h -- the pending-event set: an indexed 4-ary heap.  Layer: core.
 *
 * A slot owns at most one pending event, moved in place: no stale events.
 * Order: (at, cls, subject, slot).  `subject` is never recycled, so neither the
 * order of insertion nor re-arming changes a run.
 * evq_set, evq_cancel, evq_pop: O(log n); everything else O(1).
 */
#ifndef CORE_EVQ_H
#define CORE_EVQ_H

#include "base/base.h"

/* Phases of one instant, in firing order: capacity is returned before it is
 * asked for, and samples see the instant's outcome. */
enum ev_class { EV_FINISH, EV_FAULT, EV_REPAIR, EV_ARRIVAL, EV_TIMER, EV_SAMPLE };

struct ev {
    sim_tick at;
    uint64_t subject;   /* job ordinal, node number...: breaks ties */
    uint32_t slot;      /* the owner; the key for evq_set and evq_cancel */
    uint8_t  cls;       /* enum ev_class */
};

struct evq { struct ev *heap; uint32_t *pos; size_t n, cap, cap_pos; };

void evq_fini(struct evq *q);                       /* zero-initialise to begin */
void evq_set(struct evq *q, struct ev e);           /* insert, or move the slot's event */
void evq_cancel(struct evq *q, uint32_t slot);      /* no event pending: nothing happens */
bool evq_pop(struct evq *q, struct ev *out);        /* false when empty */
const struct ev *evq_peek(const struct evq *q);     /* NULL when empty; valid until the next change */
bool evq_pending(const struct evq *q, uint32_t slot);

#endif
