/*
 * offer.h -- free GPUs are offered to one job after the other, and each job takes them for
 * the task that reads its inputs cheapest there.  Shared by gs, gsp, gsd, capacity, fair
 * and in part the flow policies; README.md, "Sharing GPUs near data", has the rules.
 *
 * In each queue the first waiting job is found by a search, which passes over jobs that wait
 * for what fits nowhere (queue.h).
 * Cost: a decision O(starts x (queues x that search + for tasks with data the
 * fewer of open nodes and of nodes and racks that hold the job's data)).  All open nodes
 * where a task reads faster from afar, and by the rules of Kubernetes.
 * Source: Tang et al., scheduling data-intensive jobs on GPU clusters, sections 3 and 5.4.
 */
#ifndef POL_LIB_DATA_OFFER_H
#define POL_LIB_DATA_OFFER_H

#include "lib/data/gpujobs.h"

/* Singles (gpujobs.h) that the policy places itself; it is told of them as by sched_ops.  NULL in the rule: none. */
struct offer_singles {
    void (*waits)(void *self, const struct unit *u, int sign);
    void (*moved)(void *self, const struct unit *u, int sign);
    void (*class_gone)(void *self, uint32_t class);
};

struct offer_rule {
    bool by_queue;              /* the queue that holds least is served first; else all jobs are in one */
    bool fifo;                  /* in a queue the job that came first, else the one that holds least */
    bool by_node;               /* one open node is offered at a time, drawn at random; else all at once */
    bool from_deficit;          /* patience starts at share - held, else at 0 */
    enum locality_by by;
    enum placement_rule placement;
    int64_t second_after, any_after;    /* a job takes level 1, 2 when its patience is greater */
    int64_t heartbeat_us;       /* > 0 */
    int64_t quota;              /* GPUs a job may hold at once; 0: no limit */
    const char *reason;
    const struct offer_singles *singles;
};

/* A queue of jobs: their groups, as units of `rep`. */
struct offer_queue { struct queue jobs; int64_t held; uint64_t passed_in; };
struct offer_group { uint32_t queue; bool is_in; };
struct offer_job {
    uint64_t ordinal;           /* whose record this is */
    bool     is_known;
    uint32_t queue;
    uint32_t declined;          /* offers since it last took one */
    uint64_t counted_freed;     /* n_freed when it last counted one */
    int64_t  counted_us;        /* and when that was; -1: never */
    uint64_t passed_in;         /* pass in which it declined, or was not offered anything */
};

/* Nodes with GPUs to give. */
struct offer_nodes {
    uint64_t *is_open; size_t cap_is_open;          /* bits */
    uint32_t  n_open;
    uint64_t  seen;                     /* touches of the plan taken in */
    uint32_t *at;    size_t cap; uint32_t n;        /* scratch: the open ones */
    uint32_t *drawn; size_t cap_drawn;  /* scratch: open nodes not offered yet */
    uint32_t  only;                     /* the node on offer; POL_NONE: all */
    uint64_t  draws;                    /* of random numbers */
};

struct offer {
    struct sched sched;
    struct gpujobs jobs;
    struct offer_rule rule;
    struct offer_queue *queue; size_t cap_queue; uint32_t n_queues;
    uint32_t *queue_of; size_t cap_queue_of;        /* [2 * user, or 2 * queue + 1] number + 1; 0: not seen */
    struct offer_job *job; size_t cap_job;          /* by job slot */
    struct offer_group *group; size_t cap_group;    /* by group */
    struct units rep;           /* by group: its place in its queue */
    struct queue_walk  walk, inner;
    uint64_t pass;              /* calls of offer_gpus so far */
    bool     below_share;       /* this pass is for jobs below their share alone */
    uint64_t declined_in;       /* decision in which some job declined */
    struct { int64_t next, asked; } beat;           /* the earliest wake needed by this decision; the last asked for */
    struct offer_nodes nodes;
    struct locality_nodes nearest;
};

/* A policy's state may begin with a struct offer: lib/sched calls back with a pointer to it. */
void offer_init(struct offer *o, const struct pol_host *host, const struct offer_rule *rule);
void offer_fini(struct offer *o);

/* Take in what happened. */
void offer_open(struct offer *o, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
/* Offer GPUs until no job takes any; below_share: only to jobs that hold less than their share. */
void offer_gpus(struct offer *o, bool below_share);
/*
 * Start CPU units in order of arrival, each where it fits and reads its inputs cheapest; skip those that
 * fit nowhere.
 */
void offer_cpus(struct offer *o);
/* Ask to be woken for the offers that were declined. */
void offer_close(struct offer *o);

/*
 * The unit for which the job would take what is free, its placement allocated in the plan and left in
 * sched.place; or POL_NONE.
 */
uint32_t offer_pick(struct offer *o, uint32_t job, bool *declines);
/* Start that unit. */
void offer_take(struct offer *o, uint32_t unit, const char *reason);

#endif
