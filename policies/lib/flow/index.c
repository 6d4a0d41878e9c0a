/*
 * index.c -- all tasks, indexed so that a solve need not look at every waiting one: a
 * bucket for each (job, aggregator), whose items are in order of cost.
 *
 * Invariant: a bucket is a sorted part followed by an unsorted rest, and no item of the
 * rest is cheaper than one of the sorted part.  `head` is the first item whose task waits.
 * Items are appended as they come.  The rest is sorted only once the sorted part is used
 * up: with more tasks than places most buckets never need it.  Empty buckets are freed.
 *
 * Cost: adding a task O(its entries), removing it O(entries x bucket) at worst; one
 * solve's view O(sites + buckets at live aggregators).
 */
#include "lib/flow/state.h"

/* ---- blocks of 2^k units; freed ones are kept by size ---- */

static uint32_t size_class(uint32_t units)
{
    uint32_t k = 0;
    while ((1u << k) < units) k++;
    return k;
}

uint32_t index_pool_allocate(struct pool *p, uint32_t units, uint32_t *cap)
{
    uint32_t k = size_class(units), at = p->free[k];
    *cap = 1u << k;
    if (at != 0) { p->free[k] = p->at[at].agg; return at; }
    if (p->n == 0) p->n = 1;                    /* unit 0 is "none" */
    FLOW_RESERVE(p->at, p->cap, p->n + *cap);
    at = (uint32_t)p->n;
    p->n += *cap;
    return at;
}

void index_pool_release(struct pool *p, uint32_t block, uint32_t cap)
{
    uint32_t k = size_class(cap);
    p->at[block].agg = p->free[k];
    p->free[k] = block;
}

/* ---- (job, aggregator) -> bucket ---- */

static uint32_t hash_of(uint32_t job, uint32_t agg) { return map_mix((uint64_t)job << 32 | agg); }

static uint32_t bucket_of(struct assign *s, uint32_t job, uint32_t agg)
{
    uint32_t b;
    MAP_EACH(b, &s->index.of_pair, hash_of(job, agg))
        if (s->index.bucket[b].job == job && s->index.bucket[b].agg == agg) return b;
    b = s->index.free_bucket;
    if (b != NONE) {
        s->index.free_bucket = s->index.bucket[b].next;
    } else {
        FLOW_RESERVE(s->index.bucket, s->index.cap_buckets, s->index.n_buckets + 1);
        b = (uint32_t)s->index.n_buckets++;
    }
    struct agg *at = &s->index.agg[agg];
    s->index.bucket[b] = (struct bucket){ .job = job, .agg = agg, .prev = NONE, .next = at->first_bucket, .arc = NONE };
    if (at->first_bucket != NONE) s->index.bucket[at->first_bucket].prev = b;
    at->first_bucket = b;
    at->n_buckets++;
    map_add(&s->index.of_pair, hash_of(job, agg), b);
    return b;
}

static void bucket_free(struct assign *s, uint32_t at)
{
    struct bucket *b = &s->index.bucket[at];
    map_del(&s->index.of_pair, hash_of(b->job, b->agg), at);
    if (b->cap > 0) index_pool_release(&s->index.pool, b->block, b->cap);
    if (b->prev != NONE) s->index.bucket[b->prev].next = b->next;
    else s->index.agg[b->agg].first_bucket = b->next;
    if (b->next != NONE) s->index.bucket[b->next].prev = b->prev;
    s->index.agg[b->agg].n_buckets--;
    *b = (struct bucket){ .job = NONE, .next = s->index.free_bucket };
    s->index.free_bucket = at;
}

/* ---- items ---- */

static bool before(const struct item *a, int64_t cost, uint32_t task) { return a->cost != cost ? a->cost < cost : a->task < task; }

/* First of the sorted items that is not before (cost, task). */
static uint32_t lower(const struct item *it, uint32_t n, int64_t cost, uint32_t task)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (before(&it[mid], cost, task)) lo = mid + 1;
        else hi = mid;
    }
    return lo;
}

