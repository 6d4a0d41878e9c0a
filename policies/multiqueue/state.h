/*
 * state.h -- the state that the parts of the multi-queue policy share;
 * private to this folder.  README.md, multiqueue.
 *
 * multiqueue.c  the queues, and one decision
 * gpus.c        whose GPUs are, and what is lent of them
 * fit.c         a place for one unit, and whom it stops
 * nodes.c       the cheapest of all nodes for a task
 * refuse.c      what no unit can start with
 * tune.c        the search for cores, and the watch over memory bandwidth
 * record.c      why units wait, for the record
 * cores.c       whose cores a node's are
 * search.c      how many cores a job needs, found by trying
 * history.c     what searches found, from one run to another
 */
#ifndef POL_MULTIQUEUE_STATE_H
#define POL_MULTIQUEUE_STATE_H

#include "multiqueue/cores.h"
#include "multiqueue/search.h"
#include "lib/sched/share.h"

enum mq_class { MQ_CPU, MQ_SINGLE, MQ_MULTI, MQ_CLASSES };    /* MQ_SINGLE: all that ask for GPUs if these are not divided */
/* What keeps units of a request class waiting although they might fit. */
enum mq_hold { MQ_HOLD_NONE, MQ_HOLD_ARRAY, MQ_HOLD_CORES, MQ_HOLD_TOGETHER, MQ_HOLD_RULES, MQ_HOLDS };   /* RULES: of CPU units */

/* How GPUs are divided between single and multi: by number, by node, or not. */
enum mq_gpu_arrays { MQ_ARRAYS_COUNT, MQ_ARRAYS_NODES, MQ_ARRAYS_OFF };

/* By unit id. */
struct mq_unit {
    struct search search;
    int64_t  due;               /* end of the probe */
    int64_t  top;               /* greatest utilisation seen since its cores were set; -1: none yet */
    int64_t  set_at;            /* when they were */
    int64_t  hope;              /* what one like it had with hope_cores a task, when this one started; -1: not known */
    int64_t  pressure;          /* of CPU tasks on memory when the probe began, millionths of the bandwidth */
    uint32_t hope_cores, repeats;       /* repeats: of this probe so far */
    uint32_t pos;               /* in running GPU units; POL_NONE */
    uint32_t category, hints;   /* of its model; from the host */
    bool     is_short;          /* has fewer cores than the search wants: none were free */
    bool     was_stopped;       /* waits at the head because a GPU job took its cores */
};

struct mq_user {
    struct queue wait[MQ_CLASSES];
    int64_t held_cpu, held_gpu; /* by its CPU jobs; by its GPU jobs */
    int64_t weight;
    uint64_t aside[MQ_CLASSES]; /* the pass in which it was set aside */
};

/* What units of one request class ask together. */
struct mq_request {
    int64_t  gpu_milli;
    uint32_t n_gpu;             /* cards, a share counting as the card it is on */
    uint8_t  class;             /* enum mq_class */
    uint8_t  hold;              /* enum mq_hold, as last met; units are told when it changes */
    bool     is_known;
    bool     is_exclusive;      /* one of its tasks is: it holds whole nodes, whatever a search would want */
    struct { uint64_t round; uint32_t cores; const char *words; } reason;   /* why units with these cores wait, in this decision */
    uint64_t no_cards;          /* 1 + the plan's touches when no node had cards for it, whatever its cores; 0: never */
};

/* When a request class was last found to fit nowhere, with `cores` for each task (0: as asked) or more. */
struct mq_failure { uint64_t rules, touches; uint32_t cores; };

/* What a kind of requests was refused, the latest of them; see refuse.c. */
enum { MQ_REFUSALS = 8 };
struct mq_refusal { uint64_t rules, touches; int64_t cpu_milli, mem_b; };
struct mq_refusals { struct mq_refusal at[MQ_REFUSALS]; uint32_t n, next, took; };      /* took: the node that took one last */

/* As a user gave them; README.md, multiqueue. */
struct mq_param {
    bool     search_on, arrays_on, reclaim, contention_on, strict, by_node;
    bool     save_history;
    bool     lend_unused;               /* else GPUs are lent only while nobody waits for their array */
    enum mq_gpu_arrays gpu_arrays;
    enum search_rule rule;
    int64_t  probe_us, watch_us;
    bool     bandwidth_by_node;
    int64_t  tolerance, drop, again, expect;    /* utilisation, millionths; expect -1: not known */
    int64_t  steady, repeat;            /* millionths of a node's bandwidth; times */
    int64_t  idle;                      /* GPU units that may wait while CPU units borrow */
    int64_t  cold, reserve;             /* cores; -1: as needed */
    int64_t  weights_from, work_from;   /* presets of hints: thousands; us */
    double   multi_share, bandwidth;    /* fractions; multi_share below 0: as asked for */
};

