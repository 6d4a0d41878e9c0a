/*
 * placement.c -- the placement rules' costs, and the trees that keep the cheapest
 * node of each shape for rules that placement_index.h knows no bounds of, see placement.h.
 *
 * A tree is a tournament over the nodes: a node that changed is compared with its
 * neighbours on the way up, O(log nodes) costs.
 * Source: README.md, "Placement", has each rule and where it is from.
 */
#include "lib/place/placement_priv.h"

/* A tree's leaf i is node i; its inner nodes hold the winner of their halves. */
struct placement_tree {
    struct placement_cost *cost;    /* [n_nodes]; hi POL_NEVER: does not fit */
    uint32_t *win;              /* [size]: win[1] is the winner of all; leaves are implied */
    uint32_t size;              /* leaves, a power of two */
    uint32_t generation;
    uint64_t seen;              /* touches of the plan that it knows of */
    bool     is_built;
    uint32_t older, newer;      /* shapes asked just before and after; POL_NONE */
};

static const struct placement_cost NOWHERE = { POL_NEVER, POL_NEVER };

void placement_init(struct placement *pl, struct plan *plan, enum placement_rule rule)
{
    memset(pl, 0, sizeof *pl);
    pl->fills = rule == PLACEMENT_FILL;
    pl->rule = pl->fills ? PLACEMENT_WORST : rule;
    pl->plan = plan;
    pl->oldest = pl->newest = POL_NONE;
    if (rule != PLACEMENT_KUBE && rule != PLACEMENT_KUBE_HYBRID) return;
    kube_init(&pl->own, rule == PLACEMENT_KUBE ? KUBE_DEFAULT : KUBE_HYBRID);
    pl->kube = &pl->own;
}

void placement_use(struct placement *pl, struct kube *k)
{
    pl->kube = k;
}

void placement_plug(struct placement *pl, const struct pol_plugin *plugin, const struct pol_host *host)
{
    pl->rule = PLACEMENT_PLUGIN;
    pl->plugin = plugin;
    pl->host = host;
}

/* Trees stand in the order in which they were asked last. */
static void unlink_tree(struct placement *pl, const struct placement_tree *t)
{
    if (t->older != POL_NONE) pl->tree[t->older]->newer = t->newer; else pl->oldest = t->newer;
    if (t->newer != POL_NONE) pl->tree[t->newer]->older = t->older; else pl->newest = t->older;
}

static void link_tree(struct placement *pl, struct placement_tree *t, uint32_t shape)
{
    t->older = pl->newest;
    t->newer = POL_NONE;
    if (pl->newest != POL_NONE) pl->tree[pl->newest]->newer = shape; else pl->oldest = shape;
    pl->newest = shape;
}

static void drop_tree(struct placement *pl, uint32_t shape)
{
    struct placement_tree *t = pl->tree[shape];
    unlink_tree(pl, t);
    free(t->cost);
    free(t->win);
    free(t);
    pl->tree[shape] = NULL;
    pl->n_trees--;
}

void placement_shapes(struct placement *pl)
{
    for (uint32_t i = 0; i < plan_n_renewed(pl->plan); i++) {
        const uint32_t shape = pl->plan->shapes->renewed[i];
        if (shape < pl->cap_looked) pl->looked[shape] = 0;
        if (shape < pl->index.cap_asked) pl->index.asked[shape].is_known = false;
        if (shape < pl->cap_tree && pl->tree[shape] != NULL) drop_tree(pl, shape);
    }
}

void placement_fini(struct placement *pl)
{
    while (pl->n_trees > 0) drop_tree(pl, pl->oldest);
    free(pl->tree);
    free(pl->arrived);
    free(pl->looked);
    placement_index_fini(&pl->index);
    kube_fini(&pl->own);
    memset(pl, 0, sizeof *pl);
}

/* ---- the costs ---- */

static struct placement_after after_task(const struct plan_node *o, const struct pol_shape *s)
{
    if (s->exclusive) return (struct placement_after){ 0 };
    return (struct placement_after){ o->n.cpu_free - s->cpu_milli, o->n.mem_free - s->mem_b,
                           o->gpu_free - (int64_t)s->n_gpu * s->gpu_milli };
}

/* (cards newly taken, node newly used, idle cards left) in one number: each is at most 64. */
static int64_t cost_pack(const struct plan *p, uint32_t node, const struct pol_shape *s, uint64_t cards)
{
    const struct plan_node *o = &p->node[node];
    const struct pol_card *card = plan_cards_of(p, node);
    int64_t opened = 0;
    for (uint64_t left = cards; left != 0; left &= left - 1)
        opened += card[__builtin_ctzll(left)].milli_free == PLACEMENT_WHOLE;
    int64_t idle = s->exclusive ? 0 : o->n_idle - opened;
    return opened << 16 | (int64_t)(o->n.n_tasks == 0) << 8 | idle;
}

