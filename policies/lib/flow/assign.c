/*
 * assign.c -- the solver's interface: what callers tell it, and the order of one solve.
 *
 * A solve.
 * 1. New tasks go into the index's buckets (index.c).  The aggregators of sites with
 *    places are live, and the cheapest waiting task of each bucket at a live one is an
 *    arc of its job.
 * 2. Prices: those of the last solve, unless more than half of the places came or went;
 *    then one price for each GPU class (place_cold).  A site that is new after a warm
 *    start gets the lowest price at which no task wants it.
 * 3. Jobs whose tasks, share or arcs changed choose anew which tasks are placed, and
 *    their value (place_balance).
 * 4. Shortest paths repair sites with too many or too few tasks (search.c, fill.c).  If,
 *    after a cold start, too many long paths are foreseen, an auction finds better
 *    prices first (auction.c).
 *
 * Cost and measurements: README.md.
 */
#include "lib/flow/state.h"

#define BOUND (INT64_C(1) << 50)        /* of one cost */
#define TOP   (INT64_C(1) << 58)        /* of M */

struct assign *assign_create(uint32_t n_racks, uint32_t n_nodes, const uint32_t *rack, uint32_t n_classes)
{
    struct assign *s = pol_alloc(1, sizeof *s);
    s->topo.n_racks = n_racks;
    s->topo.n_nodes = n_nodes;
    s->topo.n_classes = n_classes;
    s->topo.n_regions = n_nodes + n_racks + 1;
    s->topo.rack = pol_alloc(n_nodes, sizeof *s->topo.rack);
    s->node_site = pol_alloc(n_nodes, sizeof *s->node_site);
    if (n_nodes > 0) memcpy(s->topo.rack, rack, n_nodes * sizeof *rack);
    memset(s->node_site, 0xff, n_nodes * sizeof *s->node_site);
    FLOW_RESERVE(s->index.pool.at, s->index.pool.cap, 4096);
    POL_RESERVE(s->index.agg, s->index.cap_aggs, 1);
    POL_RESERVE(s->index.low, s->index.cap_low, 1);
    s->index.agg[0].first_bucket = NONE;
    s->index.free_bucket = NONE;
    s->must_start_cold = s->live.has_changed = true;
    s->tune.bid_from = 1000;
    s->tune.fill_from = 6;
    return s;
}

void assign_destroy(struct assign *s)
{
    if (s == NULL) return;
    index_fini(s);
    POL_FREE(s->topo.rack, s->node_site, s->site, s->job, s->task, s->search.mark, s->search.heap, s->search.popped,
             s->search.end, s->search.stack, s->fill.comer, s->fill.inlet, s);
}

static uint32_t find_site(const struct assign *s, uint32_t node, uint32_t class)
{
    uint32_t c = s->node_site[node];
    while (c != NONE && s->site[c].class != class) c = s->site[c].next_on_node;
    return c;
}

void assign_places(struct assign *s, uint32_t node, uint32_t class, uint32_t n)
{
    uint32_t c = find_site(s, node, class);
    if (c == NONE) {
        POL_RESERVE(s->site, s->cap_sites, s->n_sites + 1);
        c = (uint32_t)s->n_sites++;
        s->site[c] = (struct site){ .node = node, .class = class, .first = NONE, .next_on_node = s->node_site[node] };
        s->node_site[node] = c;
        s->index.is_stale = true;
    }
    if ((n > 0) != (s->site[c].cap > 0)) s->live.has_changed = true;
    s->count.places += n;
    s->count.places -= s->site[c].cap;
    s->site[c].cap = n;
}

static struct job *job_at(struct assign *s, uint32_t job)
{
    size_t old = s->n_jobs;
    if (job >= s->n_jobs) {
        POL_RESERVE(s->job, s->cap_jobs, (size_t)job + 1);
        s->n_jobs = (size_t)job + 1;
        for (size_t j = old; j < s->n_jobs; j++) s->job[j] = (struct job){ .first = NONE, .low = FAR_AWAY, .is_dirty = true };
    }
    return &s->job[job];
}

