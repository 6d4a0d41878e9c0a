/*
 * queue.c -- buckets of units, one for each request class, in treaps by their kinds, a heap
 * of kinds, the line before all these, and walks over them, see queue.h.
 */
#include "lib/sched/queue.h"

#include "lib/heap.h"
#include "lib/util.h"

void queue_fini(struct queue *q)
{
    free(q->b);
    map_fini(&q->of_class);
    free(q->kind);
    map_fini(&q->of_kind);
    free(q->heap);
    free(q->door.at);
    memset(q, 0, sizeof *q);
}

static uint32_t kind_of(struct queue *q, uint32_t kind)
{
    uint32_t k;
    const uint32_t hash = map_mix(kind);
    MAP_EACH(k, &q->of_kind, hash)
        if (q->kind[k].kind == kind) return k;
    POL_RESERVE(q->kind, q->cap_kind, (size_t)q->n_kinds + 1);
    q->kind[q->n_kinds] = (struct queue_kind){ .kind = kind, .root = POL_NONE, .first = POL_NONE, .pos = POL_NONE };
    map_add(&q->of_kind, hash, q->n_kinds);
    return q->n_kinds++;
}

/* Room for one more: buckets of request classes that do not wait are used again once they are half of all. */
static uint32_t new_bucket(struct queue *q)
{
    if (q->free == 0 && q->n_b > 0 && q->n_b == q->cap_b) {
        uint32_t n = 0;
        for (uint32_t k = q->n_b; k-- > 0;) {
            struct queue_bucket *b = &q->b[k];
            if (b->first != POL_NONE) continue;
            map_del(&q->of_class, map_mix(b->request_class), k);
            b->left = q->free;
            q->free = k + 1;
            n++;
        }
        if (n < q->n_b / 2) POL_RESERVE(q->b, q->cap_b, (size_t)q->n_b + 1);
    }
    if (q->free == 0) {
        POL_RESERVE(q->b, q->cap_b, (size_t)q->n_b + 1);
        return q->n_b++;
    }
    const uint32_t k = q->free - 1;
    q->free = q->b[k].left;
    return k;
}

static uint32_t bucket_of(struct queue *q, const struct unit *u)
{
    uint32_t k;
    const uint32_t hash = map_mix(u->request_class);
    MAP_EACH(k, &q->of_class, hash)
        if (q->b[k].request_class == u->request_class) break;
    if (k != POL_NONE) {
        const struct queue_bucket *b = &q->b[k];
        /* If it is empty the class's id may have come to mean another. */
        if (b->first != POL_NONE ||
            (b->cpu_milli == u->cpu_milli && b->mem_b == u->mem_b && q->kind[b->kind].kind == u->kind))
            return k;
    } else {
        map_add(&q->of_class, hash, k = new_bucket(q));
    }
    q->b[k] = (struct queue_bucket){ .set = UNIT_SET_EMPTY, .request_class = u->request_class, .first = POL_NONE,
                                     .kind = kind_of(q, u->kind), .prio = map_mix((uint64_t)hash << 20 ^ hash),
                                     .cpu_milli = u->cpu_milli, .mem_b = u->mem_b };
    return k;
}

/* ---- the treap of a kind's buckets ---- */

static bool stands_before(const struct queue *q, const struct units *u, uint32_t a, uint32_t b)
{
    return unit_before(&u->at[q->b[a].first], &u->at[q->b[b].first]);
}

static void pull(struct queue *q, uint32_t t)
{
    struct queue_bucket *b = &q->b[t];
    b->cpu_min = b->cpu_milli;
    b->mem_min = b->mem_b;
    b->est_min = b->est;
    for (int side = 0; side < 2; side++) {
        const uint32_t k = side == 0 ? b->left : b->right;
        if (k == POL_NONE) continue;
        if (q->b[k].cpu_min < b->cpu_min) b->cpu_min = q->b[k].cpu_min;
        if (q->b[k].mem_min < b->mem_min) b->mem_min = q->b[k].mem_min;
        if (q->b[k].est_min < b->est_min) b->est_min = q->b[k].est_min;
    }
}

static void split(struct queue *q, const struct units *u, uint32_t t, uint32_t x, uint32_t *l, uint32_t *r)
{
    if (t == POL_NONE) {
        *l = *r = POL_NONE;
        return;
    }
    if (stands_before(q, u, t, x)) {
        split(q, u, q->b[t].right, x, &q->b[t].right, r);
        *l = t;
    } else {
        split(q, u, q->b[t].left, x, l, &q->b[t].left);
        *r = t;
    }
    pull(q, t);
}