/* ---- fgd ---- */

/* What does not depend on the cards: bit m is set when typical task m could run as to CPU, memory, labels, type. */
static uint32_t runnable(const struct placement *pl, const struct pol_node *n, int64_t cpu, int64_t mem)
{
    uint32_t can = 0;
    for (uint32_t m = 0; m < pl->n_typical; m++) {
        const struct pol_shape *t = &pl->typical[m].shape;
        bool ok = t->n_gpu > 0 && cpu >= t->cpu_milli && mem >= t->mem_b && pol_node_allows(n, t);
        can |= (uint32_t)ok << m;
    }
    return can;
}

/*
 * Expected fragmentation of a node, times the number of arrived typical tasks.
 *   milli [n]  free share of each card; their sum is `free_milli`
 */
static int64_t fragments(const struct placement *pl, uint32_t can, const int32_t *milli, uint32_t n, int64_t free_milli)
{
    int64_t sum = 0;
    for (uint32_t m = 0; m < pl->n_typical; m++) {
        const struct placement_typical *t = &pl->typical[m];
        int64_t frag = free_milli;
        if ((can >> m & 1) != 0) {
            int32_t have = 0;
            int64_t small = 0;
            for (uint32_t k = 0; k < n; k++) {
                bool serves = milli[k] >= t->shape.gpu_milli;
                have += serves;
                small += serves ? 0 : milli[k];
            }
            if (have >= t->shape.n_gpu) frag = small;
        }
        sum += t->weight * frag;
    }
    return sum;
}

/* Is card a before b in the order of README.md, "Cards"? */
static bool card_before(const struct pol_card *a, const struct pol_card *b)
{
    return a->milli_free != b->milli_free ? a->milli_free < b->milli_free : a->mem_free < b->mem_free;
}

static int64_t cost_fgd(const struct placement *pl, uint32_t node, const struct pol_shape *s, uint64_t *cards)
{
    const struct plan *p = pl->plan;
    const struct plan_node *o = &p->node[node];
    const struct pol_card *card = plan_cards_of(p, node);
    int32_t milli[64];
    uint32_t n = o->n.n_gpu;
    if (n == 0) return 0;
    for (uint32_t k = 0; k < n; k++) milli[k] = card[k].milli_free;
    int64_t before = fragments(pl, runnable(pl, &o->n, o->n.cpu_free, o->n.mem_free), milli, n, o->gpu_free);
    if (s->exclusive) return -before;
    uint32_t can = runnable(pl, &o->n, o->n.cpu_free - s->cpu_milli, o->n.mem_free - s->mem_b);
    int64_t left = o->gpu_free - (int64_t)s->n_gpu * s->gpu_milli;
    if (s->n_gpu != 1 || s->gpu_milli == PLACEMENT_WHOLE) {
        for (uint64_t c = *cards; c != 0; c &= c - 1) milli[__builtin_ctzll(c)] -= s->gpu_milli;
        return fragments(pl, can, milli, n, left) - before;
    }
    /* Cards with equal free shares cost the same: of those only the first in card order is tried. */
    uint32_t best = POL_NONE;
    int64_t least = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (!pol_node_card_fits(&card[k], s)) continue;
        bool tried = false;
        for (uint32_t j = 0; j < n && !tried; j++)
            tried = j != k && card[j].milli_free == card[k].milli_free && pol_node_card_fits(&card[j], s) &&
                    (card_before(&card[j], &card[k]) || (j < k && !card_before(&card[k], &card[j])));
        if (tried) continue;
        milli[k] -= s->gpu_milli;
        int64_t cost = fragments(pl, can, milli, n, left) - before;
        milli[k] += s->gpu_milli;
        if (best == POL_NONE || cost < least || (cost == least && card_before(&card[k], &card[best]))) {
            best = k;
            least = cost;
        }
    }
    *cards = UINT64_C(1) << best;
    return least;
}

void placement_count(struct placement *pl, uint32_t shape, uint32_t n)
{
    POL_RESERVE(pl->arrived, pl->cap_arrived, (size_t)shape + 1);
    pl->arrived[shape] += n;
    pl->n_arrived += n;
}

