/*
 * preempt.c -- who gives quota up for a workload, without fair sharing; see state.h.
 *
 * Candidates are taken out of the tree in order until the demand fits; then those whose going was not needed are put
 * back, the last but one first.  Cost: O(candidates x (log candidates + pairs x depth)).
 * Source: Kueue 0.13, pkg/scheduler/preemption/preemption.go and preemption/classical.
 */
#include "kueue/state.h"

#include "lib/util.h"

/* ---- what both ways share ---- */

void kueue_take_out(struct kueue *k, uint32_t victim)
{
    const struct kueue_workload *w = &k->workload[victim];
    for (uint32_t i = 0; i < w->n_use; i++) kueue_free(&k->config.tree, w->queue, w->use[i].pair, w->use[i].n);
}

void kueue_put_back(struct kueue *k, uint32_t victim)
{
    const struct kueue_workload *w = &k->workload[victim];
    for (uint32_t i = 0; i < w->n_use; i++) kueue_use(&k->config.tree, w->queue, w->use[i].pair, w->use[i].n);
}

void kueue_target(struct kueue_targets *out, uint32_t victim, const char *reason)
{
    POL_PUSH(out->at, out->n, out->cap, (struct kueue_target){ victim, reason });
}

bool kueue_uses(const struct kueue *k, uint32_t id, const struct kueue_demand *q)
{
    const struct kueue_workload *w = &k->workload[id];
    for (uint32_t i = 0; i < w->n_use; i++)
        for (uint32_t n = 0; n < q->n_need; n++)
            if (w->use[i].pair == q->need[n]) return true;
    return false;
}

bool kueue_is_within(const struct kueue *k, uint32_t pool, const struct kueue_demand *q)
{
    for (uint32_t i = 0; i < q->n_need; i++)
        if (kueue_borrows_with(&k->config.tree, pool, q->need[i], 0)) return false;
    return true;
}

/*
 * Do the queue's policy and the priorities let the one stop the other?  Who got its quota at this instant does not
 * go at it, or an instant might never end.
 */
static bool may_stop(struct kueue *k, const struct kueue_demand *q, uint32_t victim)
{
    const struct kueue_workload *w = &k->workload[q->workload], *v = &k->workload[victim];
    const struct kueue_policy *p = kueue_policy_of(&k->config, q->queue);
    bool may;
    if (v->queue != q->queue) may = p->reclaim == KUEUE_ANY || (p->reclaim == KUEUE_LOWER && v->priority < w->priority);
    else if (v->priority != w->priority) may = p->within != KUEUE_NEVER && v->priority < w->priority;
    else may = p->within == KUEUE_LOWER_OR_NEWER && w->stamp < v->stamp;
    if (!may || v->reserved_at < k->sched.view->now_us) return may;
    k->is_held_back = true;
    return false;
}

const char kueue_own_reason[] = "prioritization in the ClusterQueue";

bool kueue_demand_fits(const struct kueue *k, const struct kueue_demand *q, bool borrowing)
{
    const struct kueue_tree *t = &k->config.tree;
    for (uint32_t i = 0; i < q->n_use; i++) {
        if (!borrowing && kueue_borrows_with(t, q->queue, q->use[i].pair, q->use[i].n)) return false;
        if (q->use[i].n > kueue_available(t, q->queue, q->use[i].pair)) return false;
    }
    return true;
}

void kueue_fill_back(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out, bool borrowing)
{
    for (size_t i = out->n - 1; i-- > 0;) {
        kueue_put_back(k, out->at[i].workload);
        if (kueue_demand_fits(k, q, borrowing)) out->at[i] = out->at[--out->n];
        else kueue_take_out(k, out->at[i].workload);
    }
}

/* The tree as it was before targets were taken out; keep: they are the answer. */
void kueue_restore(struct kueue *k, struct kueue_targets *out, bool keep)
{
    for (size_t i = 0; i < out->n; i++) kueue_put_back(k, out->at[i].workload);
    if (!keep) out->n = 0;
}

/* By rank; the lower priority, then the last to get its quota, then as they came. */
static int compare(const void *pa, const void *pb)
{
    const struct kueue_candidate *a = pa, *b = pb;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->priority != b->priority) return a->priority < b->priority ? -1 : 1;
    if (a->reserved_at != b->reserved_at) return a->reserved_at > b->reserved_at ? -1 : 1;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The order of `compare` among those of one queue and rank. */
static bool goes_before(const struct kueue *k, uint32_t a, uint32_t b)
{
    const struct kueue_workload *x = &k->workload[a], *y = &k->workload[b];
    const struct unit *u = sched_unit(&k->sched, a), *v = sched_unit(&k->sched, b);
    if (x->priority != y->priority) return x->priority < y->priority;
    if (x->reserved_at != y->reserved_at) return x->reserved_at > y->reserved_at;
    return u->ordinal != v->ordinal ? u->ordinal < v->ordinal : u->index < v->index;
}

