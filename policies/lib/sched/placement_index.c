/*
 * placement_index.c -- the treap of nodes and its searches, see placement_index.h.
 *
 * Order: (class, preference, node).  Nodes of one class stand together, so that a request
 * for one GPU type or label passes over the others at once.  The preference grows with the
 * cost of a task that asks for nothing; what a task asks moves the cost of all nodes by the
 * same amount but for rounding, so the first that fits in this order is nearly the answer.
 *
 * Invariant after refresh(): own[i] is what the plan says of node i, sum that of all below.
 */
#include "lib/sched/placement_index.h"

#include "lib/sched/placement_priv.h"

enum { CLASS_OTHER = 63 };              /* nodes of the last class, and of none */
enum { HAS_EMPTY = 1, HAS_BUSY = 2 };
enum { PREFERENCE_BITS = 22 };          /* a sum of three shares */

/* One node.  Where nothing can start (down, or as many tasks as may run) cpu is -1. */
struct own {
    int64_t  cpu, mem;
    int64_t  key;                       /* class, then preference */
    int32_t  gpu;
    uint16_t card, part;                /* thousandths of the freest card, of the freest that is in use */
    uint8_t  idle, class, engines, flags;       /* wholly free cards; bits of engines of which some is free */
};

/* All nodes below a vertex where something can start. */
struct box {
    int64_t  cpu_min, cpu_max, mem_min, mem_max;
    uint64_t classes;
    int32_t  gpu_min, gpu_max, preference;      /* the least */
    uint32_t first;                     /* the lowest node */
    uint16_t card, part;                /* the most */
    uint8_t  idle_min, idle_max, engines, flags;
};

struct placement_vertex { struct own own; uint32_t left, right, prio; struct box sum; };

void placement_index_fini(struct placement_index *x)
{
    free(x->at);
    memset(x, 0, sizeof *x);
}

bool placement_index_knows(const struct placement *pl)
{
    return pl->rule <= PLACEMENT_SPREAD;
}

/* ---- one node ---- */

static int32_t preference(enum placement_rule rule, const struct plan *p, const struct plan_node *o)
{
    const struct placement_after free_now = { o->n.cpu_free, o->n.mem_free, o->gpu_free };
    switch (rule) {
    case PLACEMENT_FIRST:  return 0;
    case PLACEMENT_WORST:  return (int32_t)-placement_cost_best(p, &free_now);
    case PLACEMENT_SPREAD: return (int32_t)placement_cost_spread(&o->n, &free_now);
    case PLACEMENT_PACK:
        return (int32_t)((o->n.n_tasks == 0) << 7 | o->n_idle) << PREFERENCE_BITS |
               (int32_t)placement_cost_best(p, &free_now);
    default:               return (int32_t)placement_cost_best(p, &free_now);
    }
}

static struct own own_of(const struct placement *pl, uint32_t node)
{
    const struct plan *p = pl->plan;
    const struct plan_node *o = &p->node[node];
    const uint8_t class = (uint8_t)(p->node_class[node] < CLASS_OTHER ? p->node_class[node] : CLASS_OTHER);
    struct own x = { .cpu = -1, .class = class, .key = (int64_t)class << 32 };
    if (!o->n.is_up || (o->n.max_tasks > 0 && o->n.n_tasks >= o->n.max_tasks)) return x;
    x.cpu = o->n.cpu_free;
    x.mem = o->n.mem_free;
    x.gpu = o->gpu_free;
    x.key += preference(pl->rule, p, o);
    x.idle = (uint8_t)o->n_idle;
    for (int k = 0; k < POL_ENGINES_MAX; k++) x.engines |= (uint8_t)((o->n.engine_free[k] > 0) << k);
    x.flags = o->n.n_tasks == 0 ? HAS_EMPTY : HAS_BUSY;
    for (uint32_t k = o->n.card0; k < o->n.card0 + o->n.n_gpu; k++) {
        const uint16_t milli = (uint16_t)p->card[k].milli_free;
        if (milli > x.card) x.card = milli;
        if (milli > x.part && milli < PLACEMENT_WHOLE) x.part = milli;
    }
    return x;
}

static bool is_same(const struct own *a, const struct own *b)
{
    return a->cpu == b->cpu && a->mem == b->mem && a->gpu == b->gpu && a->key == b->key && a->card == b->card &&
           a->part == b->part && a->idle == b->idle && a->engines == b->engines && a->flags == b->flags;
}

/* ---- the treap ---- */

static bool before(const struct placement_vertex *v, uint32_t a, uint32_t b)
{
    return v[a].own.key != v[b].own.key ? v[a].own.key < v[b].own.key : a < b;
}