static uint32_t merge(struct queue *q, uint32_t a, uint32_t b)
{
    if (a == POL_NONE) return b;
    if (b == POL_NONE) return a;
    if (q->b[a].prio > q->b[b].prio) {
        q->b[a].right = merge(q, q->b[a].right, b);
        pull(q, a);
        return a;
    }
    q->b[b].left = merge(q, a, q->b[b].left);
    pull(q, b);
    return b;
}

static void insert(struct queue *q, const struct units *u, uint32_t *t, uint32_t x)
{
    if (*t == POL_NONE || q->b[x].prio > q->b[*t].prio) {
        uint32_t l, r;
        split(q, u, *t, x, &l, &r);
        q->b[x].left = l;
        q->b[x].right = r;
        *t = x;
    } else {
        insert(q, u, stands_before(q, u, x, *t) ? &q->b[*t].left : &q->b[*t].right, x);
    }
    pull(q, *t);
}

static void cut(struct queue *q, const struct units *u, uint32_t *t, uint32_t x)
{
    if (*t == x) {
        *t = merge(q, q->b[x].left, q->b[x].right);
        return;
    }
    cut(q, u, stands_before(q, u, x, *t) ? &q->b[*t].left : &q->b[*t].right, x);
    pull(q, *t);
}

/* Of x, whose place is the same, and of those above. */
static void pull_path(struct queue *q, const struct units *u, uint32_t t, uint32_t x)
{
    if (t != x) pull_path(q, u, stands_before(q, u, x, t) ? q->b[t].left : q->b[t].right, x);
    pull(q, t);
}

/* The least estimate of the bucket's units; did it change? */
static bool estimate(struct queue_bucket *b, const struct units *u)
{
    const int64_t was = b->est;
    b->est = b->set.root != POL_NONE ? u->at[b->set.root].min_est : POL_NEVER;
    return b->est != was;
}

/* ---- the heap of kinds ---- */

struct kinds { struct queue_kind *kind; const struct unit *unit; };

static bool earlier(struct kinds c, const uint32_t *x, const uint32_t *y)
{
    return unit_before(&c.unit[c.kind[*x].first], &c.unit[c.kind[*y].first]);
}
static void stands(struct kinds c, const uint32_t *x, size_t i) { c.kind[*x].pos = (uint32_t)i; }
HEAP_INDEXED(kinds, 2, struct kinds, uint32_t, earlier, stands);

/* From the door to its bucket. */
static void enter(struct queue *q, struct units *u, uint32_t id)
{
    const uint32_t x = bucket_of(q, &u->at[id]);
    struct queue_bucket *b = &q->b[x];
    struct queue_kind *k = &q->kind[b->kind];
    const struct kinds c = { q->kind, u->at };
    unit_set_add(&b->set, u, id);
    u->at[id].bucket = x;
    const bool is_other = estimate(b, u);
    if (b->first != POL_NONE && unit_before(&u->at[b->first], &u->at[id])) {
        if (is_other) pull_path(q, u, k->root, x);
        return;
    }
    if (b->first != POL_NONE) cut(q, u, &k->root, x);
    b->first = id;
    insert(q, u, &k->root, x);
    if (k->first != POL_NONE && unit_before(&u->at[k->first], &u->at[id])) return;
    k->first = id;
    if (k->pos != POL_NONE) {
        kinds_rise(c, q->heap, k->pos);
        return;
    }
    POL_RESERVE(q->heap, q->cap_heap, (size_t)q->n_heap + 1);
    kinds_push(c, q->heap, q->n_heap++, b->kind);
}

static void leave(struct queue *q, struct units *u, uint32_t id)
{
    const uint32_t x = u->at[id].bucket;
    struct queue_bucket *b = &q->b[x];
    struct queue_kind *k = &q->kind[b->kind];
    unit_set_del(&b->set, u, id);
    const bool is_other = estimate(b, u);
    if (b->first != id) {
        if (is_other) pull_path(q, u, k->root, x);
        return;
    }
    const struct kinds c = { q->kind, u->at };
    cut(q, u, &k->root, x);
    b->first = unit_set_first(&b->set, u);
    if (b->first != POL_NONE) insert(q, u, &k->root, x);
    if (k->first != id) return;
    if (k->root == POL_NONE) {
        kinds_take(c, q->heap, q->n_heap--, k->pos);
        k->first = k->pos = POL_NONE;
        return;
    }
    uint32_t t = k->root;
    while (q->b[t].left != POL_NONE) t = q->b[t].left;
    k->first = q->b[t].first;
    kinds_sink(c, q->heap, q->n_heap, k->pos);
}

/* ---- the line at the door ---- */

