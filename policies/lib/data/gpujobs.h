/*
 * gpujobs.h -- jobs as the data-intensive policies see them: GPUs held and wanted, the
 * share each should have, running units by their start, waiting tasks by what reading their
 * inputs costs.  Shared by gs, gsp, gsd, capacity, fair and the flow policies.
 *
 * A *GPU unit* is one whose tasks ask for GPUs; its `ask` is what they ask, in
 * thousandths of a card.  All others are CPU units, which count for nothing
 * here and wait in the scheduler state's own queue.  A unit *has data* when it is one task
 * that reads inputs.
 *
 * A *single* is a unit of one task that asks for one whole card.  Policies that
 * place these by a mechanism of their own set them apart: they wait in a queue
 * of their own and are not in their group's index.
 *
 * The policy's sched_ops pass wait_key, queue, moved and waits on to here.
 * Costs: O(log n) each, and learning a task's costs when it begins to wait.
 */
#ifndef POL_LIB_DATA_GPUJOBS_H
#define POL_LIB_DATA_GPUJOBS_H

#include "lib/sched/sched.h"
#include "lib/data/gpushare.h"
#include "lib/data/locality.h"

enum { GPU = 1000 };        /* one GPU, in the unit of asks */

/* The waiting units of one job that ask for the same. */
struct gpujobs_group {
    uint32_t job, request_class;        /* job: slot */
    uint32_t next, nth;                 /* of the job; POL_NONE.  nth: how many of the job's came before */
    uint32_t n_waiting, n_data;         /* units; those of them that have data */
    struct locality_index index;
};

struct gpujob {
    uint64_t ordinal;                   /* whose record this is; slots are used again */
    pol_job  job;
    uint32_t user, queue;
    int64_t  held, waiting;             /* asks of the units that run, and wait */
    int64_t  share;                     /* see gpujobs_share */
    struct queue wait;                  /* GPU units without data; singles set apart are in neither */
    struct queue data;                  /* those with */
    struct unit_set runs;               /* GPU units by start: the longest-run first, ties in unit order */
    uint32_t first_group;
    bool is_known, is_listed, is_dirty;
};

struct gpujobs_listed { uint64_t ordinal; uint32_t slot; };

/* Jobs with GPU units, by arrival; some are over. */
struct gpujobs_order { struct gpujobs_listed *at; size_t cap; uint32_t n, n_kept; };

/* The shares as they were last reckoned. */
struct gpujobs_shares {
    int64_t *want, *share; size_t cap_want, cap_share;      /* [order.n] scratch */
    int64_t  of_gpus;                   /* Q they were reckoned for */
    bool     stand;                     /* nothing on which they depend has changed since, except perhaps Q */
};

struct gpujobs {
    struct sched *sched;                /* borrowed */
    struct locality locality;
    struct gpujob *at; size_t cap;      /* by job slot */
    struct gpujobs_group *group; size_t cap_group; uint32_t n_groups, free_group;
    uint8_t *has_data; size_t cap_has_data;     /* by task slot; current while the unit waits */
    struct { int64_t *at; size_t cap; } asks;   /* [request class] 1 + what it asks; 0: not known */
    struct { uint32_t *slot; size_t cap; uint32_t n; } dirty;   /* jobs whose held or waiting changed */
    struct gpujobs_order order;
    struct gpujobs_shares shares;
    int64_t  quota;                     /* most that one job may hold; 0: no limit */
    int64_t  waiting;                   /* over all jobs */
    uint32_t n_data;                    /* waiting units that have data, of all groups */
    bool     sets_apart;                /* singles; set before anything arrives */
    bool     has_relearnt;              /* speeds changed before this decision: costs of all waiting units are new */
    struct queue apart;                 /* them */
    uint32_t n_spare_runs;              /* running units beyond each job's first: 0 when nothing may be stopped */
    uint64_t n_freed;                   /* how often GPUs became free */
};

void gpujobs_init(struct gpujobs *g, struct sched *sched, enum locality_by by);
void gpujobs_fini(struct gpujobs *g);

/* After sched_open. */
void gpujobs_open(struct gpujobs *g, const struct pol_event *ev, size_t n_ev);
/* Learn the costs of a unit's task again, whether it waits or runs. */
void gpujobs_relearn(struct gpujobs *g, uint32_t unit);
/* Job `i` of the list, in order of arrival; NULL when it is over. */
static inline struct gpujob *gpujobs_nth(struct gpujobs *g, uint32_t i)
{
    struct gpujob *j = &g->at[g->order.at[i].slot];
    return j->ordinal == g->order.at[i].ordinal ? j : NULL;
}

/* For sched_ops. */
int64_t gpujobs_wait_key(struct gpujobs *g, const struct unit *u);
struct queue *gpujobs_queue(struct gpujobs *g, const struct unit *u);
void gpujobs_moved(struct gpujobs *g, const struct unit *u, int sign);
/* Returns the unit's group, POL_NONE for a CPU unit. */
void gpujobs_waits(struct gpujobs *g, const struct unit *u, int sign);

/* What a unit of the request class asks. */
int64_t gpujobs_ask(struct gpujobs *g, uint32_t class);
/* For sched_ops.class_gone. */
void    gpujobs_class_gone(struct gpujobs *g, uint32_t class);
/* Is it a single that is set apart? */
bool gpujobs_is_apart(const struct gpujobs *g, uint32_t class);
/* The job of a GPU unit. */
static inline struct gpujob *gpujobs_of(struct gpujobs *g, const struct unit *u) { return &g->at[u->job.slot]; }

/*
 * Shares of all jobs that hold or want GPUs, as gpushare gives them for the
 * GPUs of the nodes that are up; reckoned again when any of that changed since.
 * Sets share of every job in the list.
 */
void gpujobs_share(struct gpujobs *g);

/*
 * The unit of a job to stop next: the shortest-run, that is the last started
 * (ties: the later task), of those that come before `after` in this (POL_NONE:
 * all); never the longest-run one, never one started in this decision, and
 * none that asks more than `spare`.  POL_NONE: there is none.
 */
uint32_t gpujobs_victim(struct gpujobs *g, const struct gpujob *j, uint32_t after, int64_t spare);

/*
 * The least (level, cost, index) over the group's tasks and the nodes [n] on which one fits.
 * If it ranks before *best it replaces that, and `nodes` begins anew; the nodes on which a
 * task costs as much as *best are appended.  False: no task fits anywhere.
 */
bool gpujobs_nearest(struct gpujobs *g, struct gpujobs_group *x, const uint32_t *node, uint32_t n, struct locality_candidate *best, struct locality_nodes *nodes);
/*
 * The same over all nodes, by the group's data; where the placement's own choice of all nodes is one of `nodes`, it
 * stands there alone.  Only if gpujobs_knows_regions.
 */
bool gpujobs_knows_regions(const struct gpujobs *g, const struct gpujobs_group *x);
bool gpujobs_nearest_of_all(struct gpujobs *g, struct gpujobs_group *x, struct locality_candidate *best, struct locality_nodes *nodes);

#endif
