/*
 * locality.c -- what reading a task's inputs costs on each node, and the index that finds
 * the cheapest task for a node, see locality.h.
 */
#include "lib/data/locality.h"

#include "lib/heap.h"
#include "lib/util.h"

void locality_init(struct locality *l, const struct pol_host *host, const struct plan *plan, enum locality_by by)
{
    memset(l, 0, sizeof *l);
    l->host = host;
    l->data = pol_extension(host, POL_DATA);
    l->plan = plan;
    l->by = by;
}

void locality_fini(struct locality *l)
{
    for (size_t i = 0; i < l->cap_reach; i++) free(l->reach[i].at);
    POL_FREE(l->reach, l->rack_node, l->rack_first);
}

static uint32_t rack_of(const struct locality *l, uint32_t node) { return l->plan->node[node].n.rack; }

/* Counting sort; the plan has its nodes by the time a task is learnt. */
static void find_racks(struct locality *l)
{
    const struct plan *p = l->plan;
    if (l->rack_first != NULL) return;
    for (uint32_t i = 0; i < p->n_nodes; i++)
        if (rack_of(l, i) >= l->n_racks) l->n_racks = rack_of(l, i) + 1;
    l->rack_first = pol_alloc((size_t)l->n_racks + 2, sizeof *l->rack_first);
    l->rack_node = pol_alloc(p->n_nodes, sizeof *l->rack_node);
    for (uint32_t i = 0; i < p->n_nodes; i++) l->rack_first[rack_of(l, i) + 2]++;
    for (uint32_t r = 0; r < l->n_racks; r++) l->rack_first[r + 2] += l->rack_first[r + 1];
    for (uint32_t i = 0; i < p->n_nodes; i++) l->rack_node[l->rack_first[rack_of(l, i) + 1]++] = i;
}

/* ---- one task's costs ---- */

static struct locality_reach_at *find(struct locality_reach_at *at, uint32_t n, uint32_t id)
{
    for (uint32_t i = 0; i < n; i++)
        if (at[i].id == id) return &at[i];
    return NULL;
}

static void insert(struct locality_reach *r, uint32_t *n, uint32_t id)
{
    uint32_t i = *n;
    for (; i > 0 && r->at[i - 1].id > id; i--) { }
    if (i > 0 && r->at[i - 1].id == id) return;
    POL_RESERVE(r->at, r->cap, (size_t)*n + 2);
    memmove(&r->at[i + 1], &r->at[i], (*n - i) * sizeof *r->at);
    r->at[i] = (struct locality_reach_at){ .id = id };
    ++*n;
}

/* The nodes that hold replicas, and behind them in the same array their racks. */
static void list_places(struct locality *l, struct locality_reach *r, pol_task t, uint32_t n_inputs)
{
    r->n_nodes = r->n_racks = 0;
    for (uint32_t k = 0; k < n_inputs; k++) {
        struct pol_input in = l->data->input(l->host->ctx, t, k);
        for (uint32_t i = 0; i < in.n_replicas; i++) insert(r, &r->n_nodes, in.replica[i]);
    }
    POL_RESERVE(r->at, r->cap, 2 * (size_t)r->n_nodes + 1);
    struct locality_reach_at *rack = &r->at[r->n_nodes];
    for (uint32_t i = 0; i < r->n_nodes; i++) {
        uint32_t id = rack_of(l, r->at[i].id), j = r->n_racks;
        if (find(rack, r->n_racks, id) != NULL) continue;
        for (; j > 0 && rack[j - 1].id > id; j--) rack[j] = rack[j - 1];
        rack[j] = (struct locality_reach_at){ .id = id };
        r->n_racks++;
    }
    rack[r->n_racks] = (struct locality_reach_at){ .id = POL_NONE };
}

/* A node of the rack without replicas; with a shape, one that could hold it.  POL_NONE: there is none. */
static uint32_t other_in_rack(const struct locality *l, const struct locality_reach *r, uint32_t rack, const struct pol_shape *s)
{
    for (uint32_t i = l->rack_first[rack]; i < l->rack_first[rack + 1]; i++) {
        uint32_t node = l->rack_node[i];
        if (find(r->at, r->n_nodes, node) == NULL && (s == NULL || plan_could_fit(l->plan, node, s))) return node;
    }
    return POL_NONE;
}

static uint32_t other_elsewhere(const struct locality *l, const struct locality_reach *r, const struct pol_shape *s)
{
    for (uint32_t k = 0; k < l->n_racks; k++) {
        if (find(&r->at[r->n_nodes], r->n_racks, k) != NULL) continue;
        uint32_t node = other_in_rack(l, r, k, s);
        if (node != POL_NONE) return node;
    }
    return POL_NONE;
}

