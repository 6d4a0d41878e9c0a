/*
 * state.h -- the state of the policy kueue: workloads, where each stands, and the scheduling cycle's entries.
 *
 * A workload is a unit (lib/sched/unit.h) and has its id.  It waits in a group, of those of one cluster queue that ask
 * the same at the same priority; then it is admitted, which holds quota; then its pods run.  README.md says the rule.
 */
#ifndef POL_KUEUE_STATE_H
#define POL_KUEUE_STATE_H

#include "kueue/config.h"
#include "lib/sched/list.h"

/* So many of a pair. */
struct kueue_use {
    uint32_t pair;
    int64_t n;
};

/*
 * WAITS in a group; BACKS_OFF until a time; STRANDED for ever: no queue takes it, or it was given up; ADMITTED, its
 * pods wait for nodes; RUNS; STOPPED, its pods stopped in this round: it ended, or its node was lost; EVICTED while
 * it ran, and will be told to wait.
 */
enum kueue_state {
    KUEUE_UNKNOWN,
    KUEUE_WAITS,
    KUEUE_BACKS_OFF,
    KUEUE_STRANDED,
    KUEUE_ADMITTED,
    KUEUE_RUNS,
    KUEUE_STOPPED,
    KUEUE_EVICTED
};

struct kueue_workload {
    enum kueue_state state;
    uint32_t queue; /* pool */
    int32_t priority;
    uint32_t group, evictions;
    size_t pos;                 /* in its group's heap, or in its queue's `holds` */
    int64_t stamp, reserved_at; /* creation, or its last eviction by a timeout; when it got its quota */
    int64_t until;              /* BACKS_OFF, ADMITTED: when that ends; POL_NEVER */
    uint64_t freed, changed;    /* the plan's epochs when its pods found no room; 0: not known */
    /* What it holds, or of its last attempt: [sets x resources] flavors (POL_NONE: none); what of each pair. */
    uint32_t *flavor;
    size_t cap_flavor;
    struct kueue_use *use;
    size_t cap_use;
    uint32_t n_use;
    /* At its last attempt: [sets x resources] the last flavor tried, -1: all were; and the queue's generation. */
    int32_t *tried;
    size_t cap_tried;
    uint64_t tried_at; /* 0: nothing is kept */
};

/* A pod set: pods of one shape. */
struct kueue_set {
    uint32_t shape, n;
    int64_t ask[KUEUE_RESOURCES];
};
/* What units of a request class ask: its sets, and of which each task is. */
struct kueue_request {
    struct kueue_set *set;
    uint32_t n_sets, *set_of;
    uint32_t groups; /* 1 + the last made of its groups; 0: none */
};

/* Workloads of a queue that ask the same at the same priority.  parked: it is known that none can be admitted. */
struct kueue_group {
    uint32_t queue, request_class; /* POL_NONE: the class is gone */
    uint32_t next;                 /* of the class's, as kueue_request.groups; of a free one: the next free one */
    int32_t priority;
    bool is_parked;
    uint32_t *at;
    size_t cap, n; /* heap of workloads */
    size_t pos;    /* in its queue's heap, where it is while it has any and is not parked */
};

/* How good a flavor is, the better the greater. */
enum kueue_fit { KUEUE_NO_FIT, KUEUE_NO_CANDIDATES, KUEUE_PREEMPT, KUEUE_RECLAIM, KUEUE_FIT };

/* Who has to go, and why. */
struct kueue_target {
    uint32_t workload;
    const char *reason;
};
struct kueue_targets {
    struct kueue_target *at;
    size_t cap, n;
};

/* What an attempt of a queue's head came to; use and flavors are in the workload. */
struct kueue_entry {
    uint32_t workload;      /* POL_NONE: the queue takes no part any more */
    bool fits, is_possible; /* neither: nothing will do */
    uint32_t height;        /* from which it borrows, 0: it does not */
    uint32_t *need;
    size_t cap_need;
    uint32_t n_need; /* pairs for which others must go */
    struct kueue_targets targets;
};

/* A cluster queue, beside its pool and its policy. */
struct kueue_queue {
    uint32_t *group;
    size_t cap_group, n_groups; /* heap, by their first workloads */
    uint32_t *parked;
    size_t cap_parked, n_parked;
    uint32_t *holds;
    size_t cap_holds, n_holds; /* workloads that hold quota, any order */
    bool is_sorted;            /* holds: in the order in which they are candidates */
    bool is_known;             /* least_priority and latest_stamp are those of holds */
    int32_t least_priority;
    int64_t latest_stamp;
    uint32_t sticky;           /* who evicted others to be admitted, and is first; POL_NONE */
    uint64_t generation;       /* from 1; one more whenever a workload of its gives quota back */
    struct kueue_entry entry;  /* of this cycle */
};