/* What GPU units hold. */
struct mq_gpu {
    uint32_t *running;   size_t cap_running; uint32_t n_running;    /* units */
    uint32_t *due;       size_t cap_due;                            /* scratch: those whose probe is over */
    int64_t held[MQ_CLASSES], seen[MQ_CLASSES];     /* thousandths: now; asked by all that arrived */
    /*
     * [n_nodes] cpu: milli-CPU that GPU tasks hold; cards: asked by tasks of the class there; kept: cards that the owner's
     * first unit in order waits for; was_kept: scratch.
     */
    struct mq_gpu_node { int64_t cpu; uint32_t cards[MQ_CLASSES], kept, was_kept; bool is_multi; } *node;
    /* For how many cards of the multi array is_multi was last set: of the last n nodes, which have `held`. */
    struct mq_multi { int64_t cards, held; uint32_t n; } multi;
    bool is_lending;                    /* what no unit of its own array can use goes to the other class */
};

/* fit.c: what is known not to fit, and who would stop for a unit that does. */
struct mq_fit {
    struct mq_failure *failed; size_t cap_failed;   /* by request class, two each: while what is unused is lent, second */
    /* The most free cores among nodes that changed between two of the plan's touches. */
    struct mq_most { uint64_t from, to; int64_t cpu; } most;
    uint32_t *victim;    size_t cap_victim;  uint32_t n_victims;
    uint32_t *lender;    size_t cap_lender;     /* scratch: GPU units on borrowed GPUs */
    bool     own_only;                          /* on nodes of the unit's own array */
    struct { enum mq_class class; const struct pol_shape *shape; uint32_t cores; } asks;    /* of nodes.c */
};

/* Counters: while they stand still, what was found before still holds. */
struct mq_epoch {
    /* More may fit without a node changing: CPU jobs may borrow again; the reserve grew, so more CPU jobs borrow. */
    uint64_t cpu_rules, gpu_rules, lend_rules;      /* lend_rules: other cards are kept */
    uint64_t moves;                     /* a unit began or ceased to wait, a search ended, the reserve grew */
    struct mq_seen { uint64_t change_epoch, moves; } idle;  /* when all queues were last tried in vain */
    uint64_t pass;                      /* through one queue */
};

/* tune.c: the watch over memory bandwidth. */
struct mq_watch {
    struct mq_fall { uint32_t unit; int64_t by; } *fall;    /* [n_nodes] scratch */
    bool knows_bandwidth;               /* of some node */
};

/* record.c: whether waiting units must be told anew. */
struct mq_told {
    bool     holds_changed;             /* some request class's, since units were told of it */
    uint32_t situation;                 /* at the end of the last decision */
};

/* The last value of each note in the run's record; -1: not yet. */
struct mq_noted { int64_t reserve, borrowed, closed, stopped, throttled; };

struct mq {
    struct sched sched;
    struct cores cores;
    struct search_history history;
    struct share_weights weights;
    struct mq_unit *unit;       size_t cap_unit;
    struct mq_user *user;       size_t cap_user; uint32_t n_users;
    struct mq_request *request; size_t cap_request;         /* by request class */
    struct queue returned;              /* CPU units that were stopped: they go first */
    struct queue_walk walk;
    struct mq_refusals *refused; size_t cap_refused;        /* by kind and class, two each as mq_fit.failed */
    bool searches;                      /* a unit came whose cores a search would find */
    bool is_recorded;                   /* why units wait is kept in this run */
    uint32_t n_waiting[MQ_CLASSES];
    int64_t  n_stopped, n_throttled;
    struct mq_param param;
    struct mq_gpu gpu;
    struct mq_fit fit;
    struct mq_epoch epoch;
    struct mq_watch watch;
    struct mq_told told;
    struct mq_noted noted;
};

static inline struct mq_unit *mq_unit(struct mq *m, uint32_t id) { return &m->unit[id]; }
const struct mq_request *mq_request(struct mq *m, uint32_t request_class);
static inline enum mq_class mq_class(struct mq *m, uint32_t request_class) { return (enum mq_class)mq_request(m, request_class)->class; }
static inline bool mq_gpu_idle(const struct mq *m) { return m->n_waiting[MQ_SINGLE] + m->n_waiting[MQ_MULTI] <= m->param.idle; }

/* What a failure of the class is as old as, besides nodes: counters only grow, so the sum tells whether one did. */
static inline uint64_t mq_rules(const struct mq *m, enum mq_class class)
{
    return class == MQ_CPU ? m->epoch.cpu_rules : m->epoch.gpu_rules + (m->gpu.is_lending ? m->epoch.lend_rules : 0);
}