static void stand(struct queue *q, struct unit *u, uint32_t id)
{
    if (q->door.end == q->door.cap && q->door.head > q->door.end / 2) {        /* more than half is free */
        q->door.end -= q->door.head;
        memmove(q->door.at, q->door.at + q->door.head, q->door.end * sizeof *q->door.at);
        q->door.head = 0;
    }
    POL_RESERVE(q->door.at, q->door.cap, (size_t)q->door.end + 1);
    q->door.at[q->door.end++] = id;
    u->bucket = POL_NONE;
}

static void clear_door(struct queue *q, struct units *u)
{
    while (q->door.head < q->door.end) enter(q, u, q->door.at[q->door.head++]);
    q->door.head = q->door.end = 0;
}

/* Who waits alone since it joined is the first, and stands nowhere else: most start before another comes. */
static bool is_alone(const struct queue *q) { return q->n == 1 && q->n_heap == 0 && q->door.head == q->door.end; }

void queue_add(struct queue *q, struct units *u, uint32_t id)
{
    struct unit *x = &u->at[id];
    if (q->n == 0) {
        q->n = 1;
        q->first = 1 + id;
        x->bucket = POL_NONE;
        return;
    }
    if (is_alone(q)) stand(q, &u->at[q->first - 1], q->first - 1);
    if (q->door.head < q->door.end && unit_before(x, &u->at[q->door.at[q->door.end - 1]])) clear_door(q, u);
    stand(q, x, id);
    q->n++;
    if (unit_before(x, &u->at[q->first - 1])) q->first = 1 + id;
}

void queue_del(struct queue *q, struct units *u, uint32_t id)
{
    if (q->n == 1 && u->at[id].bucket == POL_NONE) {
        q->n = q->first = q->door.head = q->door.end = 0;
        return;
    }
    if (u->at[id].bucket == POL_NONE && id == q->door.at[q->door.head]) {
        q->door.head++;
    } else if (u->at[id].bucket == POL_NONE && id == q->door.at[q->door.end - 1]) {
        q->door.end--;
    } else {
        if (u->at[id].bucket == POL_NONE) clear_door(q, u);
        leave(q, u, id);
    }
    q->n--;
    if (q->first != 1 + id) return;
    q->first = q->n_heap > 0 ? 1 + q->kind[q->heap[0]].first : 0;
    if (q->door.head == q->door.end) return;
    const uint32_t next = q->door.at[q->door.head];
    if (q->first == 0 || unit_before(&u->at[next], &u->at[q->first - 1])) q->first = 1 + next;
}

/* ---- walks ---- */

void queue_walk_fini(struct queue_walk *w)
{
    free(w->at);
    free(w->met);
    memset(w, 0, sizeof *w);
}

static bool meets(const struct unit *unit, const struct queue_walk_at *x, const struct queue_walk_at *y)
{
    return unit_before(&unit[x->unit], &unit[y->unit]);
}
HEAP(walk, const struct unit *, struct queue_walk_at, meets);

/* Who waits alone, and is in no bucket, is met there: a walk over a single unit needs none. */
static bool open_alone(struct queue_walk *w, const struct units *u)
{
    const struct queue *q = w->q;
    if (q->n != 1 || u->at[q->first - 1].bucket != POL_NONE) return false;
    const uint32_t id = q->first - 1;
    const struct unit *x = &u->at[id];
    const struct queue_filter *f = &w->filter;
    w->from = id;
    if (f->may_fit != NULL && !f->may_fit(f->ctx, x->request_class, x->cpu_milli, x->mem_b, x->est)) return true;
    if (f->skip != NULL && f->skip(f->ctx, x->request_class)) return true;
    POL_RESERVE(w->at, w->cap_at, 1);
    w->at[w->n++] = (struct queue_walk_at){ POL_NONE, id, POL_NONE };
    return true;
}

static void open_all(struct queue_walk *w, uint32_t t)
{
    for (; t != POL_NONE; t = w->q->b[t].right) {
        const struct queue_bucket *b = &w->q->b[t];
        open_all(w, b->left);
        if (w->filter.skip != NULL && w->filter.skip(w->filter.ctx, b->request_class)) continue;
        POL_RESERVE(w->at, w->cap_at, (size_t)w->n + 1);
        w->at[w->n++] = (struct queue_walk_at){ t, b->first, POL_NONE };
    }
}

void queue_walk_open(struct queue_walk *w, struct queue *q, struct units *u,
               bool (*skip)(void *ctx, uint32_t class), void *ctx)
{
    w->q = q;
    w->n = 0;
    w->filter = (struct queue_filter){ .skip = skip, .ctx = ctx };
    if (open_alone(w, u)) return;
    clear_door(q, u);
    for (uint32_t i = 0; i < q->n_heap; i++) open_all(w, q->kind[q->heap[i]].root);
    walk_make(u->at, w->at, w->n);
}

