/*
 * world.h -- jobs on a cluster in time: the state machine between the event
 * engine and a policy.  Layer: model.
 *
 * The world applies events (arrivals, finishes, faults), gathers what happened
 * as notices, lets a decider act through world_start and its fellows, and
 * tells observers.  It refuses every act that would break the ledger.
 *
 * Life of a task: [blocked ->] waiting -> [restoring ->] [reading ->] computing
 * -> [writing ->] done; interrupted, it waits again with the computing progress
 * its checkpoints kept, and reads its inputs anew.  A task that was placed by
 * count on cards without the memory or cores it asks fails after a stated time.  Inputs are read one after
 * the other, each from its cheapest replica (net_level).  A task of calls makes
 * them where others compute (model/calls/call_queue.h).
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "core/evloop.h"
#include "model/calls/call_queue.h"
#include "model/cluster/cluster.h"
#include "model/fault.h"
#include "model/data/net.h"
#include "model/speed/throughput.h"
#include "model/calls/relation.h"
#include "model/cluster/reservation.h"
#include "model/source.h"
#include "model/speed/speed.h"

enum stop_why { STOP_DONE, STOP_PREEMPTED, STOP_FAILED, STOP_TIMEOUT, STOP_HORIZON, STOP_MISMATCH };

/* What happened at this instant, for the decider.  A job or task named here
 * keeps its slot until the instant's round is over. */
enum notice_kind { NOTICE_ARRIVED, NOTICE_READY, NOTICE_TASK_ENDED, NOTICE_JOB_ENDED,
                   NOTICE_NODE_DOWN, NOTICE_NODE_UP, NOTICE_TIMER,
                   NOTICE_CALL };   /* the task's next call may run: the last is done, or was lost with `node` */
struct notice {
    enum notice_kind kind;
    uint32_t job, task;         /* slots; NONE where they do not apply; READY of a gang job: task NONE */
    uint32_t node;              /* NONE where it does not apply */
};

struct world_config {
    struct cluster *cluster;            /* borrowed; reset by world_init */
    const struct throughput *perf;            /* borrowed */
    struct fault_spec fault;
    uint64_t seed;
    /*
     * What an interrupted unit keeps of its progress (nominal work done):
     *   > 0  the largest multiple of the interval, on a preemption and on a fault
     *     0  all of it on a preemption (checkpointed on demand); on a fault
     *        what the last such checkpoint held
     *    -1  nothing, ever
     */
    sim_tick checkpoint_interval;
    sim_tick restore_cost;              /* time a restart with kept progress spends before it computes */
    sim_tick mismatch_after;            /* a unit on cards that lack the memory or cores asked fails after this time */
    bool     enforce_limits;            /* end a unit when an attempt has run for its job's limit */
    bool     reject_infeasible;         /* else a job that can never fit is an error */
    bool     audit;                     /* verify every invariant after every instant */
    const struct data *data;            /* named blocks, placed; borrowed; NULL: jobs name none */
    struct net_spec net;                /* all zero: reading and writing take no time */
    const struct profiles *profiles;    /* what models need around their GPUs; borrowed; NULL: nothing contends, nothing is measured */
    struct monitor_spec monitor;
    const struct calltime *calltime;    /* times of calls; borrowed; NULL: no task makes any */
    const struct relation *relation;    /* as given, for deciders; borrowed; NULL: profiled from calltime */
    uint32_t concurrency;               /* jobs in the system at most: the next arrives when one ends; 0: as the source says */
    sim_tick horizon;                   /* stop here; TICK_NEVER: when all is done */
    sim_tick sample_every;              /* 0: no samples */
};

struct world;

/* Any member may be NULL.  Called in the order in which things happen. */
struct observer {
    void *ctx;
    void (*arrived)(void *ctx, const struct world *w, uint32_t job);
    void (*started)(void *ctx, const struct world *w, uint32_t task);                  /* after the ledger took it */
    void (*stopped)(void *ctx, const struct world *w, uint32_t task, enum stop_why why);   /* before the ledger gives it back */
    /* `bytes` of an input of a running task came from this level; whole: the input is complete,
     * else the task was interrupted and these bytes were moved in vain. */
    void (*moved)(void *ctx, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole);
    void (*resized)(void *ctx, const struct world *w, uint32_t task, int64_t was);     /* the ledger holds its new cores; was: milli-CPU before */
    /* A unit, named by its first task, turned to this phase (task.phase); a task that had to wait for others became ready. */
    void (*phase)(void *ctx, const struct world *w, uint32_t task);
    void (*ready)(void *ctx, const struct world *w, uint32_t task);
    /* Of tasks of calls.  sent: to the queue where it is now, from a node's or the master's (NONE).
     * called: a call is over, done or lost; callq.run[task] still tells of it. */
    void (*sent)(void *ctx, const struct world *w, uint32_t task, uint32_t from);
    void (*called)(void *ctx, const struct world *w, uint32_t task, bool done);
    void (*job_ended)(void *ctx, const struct world *w, uint32_t job);
    void (*staged)(void *ctx, const struct world *w, uint32_t job, const struct stage_entry *s);   /* its reservation at a stage's start */
    void (*lent)(void *ctx, const struct world *w, uint32_t task, uint32_t lender);     /* a running task borrows from a job */
    void (*node_changed)(void *ctx, const struct world *w, uint32_t node);
    void (*instant)(void *ctx, const struct world *w);      /* the instant is over, state is final */
    void (*sample)(void *ctx, const struct world *w);
};