bool placement_learn(struct placement *pl)
{
    if (pl->n_arrived == pl->n_refreshed || 2 * pl->n_arrived < 3 * pl->n_refreshed) return false;
    pl->n_refreshed = pl->n_arrived;
    pl->generation++;
    uint32_t top[PLACEMENT_TYPICAL], n = 0;
    for (size_t i = 0; i < pl->cap_arrived; i++) {
        if (pl->arrived[i] == 0) continue;
        if (n == PLACEMENT_TYPICAL && pl->arrived[i] <= pl->arrived[top[n - 1]]) continue;
        uint32_t k = n < PLACEMENT_TYPICAL ? n++ : n - 1;
        for (; k > 0 && pl->arrived[top[k - 1]] < pl->arrived[i]; k--) top[k] = top[k - 1];
        top[k] = (uint32_t)i;
    }
    pl->n_typical = n;
    for (uint32_t k = 0; k < n; k++) {
        const struct pol_shape *s = &pl->plan->shape[top[k]];
        pl->typical[k] = (struct placement_typical){ .weight = pl->arrived[top[k]], .shape = *s };
    }
    return true;
}

/* ---- plugins ---- */

static struct pol_ask ask_of(const struct placement *pl, const struct plan *in, uint32_t shape, uint32_t node)
{
    const struct pol_node *n = &in->node[node].n;
    bool is_known = pl->plan->gpu_type != NULL && n->gpu_type < pl->plan->n_gpu_types;
    return (struct pol_ask){ .node = n, .card = plan_cards_of(in, node), .shape = &pl->plan->shape[shape],
                             .gpu_type = is_known ? &pl->plan->gpu_type[n->gpu_type] : NULL, .host = pl->host, .id = node };
}

bool placement_admits(const struct placement *pl, const struct plan *in, uint32_t shape, uint32_t node)
{
    if (pl->kube != NULL) {
        kube_prepare(pl->kube, pl->plan);
        return kube_admits(pl->kube, in, shape, node);
    }
    if (pl->plugin == NULL || pl->plugin->filter == NULL) return true;
    struct pol_ask ask = ask_of(pl, in, shape, node);
    return pl->plugin->filter(&ask);
}

/* The greatest score costs least; POL_NEVER is for nodes that do not fit. */
static int64_t cost_plugin(const struct placement *pl, uint32_t shape, uint32_t node)
{
    struct pol_ask ask = ask_of(pl, pl->plan, shape, node);
    int64_t score = pl->plugin->score(&ask);
    return score <= -POL_NEVER ? POL_NEVER - 1 : -score;
}

struct placement_cost placement_cost(const struct placement *pl, uint32_t shape, uint32_t node, uint64_t *cards)
{
    const struct plan *p = pl->plan;
    const struct plan_node *o = &p->node[node];
    const struct pol_shape *s = &p->shape[shape];
    struct placement_after f = after_task(o, s);
    *cards = s->n_gpu > 0 || s->exclusive ? plan_pick_cards(p, node, s) : 0;
    switch (pl->rule) {
    case PLACEMENT_FIRST:  return (struct placement_cost){ node, 0 };
    case PLACEMENT_BEST:   return (struct placement_cost){ placement_cost_best(p, &f), 0 };
    case PLACEMENT_FILL:
    case PLACEMENT_WORST:  return (struct placement_cost){ -placement_cost_best(p, &f), 0 };
    case PLACEMENT_PACK:   return (struct placement_cost){ cost_pack(p, node, s, *cards), placement_cost_best(p, &f) };
    case PLACEMENT_SPREAD: return (struct placement_cost){ placement_cost_spread(&o->n, &f), 0 };
    case PLACEMENT_FGD:    return (struct placement_cost){ cost_fgd(pl, node, s, cards), placement_cost_best(p, &f) };
    case PLACEMENT_KUBE: case PLACEMENT_KUBE_HYBRID:
        kube_prepare(pl->kube, p);
        return (struct placement_cost){ -kube_total(pl->kube, p, shape, node), 0 };
    case PLACEMENT_PLUGIN: return (struct placement_cost){ cost_plugin(pl, shape, node), 0 };
    }
    return NOWHERE;
}

/* ---- the trees ---- */

/* Of two nodes that cost the same: by rank where there is one, else the lower index. */
static uint32_t first_of(const struct placement *pl, uint32_t a, uint32_t b)
{
    const uint32_t *rank = pl->kube != NULL ? pl->kube->rank : NULL;
    return (rank != NULL ? rank[a] < rank[b] : a < b) ? a : b;
}

