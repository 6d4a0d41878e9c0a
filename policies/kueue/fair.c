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

/* A search: candidates in order, by queue; pools from which nothing more is to be had. */
struct search {
    const struct kueue_demand *q;
    struct kueue_candidate *at;
    size_t n;                /* workload POL_NONE: taken */
    bool *pruned, *is_above; /* [n_pools] is_above: cohorts above the demand's queue */
    size_t *from;            /* [n_pools] before this no candidate of the queue is left */
};

static struct kueue_candidate *next_of(const struct search *s, uint32_t queue)
{
    size_t *i = &s->from[queue];
    while (*i < s->n && (s->at[*i].workload == POL_NONE || s->at[*i].queue != queue)) ++*i;
    return *i < s->n ? &s->at[*i] : NULL;
}

static uint32_t pop(struct search *s, uint32_t queue)
{
    struct kueue_candidate *c = next_of(s, queue);
    uint32_t id = c->workload;
    c->workload = POL_NONE;
    return id;
}

/* The queue below with the greatest share on the way down; POL_NONE: something was pruned, ask again. */
static uint32_t next_queue(struct kueue *k, struct search *s, uint32_t cohort)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t queue = POL_NONE, below = POL_NONE;
    int64_t of_queue = -1, of_below = -1;
    for (uint32_t c = t->pool[cohort].first_queue; c != POL_NONE; c = t->pool[c].next) {
        if (s->pruned[c]) continue;
        int64_t share = kueue_share(t, c);
        if ((share == 0 && c != s->q->queue) || next_of(s, c) == NULL) s->pruned[c] = true;
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
    if (t->pool[s->q->queue].parent == POL_NONE) return next_of(s, s->q->queue) != NULL ? s->q->queue : POL_NONE;
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

/* The first strategy, for each candidate in turn; those that it leaves are gathered at the front of k->candidate. */
static bool run_first(struct kueue *k, struct search *s, struct kueue_targets *out)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t *left = pol_alloc(s->n, sizeof *left), queue, own, other;
    bool fits = false;
    size_t n_left = 0;
    while (!fits && (queue = next_target(k, s)) != POL_NONE) {
        if (queue == s->q->queue) {
            fits = take(k, s, pop(s, queue), kueue_own_reason, out);
            continue;
        }
        almost_lca(k, s, queue, &own, &other);
        const int64_t with = kueue_share(t, own), before = kueue_share(t, other);
        while (next_of(s, queue) != NULL) {
            const uint32_t victim = pop(s, queue);
            kueue_take_out(k, victim);
            const int64_t after = kueue_share(t, other);
            kueue_put_back(k, victim);
            if (k->config.begins_with_initial ? with < before : with <= after) {
                fits = take(k, s, victim, sharing, out);
                break;
            }
            left[n_left++] = victim;
        }
    }
    s->n = n_left;
    for (size_t i = 0; i < n_left; i++)
        s->at[i] = (struct kueue_candidate){ .workload = left[i], .queue = k->workload[left[i]].queue };
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

void kueue_find_fair(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out)
{
    const struct kueue_tree *t = &k->config.tree;
    out->n = k->n_candidates = 0;
    kueue_collect(k, q, q->queue, POL_NONE, 1);
    for (uint32_t p = t->n_cohorts; p < t->n_pools && t->pool[q->queue].parent != POL_NONE; p++)
        if (p != q->queue && kueue_root(t, p) == kueue_root(t, q->queue) && !kueue_is_within(k, p, q))
            kueue_collect(k, q, p, POL_NONE, 0);
    if (k->n_candidates == 0 || !kueue_is_hopeful(k, q)) return;
    kueue_sort_candidates(k);
    struct search s = { .q = q, .at = k->candidate, .n = k->n_candidates };
    bool *flag = pol_alloc(2 * (size_t)t->n_pools, sizeof *flag);
    s.pruned = flag;
    s.is_above = flag + t->n_pools;
    s.from = pol_alloc(t->n_pools, sizeof *s.from);
    for (uint32_t p = t->pool[q->queue].parent; p != POL_NONE; p = t->pool[p].parent) s.is_above[p] = true;
    count_demand(k, q, true);
    bool fits = run_first(k, &s, out);
    if (!fits && k->config.has_initial_too) {
        memset(s.pruned, 0, t->n_pools * sizeof *s.pruned);
        memset(s.from, 0, t->n_pools * sizeof *s.from);
        fits = run_second(k, &s, out);
    }
    count_demand(k, q, false);
    if (fits) kueue_fill_back(k, q, out, true);
    kueue_restore(k, out, fits);
    POL_FREE(flag, s.from);
}
