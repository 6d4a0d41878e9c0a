/*
 * fair.c -- fair sharing by weighted dominant share: whose turn it is among the heads of a tree of cohorts, and who
 * gives quota up; see state.h.
 *
 * Cost: the tournament O(pools x pairs x depth); a search for targets as much for each candidate.
 * Source: Kueue 0.13, pkg/scheduler/fair_sharing_iterator.go, preemption/preemption.go and preemption/fairsharing.
 */
#include "kueue/state.h"

#include "lib/util.h"

/* ---- whose turn it is ---- */

/* The share of the child of `cohort` above the queue, if the queue's entry were admitted. */
static int64_t share_with(struct kueue *k, uint32_t queue, uint32_t cohort)
{
    struct kueue_tree *t = &k->config.tree;
    uint32_t child = queue;
    kueue_put_back(k, kueue_queue_of(k, queue)->entry.workload);
    while (t->pool[child].parent != cohort) child = t->pool[child].parent;
    int64_t share = kueue_share(t, child);
    kueue_take_out(k, kueue_queue_of(k, queue)->entry.workload);
    return share;
}

static bool goes_before(struct kueue *k, uint32_t a, uint32_t b, uint32_t cohort)
{
    const uint32_t x = kueue_queue_of(k, a)->entry.workload, y = kueue_queue_of(k, b)->entry.workload;
    const int64_t of_a = share_with(k, a, cohort), of_b = share_with(k, b, cohort);
    if (of_a != of_b) return of_a < of_b;
    if (k->workload[x].priority != k->workload[y].priority) return k->workload[x].priority > k->workload[y].priority;
    return k->workload[x].stamp < k->workload[y].stamp;
}

uint32_t kueue_tournament(struct kueue *k, uint32_t cohort)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t best = POL_NONE;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t c = kind == 0 ? t->pool[cohort].first_cohort : t->pool[cohort].first_queue; c != POL_NONE;
             c = t->pool[c].next) {
            uint32_t one = kind == 0                                          ? kueue_tournament(k, c)
                           : kueue_queue_of(k, c)->entry.workload != POL_NONE ? c
                                                                              : POL_NONE;
            if (one != POL_NONE && (best == POL_NONE || goes_before(k, one, best, cohort))) best = one;
        }
    return best;
}

/* ---- who goes ---- */

/* A search: candidates, those of a queue together and in order; pools from which nothing more is to be had. */
struct search {
    const struct kueue_demand *q;
    struct kueue_candidate *at;
    bool *pruned, *is_above; /* [n_pools] is_above: cohorts above the demand's queue */
    size_t *first, *from, *end; /* [n_pools] the queue's candidates; those from `from` on were not taken yet */
};

static bool has_more(const struct search *s, uint32_t queue) { return s->from[queue] < s->end[queue]; }

static uint32_t pop(struct search *s, uint32_t queue) { return s->at[s->from[queue]++].workload; }

/* The queue below with the greatest share on the way down; POL_NONE: something was pruned, ask again. */
static uint32_t next_queue(struct kueue *k, struct search *s, uint32_t cohort)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t queue = POL_NONE, below = POL_NONE;
    int64_t of_queue = -1, of_below = -1;
    for (uint32_t c = t->pool[cohort].first_queue; c != POL_NONE; c = t->pool[c].next) {
        if (s->pruned[c]) continue;
        int64_t share = kueue_share(t, c);
        if ((share == 0 && c != s->q->queue) || !has_more(s, c)) s->pruned[c] = true;
        else if (share >= of_queue) {
            of_queue = share;
            queue = c;
        }
    }
    for (uint32_t c = t->pool[cohort].first_cohort; c != POL_NONE; c = t->pool[c].next) {
        if (s->pruned[c]) continue;
        int64_t share = kueue_share(t, c);
        if (share == 0 && !s->is_above[c]) s->pruned[c] = true;
        else if (share >= of_below) {
            of_below = share;
            below = c;
        }
    }
    if (queue == POL_NONE && below == POL_NONE) {
        s->pruned[cohort] = true;
        return POL_NONE;
    }
    return of_below >= of_queue ? next_queue(k, s, below) : queue;
}

/* The next queue to take of; POL_NONE: there is none. */
static uint32_t next_target(struct kueue *k, struct search *s)
{
    const struct kueue_tree *t = &k->config.tree;
    if (t->pool[s->q->queue].parent == POL_NONE) return has_more(s, s->q->queue) ? s->q->queue : POL_NONE;
    const uint32_t root = kueue_root(t, s->q->queue);
    while (!s->pruned[root]) {
        uint32_t queue = next_queue(k, s, root);
        if (queue != POL_NONE) return queue;
    }
    return POL_NONE;
}