static void seen_cost(struct assign *s, int64_t c)
{
    if (c == ASSIGN_NEVER) return;
    if (c < s->cost.least) s->cost.least = c;
    if (c > s->cost.most) s->cost.most = c;
}

void assign_job(struct assign *s, uint32_t job, uint32_t share, int64_t alpha)
{
    struct job *j = job_at(s, job);
    j->share = share;
    j->alpha = alpha;
    j->is_dirty = true;
    seen_cost(s, alpha);
}

/* What a node would cost if it were not named: its rack's cost if that is named, else far. */
static int64_t above(const struct assign *s, const struct assign_task *t, const struct assign_near *near)
{
    if (!near->is_rack)
        for (uint32_t k = 0; k < t->n_near; k++)
            if (t->near[k].is_rack && t->near[k].at == s->topo.rack[near->at]) return t->near[k].cost;
    return t->far;
}

/* Keep an odd task's near list as it was told, in the pool behind its entries. */
static void keep_near(struct assign *s, struct task *t, const struct assign_task *in)
{
    uint32_t units, block = index_pool_allocate(&s->index.pool, t->n_entry + in->n_near, &units);
    struct entry *e = s->index.pool.at + block;
    memcpy(e, s->index.pool.at + t->block, t->n_entry * sizeof *e);
    for (uint32_t k = 0; k < in->n_near; k++) e[t->n_entry + k] = (struct entry){ in->near[k].cost, in->near[k].at, in->near[k].is_rack };
    index_pool_release(&s->index.pool, t->block, t->units);
    t->block = block;
    t->units = units;
    t->n_near = in->n_near;
}

void assign_add(struct assign *s, uint32_t id, const struct assign_task *in)
{
    struct job *j = job_at(s, in->job);
    FLOW_RESERVE(s->task, s->cap_tasks, (size_t)id + 1);
    while (s->n_tasks <= id) s->task[s->n_tasks++].is_here = false;
    uint64_t fits = s->topo.n_classes < 64 ? in->fits & ((UINT64_C(1) << s->topo.n_classes) - 1) : in->fits;
    struct task t = { .job = in->job, .site = NONE, .comer = NONE, .far = in->far, .is_here = true, .is_new = true };
    t.group = index_group(s, fits);
    t.block = index_pool_allocate(&s->index.pool, in->n_near + 1, &t.units);
    struct entry *e = s->index.pool.at + t.block;
    uint32_t v = t.group * s->topo.n_regions;
    for (uint32_t k = 0; k < in->n_near; k++) {
        const struct assign_near *x = &in->near[k];
        int64_t over = above(s, in, x);
        seen_cost(s, x->cost);
        t.is_odd |= x->cost > in->far || x->cost > over;
        if (x->cost == ASSIGN_NEVER || (!x->is_rack && x->cost == over)) continue;
        e[t.n_entry++] = (struct entry){ x->cost, v + x->at + (x->is_rack ? s->topo.n_nodes : 0), NONE };
    }
    seen_cost(s, in->far);
    if (in->far != ASSIGN_NEVER) e[t.n_entry++] = (struct entry){ in->far, v + s->topo.n_regions - 1, NONE };
    if (t.is_odd) keep_near(s, &t, in);
    s->task[id] = t;
    j->n++;
    j->is_dirty = true;
    s->count.present++;
    s->count.odd += t.is_odd;
    FLOW_RESERVE(s->index.fresh, s->index.cap_fresh, s->index.n_fresh + 1);
    s->index.fresh[s->index.n_fresh++] = id;
}

void assign_remove(struct assign *s, uint32_t id)
{
    struct task *t = &s->task[id];
    struct job *j = &s->job[t->job];
    if (t->site != NONE) place_forget(s, id);
    index_drop(s, id);
    index_pool_release(&s->index.pool, t->block, t->units);
    t->is_here = false;
    j->n--;
    j->is_dirty = true;
    s->count.present--;
    s->count.odd -= t->is_odd;
}

