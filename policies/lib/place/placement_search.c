/*
 * placement_search.c -- the searches of placement_index.h: branch and bound over the treap.
 */
#include "lib/place/placement_index_priv.h"

enum { ROOM_CHANGES_MAX = 64 };     /* the more nodes changed, the less a search for many tasks costs beside them */

struct search {
    const struct placement *pl;
    const struct placement_index *x;
    const struct placement_vertex *v;
    const struct pol_shape *s;          /* NULL: by_costs */
    const struct placement_costs *by_costs;
    uint32_t shape, at;                 /* at: the best so far; POL_NONE */
    uint64_t classes;                   /* that could ever run it */
    int64_t  gpu, share;                /* what it asks: thousandths of cards, and the preference that it takes away */
    uint8_t  engines;
    uint32_t n_looked;
    bool     is_tied;                   /* another may cost the same as the best */
    struct placement_cost best;
};

static uint64_t classes_for(const struct placement *pl, const struct pol_shape *s)
{
    const struct plan *p = pl->plan;
    uint64_t classes = UINT64_C(1) << PLACEMENT_CLASS_OTHER;
    for (uint32_t k = 0; k < p->n_node_classes && k < PLACEMENT_CLASS_OTHER; k++) {
        const struct pol_node *n = &p->node[pl->index.class_first[k]].n;
        if (n->cpu_total >= s->cpu_milli && n->mem_total >= s->mem_b && n->n_gpu >= (uint32_t)s->n_gpu &&
            pol_node_allows(n, s))
            classes |= UINT64_C(1) << k;
    }
    return classes;
}

static struct placement_asked asked(const struct placement *pl, const struct pol_shape *s)
{
    const struct placement_after all = { s->cpu_milli, s->mem_b, (int64_t)s->n_gpu * s->gpu_milli };
    struct placement_asked a = { .is_known = true, .classes = classes_for(pl, s),
                                 .share = placement_cost_best(pl->plan, &all) };
    for (int k = 0; k < POL_ENGINES_MAX; k++) a.engines |= (uint8_t)((s->engine[k] > 0) << k);
    return a;
}

static struct search search_by(struct placement *pl, const struct placement_asked *a, const struct pol_shape *s)
{
    placement_index_settle(&pl->index);
    return (struct search){ .pl = pl, .x = &pl->index, .v = pl->index.at, .s = s, .at = POL_NONE, .classes = a->classes,
                            .gpu = (int64_t)s->n_gpu * s->gpu_milli, .share = a->share, .engines = a->engines };
}

static struct search search_of(struct placement *pl, const struct pol_shape *s)
{
    const struct placement_asked a = asked(pl, s);
    return search_by(pl, &a, s);
}

/* The index is up to date then. */
static inline struct placement_asked *asked_for(struct placement *pl, uint32_t shape)
{
    struct placement_index *x = &pl->index;
    placement_index_update(pl);
    POL_RESERVE(x->asked, x->cap_asked, (size_t)shape + 1);
    if (!x->asked[shape].is_known) x->asked[shape] = asked(pl, &pl->plan->shape[shape]);
    return &x->asked[shape];
}

static inline bool may_fit(const struct search *q, const struct placement_box *b)
{
    const struct pol_shape *s = q->s;
    if (b->cpu_max < s->cpu_milli || b->mem_max < s->mem_b || (b->classes & q->classes) == 0) return false;
    if (b->gpu_max < q->gpu || b->card < s->gpu_milli) return false;
    if (s->gpu_milli == PLACEMENT_WHOLE && b->idle_max < s->n_gpu) return false;
    return (q->engines & ~b->engines) == 0 && (!s->exclusive || (b->flags & PLACEMENT_EMPTY) != 0);
}

static int64_t max64(int64_t a, int64_t b) { return a > b ? a : b; }

/* The least that best can be, of nodes where it fits: the corner of the box; exact where all are alike. */
static int64_t best_bound(const struct search *q, const struct placement_box *b)
{
    const struct pol_shape *s = q->s;
    if (s->exclusive) return 0;
    const struct placement_after left = { max64(b->cpu_min - s->cpu_milli, 0), max64(b->mem_min - s->mem_b, 0),
                                          max64(b->gpu_min - q->gpu, 0) };
    return placement_cost_best(q->pl->plan, &left);
}