/* Insertion sort: between two searches few came or went. */
void kueue_sort_holds(struct kueue *k, uint32_t pool)
{
    struct kueue_queue *q = kueue_queue_of(k, pool);
    if (q->is_sorted) return;
    q->is_sorted = true;
    for (size_t i = 1; i < q->n_holds; i++) {
        const uint32_t id = q->holds[i];
        size_t at = i;
        for (; at > 0 && goes_before(k, id, q->holds[at - 1]); at--) {
            q->holds[at] = q->holds[at - 1];
            k->workload[q->holds[at]].pos = at;
        }
        q->holds[at] = id;
        k->workload[id].pos = at;
    }
}

/* Is there one in the queue that may_stop lets it stop, as far as the queue's least and latest say? */
static bool may_stop_any(struct kueue *k, const struct kueue_demand *q, uint32_t pool)
{
    const struct kueue_workload *w = &k->workload[q->workload];
    const struct kueue_policy *p = kueue_policy_of(&k->config, q->queue);
    struct kueue_queue *of = kueue_queue_of(k, pool);
    if (!of->is_known) {
        of->least_priority = INT32_MAX;
        of->latest_stamp = INT64_MIN;
        for (size_t i = 0; i < of->n_holds; i++) {
            const struct kueue_workload *v = &k->workload[of->holds[i]];
            if (v->priority < of->least_priority) of->least_priority = v->priority;
            if (v->stamp > of->latest_stamp) of->latest_stamp = v->stamp;
        }
        of->is_known = true;
    }
    const bool is_lower = of->least_priority < w->priority;
    if (pool != q->queue) return p->reclaim == KUEUE_ANY || (p->reclaim == KUEUE_LOWER && is_lower);
    return (p->within != KUEUE_NEVER && is_lower) || (p->within == KUEUE_LOWER_OR_NEWER && w->stamp < of->latest_stamp);
}

void kueue_collect(struct kueue *k, const struct kueue_demand *q, uint32_t pool, uint32_t lca, uint32_t rank)
{
    const struct kueue_queue *of = kueue_queue_of(k, pool);
    if (!may_stop_any(k, q, pool)) return;
    for (size_t i = 0; i < of->n_holds; i++) {
        const uint32_t v = of->holds[i];
        const struct kueue_workload *w = &k->workload[v];
        const struct unit *u = sched_unit(&k->sched, v);
        if (!kueue_uses(k, v, q) || !may_stop(k, q, v)) continue;
        POL_PUSH(k->candidate, k->n_candidates, k->cap_candidate,
                 (struct kueue_candidate){ .workload = v,
                                           .queue = pool,
                                           .lca = lca,
                                           .rank = rank,
                                           .index = u->index,
                                           .priority = w->priority,
                                           .reserved_at = w->reserved_at,
                                           .ordinal = u->ordinal });
    }
}

static int64_t used_of(const struct kueue_workload *w, uint32_t pair)
{
    int64_t n = 0;
    for (uint32_t i = 0; i < w->n_use; i++) n += w->use[i].pair == pair ? w->use[i].n : 0;
    return n;
}

/* Would it do if all candidates went?  If not, no search finds anything. */
bool kueue_is_hopeful(struct kueue *k, const struct kueue_demand *q)
{
    struct kueue_tree *t = &k->config.tree;
    bool fits = true;
    /* Of each pair alone, what neighbours of one queue use at once: the tree's state does not depend on the order. */
    for (uint32_t i = 0; i < q->n_use && fits; i++) {
        const uint32_t pair = q->use[i].pair;
        for (int sign = 0; sign < 2; sign++) {
            for (size_t c = 0; c < k->n_candidates;) {
                const uint32_t queue = k->candidate[c].queue;
                int64_t n = 0;
                for (; c < k->n_candidates && k->candidate[c].queue == queue; c++)
                    n += used_of(&k->workload[k->candidate[c].workload], pair);
                if (sign == 0) kueue_free(t, queue, pair, n);
                else kueue_use(t, queue, pair, n);
            }
            if (sign == 0) fits = q->use[i].n <= kueue_available(t, q->queue, pair);
        }
    }
    return fits;
}

/* ---- without fair sharing ---- */

enum rank { BY_HIERARCHY, BY_PRIORITY, OF_ITS_OWN };

/* May the queue borrow after the candidate went? */
static bool may_borrow(const struct kueue *k, const struct kueue_demand *q, const struct kueue_candidate *c)
{
    const struct kueue_policy *p = kueue_policy_of(&k->config, q->queue);
    return c->rank != BY_PRIORITY ||
           (p->borrows_to_reclaim && c->priority < k->workload[q->workload].priority && c->priority <= p->threshold);
}