/* gpus.c.  Beyond its own array only while nobody waits for the other, or what is unused is lent; gpu: thousandths. */
bool mq_may_take(const struct mq *m, enum mq_class class, int64_t gpu);

/* May a task of the class use the node's GPUs?  With MQ_ARRAYS_NODES of another array's node only as above. */
enum mq_use { MQ_USE_OWN, MQ_USE_BORROWED, MQ_USE_NOT };
enum mq_use mq_use_of(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node);
/* Thousandths of GPUs that the class holds beyond its array, by number; below 0: it has so many left. */
int64_t mq_beyond(const struct mq *m, enum mq_class class);
/* Once what arrived is counted: which nodes are the multi array's. */
void mq_divide_nodes(struct mq *m);
/* With MQ_ARRAYS_NODES: keep cards of the class's nodes for its first unit in order that waits. */
void mq_keep_cards(struct mq *m, enum mq_class class);

/* More than the nodes of its own array, on some at least. */
bool mq_may_borrow(const struct mq *m, enum mq_class class);

/* nodes.c.  Costs of a task there are fit.c's; open: before anything is asked of the placement. */
void nodes_open(struct mq *m);
/* Of all nodes, for a task of the class; the lowest of equals; POL_NONE: none will do. */
uint32_t nodes_cheapest(struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t cores);

/*
 * fit.c.  Compared by use, then cores over the array or of those to stop, then cards, of a GPU task idle ones, then
 * cores left; all are 0 or more, cores thousandths below 2^48.  fit_cost_of false: it will not do, or costs more than
 * `least`, NULL if none does.
 */
struct placement_cost fit_cost(enum mq_use use, int64_t cores, int64_t cards, int64_t left);
bool fit_cost_of(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t cores, uint32_t node,
                 const struct placement_cost *least, struct placement_cost *out);
/* The cores that a task holds which asks others, as many as the node has for tasks at most; 0: as it asks. */
int64_t fit_cores(const struct pol_shape *s, uint32_t cores, const struct pol_node *n);
/* fit.c.  True: the unit started, and those in its way were stopped. */
bool fit_cpu(struct mq *m, uint32_t id);
bool fit_gpu(struct mq *m, uint32_t id);
/*
 * Filters for queue_walk_open, with the struct mq as ctx: true if no unit of this request class can
 * start now.  They look only at nodes that changed since the class last failed.
 */
bool fit_skip_cpu(void *ctx, uint32_t request_class);
bool fit_skip_gpu(void *ctx, uint32_t request_class);
/* Would the node take the task, with the cores that it asks, if those of its borrowers stopped that must? */
bool fit_takes_gpu(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node);
/* Give a running GPU unit's tasks `cores` each; false: not all could be had, and nothing changed. */
bool fit_resize(struct mq *m, uint32_t id, uint32_t cores, const char *reason);
/* May a CPU task start on the node?  FIT_KEPT, FIT_CLOSED: it fits, but for the rules. */
enum fit_verdict { FIT_YES, FIT_NO, FIT_KEPT, FIT_CLOSED };
enum fit_verdict fit_verdict(const struct mq *m, const struct pol_shape *s, uint32_t node);
/* Cores that each task of a waiting GPU unit begins with; 0: what it asks. */
uint32_t tune_cores(struct mq *m, uint32_t id);

/* refuse.c.  As queue_filter.may_fit, with the struct mq as ctx. */
bool refuse_may_fit(void *ctx, uint32_t request_class, int64_t cpu_milli, int64_t mem_b, int64_t est);

/* tune.c */
void tune_started(struct mq *m, uint32_t id);           /* a GPU unit */
void tune_probes(struct mq *m);                         /* those that are over now */
void tune_watch(struct mq *m);
void tune_wake(struct mq *m);                           /* ask to be woken for the next */
void tune_need(struct mq *m, uint32_t id);              /* the cores that it holds may raise the reserve */

/*
 * history.c.  Read what the host took from a file; false: `error` says what is wrong.  Save, if the user asks for it, what a
 * search found, or all that is known, as notes of the run.
 */
bool history_read(struct mq *m, const char *text, char *error, size_t cap);
void history_save(const struct mq *m, const struct search_past *p);
void history_save_all(const struct mq *m);

/* record.c */
void record_hold(struct mq *m, uint32_t request_class, enum mq_hold hold);      /* met on the way: units may have to be told */
/*
 * At the end of a decision.  O(nodes) for each request class of units that began to wait; of all units,
 * and O(units), when what holds some back, or the situation, changed.
 */
void record_waiting(struct mq *m);

#endif
