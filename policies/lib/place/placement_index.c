/*
 * placement_index.c -- the treap of groups of nodes, in step with the plan, see placement_index.h.
 *
 * Order: (class, preference, vertex).  Nodes of one class stand together, so that a request
 * for one GPU type or label passes over the others at once.  The preference grows with the
 * cost of a task that asks for nothing; what a task asks moves the cost of all nodes by the
 * same amount but for rounding, so the first that fits in this order is nearly the answer.
 * Of Kubernetes' rules it is kube_skew: a task moves that of all nodes of a class alike.
 *
 * Nodes that are alike make one vertex: of them only the first of equals can be the answer.  On a
 * cluster that is handed out in whole GPUs there are few vertices, and a node that goes from
 * one to another leaves the treap as it is.
 *
 * Invariant after refresh(): `own` is what the plan says of each node of the vertex.  After
 * placement_index_settle(): the treap is of all vertices with nodes, and sum that of all below.
 * Many questions are answered without a search, and vertices come and go between two of these.
 */
#include "lib/place/placement_index_priv.h"

#include "lib/heap.h"

static void stands(struct placement_index *x, const uint32_t *node, size_t i) { x->place[*node] = (uint32_t)i; }
static bool is_lower(struct placement_index *x, const uint32_t *a, const uint32_t *b)
{
    return x->rank != NULL ? x->rank[*a] < x->rank[*b] : *a < *b;
}
HEAP_INDEXED(nodes, 4, struct placement_index *, uint32_t, is_lower, stands);

void placement_index_fini(struct placement_index *x)
{
    for (uint32_t i = 0; i < x->n; i++) free(x->at[i].node);
    POL_FREE(x->at, x->vertex, x->place, x->due, x->asked);
    map_fini(&x->by_own);
    memset(x, 0, sizeof *x);
}

/* ---- one node ---- */

/* Far beyond a whole share. */
static int32_t clamped(int64_t skew)
{
    enum { MOST = 1 << 30 };
    return (int32_t)(skew > MOST ? MOST : skew < -MOST ? -MOST : skew);
}

/* Tasks there that ask for no CPU or no memory, which Kubernetes' scores count as some; more than that, so many. */
static uint16_t n_none(const struct plan_node *o)
{
    const uint32_t n = o->n_no_cpu > o->n_no_mem ? o->n_no_cpu : o->n_no_mem;
    return (uint16_t)(n < PLACEMENT_NONE_MAX ? n : PLACEMENT_NONE_MAX);
}

static int32_t preference(const struct placement *pl, const struct plan_node *o, const struct placement_own *own)
{
    const struct plan *p = pl->plan;
    const struct placement_after free_now = { o->n.cpu_free, o->n.mem_free, o->gpu_free };
    if (pl->by_costs != NULL) return own->order;
    switch (pl->rule) {
    case PLACEMENT_FIRST:  return 0;
    case PLACEMENT_WORST:  return (int32_t)-placement_cost_best(p, &free_now);
    case PLACEMENT_SPREAD: return (int32_t)placement_cost_spread(&o->n, &free_now);
    case PLACEMENT_PACK:
        return (int32_t)((o->n.n_tasks == 0) << 7 | o->n_idle) << PLACEMENT_PREFERENCE_BITS |
               (int32_t)placement_cost_best(p, &free_now);
    case PLACEMENT_KUBE: case PLACEMENT_KUBE_HYBRID: return own->order;
    default:               return (int32_t)placement_cost_best(p, &free_now);
    }
}

static int64_t key_of(const struct placement *pl, uint32_t node, const struct placement_own *own)
{
    const int64_t class = (int64_t)own->class << 32;
    return own->cpu < 0 ? class : class + preference(pl, &pl->plan->node[node], own);
}

static uint8_t class_of(const struct plan *p, uint32_t node)
{
    return (uint8_t)(p->node_class[node] < PLACEMENT_CLASS_OTHER ? p->node_class[node] : PLACEMENT_CLASS_OTHER);
}

/*
 * Cards of which each is wholly free or wholly taken, and all of a kind, are told by how many are free; of any
 * others, and of engines, it matters which they are.
 */
