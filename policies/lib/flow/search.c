/*
 * search.c -- repair: one shortest path for each task too many on a site, then one for
 * each place that is left empty though it has a price (when there are many: fill.c).
 *
 * The residual graph has sites, jobs and one root as its vertices.  Every reduced cost is
 * >= 0 when a solve begins and stays so (complementary slackness):
 *   site -> site    a placed task moves          cost(to) + pi(to) - cost(from) - pi(from)
 *   site -> job     a placed task is dropped     pi(job) - cost - pi(site)
 *   job -> site     a waiting task is placed     cost + pi(site) - pi(job)
 *   job -> root     the job has one fewer        down(x) + pi(root) - pi(job)
 *   root -> job     the job has one more         pi(job) - pi(root) - up(x)
 *   root -> site    a place is left idle         pi(site) - pi(root)
 *
 * The arcs from a task to all sites of an aggregator are one label on the aggregator.  It
 * is popped at label + the least pi of the sites, a lower bound, and then relaxes all of
 * them at once; they are looked at again only for a smaller label.  The label of an odd
 * task (state.h) skips the sites where the task costs more than the label says.
 * A job's arcs are looked at only when the search reaches distance + (job.low - pi), the
 * least that any of them can come to.
 *
 * One phase.
 * 1. Dijkstra from an overfull site, or from the root.  When few units are to be placed
 *    it ends at the nearest vertex that can take one, and queues nothing farther than the
 *    nearest known so far.  When many are, it goes on a little to find more such vertices.
 * 2. The potentials of vertices nearer than where it ended rise by the difference, so
 *    that all paths in the search tree have reduced cost 0.
 * 3. The tasks along the path change places: along the first path found, and along each
 *    further one that the paths before it left as it was.
 *
 * Cost: a phase O((sites + jobs + arcs seen) log); README.md has the figures.
 * Source: successive shortest paths with potentials: Ahuja, Magnanti & Orlin, Network
 * Flows (1993), ch. 9.
 */
#include "lib/heap.h"
#include "lib/flow/state.h"

enum { PLAIN = -2, SOURCE = -3 };       /* via: no task; where a search began */
enum { MANY = 6 };                      /* so many units are searched for together */

/* Vertices 0 .. are sites, then jobs, the root, jobs' scans, aggregators. */
static uint32_t job_v(const struct assign *s, uint32_t j) { return (uint32_t)s->n_sites + j; }
static uint32_t root_v(const struct assign *s) { return (uint32_t)(s->n_sites + s->n_jobs); }
static uint32_t scan_v(const struct assign *s, uint32_t j) { return root_v(s) + 1 + j; }
static uint32_t agg_v(const struct assign *s, uint32_t v) { return root_v(s) + 1 + (uint32_t)s->n_jobs + v; }

#define NEARER(c, x, y) ((x)->key < (y)->key)
HEAP(labels, int, struct label, NEARER);

/*
 * The queue: a binary heap, and a stack for labels no farther than the vertex just
 * popped, where most labels go as costs are often equal.  The last of these is popped
 * first, so that among equals the search goes deep.  Labels that are out of date are
 * skipped when popped.
 */
void search_labels_push(struct assign *s, struct label x)
{
    if (x.key <= s->search.now) {
        FLOW_RESERVE(s->search.stack, s->search.cap_stack, s->search.n_stack + 1);
        s->search.stack[s->search.n_stack++] = x;
        return;
    }
    FLOW_RESERVE(s->search.heap, s->search.cap_heap, s->search.n_heap + 1);
    labels_push(0, s->search.heap, s->search.n_heap++, x);
}

bool search_labels_pop(struct assign *s, struct label *top)
{
    if (s->search.n_stack > 0) {
        *top = s->search.stack[--s->search.n_stack];
        return top->key < s->search.ub;
    }
    if (s->search.n_heap == 0 || s->search.heap[0].key >= s->search.ub) return false;
    *top = s->search.heap[0];
    s->search.now = top->key;
    labels_take(0, s->search.heap, s->search.n_heap--, 0);
    return true;
}

/* ---- relaxing ---- */

/* True when d is better for the vertex; then it is its distance, by way of `from`. */
static bool better(struct assign *s, uint32_t v, int64_t d, uint32_t via, uint32_t from)
{
    struct mark *m = &s->search.mark[v];
    if (d >= s->search.ub || (m->stamp == s->search.stamp && m->d <= d)) return false;
    *m = (struct mark){ d, via, from, s->search.stamp, 0 };
    return true;
}

/* Where a task is in the graph: on its site, or with its job. */
static uint32_t place_of(const struct assign *s, uint32_t id)
{
    return s->task[id].site != NONE ? s->task[id].site : job_v(s, s->task[id].job);
}

