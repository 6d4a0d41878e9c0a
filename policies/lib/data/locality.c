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

static bool is_before(const struct locality_reach_at *a, const struct locality_reach_at *b)
{
    return a->level != b->level ? a->level < b->level : a->cost < b->cost;
}

/* The network may be faster than a disk. */
static bool prefers_far(const struct locality *l, const struct locality_reach *r)
{
    struct locality_reach_at *rack = &r->at[r->n_nodes], *elsewhere = &rack[r->n_racks];
    for (uint32_t i = 0; i < r->n_racks; i++)
        if (rack[i].cost != INT64_MAX && is_before(elsewhere, &rack[i])) return true;
    for (uint32_t i = 0; i < r->n_nodes; i++)
        if (is_before(elsewhere, &r->at[i]) || is_before(find(rack, r->n_racks, rack_of(l, r->at[i].id)), &r->at[i])) return true;
    return false;
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
        else if (l->by == LOCALITY_RACK) r->at[i].cost = 0;
        else r->at[i].cost = node == POL_NONE ? INT64_MAX : cost_on(l, t, node);
    }
    if (l->by == LOCALITY_LEAST) grade(l, r, &l->plan->shape[shape]);
    if (l->by == LOCALITY_OWN) fill_unsaid(l, r);
    r->prefers_far = prefers_far(l, r);
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
    for (uint32_t i = 0; i < x->n; i++) free(x->region[i].at);
    free(x->region);
    map_fini(&x->by_id);
    *x = (struct locality_index){ 0 };
}

#define RANKS(c, x, y) locality_before(x, y)
HEAP(candidates, int, struct locality_candidate, RANKS);

/* Regions are numbered: nodes, racks, elsewhere. */
static uint32_t elsewhere(const struct locality *l) { return l->plan->n_nodes + l->n_racks; }

/* NULL: there is none.  Elsewhere, where all tasks are, is the first. */
static struct locality_region *region_of(const struct locality_index *x, uint32_t id)
{
    if (x->n == 0 || x->region[0].id == id) return x->region;
    uint32_t i;
    MAP_EACH(i, &x->by_id, map_mix(id))
        if (x->region[i].id == id) return &x->region[i];
    return NULL;
}

static void push(struct locality_index *x, uint32_t id, struct locality_candidate e)
{
    struct locality_region *r = region_of(x, id);
    if (r == NULL) {
        map_add(&x->by_id, map_mix(id), x->n);
        POL_PUSH(x->region, x->n, x->cap, (struct locality_region){ .id = id });
        r = &x->region[x->n - 1];
    }
    POL_RESERVE(r->at, r->cap, (size_t)r->n + 1);
    candidates_push(0, r->at, r->n++, e);
}

/* The last region moves to its place. */
static void remove_region(struct locality_index *x, uint32_t i)
{
    const uint32_t last = --x->n;
    free(x->region[i].at);
    map_del(&x->by_id, map_mix(x->region[i].id), i);
    if (i == last) return;
    x->region[i] = x->region[last];
    map_del(&x->by_id, map_mix(x->region[i].id), last);
    map_add(&x->by_id, map_mix(x->region[i].id), i);
}

void locality_index_add(struct locality *l, struct locality_index *x, uint32_t task, uint32_t index)
{
    struct locality_reach *r = &l->reach[task];
    const uint32_t n_near = r->n_nodes + r->n_racks;
    r->epoch++;
    x->prefers_far |= r->prefers_far;
    for (uint32_t i = n_near + 1; i-- > 0;) {
        const struct locality_reach_at *a = &r->at[i];
        const uint32_t id = i < r->n_nodes ? a->id : i < n_near ? l->plan->n_nodes + a->id : elsewhere(l);
        push(x, id, (struct locality_candidate){ .cost = a->cost, .level = a->level, .index = index, .task = task, .epoch = r->epoch });
    }
}

void locality_index_del(struct locality *l, uint32_t task) { l->reach[task].epoch++; }

static bool is_stale(const struct locality *l, const struct locality_candidate *e) { return l->reach[e->task].epoch != e->epoch; }