/* Shell sort: no call for each comparison, as qsort makes; most buckets hold a hundred items at most. */
static void shell_sort(struct item *it, uint32_t n)
{
    static const uint32_t gaps[] = { 1577561, 701138, 311613, 138495, 61553, 27357, 12158, 5403, 2401, 1067, 474, 210, 93, 41, 18, 8, 3, 1 };
    for (size_t g = 0; g < sizeof gaps / sizeof gaps[0]; g++)
        for (uint32_t i = gaps[g]; i < n; i++) {
            struct item x = it[i];
            uint32_t k = i;
            for (; k >= gaps[g] && before(&x, it[k - gaps[g]].cost, it[k - gaps[g]].task); k -= gaps[g]) it[k] = it[k - gaps[g]];
            it[k] = x;
        }
}

void index_sort(struct assign *s, struct bucket *b)
{
    if (b->n_sorted == b->n) return;
    shell_sort(items(s, b) + b->n_sorted, b->n - b->n_sorted);
    b->n_sorted = b->n;
}

/* Extend the sorted part to item `at`.  For the very first only the cheapest is found. */
static void sort_to(struct assign *s, struct bucket *b, uint32_t at)
{
    if (at < b->n_sorted) return;
    if (at > 0) { index_sort(s, b); return; }
    struct item *it = items(s, b), *least = it;
    for (uint32_t i = 1; i < b->n; i++) if (before(&it[i], least->cost, least->task)) least = &it[i];
    struct item x = *least;
    *least = it[0];
    it[0] = x;
    b->n_sorted = 1;
}

/* A sorted part longer than SHORT is cut at a new item, not shifted, if more than FEW items are to come. */
enum { SHORT = 32, FEW = 8 };

static void append(struct assign *s, uint32_t at, struct item x)
{
    struct bucket *b = &s->index.bucket[at];
    if (b->n == b->cap) {
        uint32_t cap, block = index_pool_allocate(&s->index.pool, b->n + b->want, &cap);
        if (b->n > 0) {
            memcpy(s->index.pool.at + block, s->index.pool.at + b->block, b->n * sizeof x);
            index_pool_release(&s->index.pool, b->block, b->cap);
        }
        b->block = block;
        b->cap = cap;
    }
    struct item *it = items(s, b);
    uint32_t k = b->n_sorted;
    if (k == 0 || !before(&x, it[k - 1].cost, it[k - 1].task)) {
        it[b->n] = x;
        if (k == b->n) b->n_sorted++;
    } else {
        uint32_t to = lower(it, k, x.cost, x.task);
        if (to > 0 && (s->index.is_scarce || (k > SHORT && b->want > FEW))) {   /* what follows joins the rest */
            it[b->n] = x;
            b->n_sorted = to;
        } else {
            it[b->n] = it[k];
            memmove(&it[to + 1], &it[to], (k - to) * sizeof *it);
            it[to] = x;
            b->n_sorted++;
        }
    }
    b->n++;
    b->want--;
}

static void take_out(struct assign *s, uint32_t at, int64_t cost, uint32_t task)
{
    struct bucket *b = &s->index.bucket[at];
    struct item *it = items(s, b);
    uint32_t i = lower(it, b->n_sorted, cost, task);
    if (i < b->n_sorted && it[i].task == task) {
        b->n_sorted--;
        memmove(&it[i], &it[i + 1], (b->n_sorted - i) * sizeof *it);
        i = b->n_sorted;
    } else {
        for (i = b->n_sorted; it[i].task != task; i++) {}
    }
    it[i] = it[--b->n];
    if (b->n == 0) bucket_free(s, at);
}

/* ---- tasks ---- */