/* Asked once a round.  Acts through world_*.  *again: it wants another round at this instant. */
struct decider {
    void *ctx;
    enum st (*decide)(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d);
    bool strands;               /* may leave tasks waiting for ever: they end unfinished, and that is no mistake */
};

struct world_count { uint64_t arrived, done, timeout, rejected, unfinished, preemptions, task_failures, starts, failed, mismatches; };

struct world {
    struct evloop    engine;
    struct world_config cfg;
    struct cluster  *cluster;
    struct shapes    shapes;
    struct job_table jobs;
    struct intern    users, queues, classes;
    struct fault_gen faults;
    struct source    source;
    struct decider   decider;
    struct observer  obs[4]; uint32_t n_obs;
    struct world_count count;
    uint32_t n_running, n_waiting;      /* tasks */
    struct reserve_sum reserves;        /* what is reserved, used and lent now */
    uint64_t n_reserves;                /* so far */
    struct callq    *callq;             /* NULL without cfg.calltime */
    /* private from here */
    uint32_t engine_mask;      /* kinds that the cluster has */
    struct notice   *notice;   size_t n_notice, cap_notice;
    struct notice   *batch;    size_t n_batch, cap_batch;      /* the round's, lent to the decider */
    uint32_t        *ended;    size_t n_ended, cap_ended;      /* jobs to release after the round */
    struct job_spec  next;     bool has_next, source_ended;    /* one arrival ahead */
    uint64_t         next_ordinal;
    sim_tick        *timer;    size_t cap_timer; uint32_t n_timer; /* pending wake times by timer slot, -1 free */
    uint32_t         n_busy_timers;
    struct net      *net;       /* NULL in nominal mode */
    struct speed    *speed;     /* NULL without profiles */
    uint32_t        *flow_task; size_t cap_flow_task;           /* the task that reads or writes through a flow */
    bool             is_stuck;  /* nothing is left to happen and tasks wait, which the decider may do */
    struct diag      fail;     /* an error met while applying events */
    uint32_t        *capacity; size_t cap_capacity;            /* by shape: tasks the empty cluster holds at once + 1; 0 unknown */
};

void world_init(struct world *w, const struct world_config *cfg, struct source src, struct decider dec);
/* No job arrives by itself: all have, or the closed loop is full. */
bool world_awaits_none(const struct world *w);
/* What waits will wait for ever: the run ends with it unfinished. */
void world_strand(struct world *w);
void world_observe(struct world *w, struct observer o);         /* before the first step */
void world_fini(struct world *w);

/*
 * Run one instant.  ST_OK: there may be more; ST_END: every job ended, or the
 * horizon came; an error with d filled otherwise (a trace's, a policy's; ST_EPOLICY
 * too when nothing is left to happen and jobs still wait).
 */
enum st world_step(struct world *w, struct diag *d);

/*
 * Acts.  Each returns NULL, or why it is refused (a static string) with
 * nothing changed.
 */
/* cards 0: the ledger chooses.  cpu_milli 0: as asked; else what it holds instead.
 * by_count: whatever memory and cores the cards have (cluster_take_by_count). */
struct world_place { uint32_t node; uint64_t cards; int64_t cpu_milli; bool by_count; };
const char *world_start(struct world *w, uint32_t task, const struct world_place *p);
/* All tasks of a gang job: p [n_tasks], in task order. */
const char *world_start_gang(struct world *w, uint32_t job, const struct world_place *p, uint32_t n);
/* The task, or the whole of its job when it is a gang. */
const char *world_preempt(struct world *w, uint32_t task);
/* A running task holds other cores from now on; its speed follows. */
const char *world_resize(struct world *w, uint32_t task, int64_t cpu_milli);
/* A TIMER notice at `at` > now; the same instant twice is one. */
const char *world_wake(struct world *w, sim_tick at);

/* Running time of the task so far over all attempts, restoring included. */
sim_tick world_attained(const struct world *w, uint32_t task);
/* Nominal time of the work the task has not done: what it keeps counts as done
 * while it waits, all its progress while it runs.  Rounded up to a microsecond. */
sim_tick world_left(const struct world *w, uint32_t task);

/*
 * The inputs of a task: *n of them, sizes and replica nodes as they are now (an
 * output not yet written has none).  Borrowed until the next step.
 */
struct world_input { int64_t size; const uint32_t *replica; uint32_t n_replicas; };
uint32_t world_n_inputs(const struct world *w, uint32_t task);
struct world_input world_input(const struct world *w, uint32_t task, uint32_t k);

static inline sim_tick world_now(const struct world *w) { return w->engine.now; }

#endif