static void drop_stale(const struct locality *l, struct locality_region *r)
{
    while (r->n > 0 && is_stale(l, &r->at[0])) candidates_take(0, r->at, r->n--, 0);
}

void locality_index_renew(struct locality *l, struct locality_index *x, uint32_t shape, pol_task (*handle)(const void *ctx, uint32_t task), const void *ctx)
{
    if (x->n == 0) return;
    const struct locality_region old = x->region[0];
    x->region[0] = (struct locality_region){ .id = old.id };
    for (uint32_t i = 0; i < x->n; i++) x->region[i].n = 0;
    x->prefers_far = false;
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
static bool search(const struct locality *l, const struct locality_region *h, uint32_t at, uint32_t node, int scope, struct locality_candidate *best)
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
    const uint32_t id[] = { node, l->plan->n_nodes + rack_of(l, node), elsewhere(l) };
    bool found = false;
    for (int scope = 0; scope < 3; scope++) {
        struct locality_region *r = region_of(x, id[scope]);
        if (r == NULL) continue;
        drop_stale(l, r);
        found |= search(l, r, 0, node, scope, best);
    }
    return found;
}

/* Does the shape fit on a node of the region?  It does on `some`. */
static bool has_room(const struct locality *l, uint32_t id, const struct pol_shape *s, uint32_t some)
{
    const struct plan *p = l->plan;
    if (id < p->n_nodes) return plan_fits(p, id, s);
    const uint32_t rack = id - p->n_nodes;
    if (rack == l->n_racks || rack == rack_of(l, some)) return true;
    for (uint32_t i = l->rack_first[rack]; i < l->rack_first[rack + 1]; i++)
        if (plan_fits(p, l->rack_node[i], s)) return true;
    return false;
}

/*
 * Of each region with room its first task is enough: where the only node with room is nearer to the data of that task,
 * the task ranks there no later, as the entry of another region says.
 */
bool locality_index_nearest(const struct locality *l, struct locality_index *x, const struct pol_shape *s, uint32_t some,
                            struct locality_candidate *best)
{
    bool found = false;
    for (uint32_t i = 0; i < x->n;) {
        struct locality_region *r = &x->region[i];
        drop_stale(l, r);
        if (i > 0 && r->n == 0) {
            remove_region(x, i);
            continue;
        }
        i++;
        if (r->n == 0 || !locality_before(&r->at[0], best) || !has_room(l, r->id, s, some)) continue;
        *best = r->at[0];
        found = true;
    }
    return found;
}

static bool is_tied(const struct locality_reach_at *a, const struct locality_candidate *best)
{
    return a->level == best->level && a->cost == best->cost;
}

static void list_tied(const struct locality *l, const struct pol_shape *s, const struct locality_candidate *best, uint32_t node,
                      struct locality_nodes *nodes)
{
    const struct locality_reach_at a = locality_at(l, best->task, node);
    if (is_tied(&a, best) && plan_fits(l->plan, node, s)) POL_PUSH(nodes->at, nodes->n, nodes->cap, node);
}

void locality_tied(const struct locality *l, const struct pol_shape *s, const struct locality_candidate *best,
                   struct locality_nodes *nodes)
{
    const struct locality_reach *r = &l->reach[best->task];
    const struct locality_reach_at *rack = &r->at[r->n_nodes];
    nodes->n = 0;
    if (is_tied(&rack[r->n_racks], best)) {
        for (uint32_t i = 0; i < l->plan->n_nodes; i++) list_tied(l, s, best, i, nodes);
        return;
    }
    for (uint32_t i = 0; i < r->n_nodes; i++) list_tied(l, s, best, r->at[i].id, nodes);
    for (uint32_t i = 0; i < r->n_racks; i++) {
        if (!is_tied(&rack[i], best)) continue;
        for (uint32_t k = l->rack_first[rack[i].id]; k < l->rack_first[rack[i].id + 1]; k++)
            if (find(r->at, r->n_nodes, l->rack_node[k]) == NULL) list_tied(l, s, best, l->rack_node[k], nodes);
    }
}
