/*
 * placement_search.c -- the searches of placement_index.h: branch and bound over the treap.
 */
#include "lib/place/placement_index_priv.h"

bool placement_index_knows(const struct placement *pl)
{
    return pl->rule <= PLACEMENT_SPREAD;
}

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
    uint64_t classes = UINT64_C(1) << PLACEMENT_CLASS_OTHER;
    for (uint32_t k = 0; k < p->n_node_classes && k < PLACEMENT_CLASS_OTHER; k++) {
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

static bool may_fit(const struct search *q, const struct placement_box *b)
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

static bool may_win(const struct search *q, const struct placement_box *b)
{
    if (q->at == POL_NONE) return true;
    const struct placement_cost x = bound(q, b);
    return placement_less(x, q->best) || (placement_same(x, q->best) && b->first < q->at);
}

/* Nodes that are alike, before their cards are looked at. */
static bool own_may_fit(const struct search *q, const struct placement_own *o)
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
        const uint32_t node = v->node[0];
        if (q->at != POL_NONE) {
            const struct placement_box own = placement_box_of(v);
            if (!may_win(q, &own)) continue;
        }
        const struct placement_cost c = placement_leaf(q->pl, q->shape, node);
        if (c.hi == POL_NEVER) continue;
        if (q->at != POL_NONE && (placement_less(q->best, c) || (placement_same(q->best, c) && q->at < node))) continue;
        q->best = c;
        q->at = node;
    }
}

uint32_t placement_index_find(struct placement *pl, uint32_t shape)
{
    placement_index_update(pl);
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

static void each(const struct search *q, uint32_t t, void (*f)(void *ctx, uint32_t node), void *ctx)
{
    for (; t != POL_NONE && may_fit(q, &q->v[t].sum); t = q->v[t].right) {
        const struct placement_vertex *v = &q->v[t];
        each(q, v->left, f, ctx);
        if (!own_may_fit(q, &v->own) || !plan_fits(q->pl->plan, v->node[0], q->s)) continue;
        for (uint32_t k = 0; k < v->n; k++) f(ctx, v->node[k]);
    }
}

void placement_index_each(struct placement *pl, const struct pol_shape *s, void (*f)(void *ctx, uint32_t node),
                          void *ctx)
{
    if (pl->plan->n_nodes == 0) return;
    placement_index_update(pl);
    const struct search q = search_of(pl, s);
    each(&q, pl->index.root, f, ctx);
}
