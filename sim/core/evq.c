/*
 * evq.c -- the pending events of evq.h: a heap of the nearest, and piles of the later ones.
 *
 * A heap of millions misses the cache at every level, and once more for the slot of every event that it moves.  So
 * the heap holds the nearest events alone, at most near_max, and the others lie unsorted in piles, each of a stretch of
 * time that follows that of the next on the stack.  When the heap is empty it takes the pile on top of the stack;
 * a pile that is too large is dealt out into smaller ones first, and so is a heap that grew too large.  What pending
 * events are spread over is found from a sample of them, so no distribution of times is a bad one, and ties are spread,
 * too.  With few events there is no pile, and all is the heap.
 * Source: Tang, Goh & Thng, Ladder queue, ACM TOMACS 15, 2005, with splitters from a sample in place of equal widths.
 *
 * Invariants: every event stands where its slot says; heap < pile[n_piles - 1] < ... < pile[0];
 * no event of a pile is before its `least`; the heap is empty only when all is.
 */
#include "core/evq.h"

#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "lib/heap.h"

enum {
    NEAR_MAX = 8192,            /* events that fit a core's cache with their slots */
    WAYS_MAX = 1024,            /* piles dealt out to at a time: more miss the cache */
    SAMPLE = 8,                 /* events looked at for each of them */
};

static bool is_before(const struct ev *a, const struct ev *b)
{
    if (a->at != b->at) return a->at < b->at;
    if (a->cls != b->cls) return a->cls < b->cls;
    if (a->subject != b->subject) return a->subject < b->subject;
    return a->slot < b->slot;
}

static struct ev event_of(const struct evq *q, const struct evq_item *i)
{
    return (struct ev){ .at = i->at, .subject = q->slot[i->slot].subject, .slot = i->slot, .cls = i->cls };
}

/* Two at the same time are few. */
static bool ties_before(const struct evq *q, const struct evq_item *a, const struct evq_item *b)
{
    const struct ev x = event_of(q, a), y = event_of(q, b);
    return is_before(&x, &y);
}

static inline bool before(struct evq *q, const struct evq_item *a, const struct evq_item *b)
{
    return a->at != b->at ? a->at < b->at : ties_before(q, a, b);
}
static inline void stands(struct evq *q, const struct evq_item *e, size_t i)
{
    struct evq_slot *s = &q->slot[e->slot];
    s->pile = 0;
    s->at = (uint32_t)i;
}
HEAP_INDEXED(events, 4, struct evq *, struct evq_item, before, stands);

void evq_fini(struct evq *q)
{
    for (size_t i = 0; i < q->n_piles; i++) mem_free(q->pile[i].at);
    MEM_FREE(q->heap, q->slot, q->pile);
    memset(q, 0, sizeof *q);
}

/* ---- piles ---- */

static void lay(struct evq *q, size_t pile, const struct evq_item *e)
{
    struct evq_pile *p = &q->pile[pile];
    if (p->n == p->cap) p->at = mem_grow(p->at, p->cap = 2 * p->cap + 4, sizeof *p->at);
    q->slot[e->slot].pile = (uint32_t)pile + 1;
    q->slot[e->slot].at = (uint32_t)p->n;
    p->at[p->n++] = *e;
}

static int by_order(const void *a, const void *b) { return is_before(a, b) ? -1 : is_before(b, a); }

/* How many of the splitters [n] are not after e: which pile it belongs to, counted from the nearest. */
static size_t way_of(const struct ev *splitter, size_t n, const struct ev *e)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = (n + 1) / 2;
        low = is_before(e, &splitter[low + half - 1]) ? low : low + half;
        n -= half;
    }
    return low;
}

/* Deal the pile on top of the stack out into several, of near_max / 4 events or so each. */
static void deal(struct evq *q)
{
    struct evq_pile from = q->pile[--q->n_piles];
    size_t ways = from.n / (q->near_max / 4 + 1) + 2;
    if (ways > WAYS_MAX) ways = WAYS_MAX;
    struct ev *sample, *splitter;
    MEM_ARRAY(sample, ways * SAMPLE);
    MEM_ARRAY(splitter, ways);
    for (size_t i = 0; i < ways * SAMPLE; i++) sample[i] = event_of(q, &from.at[i * from.n / (ways * SAMPLE)]);
    qsort(sample, ways * SAMPLE, sizeof *sample, by_order);
    for (size_t k = 1; k < ways; k++) splitter[k - 1] = sample[k * SAMPLE];
    MEM_RESERVE(q->pile, q->cap_piles, q->n_piles + ways);
    for (size_t k = 0; k < ways; k++)
        q->pile[q->n_piles + k] = (struct evq_pile){ .least = k + 1 < ways ? splitter[ways - 2 - k] : from.least };
    const size_t nearest = q->n_piles + ways - 1;
    for (size_t i = 0; i < from.n; i++) {
        const struct ev e = event_of(q, &from.at[i]);
        lay(q, nearest - way_of(splitter, ways - 1, &e), &from.at[i]);
    }
    q->n_piles += ways;
    MEM_FREE(sample, splitter, from.at);
}

