/*
 * sched.h -- the scheduler state that the built-in policies share: units waiting and
 * running, the plan and the placement rule, in step with the host's events.
 *
 * Call order in decide: sched_open; then place, start and preempt units.  A decision shows
 * here at once; the host's events confirm it in the next round.
 *
 * Costs: sched_open O(events + nodes changed); sched_try one placement, or O(1) when the
 * unit's request class is known to be unschedulable.
 */
#ifndef POL_LIB_SCHED_SCHED_H
#define POL_LIB_SCHED_SCHED_H

#include "lib/sched/like.h"
#include "lib/place/request_class.h"
#include "lib/place/placement.h"
#include "lib/sched/queue.h"

/* What a running task holds, and the next task of its gang.  cpu_milli 0: as its shape asks. */
struct sched_held { uint64_t cards; int64_t cpu_milli; uint32_t node, shape, next; };

/* What differs between policies.  Any member may be NULL. */
struct sched_ops {
    /* The key of a unit that begins to wait; u's other members are set.  NULL: 0. */
    int64_t (*wait_key)(void *self, const struct unit *u);
    /* The key of a unit in the running set, when it starts.  NULL: no running set is kept. */
    int64_t (*run_key)(void *self, const struct unit *u);
    /* The queue in which a unit waits.  NULL: `wait` below. */
    struct queue *(*queue)(void *self, const struct unit *u);
    /* The unit started (+1) or stopped (-1); what its tasks hold, or held, can be read. */
    void (*moved)(void *self, const struct unit *u, int sign);
    /* The unit joined (+1) or left (-1) its queue. */
    void (*waits)(void *self, const struct unit *u, int sign);
    /* The rule and trees by which this unit is placed, of the same plan.  NULL: `placement` below. */
    struct placement *(*placement)(void *self, const struct unit *u);
    /* The unit, of one task, asks for a node; place NULL: it fits nowhere.  The plan has not allocated it yet. */
    void (*asked)(void *self, uint32_t unit, const struct pol_place *place);
    bool knows_licences;                /* else the host gives it no task that asks for some */
    bool keeps_classes;                 /* neither shapes nor request classes are given up */
    /* Ids are used again: forget what is kept by this request class, or kind; the other is POL_NONE. */
    void (*class_gone)(void *self, uint32_t class, uint32_t kind);
    /* The same of the shapes that plan.shapes names, before the events. */
    void (*shapes_renewed)(void *self);
    /* Only of a LIST_POLICY (list.h). */
    size_t size;                        /* of its state, which begins with its struct sched; 0: that alone */
    bool (*init)(void *self, const union pol_value *value, char *error, size_t cap);    /* false: error is filled */
    void (*decide)(void *self);         /* between what was heard and the end of a decision; NULL: list_run */
    void (*fini)(void *self);           /* what it has besides the struct sched */
};

/* Values of estimate= in the order of its choices. */
enum sched_estimate { SCHED_LIMIT, SCHED_TRUE, SCHED_HISTORY, SCHED_LIKE };
/* How long the last two of a user's jobs that ended did run, the longest of their tasks; 0: there was none. */
struct sched_past { int64_t last, before; };

struct sched {
    const struct pol_host *host;        /* borrowed */
    const struct pol_view *view;        /* borrowed; from sched_open to the end of decide */
    const struct sched_ops *ops;
    void *self;
    enum sched_estimate estimate;
    bool tells;                 /* ops->asked is to hear of every unit that was asked for, those that fit nowhere too */
    struct sched_past *past; size_t cap_past;   /* by user, of SCHED_HISTORY */
    struct like like;                   /* of SCHED_LIKE */
    int   mode;                         /* enum list_mode, of a LIST_POLICY */
    const struct pol_cores *cores;      /* borrowed, for sched_resize */
    int64_t licence_free[PLAN_LICENCES_MAX];    /* as the plan foresees it */
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
    pol_job over;                       /* whose only unit was forgotten last; slot POL_NONE: none was */
    uint32_t n_non_monotone;            /* waiting units whose request class is not monotone */
    struct pol_place *place; size_t cap_place;  /* the last placement that sched_place found, by task of the unit */
    uint32_t *shape; size_t cap_shape;          /* scratch */
};

void sched_init(struct sched *d, const struct pol_host *host, enum placement_rule rule, const struct sched_ops *ops,
                void *self);
void sched_fini(struct sched *d);

/* Take in what happened. */
void sched_open(struct sched *d, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);

/* Did a unit of this request class fail, and nothing change since that could let one fit? */
bool sched_known_unschedulable(const struct sched *d, uint32_t class);
/*
 * Find a placement for the unit by the rule, allocate it in the plan and leave it in d->place; or false and
 * no change.
 */
bool sched_place(struct sched *d, uint32_t unit);
/* The same, each task on one of node [n]: its own place in the list, by its index, then the others in turn. */
bool sched_place_on(struct sched *d, uint32_t unit, const uint32_t *node, uint32_t n);
/* Would it?  Leaves the plan as it was.  Of one task d->place is where. */
bool sched_fits(struct sched *d, uint32_t unit);
/* No unit of the class fits as things are. */
void sched_note_failed(struct sched *d, uint32_t class);
/* Start a waiting unit at d->place, which the plan has allocated already. */
void sched_start(struct sched *d, uint32_t unit, const char *reason);
/* sched_place, and if it found one sched_start. */
bool sched_try(struct sched *d, uint32_t unit, const char *reason);
/* For the record alone: the units behind this one wait for it. */
void sched_head(const struct sched *d, uint32_t unit, const char *reason);
/* Preempt a running unit, which the plan has released already. */
void sched_preempt(struct sched *d, uint32_t unit, const char *reason);

/* Release in the plan what a running unit holds, or allocate it again. */
void sched_release(struct sched *d, uint32_t unit);
void sched_reallocate(struct sched *d, uint32_t unit);

/* After the walk's top could not be placed: step past it, or past its whole request class if that is monotone. */
void sched_pass(const struct sched *d, struct queue_walk *w);
/* A filter for queue_walk_open, with the struct sched as its ctx: leave out what is known to be unschedulable. */
bool sched_skip(void *sched, uint32_t class);

/*
 * A filter for queue_walk_search: the same, and what does not fit now.  Not for walks during which something is
 * released.
 */
struct queue_filter sched_filter(struct sched *d);
/* The latter alone, as queue_filter.may_fit, with the struct sched as ctx. */
bool sched_may_fit(void *sched, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est);
/* Is no node for units of the class, nor for any of its kind, whatever is free? */
bool sched_is_stranded(struct sched *d, uint32_t class);
/* May units of the class be passed over unseen?  Not where a refusal shows: of licences, or to who is told of each. */
bool sched_is_searchable(const struct sched *d, uint32_t class);
/* And does what refused one of them stand for all of its kind that ask no less?  Not if a plugin's filter may have. */
bool sched_shares_refusals(const struct sched *d, uint32_t class);

/* The shape of a running task, with the cores that it holds now. */
struct pol_shape sched_held_shape(const struct sched *d, uint32_t task);
/* Change the cores that a running task holds; its node must have them. */
void sched_resize(struct sched *d, pol_task task, int64_t cpu_milli, const char *reason);

/* What the unit's tasks ask in GPU shares, all together, in thousandths of a card. */
int64_t sched_gpu_milli(const struct sched *d, const struct unit *u);

static inline struct unit *sched_unit(const struct sched *d, uint32_t id) { return &d->units.at[id]; }

#endif
