/*
 * refsim.h -- a slow, obvious simulator to check the real one against.
 *
 * The semantics of policies/README.md (orders and
 * placements) and sim/model/world.h (lives of tasks), written again with arrays
 * and loops only.  It shares nothing with sim/ but base types and the shape of
 * a task; a change of behaviour there that is not made here is found by
 * tests/prop/test_reference.c.  No queue of events: at each step every job is
 * asked when its next event is.
 */
#ifndef REFSIM_H
#define REFSIM_H

#include "base/base.h"
#include "model/cluster/shape.h"
#include "model/job.h"
#include "model/world_config.h"

enum { REF_NODES = 8, REF_CARDS = 8, REF_JOBS = 128, REF_TASKS = 8, REF_TYPES = 4, REF_MODELS = 3, REF_USERS = 8,
       REF_FAULTS = 32 };

struct ref_node {
    int64_t  cpu, mem, gpu_mem;
    int      n_gpu, type;           /* type -1: no GPUs */
    int64_t  mem_bw;                /* bytes/s of memory; 0: not known */
    int32_t  engine[ENGINE_TYPES_MAX];
    uint64_t labels;
};

/* shape.gpu_types as asked; what the model cannot run on is taken out on arrival. */
struct ref_task { struct shape shape; sim_tick dur; int64_t mem_bw; };

enum { REF_AFTER_MAX = 2 };
struct ref_job {
    sim_tick submit, limit;         /* limit -1: none */
    int      user, model;           /* user: any number < REF_USERS; model -1: none */
    struct hints hints;
    int      priority;              /* kueue */
    bool     gang;
    int      min, max, scaling;     /* tasks of an elastic job, of which it asks n; max 0: it has one size */
    int      asked;                 /* as it was submitted; n is how many it has */
    struct own_cost restore;
    /* Jobs of the case that it waits for: all, or one of them. */
    struct ref_after {
        int before;
        enum { REF_BEGUN, REF_ENDED, REF_OK, REF_NOT_OK } kind;
        sim_tick delay;
    } after[REF_AFTER_MAX];
    int      n_after;
    bool     after_any;
    int      n;                     /* tasks, equal ones next to each other (groups) */
    struct ref_task task[REF_TASKS];
};

struct ref_fault { sim_tick at; int node; bool up; };

enum ref_order {
    REF_FIFO, REF_SJF, REF_SRTF, REF_LAS, REF_EASY, REF_DRF, REF_MULTIQUEUE, REF_KUEUE, REF_DICE, REF_TIRESIAS
};
enum ref_place { REF_FIRST, REF_BEST, REF_WORST, REF_PACK, REF_SPREAD, REF_FGD, REF_KUBE, REF_KUBE_HYBRID };

/* A search that an earlier run is said to have made. */
struct ref_past { int category, cards, tasks, cores; int64_t util; };
enum { REF_PAST = 3 };

/* multiqueue's parameters, as policies/README.md names them; fractions in thousandths. */
struct ref_mq_param {
    bool     search, literal, arrays, by_node, reclaim, lend_unused, contention, bandwidth_by_node;
    enum { REF_BY_COUNT, REF_BY_NODE, REF_UNDIVIDED } gpu_arrays;
    sim_tick probe, watch;
    int      tolerance, cold, steady, repeat, again, idle, weights_from, work_from, reserve, multi_share, bandwidth, drop, expect;   /* reserve, multi_share -1: found */
    struct ref_past past[REF_PAST];     /* of its history_file, of categories that the case has */
    int      n_past;
};

/* kueue's objects, as policies/kueue/README.md names them.  Limits -1: none; what has no quota is of -1. */
enum { REF_KQ_FLAVORS = 3, REF_KQ_RESOURCES = 4, REF_KQ_COHORTS = 3, REF_KQ_QUEUES = 4 };
struct ref_kq_quota { int64_t nominal, borrow, lend; };         /* thousandths, bytes, pods */
struct ref_kq_pool {
    int      parent;                        /* cohort; -1: none */
    int64_t  weight;                        /* thousandths */
    struct ref_kq_quota quota[REF_KQ_FLAVORS][REF_KQ_RESOURCES];
};
struct ref_kq_queue {
    bool     strict, next_if_borrow, next_if_preempt, borrows;
    int      within, reclaim, threshold;    /* 0: Never, 1: LowerPriority, 2: LowerOrNewerEqualPriority or Any; 99: no threshold */
    int      n_groups, n_flavors[2], flavor[2][REF_KQ_FLAVORS];
    unsigned covered[2];                    /* a bit per resource */
};
struct ref_kueue {
    int  n_flavors, n_cohorts, n_queues;
    struct { int type, host; } flavor[REF_KQ_FLAVORS];          /* GPU type or node; both -1: all nodes */
    struct ref_kq_pool  pool[REF_KQ_COHORTS + REF_KQ_QUEUES];   /* cohorts, then queues */
    struct ref_kq_queue queue[REF_KQ_QUEUES];
    bool no_memory, otherwise;              /* excluded; jobs of no queue go to the first */
    bool fair, initial_first, initial_too;
    bool waits, blocks, by_eviction;
    sim_tick timeout, recovery;             /* recovery -1: none */
    int  most, base, longest;
};

