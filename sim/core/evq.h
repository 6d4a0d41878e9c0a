/*
 * evq.h -- the pending-event set: an indexed 4-ary heap, and piles of what is far off.  Layer: core.
 *
 * A slot owns at most one pending event, moved in place: no stale events.
 * Order: (at, cls, subject, slot).  `subject` is never recycled, so neither the
 * order of insertion nor re-arming changes a run.
 * evq_set, evq_cancel, evq_pop: O(log n), amortised; everything else O(1).  16 bytes an event, 16 a slot.
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

/* An event as it lies there: its subject, which is seldom asked for, is with its slot. */
struct evq_item { sim_tick at; uint32_t slot; uint8_t cls; };
struct evq_slot { uint64_t subject; uint32_t pile, at; };       /* 0: the heap, k + 1: pile k, NONE: nowhere; and the place there */
struct evq_pile { struct evq_item *at; struct ev least; size_t n, cap; };

struct evq {
    size_t n;                           /* events pending */
    struct evq_item *heap; size_t n_near, cap;  /* n_near counts an open place, which is the first */
    bool is_open;
    struct evq_slot *slot; size_t cap_slot;
    struct evq_pile *pile; size_t n_piles, cap_piles;   /* a stack: the nearest on top */
    size_t near_max;                    /* events in the heap; 0: as many as are fast */
};

void evq_fini(struct evq *q);                       /* zero-initialise to begin */
void evq_set(struct evq *q, struct ev e);           /* insert, or move the slot's event */
void evq_cancel(struct evq *q, uint32_t slot);      /* no event pending: nothing happens */
bool evq_pop(struct evq *q, struct ev *out);        /* false when empty */
/*
 * A pop in two parts: the place of the event stays open until evq_close, and the first that is set meanwhile takes it
 * where it can, which is cheaper than to close and to add.  In between, no event may be popped or peeked at.
 */
bool evq_begin(struct evq *q, struct ev *out);
void evq_close(struct evq *q);
/* NULL when empty; valid until the next change. */
static inline const struct evq_item *evq_peek(const struct evq *q) { return q->n ? &q->heap[0] : NULL; }
static inline bool evq_pending(const struct evq *q, uint32_t slot) { return slot < q->cap_slot && q->slot[slot].pile != NONE; }

#endif
