/*
 * evq.c -- the heap of evq.h.  Invariant: heap[pos[s]].slot == s for every slot s with
 * a pending event, NONE for all others.
 * Four children a node halve the depth of a binary heap, and lie side by side.
 */
#include "core/evq.h"

#include <string.h>
#include "base/mem.h"
#include "lib/heap.h"

static bool before(struct evq *q, const struct ev *a, const struct ev *b)
{
    (void)q;
    if (a->at != b->at) return a->at < b->at;
    if (a->cls != b->cls) return a->cls < b->cls;
    if (a->subject != b->subject) return a->subject < b->subject;
    return a->slot < b->slot;
}
static void stands(struct evq *q, const struct ev *e, size_t i) { q->pos[e->slot] = (uint32_t)i; }
HEAP_INDEXED(events, 4, struct evq *, struct ev, before, stands);

void evq_fini(struct evq *q)
{
    mem_free(q->heap);
    mem_free(q->pos);
    memset(q, 0, sizeof *q);
}

bool evq_pending(const struct evq *q, uint32_t slot)
{
    return slot < q->cap_pos && q->pos[slot] != NONE;
}

void evq_set(struct evq *q, struct ev e)
{
    if (e.slot >= q->cap_pos) {
        size_t old = q->cap_pos;
        MEM_RESERVE(q->pos, q->cap_pos, (size_t)e.slot + 1);
        memset(q->pos + old, 0xff, (q->cap_pos - old) * sizeof *q->pos);
    }
    uint32_t i = q->pos[e.slot];
    if (i == NONE) {
        MEM_RESERVE(q->heap, q->cap, q->n + 1);
        events_push(q, q->heap, q->n++, e);
        return;
    }
    bool is_earlier = before(q, &e, &q->heap[i]);
    q->heap[i] = e;
    if (is_earlier) events_rise(q, q->heap, i);
    else events_sink(q, q->heap, q->n, i);
}

void evq_cancel(struct evq *q, uint32_t slot)
{
    if (!evq_pending(q, slot)) return;
    events_take(q, q->heap, q->n--, q->pos[slot]);
    q->pos[slot] = NONE;
}

const struct ev *evq_peek(const struct evq *q) { return q->n ? &q->heap[0] : NULL; }

bool evq_pop(struct evq *q, struct ev *out)
{
    if (q->n == 0) return false;
    *out = q->heap[0];
    events_take(q, q->heap, q->n--, 0);
    q->pos[out->slot] = NONE;
    return true;
}