static bool takes_one(const struct assign *s, const struct site *c)
{
    return c->load < c->cap && (s->search.for_root ? c->pi > s->pi_root : true);
}

/* The task `via`, now at vertex `from`, could come to the site. */
static void relax_site(struct assign *s, uint32_t c, int64_t d, uint32_t via, uint32_t from)
{
    if (!better(s, c, d, via, from)) return;
    if (s->search.want == 1 && takes_one(s, &s->site[c])) { s->search.ub = d; s->search.end[0] = c; }
    else search_labels_push(s, (struct label){ d, d, c, via });
}

/* A task's, or the root's, entry to an aggregator: d is the distance before the site's pi. */
static void relax_agg(struct assign *s, uint32_t agg, int64_t d, uint32_t via, bool is_odd)
{
    struct agg *v = &s->index.agg[agg];
    if (d + s->index.low[agg] >= s->search.ub) return;
    if (v->opened != s->search.stamp) { v->opened = s->search.stamp; v->label = FAR_AWAY; }
    if (v->label <= d) return;
    if (!is_odd) v->label = d;
    search_labels_push(s, (struct label){ d + s->index.low[agg], d, agg_v(s, agg), via });
}

/* An entry of a placed task. */
static void relax_entry(struct assign *s, uint32_t agg, int64_t base, int64_t cost, uint32_t via)
{
    const struct agg *v = &s->index.agg[agg];
    const struct task *t = &s->task[via];
    if (v->end - v->begin != 1) { relax_agg(s, agg, base + cost, via, t->is_odd); return; }
    uint32_t c = s->live.of_agg[v->begin];
    if (place_may(s, t, cost, c)) relax_site(s, c, base + cost + s->site[c].pi, via, t->site);
}

/* ---- popping ---- */

static void reach_root(struct assign *s, int64_t d, uint32_t from)
{
    if (!better(s, root_v(s), d, (uint32_t)PLAIN, from)) return;
    if (s->search.want == 1 && s->search.sink_root) { s->search.ub = d; s->search.end[0] = root_v(s); }
    else search_labels_push(s, (struct label){ d, d, root_v(s), (uint32_t)PLAIN });
}

static void pop_site(struct assign *s, uint32_t at, int64_t d)
{
    /* A place left empty at price 0: the root is reached at no cost, and the price stays 0. */
    if (s->site[at].load < s->site[at].cap && s->site[at].pi == s->pi_root) reach_root(s, d, at);
    for (uint32_t id = s->site[at].first; id != NONE; id = s->task[id].cnext) {
        const struct task *t = &s->task[id];
        int64_t base = d - t->cost - s->site[at].pi, drop = base + s->job[t->job].pi;
        if (better(s, job_v(s, t->job), drop, id, at)) {
            search_labels_push(s, (struct label){ drop, drop, job_v(s, t->job), id });
            /* An early bound on the search: the job may always have one task fewer. */
            if (s->search.sink_root) reach_root(s, drop + place_value_down(s, &s->job[t->job]) + s->pi_root - s->job[t->job].pi, job_v(s, t->job));
        }
        const struct entry *e = entries(s, t);
        for (uint32_t k = 0; k < t->n_entry; k++)
            if (base + e[k].cost + s->index.low[e[k].agg] < s->search.ub) relax_entry(s, e[k].agg, base, e[k].cost, id);
        s->stats.arcs += t->n_entry;
    }
}

static void pop_job(struct assign *s, uint32_t at, int64_t d)
{
    const struct job *j = &s->job[at];
    if (s->search.mark[job_v(s, at)].via != (uint32_t)PLAIN) reach_root(s, d + place_value_down(s, j) + s->pi_root - j->pi, job_v(s, at));
    if (j->low < FAR_AWAY && d + j->low - j->pi < s->search.ub) search_labels_push(s, (struct label){ d + j->low - j->pi, d, scan_v(s, at), 0 });
}