bool assign_has(const struct assign *s, uint32_t id) { return id < s->n_tasks && s->task[id].is_here; }

void assign_forget(struct assign *s) { s->must_start_cold = true; }

void assign_bid_from(struct assign *s, uint64_t arcs) { s->tune.bid_from = arcs; }
void assign_fill_from(struct assign *s, uint64_t places) { s->tune.fill_from = places; }

/* ---- a solve ---- */

/*
 * M outweighs what any exchange can gain: every placed task and every job's
 * alpha moving from one end of the costs to the other.  It has slack, because
 * changing it means starting cold.
 */
static enum assign_st choose_m(struct assign *s)
{
    if (s->cost.least < -BOUND || s->cost.most > BOUND) return ASSIGN_RANGE;
    uint64_t units = (s->count.places < s->count.present ? s->count.places : s->count.present) + s->n_jobs + 1;
    pol_wide need = (pol_wide)(s->cost.most - s->cost.least + 1) * 2 * (pol_wide)units;
    if (need > TOP) return ASSIGN_RANGE;
    if (need <= s->cost.big_m) return ASSIGN_OK;
    for (s->cost.big_m = 1; s->cost.big_m < need || (s->cost.big_m < TOP && s->cost.big_m < 4 * need); ) s->cost.big_m *= 2;
    s->must_start_cold = true;
    return ASSIGN_OK;
}

static void start_cold(struct assign *s)
{
    for (size_t c = 0; c < s->n_sites; c++)
        while (s->site[c].first != NONE) place_forget(s, s->site[c].first);
    for (size_t j = 0; j < s->n_jobs; j++) s->job[j].is_dirty = true;
    s->pi_root = 0;
}

/* The lowest price at which no task wants a site that is new in this solve. */
static int64_t unwanted(const struct assign *s, uint32_t at)
{
    const struct site *c = &s->site[at];
    int64_t pi = 0;
    for (uint32_t g = 0; g < s->index.n_groups; g++) {
        if ((s->index.group[g] >> c->class & 1) == 0) continue;
        uint32_t agg[3];
        index_aggs(s, at, g, agg);
        for (int k = 0; k < 3; k++)
            for (uint32_t b = s->index.agg[agg[k]].first_bucket; b != NONE; b = s->index.bucket[b].next) {
                int64_t bid = s->job[s->index.bucket[b].job].pi - s->live.arc[s->index.bucket[b].arc].cost;
                if (bid > pi) pi = bid;
            }
    }
    for (size_t i = 0; i < s->n_sites; i++) {
        const struct site *o = &s->site[i];
        for (uint32_t id = o->first; id != NONE; id = s->task[id].cnext) {
            const struct task *t = &s->task[id];
            if ((s->index.group[t->group] >> c->class & 1) == 0) continue;
            int64_t cost = index_task_cost(s, t, c->node);
            if (cost != ASSIGN_NEVER && t->cost + o->pi - cost > pi) pi = t->cost + o->pi - cost;
        }
    }
    return pi;
}

/* The potentials of the last solve, relative to the root; sites that are new get a price. */
static void start_warm(struct assign *s)
{
    bool any = false;
    for (size_t c = 0; c < s->n_sites; c++) s->site[c].pi -= s->pi_root;
    for (size_t j = 0; j < s->n_jobs; j++) {
        s->job[j].pi -= s->pi_root;
        if (s->job[j].low < FAR_AWAY) s->job[j].low -= s->pi_root;
    }
    s->pi_root = 0;
    for (size_t i = 0; i < s->live.n_sites; i++) {
        if (s->site[s->live.site[i]].was_cap > 0) continue;
        s->site[s->live.site[i]].pi = unwanted(s, s->live.site[i]);
        any = true;
    }
    for (size_t j = 0; j < s->n_jobs && any; j++) s->job[j].is_dirty = true;
}

