/*
 * policy.h -- the scheduling-policy ABI: events in, decisions out.
 *
 * The only header that a simple policy needs; decision.h, which names verbs and
 * refusals, and node.h stand beside it, and none includes anything of the simulator.
 * What few policies need (API calls, reservations, data, cores, licences, graphs)
 * is in extensions.h, asked for by name in create.  A policy reads a frozen view,
 * plans in scratch of its own and appends decisions; the host checks each against
 * its ledger, in order, and fails the run on a bad one, unless the policy takes
 * refusals.  The life of a decision is told in policies/README.md.
 *
 * Units: time in microseconds, CPU in thousandths of a core, memory in bytes,
 * GPU shares in thousandths of a card.
 *
 * Versioning.  A policy built against one minor works with every host of the
 * same major that is as new or newer, without being built again:
 *   - what is reached through a pointer to one object may grow at its end:
 *     pol_view, pol_host, pol_job_info, pol_task_info, and the policy's own
 *     pol_ops and pol_plugin, whose `size` says how much of it there is (what is
 *     not is zero), and pol_ask;
 *   - what stands in arrays, or is passed by value, is frozen within a major, as
 *     its size is built into the policy: pol_shape, pol_card, pol_node,
 *     pol_gpu_type, pol_event, pol_place, pol_param, pol_value, pol_chosen and the
 *     handles.  A new property of nodes, shapes or jobs comes as a parallel array or
 *     as a function of an extension, members named `reserved` may get a meaning;
 *   - enums grow at their end: pass over an event type that you do not know.
 * A policy that uses what a later minor added asks host->abi_minor first.  The
 * first two members of pol_ops are the same in every major.
 *
 * Ceilings, all of sets that are bits of one word or arrays in every node and
 * shape: 64 GPU types, 64 labels that a cluster and its trace name, 64 cards of
 * a node, POL_ENGINES_MAX engine types.  What exceeds one is an error of the
 * input, before any policy sees it.
 */
#ifndef POLICY_H
#define POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "decision.h"
#include "node.h"

#define POL_ABI_MAJOR 1u
#define POL_ABI_MINOR 0u
#define POL_NONE      UINT32_MAX
#define POL_NEVER     INT64_MAX

/* Names one job or task.  Stale once it ended and the round that told of it is over. */
typedef struct pol_job  { uint32_t slot, gen; } pol_job;
typedef struct pol_task { uint32_t slot, gen; } pol_task;

/* ---- what a policy may see ---- */

/* What one task asks of a node.  Tasks that ask for the same share a shape. */
struct pol_shape {
    int64_t  cpu_milli, mem_b;
    int64_t  gpu_mem_b;             /* per card; 0: none asked */
    uint64_t gpu_types;             /* bit per type id; 0: any */
    uint64_t need_all, need_any;    /* node labels; need_any 0: no such need */
    int32_t  n_gpu, gpu_milli;      /* cards, and thousandths of each */
    int32_t  engine[POL_ENGINES_MAX];
    uint32_t exclusive;             /* 1: needs a whole idle node */
    int32_t  gpu_cores;             /* of each card; 0: none asked */
};

/* What a GPU type's data sheet says; 0: not known. */
struct pol_gpu_type { int64_t compute_mflops, bandwidth_bps, clock_khz; };

struct pol_task_info {
    pol_job  job;
    pol_task next;                  /* next task of the job; slot POL_NONE at the end */
    uint32_t index;                 /* in the job */
    uint32_t shape;                 /* id: view->shape[shape] */
    uint32_t is_running;
    uint32_t node;                  /* POL_NONE while it waits */
    uint64_t cards;                 /* held on that node, bit k = card0 + k */
    int64_t  started_us;            /* of this attempt; -1 while it waits */
    int64_t  attained_us;           /* running time over all attempts so far */
    int64_t  true_left_us;          /* nominal time it still needs; -1 unless the policy is clairvoyant */
    uint32_t is_waiting;            /* 0 while it runs, while other tasks must end first, and once it is done */
    uint32_t stage;                 /* the longest chain of the job's tasks that must end before it */
    int64_t  cpu_milli, mem_b;      /* held now; 0 while it waits */
};