static void scan_job(struct assign *s, uint32_t at, int64_t d)
{
    struct job *j = &s->job[at];
    int64_t base = d - j->pi, low = FAR_AWAY;
    for (uint32_t i = j->arc0; i < j->arc1; i++) {
        const struct arc *a = &s->live.arc[i];
        int64_t val = a->cost + s->index.low[a->agg];
        if (val < low) low = val;
        if (base + val >= s->search.ub || a->cost == FAR_AWAY) continue;
        const struct agg *v = &s->index.agg[a->agg];
        /* No better than what the aggregator or its only site has. */
        if (v->end - v->begin != 1) {
            if (v->opened == s->search.stamp && v->label <= base + a->cost) continue;
        } else {
            const struct mark *m = &s->search.mark[s->live.of_agg[v->begin]];
            if (m->stamp == s->search.stamp && m->d <= base + val) continue;
        }
        if (v->end - v->begin != 1) { relax_agg(s, a->agg, base + a->cost, a->task, a->is_odd); continue; }
        uint32_t c = s->live.of_agg[v->begin], id = a->task;
        int64_t cost = a->cost;
        while (a->is_odd && id != NONE && !place_may(s, &s->task[id], cost, c)) {
            id = index_after(s, &s->index.bucket[a->bucket], cost, id);
            if (id != NONE) cost = entry_at(s, id, a->agg)->cost;
        }
        if (id != NONE) relax_site(s, c, base + cost + s->site[c].pi, id, job_v(s, at));
    }
    s->stats.arcs += j->arc1 - j->arc0;
    j->low = low;
}

static void pop_root(struct assign *s, int64_t d)
{
    for (uint32_t k = 0; k < s->n_jobs; k++) {
        const struct job *j = &s->job[k];
        /* None waits; if some wait that fit nowhere, the job must rise with the root too. */
        if (j->x == j->n) continue;
        int64_t more = d + j->pi - s->pi_root - place_value_up(s, j);
        if (better(s, job_v(s, k), more, (uint32_t)PLAIN, root_v(s))) search_labels_push(s, (struct label){ more, more, job_v(s, k), (uint32_t)PLAIN });
    }
    relax_agg(s, s->index.n_aggs, d - s->pi_root, (uint32_t)PLAIN, false);
}

/* Offer the label to all sites of the aggregator; an odd task's to those that it may use: the others are the rest. */
static void serve_all(struct assign *s, struct agg *v, const struct entry *e, int64_t d, uint32_t via, uint32_t from)
{
    int64_t low = FAR_AWAY;
    v->served = d;
    v->served_by = s->search.stamp;
    v->n_rest = 0;
    for (uint32_t i = v->begin; i < v->end; i++) {
        uint32_t c = s->live.of_agg[i];
        int64_t pi = s->site[c].pi;
        if (pi < low) low = pi;
        if (e != NULL && !place_may(s, &s->task[via], e->cost, c)) s->search.rest[v->begin + v->n_rest++] = (struct rest){ FAR_AWAY, c };
        else relax_site(s, c, d + pi, via, from);
    }
    v->low = low;
    s->stats.arcs += v->end - v->begin;
}

/* Offer a label no smaller than the one that served all others to the rest; the worst that any site has had so far. */
static int64_t serve_rest(struct assign *s, const struct agg *v, const struct entry *e, int64_t d, uint32_t via, uint32_t from)
{
    int64_t worst = v->served;
    for (uint32_t i = v->begin; i < v->begin + v->n_rest; i++) {
        struct rest *r = &s->search.rest[i];
        if (d < r->label && (e == NULL || place_may(s, &s->task[via], e->cost, r->site))) {
            r->label = d;
            relax_site(s, r->site, d + s->site[r->site].pi, via, from);
        }
        if (r->label > worst) worst = r->label;
    }
    s->stats.arcs += v->n_rest;
    return worst;
}

/*
 * Offer the label to the aggregator's sites.  All but a few have the smallest label so far; a larger one is for the
 * rest, which odd tasks could not use.  v->label is the worst that a site has had: one not below it is of no use.
 */
static void pop_agg(struct assign *s, uint32_t agg, int64_t d, uint32_t via)
{
    struct agg *v = &s->index.agg[agg];
    if (v->label < d) return;
    bool is_odd = via != (uint32_t)PLAIN && s->task[via].is_odd;
    const struct entry *e = is_odd ? entry_at(s, via, agg) : NULL;
    uint32_t from = via == (uint32_t)PLAIN ? root_v(s) : place_of(s, via);
    if (v->served_by != s->search.stamp || d < v->served) serve_all(s, v, e, d, via, from);
    if (!is_odd) s->index.low[agg] = v->low;        /* odd tasks leave keys, and so which optimum is found, alone */
    int64_t worst = serve_rest(s, v, e, d, via, from);
    if (worst < v->label) v->label = worst;
    if (!is_odd || s->task[via].site != NONE) return;
    /* A job's arc stands for all its waiting tasks in turn. */
    uint32_t next = index_after(s, &s->index.bucket[e->bucket], e->cost, via);
    if (next != NONE) relax_agg(s, agg, d - e->cost + entry_at(s, next, agg)->cost, next, s->task[next].is_odd);
}

/* ---- one repair ---- */