struct ref_policy {
    enum ref_order order;
    enum ref_place place;
    bool     skip, clairvoyant;
    bool     counts;                /* srtf, tiresias: choose=count; tiresias is always by arrival, in one queue */
    sim_tick threshold;             /* las: one card's time */
    int      factor, queues;
    int64_t  weight[REF_USERS];     /* drf, multiqueue: by user; in thousandths */
    struct ref_mq_param mq;
    struct ref_kueue kq;
};

/* What a model needs of cores and memory bandwidth: a row for units on one node and one for others (knee 0: no row). */
struct ref_profile {
    int category;
    int64_t data, data_bw;          /* its set, and how fast it goes through it; 0: it needs none */
    /* with less memory than so much it goes at half its speed; 0: with any at its best */
    int64_t half_mem;
    struct { int knee; int64_t bw; bool slows; } on[2];
};
/* What a model goes as up to shares of its work, in millionths and rising; scaling -1: the job's own. */
enum { REF_PHASES = 2 };
struct ref_phases { int n, as[REF_PHASES], until[REF_PHASES], scaling[REF_PHASES]; };

/* Speeds of elastic jobs on so many GPUs, of one node and of several; several[1] 0: as one, and exchange costs its time. */
enum { REF_GPUS = 24, REF_SCALINGS = 2 };
struct ref_scaling { double one[REF_GPUS + 1], several[REF_GPUS + 1]; sim_tick restart; };    /* restart -1: as any job's */

enum { REF_SLOW_POINTS = 3 };
extern const double ref_slow_x[REF_SLOW_POINTS], ref_slow_y[REF_SLOW_POINTS];      /* of every model that is slowed */

struct ref_case {
    int n_nodes, n_jobs, n_faults, n_types, n_models;
    struct ref_node  node[REF_NODES];
    struct ref_job   job[REF_JOBS]; /* by submit */
    struct ref_fault fault[REF_FAULTS];     /* by time then node */
    sim_rate type_rate[REF_TYPES];          /* general speed of a type */
    sim_rate rate[REF_MODELS][REF_TYPES];   /* of a model; 0: cannot run */
    sim_tick checkpoint_interval, restore_cost, horizon;
    enum restore_as restore_as;
    bool     enforce_limits, reject_infeasible;
    bool     has_profiles;
    struct ref_profile profile[REF_MODELS];
    bool     as_measured, is_proportional;  /* profiles.cores, profiles.division */
    bool     shares;                        /* profiles.sharing, with: */
    /* what nodes of a unit exchange, over cards and a switch of that speed; 0: no limit */
    int64_t  net_bw, card, rack;
    int64_t  disk;                          /* of each node, bytes/s; 0: no limit */
    bool     net_shared;                    /* and beside others' */
    /* what its cards on a node exchange; pcie 0: they are not linked, it costs nothing */
    int64_t  gpu_bw, nvlink, pcie;
    int      group;                         /* so many cards next to each other are linked by nvlink */
    struct ref_phases phases[REF_MODELS];
    struct ref_scaling scaling[REF_SCALINGS];
    double   apart[REF_MODELS];             /* speed on several nodes; 0: not measured */
    double   utilisation;                   /* of cards without a profile */
    double   pair[REF_MODELS][REF_MODELS];  /* speed of one beside the other; 0: not measured */
    sim_tick monitor;                       /* how often it looks; 0: all the time */
    uint64_t dice;                          /* what the decider of refdice.h throws by */
    int      multi_from;                    /* cards from which what starts together is multi */
    struct ref_policy policy;
};

enum ref_type { REF_START, REF_STOP, REF_END, REF_DOWN, REF_UP, REF_RESIZE };     /* resize: cards are thousandths of cores */
/* why of a stop: done, preempted, scaled, failed, timeout, horizon; of an end: done, timeout, rejected, unfinished,
 * never_eligible.  job: by order of arrival. */
struct ref_event { sim_tick at; enum ref_type type; int job, task, node; uint64_t cards; const char *reason; };

struct ref_log {
    struct ref_event *ev;           /* owned */
    size_t n, cap;
    char   error[128];              /* "": ended well; "infeasible", "stuck" */
};

void ref_run(const struct ref_case *c, struct ref_log *log);
void ref_log_add(struct ref_log *log, struct ref_event e);
void ref_log_fini(struct ref_log *log);

#endif