struct pol_job_info {
    uint64_t ordinal;               /* order of arrival; never reused */
    int64_t  submit_us;
    int64_t  limit_us;              /* the user's estimate; -1: none given */
    int64_t  true_dur_us;           /* nominal; -1 unless the policy is clairvoyant */
    pol_task first_task;
    uint32_t n_tasks, n_waiting, n_running;     /* the rest is done or waits for others of the job */
    uint32_t user, queue;           /* dense ids in first-seen order; queue POL_NONE: none */
    int32_t  priority;
    uint32_t is_gang;               /* its tasks start together, and are preempted together */
    /* Of its model: a dense id, POL_NAME_CATEGORY names it (image, speech ...); POL_NONE: unknown. */
    uint32_t category;
    uint32_t hints;                 /* POL_HINT_...: what its user told */
    uint32_t n_stages;              /* 0: its tasks have no order and no data; else 1 + the greatest stage */
    int64_t  weights_thousands;     /* with POL_HINT_HEAVY_WEIGHTS, of its model; 0: only that there are many */
    int64_t  work_us;               /* with POL_HINT_COMPLEX_CPU, CPU time for one example; 0: only that it is long */
};
enum { POL_HINT_PIPELINED = 1, POL_HINT_HEAVY_WEIGHTS = 2, POL_HINT_COMPLEX_CPU = 4 };

enum pol_event_type {               /* append only */
    POL_ARRIVED,                    /* job: those of its tasks wait that need no other's end */
    /* Task waits: what it needs is done, or again after an interruption (gang: task is the first). */
    POL_READY,
    POL_TASK_ENDED,                 /* task; node: where it ran */
    POL_JOB_ENDED,                  /* job: its last task ended; sent after that task's event */
    POL_NODE_DOWN, POL_NODE_UP,     /* node */
    POL_TIMER,                      /* a wake asked for earlier */
    /* calls/1.  task: its next call may run; node: the one with which the last was lost, POL_NONE if it is done. */
    POL_CALL,
    /*
     * To POL_TAKES_REFUSALS alone, in the next round of the instant: a decision of the last call was refused.
     * refusal: why; verb: which it was; node: the one that it named; task and job as it named them, maybe stale
     * (the start of a gang is POL_VERB_START_GANG, and names the job).
     */
    POL_REFUSED
};
/* Infos of the job and task named here can be read until decide returns, ended or not. */
struct pol_event {
    uint32_t type, node;
    pol_job  job;
    pol_task task;
    uint32_t refusal, verb;         /* enum pol_refusal and pol_verb with POL_REFUSED, else 0 */
};

/* Frozen while decide runs; the host owns every array. */
struct pol_view {
    int64_t  now_us;
    uint32_t n_nodes, n_cards, n_shapes, n_users, n_gpu_types, n_racks;
    const struct pol_node  *node;       /* [n_nodes] */
    const struct pol_card  *card;       /* [n_cards] */
    const struct pol_shape *shape;      /* [n_shapes]; an id means the same always, but see shapes/1 */
    const uint32_t *changed;            /* [n_changed] nodes whose state differs from the last decide call's */
    uint32_t n_changed;
    uint32_t n_waiting, n_running;      /* tasks */
    /* Capacity of the nodes that are up. */
    int64_t  cpu_total, mem_total, gpu_total;   /* gpu: thousandths */
    const struct pol_gpu_type *gpu_type;        /* [n_gpu_types as the first view had it]: of every node's type */
    uint32_t n_engines;                 /* types that the cluster names */
};

/* ---- what the host lends ---- */

/*
 * cards: bit k is card k of the node, as many as the task asks; 0: the host chooses.
 * cpu_milli, mem_b 0: as the shape asks; else what it gets instead.  What is reserved is 0, or the start is refused.
 */
struct pol_place { uint32_t node, reserved; uint64_t cards; int64_t cpu_milli, mem_b; };

/* What `name` gives names of, and by what id. */
enum pol_name_type {                /* append only */
    /* Index, bit or type as in the view. */
    POL_NAME_NODE, POL_NAME_RACK, POL_NAME_GPU_TYPE, POL_NAME_LABEL, POL_NAME_ENGINE,
    POL_NAME_USER, POL_NAME_QUEUE, POL_NAME_CATEGORY,   /* dense ids of infos */
    POL_NAME_JOB,                   /* slot of a live job: its id in the trace */
    POL_NAME_LICENCE                /* licences/1: index there */
};

struct pol_host {
    uint32_t abi_major, size, abi_minor, reserved;
    void    *ctx;                   /* the first argument of each function that has one */
    /*
     * Facts of the run, known in create.
     * is_audited: check what can be checked of your own results, and fail if it
     * does not hold.  seed: the run's; a policy that draws draws from it alone.
     * multi_from: cards from which results call what starts together multi, not single.
     */
    uint64_t is_audited, seed, multi_from;