uint32_t index_group(struct assign *s, uint64_t fits)
{
    for (uint32_t g = 0; g < s->index.n_groups; g++) if (s->index.group[g] == fits) return g;
    POL_RESERVE(s->index.group, s->index.cap_groups, s->index.n_groups + 1u);
    s->index.group[s->index.n_groups++] = fits;
    size_t old = s->index.n_aggs;
    s->index.n_aggs += s->topo.n_regions;
    POL_RESERVE(s->index.agg, s->index.cap_aggs, (size_t)s->index.n_aggs + 1);
    POL_RESERVE(s->index.low, s->index.cap_low, (size_t)s->index.n_aggs + 1);
    for (size_t v = old; v <= s->index.n_aggs; v++) s->index.agg[v] = (struct agg){ .first_bucket = NONE };
    s->index.is_stale = s->live.has_changed = true;
    return s->index.n_groups - 1;
}

#define COMES (UINT32_C(1) << 31)      /* flag in an entry's bucket: its item is counted there, not yet in it */

/* Mark the aggregators to which some site belongs, with places or without. */
static void know_aggs(struct assign *s)
{
    for (uint32_t g = 0; g < s->index.n_groups; g++)
        for (size_t c = 0; c < s->n_sites; c++) {
            if ((s->index.group[g] >> s->site[c].class & 1) == 0) continue;
            struct agg *v = s->index.agg + (size_t)g * s->topo.n_regions;
            uint32_t node = s->site[c].node;
            v[node].is_known = v[s->topo.n_nodes + s->topo.rack[node]].is_known = v[s->topo.n_regions - 1].is_known = true;
        }
}

/* Find a bucket for each entry of the task that has none, and count the items that will come into it. */
static size_t announce(struct assign *s, uint32_t id)
{
    struct task *t = &s->task[id];
    struct entry *e = s->index.pool.at + t->block;
    size_t n = 0;
    for (uint32_t k = 0; k < t->n_entry; k++) {
        if (e[k].bucket != NONE || !s->index.agg[e[k].agg].is_known) continue;
        e[k].bucket = bucket_of(s, t->job, e[k].agg) | COMES;
        s->index.bucket[e[k].bucket & ~COMES].want++;
        n++;
    }
    return n;
}

static void put_in(struct assign *s, uint32_t id)
{
    struct task *t = &s->task[id];
    bool is_odd = t->is_odd;
    for (uint32_t k = 0; k < t->n_entry; k++) {
        struct entry *e = &s->index.pool.at[t->block + k];
        if (e->bucket == NONE || (e->bucket & COMES) == 0) continue;
        struct item x = { e->cost, id, is_odd };
        if (is_odd) s->index.agg[e->agg].is_odd = true;
        e->bucket &= ~COMES;
        append(s, e->bucket, x);
    }
    t->is_new = false;
}

/* All are announced before any is put in, so that a bucket grows once. */
void index_flush(struct assign *s)
{
    size_t n = 0;
    if (s->index.is_stale) {
        know_aggs(s);
        s->index.n_fresh = 0;
        FLOW_RESERVE(s->index.fresh, s->index.cap_fresh, s->n_tasks);
        for (uint32_t id = 0; id < s->n_tasks; id++) if (s->task[id].is_here) s->index.fresh[s->index.n_fresh++] = id;
        s->index.is_stale = false;
    } else {
        size_t kept = 0;
        for (size_t i = 0; i < s->index.n_fresh; i++)
            if (s->task[s->index.fresh[i]].is_here && s->task[s->index.fresh[i]].is_new) s->index.fresh[kept++] = s->index.fresh[i];
        s->index.n_fresh = kept;
    }
    s->index.is_scarce = s->index.n_fresh * 2 > s->count.present && s->count.places * 8 < s->count.present;
    for (size_t i = 0; i < s->index.n_fresh; i++) n += announce(s, s->index.fresh[i]);
    FLOW_RESERVE(s->index.pool.at, s->index.pool.cap, s->index.pool.n + n + n / 2);
    for (size_t i = 0; i < s->index.n_fresh; i++) put_in(s, s->index.fresh[i]);
    s->index.n_fresh = 0;
}

