/*
 * evq.c -- the heap of evq.h.  Invariant: heap[pos[s]].slot == s for every slot s with
 * a pending event, NONE for all others; heap[i] is not after heap[4i+1 .. 4i+4].
 * Four children a node halve the depth of a binary heap, and lie side by side.
 */
#include "core/evq.h"

#include <string.h>
#include "base/mem.h"

static bool before(const struct ev *a, const struct ev *b)
{
    if (a->at != b->at) return a->at < b->at;
    if (a->cls != b->cls) return a->cls < b->cls;
    if (a->subject != b->subject) return a->subject < b->subject;
    return a->slot < b->slot;
}

static void put(struct evq *q, size_t i, const struct ev *e)
{
    q->heap[i] = *e;
    q->pos[e->slot] = (uint32_t)i;
}

static void sift_up(struct evq *q, size_t i, const struct ev *e)
{
    while (i > 0) {
        size_t p = (i - 1) / 4;
        if (!before(e, &q->heap[p])) break;
        put(q, i, &q->heap[p]);
        i = p;
    }
    put(q, i, e);
}

/* Place `e`, for which heap[i] is a hole, at i or below. */
static void sift_down(struct evq *q, size_t i, const struct ev *e)
{
    for (;;) {
        size_t c = 4 * i + 1, best = c, end = c + 4 < q->n ? c + 4 : q->n;
        if (c >= q->n) break;
        for (size_t k = c + 1; k < end; k++)
            if (before(&q->heap[k], &q->heap[best])) best = k;
        if (!before(&q->heap[best], e)) break;
        put(q, i, &q->heap[best]);
        i = best;
    }
    put(q, i, e);
}

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
        sift_up(q, q->n++, &e);
    } else if (before(&e, &q->heap[i])) {
        sift_up(q, i, &e);
    } else {
        sift_down(q, i, &e);
    }
}

void evq_cancel(struct evq *q, uint32_t slot)
{
    if (!evq_pending(q, slot)) return;
    size_t i = q->pos[slot];
    q->pos[slot] = NONE;
    struct ev last = q->heap[--q->n];
    if (i == q->n) return;
    if (i > 0 && before(&last, &q->heap[(i - 1) / 4])) sift_up(q, i, &last);
    else sift_down(q, i, &last);
}

const struct ev *evq_peek(const struct evq *q) { return q->n ? &q->heap[0] : NULL; }

bool evq_pop(struct evq *q, struct ev *out)
{
    if (q->n == 0) return false;
    *out = q->heap[0];
    q->pos[out->slot] = NONE;
    struct ev last = q->heap[--q->n];
    if (q->n > 0) sift_down(q, 0, &last);
    return true;
}