/* The cost of a leaf; only rules that look at cards have them picked. */
struct placement_cost placement_leaf(const struct placement *pl, uint32_t shape, uint32_t node)
{
    uint64_t cards;
    const struct plan *p = pl->plan;
    const struct pol_shape *s = &p->shape[shape];
    if (!plan_fits(p, node, s)) return NOWHERE;
    if (pl->rule >= PLACEMENT_KUBE) {
        if (!placement_admits(pl, p, shape, node)) return NOWHERE;
        return (struct placement_cost){ pl->rule == PLACEMENT_PLUGIN ? cost_plugin(pl, shape, node) : -kube_total(pl->kube, p, shape, node), 0 };
    }
    if (pl->rule == PLACEMENT_PACK || pl->rule == PLACEMENT_FGD) return placement_cost(pl, shape, node, &cards);
    const struct plan_node *o = &p->node[node];
    struct placement_after f = after_task(o, s);
    switch (pl->rule) {
    case PLACEMENT_FIRST: return (struct placement_cost){ node, 0 };
    case PLACEMENT_BEST:  return (struct placement_cost){ placement_cost_best(p, &f), 0 };
    case PLACEMENT_WORST: return (struct placement_cost){ -placement_cost_best(p, &f), 0 };
    default:          return (struct placement_cost){ placement_cost_spread(&o->n, &f), 0 };
    }
}

/* The winner below inner or leaf position `at`; POL_NONE beyond the nodes. */
static uint32_t winner(const struct placement *pl, const struct placement_tree *t, uint32_t at)
{
    if (at < t->size) return t->win[at];
    return at - t->size < pl->plan->n_nodes ? at - t->size : POL_NONE;
}

static uint32_t play(const struct placement *pl, const struct placement_tree *t, uint32_t at)
{
    uint32_t a = winner(pl, t, 2 * at), b = winner(pl, t, 2 * at + 1);
    if (b == POL_NONE) return a;
    if (placement_same(t->cost[a], t->cost[b])) return first_of(pl, a, b);
    return placement_less(t->cost[b], t->cost[a]) ? b : a;
}

/*
 * Nodes of one class on which nothing runs cost the same, so on a quiet cluster
 * a new tree costs a few evaluations.
 */
static void build(const struct placement *pl, struct placement_tree *t, uint32_t shape)
{
    const struct plan *p = pl->plan;
    struct placement_cost idle[64];
    uint64_t known = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t class = p->node_class[i];
        bool fresh = p->node[i].n.n_tasks == 0 && p->node[i].n.is_up && class < 64 && pl->rule != PLACEMENT_FIRST && pl->rule != PLACEMENT_PLUGIN;
        if (fresh && (known >> class & 1) != 0) {
            t->cost[i] = idle[class];
            continue;
        }
        t->cost[i] = placement_leaf(pl, shape, i);
        if (!fresh) continue;
        idle[class] = t->cost[i];
        known |= UINT64_C(1) << class;
    }
    for (uint32_t at = t->size - 1; at > 0; at--) t->win[at] = play(pl, t, at);
    t->is_built = true;
    t->generation = pl->generation;
}

static void replay(const struct placement *pl, struct placement_tree *t, uint32_t shape, uint32_t node)
{
    struct placement_cost c = placement_leaf(pl, shape, node);
    if (placement_same(c, t->cost[node])) return;
    t->cost[node] = c;
    for (uint32_t at = (node + t->size) / 2; at > 0; at /= 2) {
        uint32_t old = t->win[at], now = play(pl, t, at);
        t->win[at] = now;
        if (now == old && now != node) return;          /* what it lost before, it still loses: nothing above changes */
    }
}

static struct placement_tree *tree_of(struct placement *pl, uint32_t shape)
{
    POL_RESERVE(pl->tree, pl->cap_tree, (size_t)shape + 1);
    struct placement_tree *t = pl->tree[shape];
    if (t != NULL) {
        unlink_tree(pl, t);
        link_tree(pl, t, shape);
        return t;
    }
    uint32_t n = pl->plan->n_nodes, size = 1;
    while (size < n) size *= 2;
    if (pl->max_trees == 0) {
        size_t most = PLACEMENT_BYTES / (n * sizeof *t->cost + size * sizeof *t->win + sizeof *t);
        pl->max_trees = most < 8 ? 8 : (uint32_t)most;
    }
    if (pl->n_trees == pl->max_trees) drop_tree(pl, pl->oldest);
    t = pl->tree[shape] = pol_alloc(1, sizeof *t);
    t->cost = pol_alloc(n, sizeof *t->cost);
    t->win = pol_alloc(size, sizeof *t->win);
    t->size = size;
    link_tree(pl, t, shape);
    pl->n_trees++;
    return t;
}

