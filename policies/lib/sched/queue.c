/*
 * queue.c -- a heap of buckets, one for each request class, and walks over it, see
 * queue.h.
 */
#include "lib/sched/queue.h"

#include "lib/util.h"

void queue_fini(struct queue *q)
{
    free(q->b);
    free(q->of_class);
    free(q->heap);
    memset(q, 0, sizeof *q);
}

/* ---- request class -> bucket ---- */

static size_t slot_of(const struct queue *q, uint32_t class)
{
    size_t i = (size_t)(class * UINT32_C(2654435769)) & (q->n_of_class - 1);
    while (q->of_class[i] != POL_NONE && q->b[q->of_class[i]].request_class != class) i = (i + 1) & (q->n_of_class - 1);
    return i;
}

static void rehash(struct queue *q)
{
    size_t n = q->n_of_class ? 2 * q->n_of_class : 16;
    free(q->of_class);
    q->of_class = pol_alloc(n, sizeof *q->of_class);
    q->n_of_class = n;
    memset(q->of_class, 0xff, n * sizeof *q->of_class);
    for (uint32_t i = 0; i < q->n_b; i++) q->of_class[slot_of(q, q->b[i].request_class)] = i;
}

static uint32_t bucket_of(struct queue *q, uint32_t class)
{
    if (2 * (q->n_b + (size_t)1) > q->n_of_class) rehash(q);
    size_t i = slot_of(q, class);
    if (q->of_class[i] != POL_NONE) return q->of_class[i];
    POL_RESERVE(q->b, q->cap_b, (size_t)q->n_b + 1);
    q->b[q->n_b] = (struct queue_bucket){ .set = UNIT_SET_EMPTY, .request_class = class, .first = POL_NONE, .pos = POL_NONE };
    return q->of_class[i] = q->n_b++;
}

/* ---- the heap of buckets ---- */

static bool earlier(const struct queue *q, const struct units *u, uint32_t a, uint32_t b)
{
    return unit_before(&u->at[q->b[a].first], &u->at[q->b[b].first]);
}

static void put(struct queue *q, uint32_t at, uint32_t bucket)
{
    q->heap[at] = bucket;
    q->b[bucket].pos = at;
}

static void up(struct queue *q, const struct units *u, uint32_t at)
{
    uint32_t x = q->heap[at];
    for (; at > 0 && earlier(q, u, x, q->heap[(at - 1) / 2]); at = (at - 1) / 2) put(q, at, q->heap[(at - 1) / 2]);
    put(q, at, x);
}

static void down(struct queue *q, const struct units *u, uint32_t at)
{
    uint32_t x = q->heap[at];
    for (;;) {
        uint32_t c = 2 * at + 1;
        if (c >= q->n_heap) break;
        if (c + 1 < q->n_heap && earlier(q, u, q->heap[c + 1], q->heap[c])) c++;
        if (!earlier(q, u, q->heap[c], x)) break;
        put(q, at, q->heap[c]);
        at = c;
    }
    put(q, at, x);
}

void queue_add(struct queue *q, struct units *u, uint32_t id)
{
    uint32_t k = bucket_of(q, u->at[id].request_class);
    struct queue_bucket *b = &q->b[k];
    unit_set_add(&b->set, u, id);
    q->n++;
    if (b->first != POL_NONE && unit_before(&u->at[b->first], &u->at[id])) return;
    b->first = id;
    if (b->pos == POL_NONE) {
        POL_RESERVE(q->heap, q->cap_heap, (size_t)q->n_heap + 1);
        put(q, q->n_heap++, k);
    }
    up(q, u, b->pos);
}

void queue_del(struct queue *q, struct units *u, uint32_t id)
{
    struct queue_bucket *b = &q->b[bucket_of(q, u->at[id].request_class)];
    unit_set_del(&b->set, u, id);
    q->n--;
    if (b->first != id) return;
    uint32_t at = b->pos;
    b->first = unit_set_first(&b->set, u);
    if (b->first != POL_NONE) {
        down(q, u, at);
        return;
    }
    b->pos = POL_NONE;
    uint32_t last = q->heap[--q->n_heap];
    if (at == q->n_heap) return;
    put(q, at, last);
    up(q, u, at);
    down(q, u, q->b[last].pos);
}

uint32_t queue_first(const struct queue *q) { return q->n_heap > 0 ? q->b[q->heap[0]].first : POL_NONE; }

/* ---- walks ---- */

void queue_walk_fini(struct queue_walk *w)
{
    free(w->at);
    memset(w, 0, sizeof *w);
}

static void sink(struct queue_walk *w, const struct units *u, uint32_t at)
{
    struct queue_walk_at x = w->at[at];
    for (;;) {
        uint32_t c = 2 * at + 1;
        if (c >= w->n) break;
        if (c + 1 < w->n && unit_before(&u->at[w->at[c + 1].unit], &u->at[w->at[c].unit])) c++;
        if (!unit_before(&u->at[w->at[c].unit], &u->at[x.unit])) break;
        w->at[at] = w->at[c];
        at = c;
    }
    w->at[at] = x;
}

void queue_walk_open(struct queue_walk *w, const struct queue *q, const struct units *u,
               bool (*skip)(void *ctx, uint32_t class), void *ctx)
{
    w->q = q;
    w->n = 0;
    POL_RESERVE(w->at, w->cap_at, q->n_heap);
    for (uint32_t i = 0; i < q->n_heap; i++) {
        uint32_t k = q->heap[i];
        if (skip == NULL || !skip(ctx, q->b[k].request_class)) w->at[w->n++] = (struct queue_walk_at){ k, q->b[k].first };
    }
    for (uint32_t i = w->n / 2; i-- > 0;) sink(w, u, i);
}

uint32_t queue_walk_top(const struct queue_walk *w) { return w->n > 0 ? w->at[0].unit : POL_NONE; }

void queue_walk_drop(struct queue_walk *w, const struct units *u)
{
    w->at[0] = w->at[--w->n];
    if (w->n > 0) sink(w, u, 0);
}

void queue_walk_step(struct queue_walk *w, const struct units *u, int64_t most)
{
    const struct unit_set *set = &w->q->b[w->at[0].bucket].set;
    uint32_t id = w->at[0].unit;
    uint32_t next = most == POL_NEVER ? unit_set_next(set, u, id) : unit_set_next_within(set, u, id, most);
    if (next == POL_NONE) {
        queue_walk_drop(w, u);
        return;
    }
    w->at[0].unit = next;
    sink(w, u, 0);
}