static void clear_stamps(struct assign *s)
{
    for (size_t i = 0; i < s->search.cap_mark; i++) s->search.mark[i].stamp = 0;
    for (size_t v = 0; v <= s->index.n_aggs; v++) s->index.agg[v].opened = s->index.agg[v].served_by = 0;
    s->search.stamp = 1;
}

void search_labels_begin(struct assign *s)
{
    if (++s->search.stamp == 0) clear_stamps(s);
    s->search.n_heap = s->search.n_stack = s->search.n_popped = s->search.n_end = 0;
    s->search.now = 0;
    s->search.ub = FAR_AWAY;
}

static bool is_end(const struct assign *s, uint32_t v)
{
    return v < s->n_sites ? takes_one(s, &s->site[v]) : v == root_v(s) && s->search.sink_root;
}

static void shortest(struct assign *s)
{
    uint32_t root = root_v(s);
    size_t most = SIZE_MAX;             /* pops, once an end was found */
    uint32_t from = s->search.for_root ? root : s->search.from;
    search_labels_begin(s);
    (void)better(s, from, 0, (uint32_t)SOURCE, from);
    search_labels_push(s, (struct label){ 0, 0, from, (uint32_t)SOURCE });
    for (struct label x; search_labels_pop(s, &x); ) {
        s->stats.pops++;
        if (x.id > root) {
            if (x.id < agg_v(s, 0)) scan_job(s, x.id - scan_v(s, 0), x.d);
            else pop_agg(s, x.id - agg_v(s, 0), x.d, x.via);
            continue;
        }
        if (s->search.mark[x.id].d < x.d || s->search.mark[x.id].via != x.via) continue;
        FLOW_RESERVE(s->search.popped, s->search.cap_popped, s->search.n_popped + 1);
        s->search.popped[s->search.n_popped++] = x.id;
        if (x.id < s->n_sites) pop_site(s, x.id, x.d);
        else if (x.id < root) pop_job(s, x.id - job_v(s, 0), x.d);
        else pop_root(s, x.d);
        if (s->search.want == 1) continue;
        if (is_end(s, x.id)) {
            s->search.end[s->search.n_end++] = x.id;
            if (s->search.n_end == 1) most = s->search.n_popped * 5 / 4 + 8;
        }
        if (s->search.n_end > 0 && (s->search.n_end == s->search.want || s->search.n_popped >= most)) s->search.ub = x.d;
    }
    if (s->search.want == 1) s->search.n_end = 1;
    else if (s->search.ub == FAR_AWAY)  /* all were reached */
        s->search.ub = s->search.mark[s->search.popped[s->search.n_popped - 1]].d;
    for (size_t i = 0; i < s->search.n_popped; i++) {
        uint32_t v = s->search.popped[i];
        int64_t rise = s->search.ub - s->search.mark[v].d;
        if (v < s->n_sites) s->site[v].pi += rise;
        else if (v < root) s->job[v - s->n_sites].pi += rise;
        else s->pi_root += rise;
    }
}

/* The path to `end` is as the search saw it: its source has one too many, no task on it moved, no job's count did. */
static bool is_whole(const struct assign *s, uint32_t end)
{
    uint32_t v = end;
    if (!is_end(s, v)) return false;
    for (; s->search.mark[v].via != (uint32_t)SOURCE; v = s->search.mark[v].from) {
        const struct mark *m = &s->search.mark[v];
        if (m->via != (uint32_t)PLAIN) {
            if (v < s->n_sites ? place_of(s, m->via) != m->from : s->task[m->via].site != m->from) return false;
            continue;
        }
        uint32_t other = v == root_v(s) ? m->from : v;      /* the root's neighbour */
        if (other >= s->n_sites && s->search.mark[other].used == s->search.stamp) return false;
        if (v == root_v(s) && m->from < s->n_sites && s->site[m->from].load >= s->site[m->from].cap) return false;
    }
    return s->search.for_root || s->site[v].load > s->site[v].cap;
}

/* Move the tasks along the path, from its end to where the search began. */
static void augment(struct assign *s, uint32_t end)
{
    for (uint32_t v = end; s->search.mark[v].via != (uint32_t)SOURCE; v = s->search.mark[v].from) {
        const struct mark *m = &s->search.mark[v];
        if (m->via == (uint32_t)PLAIN) {
            uint32_t other = v == root_v(s) ? m->from : v;
            if (other >= s->n_sites) s->search.mark[other].used = s->search.stamp;
        } else if (v >= s->n_sites) {     /* the job lost the task */
            struct job *j = &s->job[v - s->n_sites];
            int64_t pays = s->task[m->via].cost + s->site[m->from].pi;
            place_drop(s, m->via);
            if (pays < j->low) j->low = pays;
        } else {
            int64_t cost = index_task_cost(s, &s->task[m->via], s->site[v].node);
            if (m->from < s->n_sites) place_move(s, m->via, v, cost);
            else place_put(s, m->via, v, cost);
        }
    }
    s->stats.paths++;
}