static uint32_t sample(const struct locality *l, const struct locality_reach *r, uint32_t i, const struct pol_shape *s)
{
    if (i < r->n_nodes) return s == NULL || plan_could_fit(l->plan, r->at[i].id, s) ? r->at[i].id : POL_NONE;
    return i < r->n_nodes + r->n_racks ? other_in_rack(l, r, r->at[i].id, s) : other_elsewhere(l, r, s);
}

/*
 * Transfer time, and among equal times the nearer: a rack's network card and the way to another
 * rack may be equally fast, but all racks share the latter.
 */
static int64_t cost_on(const struct locality *l, pol_task t, uint32_t node)
{
    struct pol_transfer x = l->data->transfer(l->host->ctx, t, node);
    int64_t farthest = x.cross_b > 0 ? 2 : x.rack_b > 0 ? 1 : 0;
    return (x.local_us + x.rack_us + x.cross_us) << 2 | farthest;
}

/*
 * The price on the nodes for which an entry holds.  If all nodes of a rack hold replicas,
 * the rack costs what the dearest of them does.  If there is no rack elsewhere, any node's
 * transfer will do: only prices by bytes are asked then, and each transfer has all bytes.
 */
static int64_t price_on(const struct locality *l, const struct locality_reach *r, pol_task t, uint32_t i, uint32_t node)
{
    enum locality_scope scope = i < r->n_nodes ? LOCALITY_AT_NODE : i < r->n_nodes + r->n_racks ? LOCALITY_IN_RACK : LOCALITY_ELSEWHERE;
    if (node == POL_NONE && scope == LOCALITY_IN_RACK) {
        int64_t most = INT64_MIN;
        for (uint32_t k = 0; k < r->n_nodes; k++) {
            if (rack_of(l, r->at[k].id) != r->at[i].id) continue;
            struct pol_transfer x = l->data->transfer(l->host->ctx, t, r->at[k].id);
            int64_t cost = l->price.of(l->price.ctx, &x, scope);
            if (cost > most) most = cost;
        }
        return most;
    }
    struct pol_transfer x = l->data->transfer(l->host->ctx, t, node == POL_NONE ? 0 : node);
    return l->price.of(l->price.ctx, &x, scope);
}

/*
 * Where the price leaves a cost open it is that of the next wider scope: a node's is its rack's, a rack's
 * elsewhere's.
 */
static void fill_unsaid(const struct locality *l, struct locality_reach *r)
{
    struct locality_reach_at *rack = &r->at[r->n_nodes];
    for (uint32_t i = 0; i < r->n_racks; i++)
        if (rack[i].cost == INT64_MAX) rack[i].cost = rack[r->n_racks].cost;
    for (uint32_t i = 0; i < r->n_nodes; i++)
        if (r->at[i].cost == INT64_MAX) r->at[i].cost = find(rack, r->n_racks, rack_of(l, r->at[i].id))->cost;
}

/* Set the levels, by the two least times that the task can have on nodes that could hold it. */
static void grade(const struct locality *l, struct locality_reach *r, const struct pol_shape *s)
{
    int64_t least = POL_NEVER, second = POL_NEVER;
    uint32_t n = r->n_nodes + r->n_racks + 1;
    for (uint32_t i = 0; i < n; i++) {
        int64_t c = r->at[i].cost;
        if (c >= second || c == least || sample(l, r, i, s) == POL_NONE) continue;
        if (c < least) second = least, least = c;
        else second = c;
    }
    for (uint32_t i = 0; i < n; i++) r->at[i].level = r->at[i].cost <= least ? 0 : r->at[i].cost <= second ? 1 : 2;
}

bool locality_is_old(struct locality *l)
{
    if (l->data->size <= offsetof(struct pol_data, measured)) return false;     /* a host without */
    uint64_t was = l->measured;
    l->measured = l->data->measured(l->host->ctx);
    return l->measured != was;
}

void locality_learn(struct locality *l, pol_task t, uint32_t shape)
{
    find_racks(l);
    POL_RESERVE(l->reach, l->cap_reach, (size_t)t.slot + 1);
    struct locality_reach *r = &l->reach[t.slot];
    list_places(l, r, t, l->data->n_inputs(l->host->ctx, t));
    for (uint32_t i = 0; i <= r->n_nodes + r->n_racks; i++) {
        uint32_t level = i < r->n_nodes ? 0 : i < r->n_nodes + r->n_racks ? 1 : 2;
        uint32_t node = l->by == LOCALITY_RACK ? POL_NONE : sample(l, r, i, NULL);
        r->at[i].level = l->by == LOCALITY_RACK ? level : 0;
        if (l->by == LOCALITY_OWN) r->at[i].cost = price_on(l, r, t, i, node);
        else r->at[i].cost = node == POL_NONE ? 0 : cost_on(l, t, node);
    }
    if (l->by == LOCALITY_LEAST) grade(l, r, &l->plan->shape[shape]);
    if (l->by == LOCALITY_OWN) fill_unsaid(l, r);
}