/* Below a cohort, but not below `skip`, from every pool that uses more than its own. */
static void collect_below(struct kueue *k, const struct kueue_demand *q, uint32_t cohort, uint32_t lca, uint32_t skip,
                          enum rank rank)
{
    const struct kueue_tree *t = &k->config.tree;
    for (uint32_t c = t->pool[cohort].first_cohort; c != POL_NONE; c = t->pool[c].next)
        if (c != skip && !kueue_is_within(k, c, q)) collect_below(k, q, c, lca, skip, rank);
    for (uint32_t c = t->pool[cohort].first_queue; c != POL_NONE; c = t->pool[c].next)
        if (c != q->queue && !kueue_is_within(k, c, q)) kueue_collect(k, q, c, lca, rank);
}

/* Does so much fit what the pool has?  use [n] becomes what of it the pool above would have to give. */
static bool fits_own(const struct kueue_tree *t, uint32_t pool, struct kueue_use *use, uint32_t n)
{
    bool fits = true;
    for (uint32_t i = 0; i < n; i++) {
        if (kueue_borrows_with(t, pool, use[i].pair, use[i].n)) fits = false;
        use[i].n -= kueue_local_available(t, pool, use[i].pair);
        if (use[i].n < 0) use[i].n = 0;
    }
    return fits;
}

/* Candidates of other queues; *n_above: how many there are over whom the demand has the better right. */
static void collect_others(struct kueue *k, const struct kueue_demand *q, size_t *n_above)
{
    const struct kueue_tree *t = &k->config.tree;
    uint32_t skip = POL_NONE;
    *n_above = 0;
    if (t->pool[q->queue].parent == POL_NONE || kueue_policy_of(&k->config, q->queue)->reclaim == KUEUE_NEVER) return;
    POL_RESERVE(k->own, k->cap_own, q->n_use);
    memcpy(k->own, q->use, q->n_use * sizeof *q->use);
    bool above = fits_own(t, q->queue, k->own, q->n_use);
    for (uint32_t at = t->pool[q->queue].parent; at != POL_NONE; at = t->pool[at].parent) {
        const size_t had = k->n_candidates;
        collect_below(k, q, at, at, skip, above ? BY_HIERARCHY : BY_PRIORITY);
        if (above) *n_above += k->n_candidates - had;
        above = fits_own(t, at, k->own, q->n_use) || above;
        skip = at;
    }
}

/* Is its quota still more than its own, up to where the two queues meet? */
static bool is_valid(const struct kueue *k, const struct kueue_demand *q, const struct kueue_candidate *c,
                     bool borrowing)
{
    if (c->rank == OF_ITS_OWN) return true;
    if (borrowing && !may_borrow(k, q, c)) return false;
    for (uint32_t at = c->queue; at != c->lca; at = k->config.tree.pool[at].parent)
        if (kueue_is_within(k, at, q)) return false;
    return true;
}

static const char *reason(const struct kueue *k, const struct kueue_demand *q, const struct kueue_candidate *c)
{
    if (c->rank == OF_ITS_OWN) return kueue_own_reason;
    return c->rank == BY_HIERARCHY || !may_borrow(k, q, c) ? "reclamation within the cohort"
                                                           : "reclamation within the cohort while borrowing";
}

static bool attempt(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out, bool borrowing)
{
    out->n = 0;
    for (size_t i = 0; i < k->n_candidates; i++) {
        const struct kueue_candidate *c = &k->candidate[i];
        if (!is_valid(k, q, c, borrowing)) continue;
        kueue_take_out(k, c->workload);
        kueue_target(out, c->workload, reason(k, q, c));
        if (!kueue_demand_fits(k, q, borrowing)) continue;
        kueue_fill_back(k, q, out, borrowing);
        kueue_restore(k, out, true);
        return true;
    }
    kueue_restore(k, out, false);
    return false;
}

/* Does the queue use less than its nominal quota of everything that is short? */
static bool is_under(const struct kueue *k, const struct kueue_demand *q)
{
    for (uint32_t i = 0; i < q->n_need; i++) {
        const struct kueue_quota *x = &k->config.tree.pool[q->queue].quota[q->need[i]];
        if (x->used >= x->nominal) return false;
    }
    return true;
}

void kueue_find_targets(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out)
{
    if (k->config.is_fair) {
        kueue_find_fair(k, q, out);
        return;
    }
    const bool forbidden = !kueue_policy_of(&k->config, q->queue)->borrows_to_reclaim;
    size_t n_above, n_others;
    k->n_candidates = 0;
    collect_others(k, q, &n_above);
    n_others = k->n_candidates;
    kueue_collect(k, q, q->queue, POL_NONE, OF_ITS_OWN);
    out->n = 0;
    if (k->n_candidates == 0 || !kueue_is_hopeful(k, q)) return;
    qsort(k->candidate, k->n_candidates, sizeof *k->candidate, compare);
    if (n_others == 0 || (forbidden && !is_under(k, q))) (void)attempt(k, q, out, true);
    else if (forbidden && n_above == 0) (void)(attempt(k, q, out, false) || attempt(k, q, out, true));
    else (void)(attempt(k, q, out, true) || attempt(k, q, out, false));
}