static void update(const struct placement *pl, struct placement_tree *t, uint32_t shape)
{
    const struct plan *p = pl->plan;
    uint64_t from = t->seen;
    t->seen = p->touches.n;
    if (!t->is_built || t->generation != pl->generation || p->touches.n - from > p->n_nodes) {
        build(pl, t, shape);
        return;
    }
    for (uint64_t k = from + 1; k <= p->touches.n; k++) {
        uint32_t node = p->touches.log[k & p->touches.mask];
        if (p->touches.last[node] == k) replay(pl, t, shape, node);   /* earlier touches are out of date */
    }
}

/* Until its searches have looked at as many nodes as there are: then a tree has paid, if more questions come. */
static bool is_searched(struct placement *pl, uint32_t shape)
{
    if (pl->rule == PLACEMENT_PLUGIN) return false;
    POL_RESERVE(pl->looked, pl->cap_looked, (size_t)shape + 1);
    return pl->looked[shape] < pl->plan->n_nodes;
}

static uint32_t find_by_search(struct placement *pl, uint32_t shape)
{
    const uint32_t best = placement_index_find(pl, shape);
    pl->looked[shape] += pl->index.n_looked;
    return best;
}

/* By the shape's tree; POL_NONE: it fits nowhere, and then no tree is built.  all: the cheapest of all nodes. */
static uint32_t find_by_tree(struct placement *pl, uint32_t shape, bool all)
{
    const bool is_new = shape >= pl->cap_tree || pl->tree[shape] == NULL;
    if (is_new && all && is_searched(pl, shape)) return find_by_search(pl, shape);
    if (is_new && !placement_index_fits(pl, &pl->plan->shape[shape])) return POL_NONE;
    struct placement_tree *t = tree_of(pl, shape);
    update(pl, t, shape);
    uint32_t best = winner(pl, t, 1);
    if (t->cost[best].hi == POL_NEVER) return POL_NONE;
    return all ? best : placement_choose(pl, shape, t->cost);
}

bool placement_find(struct placement *pl, uint32_t shape, struct pol_place *out)
{
    const struct plan *p = pl->plan;
    if (p->n_nodes == 0) return false;
    const bool all = pl->kube == NULL || placement_looks_at_all(pl, shape);
    uint32_t best = all && placement_index_knows(pl) ? placement_index_find(pl, shape) : find_by_tree(pl, shape, all);
    if (best == POL_NONE) return false;
    if (all && pl->kube != NULL) placement_looked_at_all(pl);
    *out = (struct pol_place){ .node = best };
    const struct pol_shape *s = &p->shape[shape];
    if (pl->rule == PLACEMENT_FGD) (void)placement_cost(pl, shape, best, &out->cards);
    else if (s->n_gpu > 0 || s->exclusive) out->cards = plan_pick_cards(p, best, s);
    return true;
}

bool placement_among(struct placement *pl, uint32_t shape, const uint32_t *node, size_t n, struct pol_place *out)
{
    struct placement_cost best = NOWHERE;
    uint32_t at = POL_NONE;
    for (size_t i = 0; i < n; i++) {
        struct placement_cost c = placement_leaf(pl, shape, node[i]);
        if (c.hi == POL_NEVER || placement_less(best, c)) continue;
        if (placement_same(best, c) && first_of(pl, at, node[i]) == at) continue;
        best = c;
        at = node[i];
    }
    if (at == POL_NONE) return false;
    *out = (struct pol_place){ .node = at };
    (void)placement_cost(pl, shape, at, &out->cards);
    return true;
}

bool placement_all(struct placement *pl, const uint32_t *shape, uint32_t n, struct pol_place *out)
{
    struct plan *p = pl->plan;
    const uint64_t change_epoch = p->change_epoch;
    struct kube_round *round = pl->kube != NULL ? pl->kube->round : NULL;
    const uint32_t next = round != NULL ? round->next : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (pl->fills && i > 0 && plan_fits(p, out[i - 1].node, &p->shape[shape[i]])) {
            out[i] = (struct pol_place){ .node = out[i - 1].node };
            (void)placement_cost(pl, shape[i], out[i].node, &out[i].cards);
        } else if (!placement_find(pl, shape[i], &out[i])) {
            while (i-- > 0) plan_take_back(p, out[i].node, &p->shape[shape[i]], out[i].cards, change_epoch);
            if (round != NULL) round->next = next;
            return false;
        }
        plan_allocate(p, out[i].node, &p->shape[shape[i]], out[i].cards);
    }
    return true;
}