static void phase(struct assign *s, size_t units)
{
    s->search.want = units < MANY ? 1 : units;
    FLOW_RESERVE(s->search.end, s->search.cap_end, s->search.want + 1);
    shortest(s);
    for (size_t i = 0; i < s->search.n_end; i++) if (is_whole(s, s->search.end[i])) augment(s, s->search.end[i]);
    s->stats.phases++;
}

static size_t too_few(const struct assign *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->live.n_sites; i++) {
        const struct site *c = &s->site[s->live.site[i]];
        if (c->load < c->cap && c->pi > s->pi_root) n += c->cap - c->load;
    }
    return n;
}

/*
 * Are n empty places enough for searching backwards from each (fill.c)?  That needs
 * lists of all placed tasks, which few places do not pay for; and where many tasks are
 * odd, labels save it little work.
 */
static bool is_many(const struct assign *s, size_t n)
{
    if (s->tune.fill_from == 0) return true;
    return n >= s->tune.fill_from && (s->stats.was_cold || n * 128 >= s->count.placed) && s->count.odd * 4 <= s->count.present;
}

static size_t too_many(const struct assign *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->live.n_sites; i++) {
        const struct site *c = &s->site[s->live.site[i]];
        if (c->load > c->cap) n += c->load - c->cap;
    }
    return n;
}

/* What repairs have cost so far, looked at whenever their number doubled. */
struct growth { uint64_t next, arcs; };
/* Paths before the first look; most that one doubling costs, in times the last. */
enum { FIRST = 16, MOST = 6 };

/*
 * Would `all` repairs look at more than `most` arcs, if each doubling of their
 * number costs as much more as the last one did?  False between the looks.
 */
static bool foresee(struct growth *g, uint64_t paths, uint64_t arcs, uint64_t all, uint64_t most)
{
    if (paths < g->next) return false;
    uint64_t times = g->arcs == 0 ? 2 : arcs / g->arcs;
    if (times < 2) times = 2;
    if (times > MOST) times = MOST;
    g->next = paths * 2;
    g->arcs = arcs;
    for (; paths * 2 <= all && arcs <= most; paths *= 2) arcs *= times;
    return arcs > most || arcs / paths * all > most;
}

/*
 * Too many tasks: from each overfull site in turn to the nearest empty place, or to the
 * root, which means that a task is dropped.  The way to the root is short, and one
 * search from the root later fills many places; a path from a site to a place would
 * have to pass the root for each task alone.
 * False: stopped, as it would look at more than `most` arcs in all.
 */
static bool relieve(struct assign *s, uint64_t most)
{
    uint64_t paths = s->stats.paths, arcs = s->stats.arcs, all = most == UINT64_MAX ? 0 : too_many(s);
    struct growth g = { .next = FIRST };
    s->search.for_root = false;
    s->search.sink_root = true;
    for (s->search.from = 0; s->search.from < s->n_sites; s->search.from++)
        while (s->site[s->search.from].load > s->site[s->search.from].cap) {
            if (all > 0 && foresee(&g, s->stats.paths - paths, s->stats.arcs - arcs, all, most)) return false;
            phase(s, 1);
        }
    return true;
}

/* Arcs that the repairs of a cold start may look at before an auction is tried. */
static uint64_t patience(const struct assign *s)
{
    /* Anything goes if the limit would overflow in foresee, which multiplies it. */
    bool any = s->count.places == 0 || s->tune.bid_from > UINT64_MAX / 16 / s->count.places;
    return any ? UINT64_MAX : s->tune.bid_from * s->count.places;
}

void search_repair(struct assign *s)
{
    bool bids_first = s->stats.was_cold && s->tune.bid_from == 0;
    POL_RESERVE(s->search.mark, s->search.cap_mark, root_v(s) + 1u);
    if (bids_first) auction_run(s);
    if (!relieve(s, s->stats.was_cold && !bids_first ? patience(s) : UINT64_MAX)) {
        auction_run(s);
        (void)relieve(s, UINT64_MAX);
    }
    if (is_many(s, too_few(s))) fill_run(s);
    /* Too few: from the root; sites without a price may stay empty. */
    s->search.for_root = true;
    s->search.sink_root = false;
    for (size_t n; (n = too_few(s)) > 0; ) phase(s, n);
}