void index_drop(struct assign *s, uint32_t id)
{
    struct task *t = &s->task[id];
    for (uint32_t k = 0; k < t->n_entry; k++) {
        struct entry e = s->index.pool.at[t->block + k];
        if (e.bucket != NONE) take_out(s, e.bucket, e.cost, id);
    }
}

int64_t index_task_cost(const struct assign *s, const struct task *t, uint32_t node)
{
    int64_t cost = t->far;
    for (uint32_t k = 0, n = n_named(t); k < n; k++) {
        struct entry e = named(s, t, k);
        if (e.bucket == 0 && e.agg == node) return e.cost;
        if (e.bucket == 1 && e.agg == s->topo.rack[node]) cost = e.cost;
    }
    return cost;
}

/* ---- the cheapest waiting item of each bucket ---- */

static void advance(struct assign *s, struct bucket *b)
{
    const struct item *it = items(s, b);
    for (; b->head < b->n; b->head++) {
        sort_to(s, b, b->head);
        if (s->task[it[b->head].task].site == NONE) break;
    }
    struct arc *a = &s->live.arc[b->arc];
    a->cost = b->head < b->n ? it[b->head].cost : FAR_AWAY;
    if (b->head == b->n) return;
    a->task = it[b->head].task;
    a->is_odd = it[b->head].is_odd;
}

static bool is_live(const struct assign *s, uint32_t agg) { return s->index.agg[agg].end > s->index.agg[agg].begin; }

void index_placed(struct assign *s, uint32_t id)
{
    const struct task *t = &s->task[id];
    for (uint32_t k = 0; k < t->n_entry; k++) {
        const struct entry *e = &entries(s, t)[k];
        if (e->bucket == NONE || !is_live(s, e->agg)) continue;
        struct bucket *b = &s->index.bucket[e->bucket];
        if (b->head < b->n && items(s, b)[b->head].task == id) advance(s, b);
    }
}

void index_waits(struct assign *s, uint32_t id)
{
    const struct task *t = &s->task[id];
    for (uint32_t k = 0; k < t->n_entry; k++) {
        const struct entry *e = &entries(s, t)[k];
        if (e->bucket == NONE || !is_live(s, e->agg)) continue;
        struct bucket *b = &s->index.bucket[e->bucket];
        const struct item *it = items(s, b);
        if (b->head < b->n && before(&it[b->head], e->cost, id)) continue;
        b->head = lower(it, b->n_sorted, e->cost, id);      /* it precedes the head, so it is in the sorted part */
        s->live.arc[b->arc] = (struct arc){ e->cost, e->agg, e->bucket, id, t->is_odd };
    }
}

uint32_t index_after(struct assign *s, struct bucket *b, int64_t cost, uint32_t id)
{
    index_sort(s, b);
    const struct item *it = items(s, b);
    for (uint32_t i = lower(it, b->n, cost, id); i < b->n; i++)
        if (it[i].task != id && s->task[it[i].task].site == NONE) return it[i].task;
    return NONE;
}

/* ---- one solve's view ---- */

void index_aggs(const struct assign *s, uint32_t c, uint32_t g, uint32_t out[3])
{
    uint32_t v = g * s->topo.n_regions, node = s->site[c].node;
    out[0] = v + node;
    out[1] = v + s->topo.n_nodes + s->topo.rack[node];
    out[2] = v + s->topo.n_regions - 1;
}