/* Each class has totals of its own. */
static int64_t spread_bound(const struct search *q, const struct placement_box *b)
{
    int64_t least = POL_NEVER;
    for (uint64_t left = b->classes & q->classes; left != 0; left &= left - 1) {
        const int k = __builtin_ctzll(left);
        if (k == PLACEMENT_CLASS_OTHER) return 0;
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

static struct placement_cost pack_bound(const struct search *q, const struct placement_box *b)
{
    const struct pol_shape *s = q->s;
    if (s->exclusive) return (struct placement_cost){ (int64_t)b->idle_min << 16 | 1 << 8, 0 };
    const bool whole = s->gpu_milli == PLACEMENT_WHOLE;
    int64_t opened = s->n_gpu > 0 && (whole || b->part < s->gpu_milli) ? s->n_gpu : 0;
    int64_t empty = b->preference >> (PLACEMENT_PREFERENCE_BITS + 7);
    int64_t idle = b->preference >> PLACEMENT_PREFERENCE_BITS & 127;
    if (idle < opened) idle = opened;
    int64_t lo = best_bound(q, b);
    if (b->idle_min == b->idle_max && b->flags != (PLACEMENT_EMPTY | PLACEMENT_BUSY))
        lo = max64(lo, (b->preference & ((1 << PLACEMENT_PREFERENCE_BITS) - 1)) - q->share - ROUNDED_OFF);
    return (struct placement_cost){ opened << 16 | empty << 8 | (idle - opened), lo };
}

/* No node of the box where it fits costs less. */
static struct placement_cost bound(const struct search *q, const struct placement_box *b)
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

static inline bool may_win(struct search *q, const struct placement_box *b)
{
    if (q->at == POL_NONE) return true;
    const struct placement_cost x = bound(q, b);
    if (!placement_same(x, q->best)) return placement_less(x, q->best);
    q->is_tied = true;
    return b->first < q->at;
}

/* The node is the best so far, if it is. */
static void meet(struct search *q, uint32_t node)
{
    const struct placement_costs *own = q->by_costs;
    const struct placement_cost c = own != NULL ? own->cost(q->pl->costs_ctx, node, q->at != POL_NONE ? &q->best : NULL)
                                                : placement_leaf(q->pl, q->shape, node);
    q->n_looked++;
    if (c.hi == POL_NEVER) return;
    if (q->at != POL_NONE) {
        if (placement_less(q->best, c)) return;
        q->is_tied = placement_same(q->best, c);
        if (q->is_tied && placement_rank(q->x, q->at) < placement_rank(q->x, node)) return;
    }
    q->best = c;
    q->at = node;
}

/* Nodes that are alike, before their cards are looked at. */
static inline bool own_may_fit(const struct search *q, const struct placement_own *o)
{
    return o->cpu >= q->s->cpu_milli && o->mem >= q->s->mem_b && o->gpu >= q->gpu && o->card >= q->s->gpu_milli &&
           (q->classes >> o->class & 1) != 0;
}

static void search(struct search *q, uint32_t t)
{
    for (; t != POL_NONE; t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        if (!may_fit(q, &v->sum) || !may_win(q, &v->sum)) return;
        if (v->left != POL_NONE) search(q, v->left);
        if (!own_may_fit(q, &v->own)) continue;
        if (q->at != POL_NONE) {
            const struct placement_box own = placement_box_of(q->x, v);
            if (!may_win(q, &own)) continue;
        }
        meet(q, v->node[0]);
    }
}

/* ---- Kubernetes' scores, costs without bounds, and a policy's own ---- */

/*
 * The order says little of what a node costs, so of two branches the one with the better bound is searched first.
 * Without bounds one of each nodes that are alike is looked at.
 *   of  the class of the two nodes that a box is asked as; POL_NONE: none yet
 */
struct deep_search { struct search q; struct plan_node freest, fullest; uint32_t of; bool is_bounded; };

static void set_free(struct plan_node *o, int64_t cpu, int64_t mem, int64_t gpu)
{
    o->n.cpu_free = cpu < o->n.cpu_total ? cpu : o->n.cpu_total;
    o->n.mem_free = mem < o->n.mem_total ? mem : o->n.mem_total;
    o->gpu_free = (int32_t)(gpu < (int64_t)o->n.n_gpu * PLACEMENT_WHOLE ? gpu : (int64_t)o->n.n_gpu * PLACEMENT_WHOLE);
}

/* Where several classes meet there are few boxes, and nothing is known of them.  skew: no node's is more. */
static int64_t kube_bound(struct deep_search *k, const struct placement_box *b, int64_t skew)
{
    const uint64_t classes = b->classes & k->q.classes;
    const uint32_t of = (uint32_t)__builtin_ctzll(classes);
    if (!k->is_bounded || (classes & (classes - 1)) != 0 || of == PLACEMENT_CLASS_OTHER ||
        b->part == PLACEMENT_NONE_MAX)
        return -POL_NEVER;
    if (k->of != of) {
        k->of = of;
        k->freest = k->fullest = k->q.pl->plan->node[k->q.x->class_first[of]];
        k->freest.n_no_cpu = k->freest.n_no_mem = 0;
    }
    set_free(&k->freest, b->cpu_max, b->mem_max, b->gpu_max);
    set_free(&k->fullest, b->cpu_min, b->mem_min, b->gpu_min);
    k->fullest.n_no_cpu = k->fullest.n_no_mem = b->part;
    const struct kube_ask ask = { .plan = k->q.pl->plan, .shape = k->q.s, .id = k->q.x->class_first[of] };
    struct kube_span span = { ask, ask, b->preference, skew };
    span.freest.node = &k->freest;
    span.fullest.node = &k->fullest;
    return -kube_most(k->q.pl->kube, &span);
}

/* The least that a node below t can cost; hi POL_NEVER: none will do.  key: no vertex below it comes after this one. */
static struct placement_cost deep_bound(struct deep_search *k, uint32_t t, int64_t key)
{
    enum { MOST = INT32_MAX };
    const struct search *q = &k->q;
    const struct placement_cost nothing = { POL_NEVER, POL_NEVER };
    if (t == POL_NONE) return nothing;
    const struct placement_box *b = &q->v[t].sum;
    if (b->classes == 0 || (q->s != NULL && !may_fit(q, b))) return nothing;
    /* Of one class: else what comes last in another says nothing of the order in it. */
    const int64_t order = key - ((int64_t)__builtin_ctzll(b->classes) << 32);
    const bool is_one = (b->classes & (b->classes - 1)) == 0 && order <= MOST;
    if (q->by_costs != NULL) return q->by_costs->bound(q->pl->costs_ctx, b, is_one ? (int32_t)order : MOST);
    return (struct placement_cost){ kube_bound(k, b, is_one ? order : POL_NEVER / 2), 0 };
}

/* key: no vertex below t comes after it. */
static void search_deep(struct deep_search *k, uint32_t t, int64_t key)
{
    struct search *q = &k->q;
    const struct placement_vertex *v = &q->v[t];
    const uint32_t child[2] = { v->left, v->right };
    const int64_t last[2] = { v->key, key };
    const struct placement_cost bound[2] = { deep_bound(k, child[0], last[0]), deep_bound(k, child[1], last[1]) };
    if (v->own.cpu >= 0 && (q->s == NULL || own_may_fit(q, &v->own))) meet(q, v->node[0]);
    for (int i = 0; i < 2; i++) {
        const int c = i ^ placement_less(bound[1], bound[0]);
        if (bound[c].hi == POL_NEVER || placement_less(q->best, bound[c])) continue;
        if (placement_same(q->best, bound[c]) && q->v[child[c]].sum.first > placement_rank(q->x, q->at)) continue;
        search_deep(k, child[c], last[c]);
    }
}

static uint32_t find_deep(struct placement *pl, struct search *q)
{
    struct deep_search x = { .q = *q, .of = POL_NONE, .is_bounded = placement_index_knows(pl) };
    x.q.best = (struct placement_cost){ POL_NEVER, POL_NEVER };
    if (deep_bound(&x, pl->index.root, POL_NEVER).hi != POL_NEVER) search_deep(&x, pl->index.root, POL_NEVER);
    pl->index.n_looked = x.q.n_looked;
    return x.q.at;
}

uint32_t placement_index_cheapest(struct placement *pl)
{
    if (pl->plan->n_nodes == 0) return POL_NONE;
    placement_index_update(pl);
    placement_index_settle(&pl->index);
    struct search q = { .pl = pl, .x = &pl->index, .v = pl->index.at, .at = POL_NONE, .by_costs = pl->by_costs };
    return find_deep(pl, &q);
}

/*
 * What a vertex costs never changes but of `first`: so the one that was cheapest still is, or one of those that came,
 * among which it is again where it was empty for a while.  False: who knows.
 */
static bool knows_cheapest(const struct placement *pl, uint32_t shape, struct placement_asked *a)
{
    const struct placement_index *x = &pl->index;
    if (a->n_new == 0 || x->n_new - a->n_new > PLACEMENT_NEW_KEPT) return false;
    for (; a->n_new < x->n_new; a->n_new++) {
        const uint32_t id = x->came[(a->n_new + 1) % PLACEMENT_NEW_KEPT];
        if (id == POL_NONE) break;
        if (x->at[id].n == 0) continue;
        const struct placement_cost c = placement_leaf(pl, shape, x->at[id].node[0]);
        if (id == a->cheapest ? placement_same(a->least, c) : c.hi == POL_NEVER || placement_less(a->least, c)) continue;
        if (id == a->cheapest || placement_same(a->least, c)) break;
        a->least = c;
        a->cheapest = id;
    }
    return a->n_new == x->n_new && (a->cheapest == POL_NONE || x->at[a->cheapest].n > 0);
}

__attribute__((noinline))               /* few questions need it, and who asks them is to stay small */
static uint32_t find_cheapest(struct placement *pl, uint32_t shape, struct placement_asked *a)
{
    struct placement_index *x = &pl->index;
    struct search q = search_by(pl, a, &pl->plan->shape[shape]);
    q.shape = shape;
    if (pl->rule <= PLACEMENT_SPREAD) {
        search(&q, x->root);
        a->n_new = pl->rule != PLACEMENT_FIRST && !q.is_tied ? x->n_new : 0;
        a->cheapest = q.at == POL_NONE ? POL_NONE : x->vertex[q.at];
        a->least = q.at == POL_NONE ? (struct placement_cost){ POL_NEVER, POL_NEVER } : q.best;
        return q.at;
    }
    for (uint32_t k = 0; k < PLACEMENT_CLASS_OTHER; k++)
        if ((q.classes >> k & 1) != 0 && !placement_admits(pl, pl->plan, shape, pl->index.class_first[k]))
            q.classes &= ~(UINT64_C(1) << k);
    return find_deep(pl, &q);
}

uint32_t placement_index_find(struct placement *pl, uint32_t shape)
{
    struct placement_asked *a = asked_for(pl, shape);
    if (!knows_cheapest(pl, shape, a)) return find_cheapest(pl, shape, a);
    return a->cheapest == POL_NONE ? POL_NONE : pl->index.at[a->cheapest].node[0];
}

static bool fits(const struct search *q, uint32_t t)
{
    for (; t != POL_NONE; t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        if (!may_fit(q, &v->sum)) return false;
        if ((own_may_fit(q, &v->own) && plan_fits(q->pl->plan, v->node[0], q->s)) || fits(q, v->left)) return true;
    }
    return false;
}

bool placement_index_fits(struct placement *pl, const struct pol_shape *s)
{
    if (pl->plan->n_nodes == 0) return false;
    placement_index_update(pl);
    const struct search q = search_of(pl, s);
    return fits(&q, pl->index.root);
}

bool placement_index_strands(struct placement *pl, uint32_t shape)
{
    const struct plan *p = pl->plan;
    if (pl->kube == NULL || pl->kube->filters == 0 || p->n_node_classes > PLACEMENT_CLASS_OTHER) return false;
    placement_index_update(pl);
    for (uint32_t k = 0; k < p->n_node_classes; k++)
        if (pol_node_allows(&p->node[pl->index.class_first[k]].n, &p->shape[shape]) &&
            placement_admits(pl, p, shape, pl->index.class_first[k]))
            return false;
    return true;
}

/* Below t, if it is before `at`; else that. */
static uint32_t first(const struct search *q, uint32_t t, uint32_t at)
{
    for (; t != POL_NONE && may_fit(q, &q->v[t].sum) && q->v[t].sum.first < at; t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        at = first(q, v->left, at);
        if (v->node[0] < at && own_may_fit(q, &v->own) && plan_fits(q->pl->plan, v->node[0], q->s)) at = v->node[0];
    }
    return at;
}

uint32_t placement_index_first(struct placement *pl, const struct pol_shape *s)
{
    if (pl->plan->n_nodes == 0) return POL_NONE;
    placement_index_update(pl);
    const struct search q = search_of(pl, s);
    return first(&q, pl->index.root, POL_NONE);
}

/* How many of n tasks find room on the nodes of the vertex. */
static uint32_t held(const struct placement *pl, const struct placement_vertex *v, const struct pol_shape *s, uint32_t n)
{
    const bool alike = v->n > 0 && pl->plan->node[v->node[0]].n.max_tasks == 0;     /* else how many more may run differs */
    uint64_t hold = 0;
    for (uint32_t k = 0; k < (alike ? 1 : v->n) && hold < n; k++)
        hold += (alike ? v->n : 1) * (uint64_t)plan_capacity(pl->plan, v->node[k], s);
    return hold < n ? (uint32_t)hold : n;
}

/* How many of n tasks find no room on the nodes below t. */
static uint32_t lacking(const struct search *q, uint32_t t, uint32_t n)
{
    for (; t != POL_NONE && n > 0 && may_fit(q, &q->v[t].sum); t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        n = lacking(q, v->left, n);
        if (own_may_fit(q, &v->own)) n -= held(q->pl, v, q->s, n);
    }
    return n;
}

/*
 * Are n tasks of the shape more than those that fitted when they were counted and those that fit now on nodes that
 * changed since, together?  Where few did, that is told without a search, and the index need not hear of them yet.
 */
static bool are_too_many(struct placement *pl, uint32_t shape, uint32_t n)
{
    const struct plan *p = pl->plan;
    if (shape >= pl->index.cap_asked || !pl->index.asked[shape].is_known) return false;
    struct placement_room *room = &pl->index.asked[shape].room;
    const uint64_t n_changed = plan_n_changed(p, room->seen);
    if (room->seen == 0 || n_changed > ROOM_CHANGES_MAX) return false;
    for (uint64_t i = 0; i < n_changed && room->most < n; i++)
        room->most += plan_capacity(p, plan_changed(p, room->seen, i), &p->shape[shape]);
    if (room->most >= n) return false;
    room->seen = p->touches.n;
    return true;
}

bool placement_index_holds(struct placement *pl, uint32_t shape, uint32_t n)
{
    const struct pol_shape *s = &pl->plan->shape[shape];
    if (pl->plan->n_nodes == 0) return n == 0;
    if (s->gpu_milli == PLACEMENT_WHOLE && pl->plan->n_idle < (int64_t)s->n_gpu * n) return false;
    if (are_too_many(pl, shape, n)) return false;
    struct placement_asked *a = asked_for(pl, shape);
    if (a->n_new != 0 && a->cheapest != POL_NONE && held(pl, &pl->index.at[a->cheapest], s, n) == n) return true;
    const struct search q = search_by(pl, a, s);
    const uint32_t lack = lacking(&q, pl->index.root, n);
    a->room = lack > 0 ? (struct placement_room){ .seen = pl->plan->touches.n, .most = n - lack } : (struct placement_room){ 0 };
    return lack == 0;
}

static void each(const struct search *q, uint32_t t, void (*f)(void *ctx, const uint32_t *node, uint32_t n),
                 void *ctx)
{
    for (; t != POL_NONE && may_fit(q, &q->v[t].sum); t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        each(q, v->left, f, ctx);
        if (own_may_fit(q, &v->own) && plan_fits(q->pl->plan, v->node[0], q->s)) f(ctx, v->node, v->n);
    }
}

/* To take in one node that changed costs as much as to ask so many; of fewer nodes each is asked at any change. */
enum { EACH_ASKED = 16 };

void placement_index_each(struct placement *pl, const struct pol_shape *s,
                          void (*f)(void *ctx, const uint32_t *node, uint32_t n), void *ctx)
{
    const struct plan *const p = pl->plan;
    if (p->n_nodes == 0) return;
    if (pl->index.vertex != NULL && plan_n_changed(p, pl->index.seen) > p->n_nodes / EACH_ASKED) {
        for (uint32_t i = 0; i < p->n_nodes; i++)
            if (plan_fits(p, i, s)) f(ctx, &i, 1);
        return;
    }
    placement_index_update(pl);
    const struct search q = search_of(pl, s);
    each(&q, pl->index.root, f, ctx);
}