/* Take the nearest pile that has events. */
static void take_pile(struct evq *q)
{
    while (q->n_piles > 0 && q->n_near == 0) {
        struct evq_pile *p = &q->pile[q->n_piles - 1];
        if (p->n > q->near_max) { deal(q); continue; }
        mem_free(q->heap);
        q->heap = p->at;
        q->n_near = p->n;
        q->cap = p->cap;
        q->n_piles--;
        events_make(q, q->heap, q->n_near);
    }
}

static inline void refill(struct evq *q)
{
    if (q->n_near == 0 && q->n_piles > 0) take_pile(q);
}

/* The heap grew too large: as a pile it is dealt out. */
static void spill(struct evq *q)
{
    const struct ev least = event_of(q, &q->heap[0]);
    MEM_RESERVE(q->pile, q->cap_piles, q->n_piles + 1);
    q->pile[q->n_piles++] = (struct evq_pile){ .at = q->heap, .n = q->n_near, .cap = q->cap, .least = least };
    q->heap = NULL;
    q->n_near = q->cap = 0;
    refill(q);
}

/* ---- events ---- */

static bool is_near(const struct evq *q, const struct ev *e)
{
    return q->n_piles == 0 || is_before(e, &q->pile[q->n_piles - 1].least);
}

/* An event of a slot that has none. */
static void add(struct evq *q, const struct ev *e)
{
    const struct evq_item item = { .at = e->at, .slot = e->slot, .cls = e->cls };
    q->n++;
    q->slot[e->slot].subject = e->subject;
    if (is_near(q, e)) {
        if (q->is_open) {
            q->is_open = false;
            q->heap[0] = item;
            events_sink(q, q->heap, q->n_near, 0);
            return;
        }
        if (q->n_near == q->cap) MEM_RESERVE(q->heap, q->cap, q->n_near + 1);
        events_push(q, q->heap, q->n_near++, item);
        if (q->n_near > q->near_max) spill(q);
        return;
    }
    size_t low = 0, high = q->n_piles - 1;      /* the first that does not begin after e */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (is_before(e, &q->pile[mid].least)) low = mid + 1;
        else high = mid;
    }
    lay(q, low, &item);
}

/* Without refilling the heap. */
static void take(struct evq *q, uint32_t slot)
{
    const struct evq_slot at = q->slot[slot];
    q->slot[slot].pile = NONE;
    q->n--;
    if (at.pile == 0) {
        events_take(q, q->heap, q->n_near--, at.at);
        return;
    }
    struct evq_pile *p = &q->pile[at.pile - 1];
    if (at.at == --p->n) return;
    p->at[at.at] = p->at[p->n];
    q->slot[p->at[at.at].slot].at = at.at;
}

void evq_set(struct evq *q, struct ev e)
{
    if (e.slot >= q->cap_slot) {
        size_t old = q->cap_slot;
        MEM_RESERVE(q->slot, q->cap_slot, (size_t)e.slot + 1);
        for (size_t i = old; i < q->cap_slot; i++) q->slot[i].pile = NONE;
        if (q->near_max == 0) q->near_max = NEAR_MAX;
    }
    if (q->slot[e.slot].pile == 0) evq_close(q);
    const struct evq_slot at = q->slot[e.slot];
    if (at.pile == 0 && is_near(q, &e)) {
        struct evq_item *item = &q->heap[at.at];
        const struct ev was = event_of(q, item);
        *item = (struct evq_item){ .at = e.at, .slot = e.slot, .cls = e.cls };
        q->slot[e.slot].subject = e.subject;
        if (is_before(&e, &was)) events_rise(q, q->heap, at.at);
        else events_sink(q, q->heap, q->n_near, at.at);
        return;
    }
    if (at.pile != NONE) take(q, e.slot);
    add(q, &e);
    refill(q);          /* it may have left the heap empty */
}

void evq_cancel(struct evq *q, uint32_t slot)
{
    if (!evq_pending(q, slot)) return;
    evq_close(q);
    take(q, slot);
    refill(q);
}

bool evq_begin(struct evq *q, struct ev *out)
{
    if (q->n == 0) return false;
    *out = event_of(q, &q->heap[0]);
    q->slot[out->slot].pile = NONE;
    q->n--;
    q->is_open = true;
    return true;
}

void evq_close(struct evq *q)
{
    if (!q->is_open) return;
    q->is_open = false;
    events_take(q, q->heap, q->n_near--, 0);
    refill(q);
}

bool evq_pop(struct evq *q, struct ev *out)
{
    if (!evq_begin(q, out)) return false;
    evq_close(q);
    return true;
}