static void widen(struct box *x, const struct box *by)
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

/* Of one node; empty where nothing can start. */
static struct box box_of(const struct own *o, uint32_t node)
{
    if (o->cpu < 0)
        return (struct box){ .cpu_min = POL_NEVER, .cpu_max = -1, .mem_min = POL_NEVER, .mem_max = -1,
                             .gpu_min = INT32_MAX, .gpu_max = -1, .preference = INT32_MAX, .first = POL_NONE, .idle_min = UINT8_MAX };
    return (struct box){ .cpu_min = o->cpu, .cpu_max = o->cpu, .mem_min = o->mem, .mem_max = o->mem,
                         .classes = UINT64_C(1) << o->class, .gpu_min = o->gpu, .gpu_max = o->gpu,
                         .preference = (int32_t)(o->key - ((int64_t)o->class << 32)), .first = node,
                         .card = o->card, .part = o->part, .idle_min = o->idle, .idle_max = o->idle, .engines = o->engines, .flags = o->flags };
}

/* Did it change? */
static bool pull(struct placement_vertex *v, uint32_t t)
{
    const struct box was = v[t].sum;
    struct box x = box_of(&v[t].own, t);
    if (v[t].left != POL_NONE) widen(&x, &v[v[t].left].sum);
    if (v[t].right != POL_NONE) widen(&x, &v[v[t].right].sum);
    v[t].sum = x;
    return memcmp(&was, &x, sizeof x) != 0;         /* it has no padding */
}

/* Into those before x, and the others. */
static void split(struct placement_vertex *v, uint32_t t, uint32_t x, uint32_t *l, uint32_t *r)
{
    if (t == POL_NONE) {
        *l = *r = POL_NONE;
        return;
    }
    if (before(v, t, x)) {
        split(v, v[t].right, x, &v[t].right, r);
        *l = t;
    } else {
        split(v, v[t].left, x, l, &v[t].left);
        *r = t;
    }
    (void)pull(v, t);
}

static uint32_t merge(struct placement_vertex *v, uint32_t a, uint32_t b)
{
    if (a == POL_NONE) return b;
    if (b == POL_NONE) return a;
    if (v[a].prio > v[b].prio) {
        v[a].right = merge(v, v[a].right, b);
        (void)pull(v, a);
        return a;
    }
    v[b].left = merge(v, a, v[b].left);
    (void)pull(v, b);
    return b;
}

/* Those above x grow by it, and by nothing else. */
static void add(struct placement_index *i, uint32_t x)
{
    struct placement_vertex *v = i->at;
    const struct box own = box_of(&v[x].own, x);
    uint32_t *at = &i->root, l, r;
    while (*at != POL_NONE && v[x].prio <= v[*at].prio) {
        widen(&v[*at].sum, &own);
        at = before(v, x, *at) ? &v[*at].left : &v[*at].right;
    }
    split(v, *at, x, &l, &r);
    *at = x;
    v[x].left = l;
    v[x].right = r;
    (void)pull(v, x);
}

/* Where something below stays as it was, so does all above.  Did it change? */
static bool del(struct placement_vertex *v, uint32_t *t, uint32_t x)
{
    if (*t == x) {
        *t = merge(v, v[x].left, v[x].right);
        return true;
    }
    return del(v, before(v, x, *t) ? &v[*t].left : &v[*t].right, x) && pull(v, *t);
}

/* Of x, whose place is the same, and of those above. */
static bool pull_path(struct placement_vertex *v, uint32_t t, uint32_t x)
{
    return (t == x || pull_path(v, before(v, x, t) ? v[t].left : v[t].right, x)) && pull(v, t);
}

/* ---- in step with the plan ---- */

static uint32_t priority(uint32_t node)
{
    uint64_t h = ((uint64_t)node + 1) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 31) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(h >> 32);
}

static void build(struct placement *pl)
{
    struct placement_index *x = &pl->index;
    const uint32_t n = pl->plan->n_nodes;
    x->at = pol_alloc(n, sizeof *x->at);
    x->root = POL_NONE;
    for (uint32_t i = n; i-- > 0;) {
        x->at[i].own = own_of(pl, i);
        x->at[i].prio = priority(i);
        x->class_first[x->at[i].own.class] = i;
    }
    for (uint32_t i = 0; i < n; i++) add(x, i);
}

static void refresh(struct placement *pl, uint32_t node)
{
    struct placement_index *x = &pl->index;
    const struct own now = own_of(pl, node);
    if (is_same(&now, &x->at[node].own)) return;
    if (now.key == x->at[node].own.key) {
        x->at[node].own = now;
        (void)pull_path(x->at, x->root, node);
        return;
    }
    (void)del(x->at, &x->root, node);
    x->at[node].own = now;
    add(x, node);
}