static inline struct placement_own own_of(const struct placement *pl, uint32_t node)
{
    const struct plan *p = pl->plan;
    const struct plan_node *o = &p->node[node];
    struct placement_own x = { .cpu = -1, .class = class_of(p, node), .alone = POL_NONE };
    if (!o->n.is_up || (o->n.max_tasks > 0 && o->n.n_tasks >= o->n.max_tasks)) return x;
    x.cpu = o->n.cpu_free;
    x.mem = o->n.mem_free;
    x.gpu = o->gpu_free;
    x.idle = (uint8_t)o->n_idle;
    x.flags = o->n.n_tasks == 0 ? PLACEMENT_EMPTY : PLACEMENT_BUSY;
    const bool is_whole = o->gpu_free == o->n_idle * PLACEMENT_WHOLE;
    bool is_plain = is_whole && (pl->index.plain_classes >> x.class & 1) != 0;
    for (int k = 0; k < POL_ENGINES_MAX && o->has_engines; k++) x.engines |= (uint8_t)((o->n.engine_free[k] > 0) << k);
    if (is_whole) {
        x.card = o->n_idle > 0 ? PLACEMENT_WHOLE : 0;
    } else {
        const struct pol_card *card = plan_cards_of(p, node);
        const bool is_milli = pl->kube == NULL && pl->by_costs == NULL;         /* part is of cards */
        for (uint32_t k = 0; k < o->n.n_gpu; k++) {
            const uint16_t milli = (uint16_t)card[k].milli_free;
            if (milli > x.card) x.card = milli;
            if (milli > x.part && milli < PLACEMENT_WHOLE && is_milli) x.part = milli;
        }
    }
    if (pl->kube != NULL) {
        x.order = clamped(kube_skew(o));
        x.part = n_none(o);
        x.n_tasks = o->n.n_tasks;
        is_plain &= x.part == 0;
    }
    if (pl->by_costs != NULL && !pl->by_costs->see(pl->costs_ctx, node, &x.order, &x.part)) is_plain = false;
    if (!is_plain) x.alone = node;
    return x;
}

