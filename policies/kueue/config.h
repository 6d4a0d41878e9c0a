/*
 * config.h -- what the objects of a file say: flavors, the tree of quotas, the queues' policies, who may use them.
 */
#ifndef POL_KUEUE_CONFIG_H
#define POL_KUEUE_CONFIG_H

#include "kueue/quota.h"

struct kueue_flavor {
    const char *name;
    uint64_t *on; /* [n_nodes / 64, rounded up] a bit per node that is of it */
    uint32_t *node;
    uint32_t n_nodes; /* those nodes */
    bool is_all;      /* every node is */
};

/* A resource group: what it covers, a bit per resource, and its flavors in the order in which they are tried. */
struct kueue_resource_group {
    uint32_t covered, *flavor, n_flavors;
    size_t cap;
};

enum kueue_within { KUEUE_NEVER, KUEUE_LOWER, KUEUE_LOWER_OR_NEWER, KUEUE_ANY = KUEUE_LOWER_OR_NEWER };

/* A ClusterQueue, beside its pool. */
struct kueue_policy {
    bool is_strict, is_held;
    bool next_if_borrow, next_if_preempt; /* flavorFungibility: TryNextFlavor */
    enum kueue_within within, reclaim;    /* reclaim: KUEUE_ANY for Any */
    bool borrows_to_reclaim;              /* borrowWithinCohort: LowerPriority */
    int64_t threshold;                    /* its maxPriorityThreshold; INT64_MAX: none */
    struct kueue_resource_group *group;
    uint32_t n_groups;
    size_t cap_groups;
};

struct kueue_local {
    const char *space, *name;
    uint32_t queue;
    bool is_held;
};
struct kueue_class {
    const char *name;
    int32_t value;
};

struct kueue_config {
    char *text; /* names point into it */
    const char *file;
    struct kueue_tree tree;
    struct kueue_policy *policy; /* [n_pools - n_cohorts] */
    struct kueue_flavor *flavor;
    uint32_t n_flavors;
    size_t cap_flavors;
    struct kueue_local *local;
    uint32_t n_locals;
    size_t cap_locals;
    struct kueue_class *class;
    uint32_t n_classes;
    size_t cap_classes;
    uint32_t excluded;               /* a bit per resource that no quota counts */
    bool is_fair, has_initial_too;   /* fairSharing; the first strategy and LessThanInitialShare after it */
    bool begins_with_initial;        /* the first strategy is LessThanInitialShare */
    bool waits, blocks, by_eviction; /* waitForPodsReady; blockAdmission; timestamp: Eviction */
    int64_t timeout_us, recovery_us, base_s, longest_s, most_evictions; /* recovery_us, most_evictions -1: none */
};

static inline struct kueue_policy *kueue_policy_of(const struct kueue_config *c, uint32_t queue)
{
    return &c->policy[queue - c->tree.n_cohorts];
}

/*
 * text: what sim/input/kube/kueue.c made of a file; "": one queue that has all of the cluster.
 * A flavor that no node is of is an error, with the place of its labels in the file.
 */
bool kueue_config_read(struct kueue_config *c, const struct pol_host *host, const char *text, char *error, size_t cap);
void kueue_config_fini(struct kueue_config *c);
/* The pool of the ClusterQueue of that name, or POL_NONE. */
uint32_t kueue_config_queue(const struct kueue_config *c, const char *name);

#endif