    /*
     * What there is.  All without effect, O(1) but for the first view; in create
     * and decide alone.  What a pointer leads to is the host's, and there until
     * the policy returns.
     * view: in decide what it was called with; in create the cluster as the run
     * begins, all nodes up and nothing there.  Where a policy is created only to
     * be described (`fairway policies`) it has no nodes: do not fail for that.
     * job, task: NULL if the handle is stale; in create there are none.
     * name: what users call it; NULL if there is no such id.  Of nodes and labels
     * as long as the policy lives.  label: the bit of a node label; POL_NONE: there is none.
     */
    const struct pol_view      *(*view)(void *ctx);
    const struct pol_job_info  *(*job)(void *ctx, pol_job j);
    const struct pol_task_info *(*task)(void *ctx, pol_task t);
    const char *(*name)(void *ctx, uint32_t type, uint32_t id);
    uint32_t (*label)(void *ctx, const char *name);

    /*
     * Decisions, in decide alone.  They are kept, and applied in order when decide
     * returns: nothing that can be read changes before.  `reason` is short, for
     * the record, copied; NULL: none.
     * start: n tasks from t on, in task order, at place [n], copied.  n is 1; of a
     * gang t is the first of its tasks and n how many there are.
     * preempt: the task, or the whole of its gang.
     * wake: a TIMER event at at_us, which must lie in the future.
     */
    void (*start)(void *ctx, pol_task t, const struct pol_place *place, uint32_t n, const char *reason);
    void (*preempt)(void *ctx, pol_task t, const char *reason);
    void (*wake)(void *ctx, int64_t at_us);
    /*
     * For the record alone, in decide.
     * hold: why a waiting task is not started although it might; is_head: units
     * behind it wait for it.  Recorded when it differs from the last one said (of
     * the task, or of the head), and only where decisions are; elsewhere it costs a call.
     * note: a finite number with a name.
     */
    void (*hold)(void *ctx, pol_task t, bool is_head, const char *reason);
    void (*note)(void *ctx, const char *name, double value);
    /* The policy cannot go on: fails the run with this message, when create or decide returns. */
    void (*fail)(void *ctx, const char *message);

    /*
     * Does a request fit a node?  The ledger's own answer, for any node and its
     * cards [n_gpu] in the form of the view's: those of a plan of the policy's, too.
     * capacity: how many at once, one after the other.  pick_cards: those that a
     * task gets when nobody says which, as bits; 0 if it asks none or too few fit.
     * O(cards of the node), whenever.  The rule in words: README.md, "Fits" and "Cards".
     */
    bool     (*fits)(const struct pol_node *node, const struct pol_card *cards, const struct pol_shape *s);
    uint32_t (*capacity)(const struct pol_node *node, const struct pol_card *cards, const struct pol_shape *s);
    uint64_t (*pick_cards)(const struct pol_node *node, const struct pol_card *cards, const struct pol_shape *s);

    /* What extensions.h describes, by its name; NULL: the host has none of that name.  Ask in create. */
    const void *(*extension)(void *ctx, const char *name);
    /*
     * Does the input have something of that name, at whatever time?  1: yes; 0: no; -1: it is not known here.
     * Of users, queues, jobs with an order or data (POL_NAME_JOB) and labels; in create, too.
     */
    int32_t (*knows)(void *ctx, uint32_t type, const char *name);
    /* members above: ABI 1.0 */
};

/* ---- what a policy is ---- */

/*
 * POL_PLUGIN: a choice, or the path of a shared object that defines `fairway_plugin`.  POL_FILE: the path of a file
 * of the form that `choices` names, which the host reads: `kube-scheduler`, profiles of a KubeSchedulerConfiguration
 * as policies/kube.c has them; `core-history`, what searches for cores found, as policies/multiqueue/history.c has it;
 * `kueue`, Kueue's objects, as policies/kueue/config.c has them;
 * `slurm-conf`, `slurm-accounts`, `slurm-qos`, `slurm-rounds` and `slurm-reservations`, Slurm's own files, as
 * policies/slurm/config.h has them.
 */
enum pol_param_type { POL_INT, POL_NUMBER, POL_BOOL, POL_DURATION, POL_CHOICE, POL_TEXT, POL_PLUGIN, POL_FILE };

struct pol_param {
    const char *name;               /* [a-z0-9_]+ */
    uint32_t    type, reserved;     /* enum pol_param_type */
    const char *dflt;               /* as a user would write it */
    const char *choices;            /* POL_CHOICE, POL_PLUGIN: "a|b|c"; POL_FILE: its form; else NULL */
    const char *help;               /* one line */
};

