/* quota.c -- the tree of quotas, see quota.h. */
#include "kueue/quota.h"

#include "lib/util.h"

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* What is not lent to the parent. */
static int64_t guaranteed(const struct kueue_quota *q) { return q->lend >= 0 ? most(0, q->subtree - q->lend) : 0; }

static void add_subtree(struct kueue_tree *t, uint32_t id)
{
    struct kueue_pool *p = &t->pool[id];
    p->height = p->first_cohort != POL_NONE || p->first_queue != POL_NONE;
    for (uint32_t i = 0; i < t->n_pairs; i++) p->quota[i].subtree = p->quota[i].nominal;
    for (int kind = 0; kind < 2; kind++)
        for (uint32_t c = kind == 0 ? p->first_cohort : p->first_queue; c != POL_NONE; c = t->pool[c].next) {
            add_subtree(t, c);
            if (kind == 0 && t->pool[c].height + 1 > p->height) p->height = t->pool[c].height + 1;
            for (uint32_t i = 0; i < t->n_pairs; i++) {
                const struct kueue_quota *q = &t->pool[c].quota[i];
                p->quota[i].subtree += q->subtree - guaranteed(q);
            }
        }
}

void kueue_tree_make(struct kueue_tree *t)
{
    for (uint32_t i = 0; i < t->n_pools; i++)
        t->pool[i].first_cohort = t->pool[i].first_queue = t->pool[i].next = POL_NONE;
    for (uint32_t i = t->n_pools; i-- > 0;) {
        struct kueue_pool *p = &t->pool[i];
        if (p->parent == POL_NONE) continue;
        uint32_t *first = i < t->n_cohorts ? &t->pool[p->parent].first_cohort : &t->pool[p->parent].first_queue;
        p->next = *first;
        *first = i;
    }
    for (uint32_t i = 0; i < t->n_pools; i++)
        if (t->pool[i].parent == POL_NONE) add_subtree(t, i);
}

void kueue_tree_fini(struct kueue_tree *t) { POL_FREE(t->pool, t->quota); }

uint32_t kueue_root(const struct kueue_tree *t, uint32_t pool)
{
    while (t->pool[pool].parent != POL_NONE) pool = t->pool[pool].parent;
    return pool;
}

int64_t kueue_local_available(const struct kueue_tree *t, uint32_t pool, uint32_t pair)
{
    const struct kueue_quota *q = &t->pool[pool].quota[pair];
    return most(0, guaranteed(q) - q->used);
}

void kueue_use(struct kueue_tree *t, uint32_t pool, uint32_t pair, int64_t n)
{
    while (pool != POL_NONE && n > 0) {
        int64_t local = kueue_local_available(t, pool, pair);
        t->pool[pool].quota[pair].used += n;
        t->pool[pool].has_share = false;
        n -= local;
        pool = t->pool[pool].parent;
    }
}

void kueue_free(struct kueue_tree *t, uint32_t pool, uint32_t pair, int64_t n)
{
    while (pool != POL_NONE && n > 0) {
        struct kueue_quota *q = &t->pool[pool].quota[pair];
        int64_t in_parent = q->used - guaranteed(q);
        q->used -= n;
        t->pool[pool].has_share = false;
        n = least(n, in_parent);
        pool = t->pool[pool].parent;
    }
}

static int64_t available(const struct kueue_tree *t, uint32_t pool, uint32_t pair)
{
    const struct kueue_quota *q = &t->pool[pool].quota[pair];
    if (t->pool[pool].parent == POL_NONE) return q->subtree - q->used;
    int64_t above = available(t, t->pool[pool].parent, pair);
    if (q->borrow >= 0) {
        int64_t stored = q->subtree - guaranteed(q), used = most(0, q->used - guaranteed(q));
        above = least(stored - used + q->borrow, above);
    }
    return kueue_local_available(t, pool, pair) + above;
}

int64_t kueue_available(const struct kueue_tree *t, uint32_t pool, uint32_t pair)
{
    return most(0, available(t, pool, pair));
}

int64_t kueue_potential(const struct kueue_tree *t, uint32_t pool, uint32_t pair)
{
    const struct kueue_quota *q = &t->pool[pool].quota[pair];
    if (t->pool[pool].parent == POL_NONE) return q->subtree;
    int64_t n = guaranteed(q) + kueue_potential(t, t->pool[pool].parent, pair);
    return q->borrow >= 0 ? least(q->subtree + q->borrow, n) : n;
}

uint32_t kueue_borrow_height(const struct kueue_tree *t, uint32_t queue, uint32_t pair, int64_t n, bool *is_below)
{
    uint32_t at = t->pool[queue].parent, last = at;
    *is_below = at != POL_NONE;
    if (at == POL_NONE || !kueue_borrows_with(t, queue, pair, n)) return 0;
    for (n -= kueue_local_available(t, queue, pair); at != POL_NONE; at = t->pool[at].parent) {
        *is_below = t->pool[at].parent != POL_NONE;
        if (!kueue_borrows_with(t, at, pair, n)) return t->pool[at].height;
        n -= kueue_local_available(t, at, pair);
        last = at;
    }
    *is_below = false;
    return t->pool[last].height;
}

static int64_t share_of(const struct kueue_tree *t, uint32_t pool)
{
    const struct kueue_pool *p = &t->pool[pool];
    int64_t borrowed[KUEUE_RESOURCES] = { 0 }, lendable[KUEUE_RESOURCES] = { 0 }, share = 0;
    bool any = false;
    if (p->parent == POL_NONE) return 0;
    for (uint32_t i = 0; i < t->n_pairs; i++) {
        if (!kueue_borrows_with(t, pool, i, 0)) continue;
        borrowed[i % KUEUE_RESOURCES] += p->quota[i].used - p->quota[i].subtree;
        any = true;
    }
    if (!any) return 0;
    if (p->weight == 0) return INT64_MAX;
    for (uint32_t i = 0; i < t->n_pairs; i++)
        if (borrowed[i % KUEUE_RESOURCES] > 0) lendable[i % KUEUE_RESOURCES] += kueue_potential(t, p->parent, i);
    for (uint32_t r = 0; r < KUEUE_RESOURCES; r++)
        if (borrowed[r] > 0 && lendable[r] > 0) {
            int64_t part = (int64_t)((pol_wide)borrowed[r] * 1000 / lendable[r]);
            share = most(share, part);
        }
    return share * 1000 / p->weight;
}

int64_t kueue_share(const struct kueue_tree *t, uint32_t pool)
{
    struct kueue_pool *p = &t->pool[pool];
    if (!p->has_share) p->share = share_of(t, pool);
    p->has_share = true;
    return p->share;
}