/* Did more than half of the places, then and now together, come or go?  Then the last prices say little. */
static bool too_new(const struct assign *s)
{
    uint64_t moved = 0, both = 0;
    for (size_t c = 0; c < s->n_sites; c++) {
        uint32_t a = s->site[c].cap, b = s->site[c].was_cap;
        moved += a > b ? a - b : b - a;
        both += (uint64_t)a + b;
    }
    return moved * 2 > both;
}

static void tally(const struct assign *s, struct assign_result *out)
{
    out->flow = out->cost = 0;
    out->placed = (uint32_t)s->count.placed;
    out->stats = s->stats;
    for (size_t c = 0; c < s->n_sites; c++)
        for (uint32_t id = s->site[c].first; id != NONE; id = s->task[id].cnext) { out->flow++; out->cost += s->task[id].cost; }
    for (size_t i = 0; i < s->n_jobs; i++) {
        const struct job *j = &s->job[i];
        int64_t z = j->n > j->share ? j->n - j->share : 0, left = j->n - j->x;
        if (left < z) z = left;
        out->flow += z;
        out->cost += z * j->alpha;
    }
}

enum assign_st assign_solve(struct assign *s, struct assign_result *out)
{
    if (choose_m(s) != ASSIGN_OK) return ASSIGN_RANGE;
    s->stats = (struct assign_stats){ .was_cold = s->must_start_cold || too_new(s) };
    index_flush(s);
    if (s->stats.was_cold) start_cold(s);
    index_live(s);
    if (s->stats.was_cold) place_cold(s);
    else start_warm(s);
    place_lows(s);
    for (uint32_t j = 0; j < s->n_jobs; j++) if (s->job[j].is_dirty) place_balance(s, j);
    search_repair(s);
    for (size_t c = 0; c < s->n_sites; c++) s->site[c].was_cap = s->site[c].cap;
    s->must_start_cold = false;
    tally(s, out);
    return ASSIGN_OK;
}

/* ---- answers ---- */

bool assign_place(const struct assign *s, uint32_t id, uint32_t *node, uint32_t *class)
{
    uint32_t c = s->task[id].site;
    if (c == NONE) return false;
    *node = s->site[c].node;
    *class = s->site[c].class;
    return true;
}

uint32_t assign_first(const struct assign *s, uint32_t node, uint32_t class)
{
    uint32_t c = find_site(s, node, class);
    return c == NONE ? NONE : s->site[c].first;
}

uint32_t assign_next(const struct assign *s, uint32_t id) { return s->task[id].cnext; }

int64_t assign_price(const struct assign *s, uint32_t node, uint32_t class)
{
    uint32_t c = find_site(s, node, class);
    return c == NONE || s->site[c].cap == 0 ? 0 : s->site[c].pi - s->pi_root;
}

int64_t assign_value(const struct assign *s, uint32_t job) { return job < s->n_jobs ? s->job[job].pi - s->pi_root : 0; }

size_t assign_bytes(const struct assign *s)
{
    return sizeof *s + s->topo.n_nodes * 8u + s->cap_sites * sizeof *s->site + s->cap_jobs * sizeof *s->job
         + s->cap_tasks * sizeof *s->task + s->index.cap_aggs * sizeof *s->index.agg + s->index.cap_buckets * sizeof *s->index.bucket
         + s->index.pool.cap * sizeof *s->index.pool.at + s->index.of_pair.n_slots * sizeof *s->index.of_pair.at + s->live.cap_arcs * sizeof *s->live.arc
         + (s->index.cap_fresh + s->live.cap_of_agg + s->live.cap_sites + s->live.cap_aggs + s->search.cap_popped + s->search.cap_end) * sizeof(uint32_t)
         + s->index.cap_low * sizeof(int64_t) + s->search.cap_rest * sizeof *s->search.rest + s->search.cap_mark * sizeof *s->search.mark + (s->search.cap_heap + s->search.cap_stack) * sizeof *s->search.heap
         + s->fill.cap_comer * sizeof *s->fill.comer + s->fill.cap_inlet * sizeof *s->fill.inlet + s->index.cap_groups * sizeof *s->index.group;
}