static inline bool is_same(const struct placement_own *a, const struct placement_own *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static uint32_t hash_of(const struct placement_own *o)
{
    uint64_t h = (uint64_t)o->cpu * UINT64_C(0x94d049bb133111eb) ^ (uint64_t)o->mem;
    h = (h ^ h >> 31) * UINT64_C(0xbf58476d1ce4e5b9) ^ ((uint64_t)(uint32_t)o->gpu << 32 | (uint32_t)o->order);
    return map_mix(h ^ h >> 29 ^ ((uint64_t)o->n_tasks << 32 | o->alone));
}

/* The vertex of nodes like this one; POL_NONE. */
static uint32_t vertex_like(const struct placement_index *x, const struct placement_own *o, uint32_t hash)
{
    uint32_t id;
    MAP_EACH(id, &x->by_own, hash)
        if (is_same(&x->at[id].own, o)) return id;
    return POL_NONE;
}

/* ---- the treap ---- */

static bool before(const struct placement_vertex *v, uint32_t a, uint32_t b)
{
    return v[a].key != v[b].key ? v[a].key < v[b].key : a < b;
}

static void widen(struct placement_box *x, const struct placement_box *by)
{
    x->cpu_min = by->cpu_min < x->cpu_min ? by->cpu_min : x->cpu_min;
    x->cpu_max = by->cpu_max > x->cpu_max ? by->cpu_max : x->cpu_max;
    x->mem_min = by->mem_min < x->mem_min ? by->mem_min : x->mem_min;
    x->mem_max = by->mem_max > x->mem_max ? by->mem_max : x->mem_max;
    x->classes |= by->classes;
    x->gpu_min = by->gpu_min < x->gpu_min ? by->gpu_min : x->gpu_min;
    x->gpu_max = by->gpu_max > x->gpu_max ? by->gpu_max : x->gpu_max;
    x->preference = by->preference < x->preference ? by->preference : x->preference;
    x->first = by->first < x->first ? by->first : x->first;
    x->card = by->card > x->card ? by->card : x->card;
    x->part = by->part > x->part ? by->part : x->part;
    x->idle_min = by->idle_min < x->idle_min ? by->idle_min : x->idle_min;
    x->idle_max = by->idle_max > x->idle_max ? by->idle_max : x->idle_max;
    x->engines |= by->engines;
    x->flags |= by->flags;
}

/* What hangs from it may be others. */
static void sum_up(struct placement_index *i, uint32_t t)
{
    struct placement_vertex *v = &i->at[t];
    const uint32_t child[] = { v->left, v->right };
    v->sum = placement_box_of(i, v);
    for (int k = 0; k < 2; k++) {
        if (child[k] == POL_NONE) continue;
        i->at[child[k]].up = t;
        widen(&v->sum, &i->at[child[k]].sum);
    }
}

/* Into those before x, and the others. */
static void split(struct placement_index *i, uint32_t t, uint32_t x, uint32_t *l, uint32_t *r)
{
    struct placement_vertex *v = i->at;
    if (t == POL_NONE) {
        *l = *r = POL_NONE;
        return;
    }
    if (before(v, t, x)) {
        split(i, v[t].right, x, &v[t].right, r);
        *l = t;
    } else {
        split(i, v[t].left, x, l, &v[t].left);
        *r = t;
    }
    sum_up(i, t);
}

static uint32_t merge(struct placement_index *i, uint32_t a, uint32_t b)
{
    struct placement_vertex *v = i->at;
    if (a == POL_NONE) return b;
    if (b == POL_NONE) return a;
    if (v[a].prio > v[b].prio) {
        v[a].right = merge(i, v[a].right, b);
        sum_up(i, a);
        return a;
    }
    v[b].left = merge(i, a, v[b].left);
    sum_up(i, b);
    return b;
}

/* The same of those above it, too; where one stays as it was, so do they. */
static void pull_up(struct placement_index *i, uint32_t t)
{
    for (; t != POL_NONE; t = i->at[t].up) {
        const struct placement_box was = i->at[t].sum;
        sum_up(i, t);
        if (memcmp(&was, &i->at[t].sum, sizeof was) == 0) return;       /* it has no padding */
    }
}

/* The same where no more than the first node of t is another. */
static void pull_first(struct placement_index *i, uint32_t t)
{
    for (struct placement_vertex *v; t != POL_NONE; t = v->up) {
        v = &i->at[t];
        uint32_t first = v->own.cpu < 0 ? POL_NONE : placement_rank(i, v->node[0]);
        if (v->left != POL_NONE && i->at[v->left].sum.first < first) first = i->at[v->left].sum.first;
        if (v->right != POL_NONE && i->at[v->right].sum.first < first) first = i->at[v->right].sum.first;
        if (first == v->sum.first) return;
        v->sum.first = first;
    }
}

/* Those above x grow by it, and by nothing else. */
static void add(struct placement_index *i, uint32_t x)
{
    struct placement_vertex *v = i->at;
    const struct placement_box own = placement_box_of(i, &v[x]);
    uint32_t *at = &i->root;
    v[x].up = POL_NONE;
    while (*at != POL_NONE && v[x].prio <= v[*at].prio) {
        widen(&v[*at].sum, &own);
        v[x].up = *at;
        at = before(v, x, *at) ? &v[*at].left : &v[*at].right;
    }
    const uint32_t below = *at;
    *at = x;
    split(i, below, x, &v[x].left, &v[x].right);
    sum_up(i, x);
}

static void del(struct placement_index *i, uint32_t x)
{
    struct placement_vertex *v = i->at;
    const uint32_t up = v[x].up, below = merge(i, v[x].left, v[x].right);
    *(up == POL_NONE ? &i->root : v[up].left == x ? &v[up].left : &v[up].right) = below;
    if (up == POL_NONE && below != POL_NONE) v[below].up = POL_NONE;
    pull_up(i, up);
}

/* ---- in step with the plan ---- */

static uint32_t priority(uint32_t vertex)
{
    uint64_t h = ((uint64_t)vertex + 1) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 31) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

/* id POL_NONE: on a node that stands alone something changed. */
static void note_new(struct placement_index *x, uint32_t id)
{
    x->came[++x->n_new % PLACEMENT_NEW_KEPT] = id;
}

/* The treap hears of it before it is searched. */
static inline void note_due(struct placement_index *x, uint32_t id, enum placement_due due)
{
    struct placement_vertex *v = &x->at[id];
    if (v->due == PLACEMENT_DUE_NOTHING) POL_PUSH(x->due, x->n_due, x->cap_due, id);
    if (v->due < due) v->due = (uint8_t)due;
}

/* What all nodes of it are like from now on. */
static void become(struct placement_index *x, uint32_t id, const struct placement_own *o, int64_t key, uint32_t hash)
{
    struct placement_vertex *v = &x->at[id];
    v->own = *o;
    v->key = key;
    v->hash = hash;
    map_add(&x->by_own, hash, id);
}

/* May move x->at. */
static uint32_t make_vertex(struct placement_index *x)
{
    const uint32_t id = x->free != POL_NONE ? x->free : x->n++;
    POL_RESERVE(x->at, x->cap, x->n);
    if (id == x->free) x->free = x->at[id].left;
    x->at[id].prio = priority(id);
    memset(x->at[id].next, 0xff, sizeof x->at[id].next);
    return id;
}

/* It is empty.  Nodes that are like it may come soon, so it goes only when so many others have become empty since. */
static void retire(struct placement_index *x, uint32_t id)
{
    struct placement_vertex *v = &x->at[id];
    if (v->is_retired) return;
    const uint64_t k = x->n_retired++;
    const uint32_t oldest = x->retired[k % PLACEMENT_RETIRED];
    x->retired[k % PLACEMENT_RETIRED] = id;
    v->is_retired = true;
    if (k < PLACEMENT_RETIRED) return;
    v = &x->at[oldest];
    v->is_retired = false;
    if (v->n > 0 || v->due != PLACEMENT_DUE_NOTHING) return;
    map_del(&x->by_own, v->hash, oldest);
    v->own.alone = 0;           /* so that no node is found to be like it */
    v->left = x->free;
    x->free = oldest;
}

/*
 * Those that are empty are left out, and those that are new or no longer empty stand in it.  These come last: what
 * stands above them grows, which says nothing of what else is due there.
 */
void placement_index_settle(struct placement_index *x)
{
    for (uint32_t k = 0; k < x->n_due; k++) {
        struct placement_vertex *v = &x->at[x->due[k]];
        if (!v->is_in) continue;
        if (v->n == 0) del(x, x->due[k]);
        else if (v->due == PLACEMENT_DUE_FIRST) pull_first(x, x->due[k]);
        else pull_up(x, x->due[k]);
        v->is_in = v->n > 0;
    }
    for (uint32_t k = 0; k < x->n_due; k++) {
        struct placement_vertex *v = &x->at[x->due[k]];
        v->due = PLACEMENT_DUE_NOTHING;
        if (v->n == 0) retire(x, x->due[k]);
        else if (!v->is_in) add(x, x->due[k]);
        v->is_in = v->n > 0;
    }
    x->n_due = 0;
}

static inline void stand(struct placement_index *x, struct placement_vertex *v, uint32_t node, uint32_t place)
{
    v->node[place] = node;
    x->place[node] = place;
}

/*
 * Most nodes are with others for a short time, and leave before they are the lowest of them: so those that come only
 * stand behind the heap, until its first is looked for again.
 */
static inline void leave(struct placement_index *x, uint32_t node)
{
    const uint32_t id = x->vertex[node], place = x->place[node];
    struct placement_vertex *v = &x->at[id];
    uint32_t gap = place;
    if (place < v->n_heap) {
        v->n_heap += v->n_heap < v->n;          /* so that one of those behind it fills the gap */
        nodes_take(x, v->node, v->n_heap, place);
        gap = --v->n_heap;
    }
    if (gap != --v->n) stand(x, v, v->node[v->n], gap);
    if (place > 0) return;
    while (v->n_heap < v->n) nodes_rise(x, v->node, v->n_heap++);
    note_due(x, id, PLACEMENT_DUE_FIRST);
}

static inline void enter(struct placement_index *x, uint32_t node, uint32_t id)
{
    struct placement_vertex *v = &x->at[id];
    POL_RESERVE(v->node, v->cap, (size_t)v->n + 1);
    x->vertex[node] = id;
    if (v->n > 0 && !is_lower(x, &node, &v->node[0])) {
        stand(x, v, node, v->n++);
        return;
    }
    if (v->n > 0) {
        stand(x, v, v->node[0], v->n);
    } else {
        v->n_heap = 1;
        note_new(x, id);
    }
    v->n++;
    stand(x, v, node, 0);
    note_due(x, id, PLACEMENT_DUE_FIRST);
}

/*
 * Most nodes go where the last one went that came to have so much more, or less, free than those of this vertex: the same
 * tasks start and end.  What own_of would say of the node is compared without asking it; POL_NONE: it must be asked.
 */
static inline uint32_t vertex_next(const struct placement *pl, uint32_t node, const struct placement_vertex *from)
{
    const struct plan_node *o = &pl->plan->node[node];
    const uint32_t id = from->next[placement_change(from->own.gpu, o->gpu_free)];
    if (id == POL_NONE) return POL_NONE;
    const struct placement_own *x = &pl->index.at[id].own;
    const bool is_like = o->n.cpu_free == x->cpu && o->n.mem_free == x->mem && o->gpu_free == x->gpu &&
                         o->n_idle == x->idle && (o->n.n_tasks == 0) == (x->flags == PLACEMENT_EMPTY) &&
                         o->n.is_up && o->n.max_tasks == 0 && x->class == from->own.class;
    return is_like && x->alone == POL_NONE ? id : POL_NONE;
}

/* The vertex of nodes that are what this one is now; from: where it is, which may become that. */
__attribute__((noinline))               /* few nodes ask for it, and refresh() is to stay small */
static uint32_t vertex_for(struct placement *pl, uint32_t node, uint32_t from)
{
    struct placement_index *x = &pl->index;
    const struct placement_own now = own_of(pl, node);
    const uint32_t hash = hash_of(&now);
    uint32_t to = vertex_like(x, &now, hash);
    if (to == from && now.alone != POL_NONE) note_new(x, POL_NONE);
    if (to == POL_NONE) {
        const int64_t key = key_of(pl, node, &now);
        /* Alone before and after, and its place is the same. */
        if (from != POL_NONE && x->at[from].n == 1 && x->at[from].key == key) {
            map_del(&x->by_own, x->at[from].hash, from);
            note_new(x, from);
            note_due(x, from, PLACEMENT_DUE_ALL);
            to = from;
        } else {
            to = make_vertex(x);
        }
        become(x, to, &now, key, hash);
    }
    if (from != POL_NONE && pl->kube == NULL && pl->by_costs == NULL)
        x->at[from].next[placement_change(x->at[from].own.gpu, now.gpu)] = to;
    return to;
}

/* The node is with those that are like it now; of one that is new vertex says POL_NONE. */
static void refresh(struct placement *pl, uint32_t node)
{
    struct placement_index *x = &pl->index;
    const uint32_t from = x->vertex[node];
    uint32_t to = from != POL_NONE ? vertex_next(pl, node, &x->at[from]) : POL_NONE;
    if (to == POL_NONE) to = vertex_for(pl, node, from);
    if (to == from) return;
    if (from != POL_NONE) leave(x, node);
    enter(x, node, to);
}

static void build(struct placement *pl)
{
    struct placement_index *x = &pl->index;
    const uint32_t n = pl->plan->n_nodes;
    POL_LARGE(x->vertex, n);
    memset(x->vertex, 0xff, n * sizeof *x->vertex);
    x->place = pol_alloc(n, sizeof *x->place);
    x->root = x->free = POL_NONE;
    x->rank = pl->kube != NULL ? pl->kube->rank : NULL;
    for (uint32_t i = n; i-- > 0;) {
        const uint8_t class = class_of(pl->plan, i);
        const struct plan_node *o = &pl->plan->node[i];
        x->class_first[class] = i;
        if (class != PLACEMENT_CLASS_OTHER && !o->has_engines && o->has_like_cards)
            x->plain_classes |= UINT64_C(1) << class;
    }
    for (uint32_t i = 0; i < n; i++) refresh(pl, i);
}

void placement_index_note(struct placement *pl, uint32_t node)
{
    if (pl->index.vertex != NULL) refresh(pl, node);
}

void placement_index_update(struct placement *pl)
{
    struct placement_index *x = &pl->index;
    const struct plan_touches *touches = &pl->plan->touches;
    const uint64_t from = x->seen;
    x->seen = touches->n;
    if (x->vertex == NULL) {
        build(pl);
        return;
    }
    if (touches->n - from > pl->plan->n_nodes) {
        for (uint32_t i = 0; i < pl->plan->n_nodes; i++)
            if (touches->last[i] > from) refresh(pl, i);
        return;
    }
    for (uint64_t k = from + 1; k <= touches->n; k++) {
        const uint32_t node = touches->log[k & touches->mask];
        if (touches->last[node] == k) refresh(pl, node);        /* earlier touches are out of date */
    }
    if (x->n_due > PLACEMENT_DUE_MANY) placement_index_settle(x);
}
