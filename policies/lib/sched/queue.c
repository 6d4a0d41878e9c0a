/*
 * queue.c -- a heap of buckets, one for each request class, and walks over it, see
 * queue.h.
 */
#include "lib/sched/queue.h"

#include "lib/heap.h"
#include "lib/util.h"

void queue_fini(struct queue *q)
{
    free(q->b);
    map_fini(&q->of_class);
    free(q->heap);
    memset(q, 0, sizeof *q);
}

static uint32_t bucket_of(struct queue *q, uint32_t class)
{
    uint32_t k;
    const uint32_t hash = map_mix(class);
    MAP_EACH(k, &q->of_class, hash)
        if (q->b[k].request_class == class) return k;
    POL_RESERVE(q->b, q->cap_b, (size_t)q->n_b + 1);
    q->b[q->n_b] = (struct queue_bucket){ .set = UNIT_SET_EMPTY, .request_class = class, .first = POL_NONE, .pos = POL_NONE };
    map_add(&q->of_class, hash, q->n_b);
    return q->n_b++;
}

/* ---- the heap of buckets ---- */

struct buckets { struct queue_bucket *b; const struct unit *unit; };

static bool earlier(struct buckets c, const uint32_t *x, const uint32_t *y)
{
    return unit_before(&c.unit[c.b[*x].first], &c.unit[c.b[*y].first]);
}
static void stands(struct buckets c, const uint32_t *x, size_t i) { c.b[*x].pos = (uint32_t)i; }
HEAP_INDEXED(buckets, 2, struct buckets, uint32_t, earlier, stands);

void queue_add(struct queue *q, struct units *u, uint32_t id)
{
    uint32_t k = bucket_of(q, u->at[id].request_class);
    struct queue_bucket *b = &q->b[k];
    const struct buckets c = { q->b, u->at };
    unit_set_add(&b->set, u, id);
    q->n++;
    if (b->first != POL_NONE && unit_before(&u->at[b->first], &u->at[id])) return;
    b->first = id;
    if (b->pos == POL_NONE) {
        POL_RESERVE(q->heap, q->cap_heap, (size_t)q->n_heap + 1);
        buckets_push(c, q->heap, q->n_heap++, k);
    } else {
        buckets_rise(c, q->heap, b->pos);
    }
}

void queue_del(struct queue *q, struct units *u, uint32_t id)
{
    struct queue_bucket *b = &q->b[bucket_of(q, u->at[id].request_class)];
    unit_set_del(&b->set, u, id);
    q->n--;
    if (b->first != id) return;
    const struct buckets c = { q->b, u->at };
    b->first = unit_set_first(&b->set, u);
    if (b->first != POL_NONE) {
        buckets_sink(c, q->heap, q->n_heap, b->pos);
        return;
    }
    buckets_take(c, q->heap, q->n_heap--, b->pos);
    b->pos = POL_NONE;
}

uint32_t queue_first(const struct queue *q) { return q->n_heap > 0 ? q->b[q->heap[0]].first : POL_NONE; }

/* ---- walks ---- */

void queue_walk_fini(struct queue_walk *w)
{
    free(w->at);
    memset(w, 0, sizeof *w);
}

static bool meets(const struct unit *unit, const struct queue_walk_at *x, const struct queue_walk_at *y)
{
    return unit_before(&unit[x->unit], &unit[y->unit]);
}
HEAP(walk, const struct unit *, struct queue_walk_at, meets);

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
    walk_make(u->at, w->at, w->n);
}

uint32_t queue_walk_top(const struct queue_walk *w) { return w->n > 0 ? w->at[0].unit : POL_NONE; }

void queue_walk_drop(struct queue_walk *w, const struct units *u)
{
    walk_take(u->at, w->at, w->n--, 0);
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
    walk_sink(u->at, w->at, w->n, 0);
}