static void update(struct placement *pl)
{
    struct placement_index *x = &pl->index;
    const struct plan_touches *touches = &pl->plan->touches;
    const uint64_t from = x->seen;
    x->seen = touches->n;
    if (x->at == NULL) {
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
}

/* ---- searching ---- */

struct search {
    const struct placement *pl;
    const struct placement_vertex *v;
    const struct pol_shape *s;
    uint32_t shape, at;                 /* at: the best so far; POL_NONE */
    uint64_t classes;                   /* that could ever run it */
    int64_t  gpu, share;                /* what it asks: thousandths of cards, and the preference that it takes away */
    uint8_t  engines;
    struct placement_cost best;
};

static uint64_t classes_for(const struct placement *pl, const struct pol_shape *s)
{
    const struct plan *p = pl->plan;
    uint64_t classes = UINT64_C(1) << CLASS_OTHER;
    for (uint32_t k = 0; k < p->n_node_classes && k < CLASS_OTHER; k++) {
        const struct pol_node *n = &p->node[pl->index.class_first[k]].n;
        if (n->cpu_total >= s->cpu_milli && n->mem_total >= s->mem_b && n->n_gpu >= (uint32_t)s->n_gpu &&
            pol_node_allows(n, s))
            classes |= UINT64_C(1) << k;
    }
    return classes;
}

static struct search search_of(const struct placement *pl, const struct pol_shape *s)
{
    struct search q = { .pl = pl, .v = pl->index.at, .s = s, .at = POL_NONE, .classes = classes_for(pl, s),
                        .gpu = (int64_t)s->n_gpu * s->gpu_milli };
    for (int k = 0; k < POL_ENGINES_MAX; k++) q.engines |= (uint8_t)((s->engine[k] > 0) << k);
    q.share = placement_cost_best(pl->plan, &(struct placement_after){ s->cpu_milli, s->mem_b, q.gpu });
    return q;
}

static bool may_fit(const struct search *q, const struct box *b)
{
    const struct pol_shape *s = q->s;
    if (b->cpu_max < s->cpu_milli || b->mem_max < s->mem_b || (b->classes & q->classes) == 0) return false;
    if (b->gpu_max < q->gpu || b->card < s->gpu_milli) return false;
    if (s->gpu_milli == PLACEMENT_WHOLE && b->idle_max < s->n_gpu) return false;
    return (q->engines & ~b->engines) == 0 && (!s->exclusive || (b->flags & HAS_EMPTY) != 0);
}

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* The least that best can be, of nodes where it fits: the corner of the box; exact where all are alike. */
static int64_t best_bound(const struct search *q, const struct box *b)
{
    const struct pol_shape *s = q->s;
    if (s->exclusive) return 0;
    const struct placement_after left = { max64(b->cpu_min - s->cpu_milli, 0), max64(b->mem_min - s->mem_b, 0),
                                          max64(b->gpu_min - q->gpu, 0) };
    return placement_cost_best(q->pl->plan, &left);
}

/* Each class has totals of its own. */
static int64_t spread_bound(const struct search *q, const struct box *b)
{
    int64_t least = POL_NEVER;
    for (uint64_t left = b->classes & q->classes; left != 0; left &= left - 1) {
        const int k = __builtin_ctzll(left);
        if (k == CLASS_OTHER) return 0;
        const struct pol_node *n = &q->pl->plan->node[q->pl->index.class_first[k]].n;
        const int64_t gpu = (int64_t)n->n_gpu * PLACEMENT_WHOLE;
        struct placement_after f = { 0 };
        if (!q->s->exclusive) {
            f.cpu = (b->cpu_max < n->cpu_total ? b->cpu_max : n->cpu_total) - q->s->cpu_milli;
            f.mem = (b->mem_max < n->mem_total ? b->mem_max : n->mem_total) - q->s->mem_b;
            f.gpu = (b->gpu_max < gpu ? b->gpu_max : gpu) - q->gpu;
        }
        const int64_t x = placement_cost_spread(n, &f);
        if (x < least) least = x;
    }
    return least;
}

/* Rounding makes the three terms of best together at most 3 less than the preference says. */
enum { ROUNDED_OFF = 3 };

static struct placement_cost pack_bound(const struct search *q, const struct box *b)
{
    const struct pol_shape *s = q->s;
    if (s->exclusive) return (struct placement_cost){ (int64_t)b->idle_min << 16 | 1 << 8, 0 };
    const bool whole = s->gpu_milli == PLACEMENT_WHOLE;
    int64_t opened = s->n_gpu > 0 && (whole || b->part < s->gpu_milli) ? s->n_gpu : 0;
    int64_t empty = b->preference >> (PREFERENCE_BITS + 7), idle = b->preference >> PREFERENCE_BITS & 127;
    if (idle < opened) idle = opened;
    int64_t lo = best_bound(q, b);
    if (b->idle_min == b->idle_max && b->flags != (HAS_EMPTY | HAS_BUSY))
        lo = max64(lo, (b->preference & ((1 << PREFERENCE_BITS) - 1)) - q->share - ROUNDED_OFF);
    return (struct placement_cost){ opened << 16 | empty << 8 | (idle - opened), lo };
}

/* No node of the box where it fits costs less. */
static struct placement_cost bound(const struct search *q, const struct box *b)
{
    const struct pol_shape *s = q->s;
    switch (q->pl->rule) {
    case PLACEMENT_FIRST:  return (struct placement_cost){ b->first, 0 };
    case PLACEMENT_BEST: {
        const int64_t x = s->exclusive ? 0 : b->preference - q->share - ROUNDED_OFF;
        if (x > q->best.hi) return (struct placement_cost){ x, 0 };
        return (struct placement_cost){ max64(x, best_bound(q, b)), 0 };
    }
    case PLACEMENT_WORST: {
        if (s->exclusive) return (struct placement_cost){ 0, 0 };
        const int64_t x = b->preference + q->share;
        if (x > q->best.hi) return (struct placement_cost){ x, 0 };
        const struct placement_after left = { b->cpu_max - s->cpu_milli, b->mem_max - s->mem_b, b->gpu_max - q->gpu };
        return (struct placement_cost){ max64(x, -placement_cost_best(q->pl->plan, &left)), 0 };
    }
    case PLACEMENT_SPREAD: return (struct placement_cost){ spread_bound(q, b), 0 };
    default:               return pack_bound(q, b);
    }
}

static bool may_win(const struct search *q, const struct box *b)
{
    if (q->at == POL_NONE) return true;
    const struct placement_cost x = bound(q, b);
    return placement_less(x, q->best) || (placement_same(x, q->best) && b->first < q->at);
}

/* One node, before its cards are looked at. */
static bool own_may_fit(const struct search *q, const struct own *o)
{
    return o->cpu >= q->s->cpu_milli && o->mem >= q->s->mem_b && o->gpu >= q->gpu && o->card >= q->s->gpu_milli &&
           (q->classes >> o->class & 1) != 0;
}

static void search(struct search *q, uint32_t t)
{
    for (; t != POL_NONE; t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        if (!may_fit(q, &v->sum) || !may_win(q, &v->sum)) return;
        search(q, v->left);
        if (!own_may_fit(q, &v->own)) continue;
        if (q->at != POL_NONE) {
            const struct box own = box_of(&v->own, t);
            if (!may_win(q, &own)) continue;
        }
        const struct placement_cost c = placement_leaf(q->pl, q->shape, t);
        if (c.hi == POL_NEVER) continue;
        if (q->at != POL_NONE && (placement_less(q->best, c) || (placement_same(q->best, c) && q->at < t))) continue;
        q->best = c;
        q->at = t;
    }
}

uint32_t placement_index_find(struct placement *pl, uint32_t shape)
{
    update(pl);
    struct search q = search_of(pl, &pl->plan->shape[shape]);
    q.shape = shape;
    search(&q, pl->index.root);
    return q.at;
}

static bool fits(const struct search *q, uint32_t t)
{
    for (; t != POL_NONE; t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        if (!may_fit(q, &v->sum)) return false;
        if ((own_may_fit(q, &v->own) && plan_fits(q->pl->plan, t, q->s)) || fits(q, v->left)) return true;
    }
    return false;
}

bool placement_index_fits(struct placement *pl, const struct pol_shape *s)
{
    if (pl->plan->n_nodes == 0) return false;
    update(pl);
    const struct search q = search_of(pl, s);
    return fits(&q, pl->index.root);
}

static void each(const struct search *q, uint32_t t, void (*f)(void *ctx, uint32_t node), void *ctx)
{
    for (; t != POL_NONE && may_fit(q, &q->v[t].sum); t = q->v[t].right) {
        each(q, q->v[t].left, f, ctx);
        if (own_may_fit(q, &q->v[t].own) && plan_fits(q->pl->plan, t, q->s)) f(ctx, t);
    }
}

void placement_index_each(struct placement *pl, const struct pol_shape *s, void (*f)(void *ctx, uint32_t node),
                          void *ctx)
{
    if (pl->plan->n_nodes == 0) return;
    update(pl);
    const struct search q = search_of(pl, s);
    each(&q, pl->index.root, f, ctx);
}