/* The pools just below where the two queues meet. */
static void almost_lca(const struct kueue *k, const struct search *s, uint32_t target, uint32_t *own, uint32_t *other)
{
    const struct kueue_tree *t = &k->config.tree;
    for (*other = target; !s->is_above[t->pool[*other].parent];) *other = t->pool[*other].parent;
    for (*own = s->q->queue; t->pool[*own].parent != t->pool[*other].parent;) *own = t->pool[*own].parent;
}

/* The demand counts as used while shares are looked at. */
static void count_demand(struct kueue *k, const struct kueue_demand *q, bool is_used)
{
    for (uint32_t i = 0; i < q->n_use; i++) {
        if (is_used) kueue_use(&k->config.tree, q->queue, q->use[i].pair, q->use[i].n);
        else kueue_free(&k->config.tree, q->queue, q->use[i].pair, q->use[i].n);
    }
}

static bool take(struct kueue *k, const struct search *s, uint32_t victim, const char *reason,
                 struct kueue_targets *out)
{
    kueue_take_out(k, victim);
    kueue_target(out, victim, reason);
    count_demand(k, s->q, false);
    bool fits = kueue_demand_fits(k, s->q, true);
    count_demand(k, s->q, true);
    return fits;
}

static const char sharing[] = "fair sharing within the cohort";

/* The first strategy, for each candidate in turn; those that it leaves are the search's after it. */
static bool run_first(struct kueue *k, struct search *s, struct kueue_targets *out)
{
    const struct kueue_tree *t = &k->config.tree;
    size_t *left = pol_alloc(t->n_pools, sizeof *left);     /* of each queue, gathered at the front of its own */
    uint32_t queue, own, other;
    bool fits = false;
    while (!fits && (queue = next_target(k, s)) != POL_NONE) {
        if (queue == s->q->queue) {
            fits = take(k, s, pop(s, queue), kueue_own_reason, out);
            continue;
        }
        almost_lca(k, s, queue, &own, &other);
        const int64_t with = kueue_share(t, own), before = kueue_share(t, other);
        while (has_more(s, queue)) {
            const uint32_t victim = pop(s, queue);
            kueue_take_out(k, victim);
            const int64_t after = kueue_share(t, other);
            kueue_put_back(k, victim);
            if (k->config.begins_with_initial ? with < before : with <= after) {
                fits = take(k, s, victim, sharing, out);
                break;
            }
            s->at[s->first[queue] + left[queue]++].workload = victim;
        }
    }
    for (uint32_t p = t->n_cohorts; p < t->n_pools; p++) {
        s->from[p] = s->first[p];
        s->end[p] = s->first[p] + left[p];
    }
    free(left);
    return fits;
}

/* LessThanInitialShare, for one candidate of each queue. */
static bool run_second(struct kueue *k, struct search *s, struct kueue_targets *out)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t queue, own, other;
    while ((queue = next_target(k, s)) != POL_NONE) {
        almost_lca(k, s, queue, &own, &other);
        if (kueue_share(t, own) < kueue_share(t, other) && take(k, s, pop(s, queue), sharing, out)) return true;
        s->pruned[queue] = true;
    }
    return false;
}

static void collect_of(struct kueue *k, struct search *s, uint32_t queue)
{
    s->first[queue] = s->from[queue] = k->n_candidates;
    kueue_sort_holds(k, queue);
    kueue_collect(k, s->q, queue, POL_NONE, 0);
    s->end[queue] = k->n_candidates;
}

static void find(struct kueue *k, struct search *s, struct kueue_targets *out)
{
    const struct kueue_tree *t = &k->config.tree;
    const struct kueue_demand *q = s->q;
    const uint32_t root = kueue_root(t, q->queue);
    k->n_candidates = 0;
    collect_of(k, s, q->queue);
    for (uint32_t p = t->n_cohorts; p < t->n_pools && root != q->queue; p++)
        if (p != q->queue && kueue_root(t, p) == root && !kueue_is_within(k, p, q)) collect_of(k, s, p);
    if (k->n_candidates == 0 || !kueue_is_hopeful(k, q)) return;
    s->at = k->candidate;
    for (uint32_t p = t->pool[q->queue].parent; p != POL_NONE; p = t->pool[p].parent) s->is_above[p] = true;
    count_demand(k, q, true);
    bool fits = run_first(k, s, out);
    if (!fits && k->config.has_initial_too) {
        memset(s->pruned, 0, t->n_pools * sizeof *s->pruned);
        fits = run_second(k, s, out);
    }
    count_demand(k, q, false);
    if (fits) kueue_fill_back(k, q, out, true);
    kueue_restore(k, out, fits);
}

void kueue_find_fair(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out)
{
    const size_t n = k->config.tree.n_pools;
    bool *flag = pol_alloc(2 * n, sizeof *flag);
    size_t *at = pol_alloc(3 * n, sizeof *at);
    struct search s = { .q = q, .pruned = flag, .is_above = flag + n, .first = at, .from = at + n, .end = at + 2 * n };
    out->n = 0;
    find(k, &s, out);
    POL_FREE(flag, at);
}
