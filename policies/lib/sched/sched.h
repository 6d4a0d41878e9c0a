/*
 * sched.h -- what every built-in keeps: units waiting and running, the plan and
 * the placement, in step with the host's events.
 *
 * Call order in decide: sched_open; then try, start and preempt units.  The
 * scheduler state's structures already show what was decided; the host's events confirm.
 *
 * Costs: sched_open O(events + changed); sched_try one placement, or O(1) when
 * the unit's request class is known to have failed since anything became free.
 */
#ifndef POL_LIB_SCHED_SCHED_H
#define POL_LIB_SCHED_SCHED_H

#include "lib/sched/request_class.h"
#include "lib/sched/placement.h"
#include "lib/sched/queue.h"

/* Of a running task; next task of the gang.  cpu_milli 0: as its shape asks. */
struct sched_held { uint64_t cards; int64_t cpu_milli; uint32_t node, shape, next; };

/* What differs between policies.  Any member may be NULL. */
struct sched_ops {
    /* Key of a unit that begins to wait (u's other members are set). NULL: 0. */
    int64_t (*wait_key)(void *self, const struct unit *u);
    /* Key of a unit in the running set, when it starts. NULL: no running set is kept. */
    int64_t (*run_key)(void *self, const struct unit *u);
    /* The queue a unit waits in. NULL: the scheduler state's. */
    struct queue *(*queue)(void *self, const struct unit *u);
    /* The unit began (+1) or ceased (-1) to hold what its tasks hold; its held entries can be read. */
    void (*moved)(void *self, const struct unit *u, int sign);
    /* The unit joined (+1) or left (-1) the queue it waits in. */
    void (*waits)(void *self, const struct unit *u, int sign);
};

struct sched {
    const struct pol_host *host;        /* borrowed */
    const struct pol_view *view;        /* borrowed; from sched_open to the end of decide */
    const struct sched_ops *ops;
    void *self;
    bool  est_true;                     /* estimates are true durations */
    bool  knows_licences;               /* else a task that asks for one fails the run */
    int64_t licence_free[POL_LICENCES_MAX];     /* as the plan foresees it */
    struct plan  plan;
    struct placement placement;
    struct request_classes classes;
    struct units units;
    struct sched_held  *held; size_t cap_held;        /* by task slot */
    struct queue wait;
    struct unit_set running;
    struct queue_walk  walk;
    uint64_t round;                     /* decide calls so far */
    uint32_t *fresh; size_t cap_fresh; uint32_t n_fresh;    /* units that began to wait in this round */
    uint32_t n_non_monotone;                  /* waiting units whose request class is not monotone */
    struct pol_place *place; size_t cap_place;    /* where the last sched_place put the tasks */
    uint32_t *shape; size_t cap_shape;          /* scratch */
};

void sched_init(struct sched *d, const struct pol_host *host, enum placement_rule rule, const struct sched_ops *ops, void *self);
void sched_fini(struct sched *d);

/* Take in what happened. */
void sched_open(struct sched *d, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);

/* Is it known, without looking, that no unit of this request class can be placed now? */
bool sched_known_unschedulable(const struct sched *d, uint32_t class);
/* A place for the unit by the rule, taken in the plan and left in d->place; or false and no change. */
bool sched_place(struct sched *d, uint32_t unit);
/* Start a waiting unit at d->place (already taken in the plan). */
void sched_start(struct sched *d, uint32_t unit, const char *reason);
/* Both. */
bool sched_try(struct sched *d, uint32_t unit, const char *reason);
/* For the record: units behind this one wait for it. */
void sched_head(const struct sched *d, uint32_t unit, const char *reason);
/* Stop a running unit that the plan has already released. */
void sched_preempt(struct sched *d, uint32_t unit, const char *reason);

/* Give back in the plan what a running unit holds, and take it again. */
void sched_release(struct sched *d, uint32_t unit);
void sched_reallocate(struct sched *d, uint32_t unit);

/* Go on after the walk's top could not be placed: past its whole request class if that is monotone. */
void sched_pass(const struct sched *d, struct queue_walk *w);
/* As a queue_walk_open filter: ctx is the sched. */
bool sched_skip(void *sched, uint32_t class);

/* The shape of a task that runs, with the cores that it holds. */
struct pol_shape sched_held_shape(const struct sched *d, uint32_t task);
/* A running task holds other cores from now on, which its node must have. */
void sched_resize(struct sched *d, pol_task task, int64_t cpu_milli, const char *reason);

static inline struct unit *sched_unit(const struct sched *d, uint32_t id) { return &d->units.at[id]; }

#endif