/* What a POL_PLUGIN is; plugin NULL: the choice at this index. */
struct pol_chosen { const struct pol_plugin *plugin; int64_t index; };

/* A parsed parameter; which member counts is given by its type. */
union pol_value {
    int64_t     i;                  /* POL_INT; POL_BOOL 0 or 1; POL_DURATION in us; POL_CHOICE: index */
    double      x;                  /* POL_NUMBER */
    const char *s; /* POL_TEXT; POL_FILE: what was read, "" if no path is given; lives as long as the policy */
    const struct pol_chosen *chosen;        /* POL_PLUGIN; as long */
};

enum {
    POL_PREEMPTS    = 1u << 0,      /* may preempt, or scale; a policy without it that does fails the run */
    POL_USES_LIMITS = 1u << 1,      /* reads users' estimates */
    POL_CLAIRVOYANT = 1u << 2,      /* reads true durations; every table says so */
    /* Counts cards: may start a task on cards without the memory or cores it asks, where it fails. */
    POL_BY_COUNT    = 1u << 3,
    POL_STRANDS     = 1u << 4,      /* may leave tasks waiting for ever though they would fit: they end unfinished */
    /* Runs tasks that are made of API calls; for others such a job's arrival fails the run. */
    POL_RUNS_CALLS  = 1u << 5,
    /* Is told of a refused decision by POL_REFUSED; for others it fails the run.  The run counts them. */
    POL_TAKES_REFUSALS = 1u << 6,
};

/* POL_HEADER, name and decide are needed; all else may be 0. */
struct pol_ops {
    uint32_t abi_major, size;
    const char *name;               /* [a-z0-9-]+ */
    const char *source;             /* document and section the rule is taken from, one line */
    const char *summary;            /* one line */
    uint32_t    flags, n_params;
    const struct pol_param *params; /* [n_params] */
    /*
     * Returns the policy's state, its own, or NULL with error [cap] filled: why it
     * cannot be created.  value [n_params]: in the order of params.  The host
     * outlives it.  flags: what this instance really does, given its parameters;
     * starts as ops.flags and may be narrowed.  Nothing can be decided in create.
     * It may be called, and destroy after it, without a run: to describe the policy.
     * NULL: the policy keeps no state, and `self` is the host, a const struct pol_host *.
     */
    void *(*create)(const struct pol_host *host, const union pol_value *value,
                    uint32_t *flags, char *error, size_t cap);
    /*
     * Once per round of an instant in which anything happened; decisions that make
     * something happen bring another round.  view, ev [n_ev]: the host's, until it returns.
     */
    void  (*decide)(void *self, const struct pol_view *view,
                    const struct pol_event *ev, size_t n_ev);
    /* Gives the state back; of the host only `fail` does anything.  NULL: there is nothing to give back. */
    void  (*destroy)(void *self);
    /* members above: ABI 1.0 */
};

/*
 * A plugin chooses the node, for any policy that has place=: `-p fifo:place=./mine.so`.
 *
 * What it answers may depend on what the question shows alone: this node as it
 * is, this shape.  Answers are kept, and asked for again only where the node
 * changed.  Of `host` it may ask name and label, nothing else.
 */
struct pol_ask {                    /* may grow at its end */
    const struct pol_node  *node;   /* on which the shape fits */
    const struct pol_card  *card;   /* [node->n_gpu] the node's own */
    const struct pol_shape *shape;
    const struct pol_gpu_type *gpu_type;    /* the data sheet of its cards; NULL: not known */
    const struct pol_host  *host;
    uint32_t id, reserved;          /* the node's index */
};

struct pol_plugin {
    uint32_t abi_major, size;
    const char *name;               /* [a-z0-9-]+ */
    const char *summary;            /* one line */
    /*
     * May it run there?  NULL: wherever it fits.  Where it may not, it may not
     * either when less is free there.  What may run nowhere waits for ever.
     */
    bool    (*filter)(const struct pol_ask *ask);
    /* The greatest wins; of equal ones the node with the lowest index. */
    int64_t (*score)(const struct pol_ask *ask);
    /* members above: ABI 1.0 */
};
#define POL_PLUGIN_HEADER .abi_major = POL_ABI_MAJOR, .size = (uint32_t)sizeof(struct pol_plugin)
extern const struct pol_plugin fairway_plugin;

#define POL_HEADER .abi_major = POL_ABI_MAJOR, .size = (uint32_t)sizeof(struct pol_ops)

/* The table that a policy in a shared object of its own defines; `-p ./mine.so` looks for this name. */
extern const struct pol_ops fairway_policy;

#endif