static bool may_fit(const struct queue_walk *w, const struct queue_bucket *b, int64_t cpu_milli, int64_t mem_b,
                    int64_t est)
{
    return w->filter.may_fit == NULL || w->filter.may_fit(w->filter.ctx, b->request_class, cpu_milli, mem_b, est);
}

/*
 * The first bucket below whose first unit stands after `after` (POL_NONE: of all), and which is not left out; of these
 * none stands before `from`.
 */
static uint32_t next_bucket(struct queue_walk *w, const struct units *u, uint32_t t, uint32_t after, uint32_t from)
{
    for (; t != POL_NONE; t = w->q->b[t].right) {
        const struct queue_bucket *b = &w->q->b[t];
        w->from = from;
        if (!may_fit(w, b, b->cpu_min, b->mem_min, b->est_min)) return POL_NONE;
        if (after != POL_NONE && !unit_before(&u->at[after], &u->at[b->first])) continue;
        const uint32_t k = next_bucket(w, u, b->left, after, from);
        if (k != POL_NONE) return k;
        w->from = from = b->first;
        if (t < w->cap_met && w->met[t] == w->opened) continue;
        if (w->filter.skip != NULL && w->filter.skip(w->filter.ctx, b->request_class)) continue;
        if (may_fit(w, b, b->cpu_milli, b->mem_b, b->est)) return t;
    }
    return POL_NONE;
}

/* For each kind the next bucket after `after`, POL_NONE: the first, beside what the walk has already. */
static void search(struct queue_walk *w, const struct units *u, uint32_t after)
{
    const struct queue *q = w->q;
    POL_RESERVE(w->at, w->cap_at, (size_t)w->n + q->n_heap);
    for (uint32_t i = 0; i < q->n_heap; i++) {
        const struct queue_kind *kind = &q->kind[q->heap[i]];
        const uint32_t k = next_bucket(w, u, kind->root, after, after != POL_NONE ? after : kind->first);
        if (k != POL_NONE) w->at[w->n++] = (struct queue_walk_at){ k, q->b[k].first, q->heap[i] };
    }
    walk_make(u->at, w->at, w->n);
}

void queue_walk_search(struct queue_walk *w, struct queue *q, struct units *u,
                       const struct queue_filter *f)
{
    w->q = q;
    w->n = 0;
    w->filter = *f;
    if (open_alone(w, u)) return;
    clear_door(q, u);
    w->opened++;
    search(w, u, POL_NONE);
}

void queue_walk_renew(struct queue_walk *w, const struct units *u, uint32_t unit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->n; i++)
        if (w->at[i].kind == POL_NONE) w->at[n++] = w->at[i];
    w->n = n;
    search(w, u, unit);
}

/* The top is a kind's next bucket: that is another from now on.  The bucket it was is not met again. */
static void advance(struct queue_walk *w, const struct units *u)
{
    struct queue_walk_at *top = &w->at[0];
    POL_RESERVE(w->met, w->cap_met, (size_t)top->bucket + 1);
    w->met[top->bucket] = w->opened;
    const uint32_t k = next_bucket(w, u, w->q->kind[top->kind].root, top->unit, top->unit);
    if (k == POL_NONE) {
        walk_take(u->at, w->at, w->n--, 0);
        return;
    }
    top->bucket = k;
    top->unit = w->q->b[k].first;
    walk_sink(u->at, w->at, w->n, 0);
}

uint32_t queue_walk_top(const struct queue_walk *w) { return w->n > 0 ? w->at[0].unit : POL_NONE; }

void queue_walk_drop(struct queue_walk *w, const struct units *u)
{
    if (w->at[0].kind != POL_NONE) advance(w, u);
    else walk_take(u->at, w->at, w->n--, 0);
}

void queue_walk_step(struct queue_walk *w, const struct units *u, int64_t most)
{
    const struct queue_walk_at top = w->at[0];
    if (top.bucket == POL_NONE) {       /* alone */
        w->n = 0;
        return;
    }
    const struct unit_set *set = &w->q->b[top.bucket].set;
    uint32_t next = most == POL_NEVER ? unit_set_next(set, u, top.unit) : unit_set_next_within(set, u, top.unit, most);
    if (next == POL_NONE) {
        queue_walk_drop(w, u);
        return;
    }
    if (top.kind == POL_NONE) {
        w->at[0].unit = next;
        walk_sink(u->at, w->at, w->n, 0);
        return;
    }
    advance(w, u);
    POL_RESERVE(w->at, w->cap_at, (size_t)w->n + 1);
    walk_push(u->at, w->at, w->n++, (struct queue_walk_at){ top.bucket, next, POL_NONE });
}