struct locality_reach_at locality_at(const struct locality *l, uint32_t task, uint32_t node)
{
    const struct locality_reach *r = &l->reach[task];
    const struct locality_reach_at *a = find(r->at, r->n_nodes, node);
    if (a == NULL) a = find(&r->at[r->n_nodes], r->n_racks, rack_of(l, node));
    return a != NULL ? *a : r->at[r->n_nodes + r->n_racks];
}

/* ---- the index ---- */

bool locality_before(const struct locality_candidate *a, const struct locality_candidate *b)
{
    if (a->level != b->level) return a->level < b->level;
    if (a->cost != b->cost) return a->cost < b->cost;
    return a->index < b->index;
}

void locality_index_fini(struct locality_index *x)
{
    for (uint32_t i = 0; i < x->n_heaps; i++) free(x->heap[i].at);
    free(x->heap);
    *x = (struct locality_index){ 0 };
}

#define RANKS(c, x, y) locality_before(x, y)
HEAP(candidates, int, struct locality_candidate, RANKS);

static void push(struct locality_heap *h, struct locality_candidate e)
{
    POL_RESERVE(h->at, h->cap, (size_t)h->n + 1);
    candidates_push(0, h->at, h->n++, e);
}

void locality_index_add(struct locality *l, struct locality_index *x, uint32_t task, uint32_t index)
{
    uint32_t n_nodes = l->plan->n_nodes;
    if (x->heap == NULL) {
        x->n_heaps = n_nodes + l->n_racks + 1;
        x->heap = pol_alloc(x->n_heaps, sizeof *x->heap);
    }
    struct locality_reach *r = &l->reach[task];
    r->epoch++;
    for (uint32_t i = 0; i <= r->n_nodes + r->n_racks; i++) {
        const struct locality_reach_at *a = &r->at[i];
        uint32_t heap = i < r->n_nodes ? a->id : i < r->n_nodes + r->n_racks ? n_nodes + a->id : x->n_heaps - 1;
        push(&x->heap[heap], (struct locality_candidate){ .cost = a->cost, .level = a->level, .index = index, .task = task, .epoch = r->epoch });
    }
}

void locality_index_del(struct locality *l, uint32_t task) { l->reach[task].epoch++; }

static bool is_stale(const struct locality *l, const struct locality_candidate *e) { return l->reach[e->task].epoch != e->epoch; }

/* The last heap lists all tasks. */
void locality_index_renew(struct locality *l, struct locality_index *x, uint32_t shape, pol_task (*handle)(const void *ctx, uint32_t task), const void *ctx)
{
    if (x->n_heaps == 0) return;
    struct locality_heap old = x->heap[x->n_heaps - 1];
    x->heap[x->n_heaps - 1] = (struct locality_heap){ 0 };
    for (uint32_t i = 0; i < x->n_heaps; i++) x->heap[i].n = 0;
    for (uint32_t i = 0; i < old.n; i++) {
        const struct locality_candidate *e = &old.at[i];
        if (is_stale(l, e)) continue;
        locality_learn(l, handle(ctx, e->task), shape);
        locality_index_add(l, x, e->task, e->index);
    }
    free(old.at);
}

/* Does an entry of this scope (0 node, 1 rack, 2 elsewhere) hold for the node? */
static bool holds_for(const struct locality *l, uint32_t task, uint32_t node, int scope)
{
    const struct locality_reach *r = &l->reach[task];
    if (scope > 0 && find(r->at, r->n_nodes, node) != NULL) return false;
    return scope < 2 || find(&r->at[r->n_nodes], r->n_racks, rack_of(l, node)) == NULL;
}

/* Search a heap below vertex `at`: no vertex ranks before the one above it. */
static bool search(const struct locality *l, const struct locality_heap *h, uint32_t at, uint32_t node, int scope, struct locality_candidate *best)
{
    if (at >= h->n || locality_before(best, &h->at[at])) return false;
    const struct locality_candidate *e = &h->at[at];
    if (!is_stale(l, e) && holds_for(l, e->task, node, scope)) {
        *best = *e;
        return true;
    }
    bool a = search(l, h, 2 * at + 1, node, scope, best), b = search(l, h, 2 * at + 2, node, scope, best);
    return a || b;
}

bool locality_index_best(const struct locality *l, struct locality_index *x, uint32_t node, struct locality_candidate *best)
{
    if (x->n_heaps == 0) return false;
    const uint32_t heap[] = { node, l->plan->n_nodes + rack_of(l, node), x->n_heaps - 1 };
    bool found = false;
    for (int scope = 0; scope < 3; scope++) {
        struct locality_heap *h = &x->heap[heap[scope]];
        while (h->n > 0 && is_stale(l, &h->at[0])) candidates_take(0, h->at, h->n--, 0);
        found |= search(l, h, 0, node, scope, best);
    }
    return found;
}
