/*
 * quota.h -- quotas and what of them is used, in a tree: cohorts, and the cluster queues that are its leaves.
 *
 * A quota is of a pair: flavor x resource.  What a pool uses beyond what it guarantees itself is used of its parent,
 * so that each pool's state is a function of what the queues below it use, in whatever order it came about.
 * Cost: O(depth) for each pair.  Source: Kueue 0.13, pkg/cache/resource_node.go and fair_sharing.go.
 */
#ifndef POL_KUEUE_QUOTA_H
#define POL_KUEUE_QUOTA_H

#include "policy.h"

enum kueue_resource { KUEUE_CPU, KUEUE_MEMORY, KUEUE_GPU, KUEUE_PODS, KUEUE_RESOURCES };

/* Thousandths of cores or cards, bytes, pods.  borrow, lend -1: no limit. */
struct kueue_quota {
    int64_t nominal, borrow, lend;
    int64_t subtree, used;
};

/* A cohort or a cluster queue; POL_NONE: there is none. */
struct kueue_pool {
    const char *name;
    uint32_t parent, first_cohort, first_queue, next; /* children in the file's order; next of the same kind */
    int64_t weight;                                   /* of fair sharing, thousandths */
    uint32_t height;                                  /* to the furthest leaf */
    int64_t share;                                    /* what kueue_share found, while has_share */
    bool has_share;
    struct kueue_quota *quota;                        /* [n_pairs] */
};

/* Cohorts stand before queues. */
struct kueue_tree {
    struct kueue_pool *pool;
    uint32_t n_pools, n_cohorts, n_pairs;
    struct kueue_quota *quota; /* of all pools */
};

static inline uint32_t kueue_pair(uint32_t flavor, uint32_t resource) { return flavor * KUEUE_RESOURCES + resource; }

/* After names, parents, weights and quotas are set: children, heights, what the subtrees have. */
void kueue_tree_make(struct kueue_tree *t);
void kueue_tree_fini(struct kueue_tree *t);
uint32_t kueue_root(const struct kueue_tree *t, uint32_t pool);

void kueue_use(struct kueue_tree *t, uint32_t pool, uint32_t pair, int64_t n);
void kueue_free(struct kueue_tree *t, uint32_t pool, uint32_t pair, int64_t n);

/* What the pool may still take, at least 0; the most that it could ever have; and of what it keeps for itself. */
int64_t kueue_available(const struct kueue_tree *t, uint32_t pool, uint32_t pair);
int64_t kueue_potential(const struct kueue_tree *t, uint32_t pool, uint32_t pair);
int64_t kueue_local_available(const struct kueue_tree *t, uint32_t pool, uint32_t pair);
/* Would it use more than it has, with n more? */
static inline bool kueue_borrows_with(const struct kueue_tree *t, uint32_t pool, uint32_t pair, int64_t n)
{
    const struct kueue_quota *q = &t->pool[pool].quota[pair];
    return q->used + n > q->subtree;
}
/*
 * The height of the lowest subtree that has n more, 0: the queue itself; of the whole tree if none has.
 * *is_below: it is not the whole tree.
 */
uint32_t kueue_borrow_height(const struct kueue_tree *t, uint32_t queue, uint32_t pair, int64_t n, bool *is_below);
/*
 * Dominant resource share: the greatest part of what its parent could lend that the pool borrows, in thousandths,
 * over its weight; 0 if it borrows nothing; INT64_MAX: it does, and its weight is 0.
 */
int64_t kueue_share(const struct kueue_tree *t, uint32_t pool);

#endif