struct kueue {
    struct sched sched;
    struct kueue_config config;
    struct kueue_queue *queue; /* [n_pools - n_cohorts] */
    uint32_t otherwise;        /* the pool of jobs that name none of the file's; POL_NONE */
    struct kueue_workload *workload;
    size_t cap_workload;
    struct kueue_group *group;
    size_t cap_group, n_groups;
    uint32_t free_group; /* 1 + the first to use again; 0: none */
    struct map of_group;
    struct kueue_request *request;
    size_t cap_request, n_requests; /* [request class] */
    uint8_t *suits;
    size_t cap_suits; /* [shape x flavor] 0: not asked yet, 1: no, 2: yes */
    uint32_t *pending;
    size_t cap_pending, n_pending; /* ADMITTED, in order: priority, stamp, arrival */
    uint32_t *backing;
    size_t cap_backing, n_backing; /* BACKS_OFF */
    uint32_t *stopped;
    size_t cap_stopped, n_stopped; /* STOPPED in this round */
    int64_t woken_at;              /* the last wake asked for */
    bool is_held_back;             /* somebody may be stopped a moment later who may not be now */
    struct kueue_candidate *candidate;
    size_t cap_candidate, n_candidates; /* scratch of preemption */
    uint32_t *node;
    size_t cap_node; /* scratch of placing */
    struct kueue_use *own;
    size_t cap_own; /* scratch of assigning: [n_pairs] */
};

static inline struct kueue_queue *kueue_queue_of(const struct kueue *k, uint32_t pool)
{
    return &k->queue[pool - k->config.tree.n_cohorts];
}

/* ---- queue.c: who waits ---- */

/* In order of priority, stamp and arrival. */
bool kueue_before(const struct kueue *k, uint32_t a, uint32_t b);
/* The workload waits in its group from now on; or does not any more. */
void kueue_join(struct kueue *k, uint32_t id);
void kueue_leave(struct kueue *k, uint32_t id);
/* The first of a queue that is not parked, POL_NONE: none. */
uint32_t kueue_head(const struct kueue *k, uint32_t pool);
/* Nothing of the workload's group can be admitted until quota is given back in its cohorts. */
void kueue_park(struct kueue *k, uint32_t id);
void kueue_class_gone(struct kueue *k, uint32_t class);
/* Quota was given back in a queue: all that is parked in its tree is looked at again. */
void kueue_unpark(struct kueue *k, uint32_t pool);
void kueue_queue_fini(struct kueue *k);

/* ---- assign.c: flavors ---- */

const struct kueue_request *kueue_request_of(struct kueue *k, uint32_t id);
/* Find flavors for the workload as things are: its flavor, use and tried, and the entry. */
void kueue_assign(struct kueue *k, uint32_t id, struct kueue_entry *e);

/* ---- preempt.c and fair.c: who goes ---- */

/* What is asked for a workload: so many of pairs, of which `need` are short. */
struct kueue_demand {
    uint32_t workload, queue;
    const struct kueue_use *use;
    uint32_t n_use;
    const uint32_t *need;
    uint32_t n_need;
};
/* lca: the lowest cohort of both queues.  Candidates are in order of rank, the lower first. */
struct kueue_candidate {
    uint32_t workload, queue, lca, rank, index;
    int32_t priority;
    int64_t reserved_at;
    uint64_t ordinal;
};

/* Fills *out: who must give quota up so that the demand fits; none: nothing will do.  The tree stays as it was. */
void kueue_find_targets(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out);
void kueue_find_fair(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out);
/* What holds the queue's quota in that order: by priority, the last to get it first, then as they came. */
void kueue_sort_holds(struct kueue *k, uint32_t pool);
/* Those of one queue that use what is short, and that the queue's policy lets the demand stop. */
void kueue_collect(struct kueue *k, const struct kueue_demand *q, uint32_t pool, uint32_t lca, uint32_t rank);
bool kueue_is_hopeful(struct kueue *k, const struct kueue_demand *q);
bool kueue_uses(const struct kueue *k, uint32_t id, const struct kueue_demand *q);
bool kueue_is_within(const struct kueue *k, uint32_t pool, const struct kueue_demand *q);
bool kueue_demand_fits(const struct kueue *k, const struct kueue_demand *q, bool borrowing);
extern const char kueue_own_reason[];
/* The victim's quota is given back, or taken again, in the tree alone. */
void kueue_take_out(struct kueue *k, uint32_t victim);
void kueue_put_back(struct kueue *k, uint32_t victim);
void kueue_target(struct kueue_targets *out, uint32_t victim, const char *reason);
/* Who was taken out and need not go is put back, the last but one first. */
void kueue_fill_back(struct kueue *k, const struct kueue_demand *q, struct kueue_targets *out, bool borrowing);
void kueue_restore(struct kueue *k, struct kueue_targets *out, bool keep);

/* ---- cycle.c ---- */

/* Cycles until nothing more is admitted and nobody has to go. */
void kueue_run_cycles(struct kueue *k);
/* Of the entries of one tree of cohorts, the one whose turn it is by fair sharing. */
uint32_t kueue_tournament(struct kueue *k, uint32_t cohort);

/* ---- pods.c: who holds quota, and where its pods run ---- */

void kueue_admit(struct kueue *k, uint32_t id);
/* Stops what runs; its quota is given back, and it waits again. */
void kueue_evict(struct kueue *k, uint32_t id, const char *reason);
/* The workload is over: its quota is given back. */
void kueue_release(struct kueue *k, uint32_t id);
/* Its pods stopped, but it keeps its quota: they wait for nodes. */
void kueue_pods_lost(struct kueue *k, uint32_t id);
/* An admitted workload no longer waits for nodes. */
void kueue_pods_forget(struct kueue *k, uint32_t id);
/* A workload that backs off no longer does. */
void kueue_back_forget(struct kueue *k, uint32_t id);
/* Start what has room by now.  Evict who waited too long; let those join whose time has come; wake for the next. */
void kueue_place_pending(struct kueue *k);
void kueue_time(struct kueue *k);
void kueue_wake(struct kueue *k);

#endif