/* List the sites that have places, for each aggregator; one without any is not live. */
static void live_sites(struct assign *s)
{
    uint32_t out[3], at = 0;
    s->live.n_sites = s->live.n_aggs = 0;
    FLOW_RESERVE(s->live.site, s->live.cap_sites, s->n_sites);
    for (size_t v = 0; v <= s->index.n_aggs; v++) {
        s->index.agg[v].begin = s->index.agg[v].end = 0;
        s->index.low[v] = NOWHERE;
    }
    for (uint32_t c = 0; c < s->n_sites; c++) {
        if (s->site[c].cap == 0) continue;
        s->live.site[s->live.n_sites++] = c;
        for (uint32_t g = 0; g < s->index.n_groups; g++) {
            if ((s->index.group[g] >> s->site[c].class & 1) == 0) continue;
            index_aggs(s, c, g, out);
            for (int k = 0; k < 3; k++) {
                if (s->index.agg[out[k]].end++ > 0) continue;
                FLOW_RESERVE(s->live.agg, s->live.cap_aggs, s->live.n_aggs + 1);
                s->live.agg[s->live.n_aggs++] = out[k];
            }
        }
    }
    for (size_t i = 0; i < s->live.n_aggs; i++) {
        struct agg *v = &s->index.agg[s->live.agg[i]];
        uint32_t n = v->end;
        v->begin = v->end = at;
        at += n;
    }
    struct agg *all = &s->index.agg[s->index.n_aggs];
    all->begin = all->end = at;
    FLOW_RESERVE(s->live.of_agg, s->live.cap_of_agg, at + s->live.n_sites);
    FLOW_RESERVE(s->search.rest, s->search.cap_rest, at + s->live.n_sites);
    for (size_t i = 0; i < s->live.n_sites; i++) {
        uint32_t c = s->live.site[i];
        s->live.of_agg[all->end++] = c;
        for (uint32_t g = 0; g < s->index.n_groups; g++) {
            if ((s->index.group[g] >> s->site[c].class & 1) == 0) continue;
            index_aggs(s, c, g, out);
            for (int k = 0; k < 3; k++) s->live.of_agg[s->index.agg[out[k]].end++] = c;
        }
    }
    s->live.has_changed = false;
}

void index_live(struct assign *s)
{
    if (s->live.has_changed) live_sites(s);
    for (size_t j = 0; j < s->n_jobs; j++) s->job[j].arc0 = s->job[j].arc1 = 0;
    for (size_t i = 0; i < s->live.n_aggs; i++)
        for (uint32_t b = s->index.agg[s->live.agg[i]].first_bucket; b != NONE; b = s->index.bucket[b].next) s->job[s->index.bucket[b].job].arc1++;
    uint32_t at = 0;
    for (size_t j = 0; j < s->n_jobs; j++) {
        uint32_t n = s->job[j].arc1;
        s->job[j].arc0 = s->job[j].arc1 = at;
        at += n;
    }
    s->live.n_arcs = at;
    FLOW_RESERVE(s->live.arc, s->live.cap_arcs, at);
    for (size_t i = 0; i < s->live.n_aggs; i++)
        for (uint32_t k = s->index.agg[s->live.agg[i]].first_bucket; k != NONE; k = s->index.bucket[k].next) {
            struct bucket *b = &s->index.bucket[k];
            b->arc = s->job[b->job].arc1++;
            b->head = 0;
            s->live.arc[b->arc] = (struct arc){ FAR_AWAY, b->agg, k, NONE, 0 };
            advance(s, b);
        }
}

const struct item *index_head(struct assign *s, struct bucket *b)
{
    if (b->head < b->n && s->task[items(s, b)[b->head].task].site != NONE) advance(s, b);
    return b->head < b->n ? &items(s, b)[b->head] : NULL;
}

void index_rewind(struct assign *s)
{
    for (size_t i = 0; i < s->live.n_arcs; i++) {
        struct bucket *b = &s->index.bucket[s->live.arc[i].bucket];
        b->head = 0;
        advance(s, b);
    }
}

void index_fini(struct assign *s)
{
    free(s->index.bucket); free(s->index.pool.at); map_fini(&s->index.of_pair); free(s->index.fresh);
    free(s->live.of_agg); free(s->search.rest); free(s->live.site); free(s->live.agg); free(s->live.arc); free(s->index.agg); free(s->index.group); free(s->index.low);
}
