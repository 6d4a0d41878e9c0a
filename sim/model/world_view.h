/*
 * world_view.h -- what may be read of a world, and who is told what happens in it.
 * Layer: model.
 *
 * All that metrics, logs and the host of policies know of the world passes through
 * here; to change it, world.h.  Slots are those of job.h: a job or task may be read
 * as long as it is live, and until the round is over in which it ended.  What a
 * function returns a pointer to is borrowed until the next step or act.
 * O(1) each, where nothing else is said.
 */
#ifndef MODEL_WORLD_VIEW_H
#define MODEL_WORLD_VIEW_H

#include "core/evloop.h"
#include "model/calls/call_queue.h"
#include "model/cluster/cluster.h"
#include "model/job.h"
#include "model/reservations.h"
#include "model/world_config.h"

struct world;

/* ---- the whole ---- */

/*
 * What is asked for at every turn, so that it takes no call: a world begins with these members (world_priv.h), and
 * may be read as this, too.
 */
struct __attribute__((may_alias)) world_front {
    struct job_table jobs;
    struct evloop    loop;
    struct cluster  *cluster;           /* borrowed: world_config.cluster */
    struct shapes    shapes;            /* room: tasks that the empty cluster holds + 1; 0: unknown */
};
static inline const struct world_front *world_front(const struct world *w) { return (const struct world_front *)(const void *)w; }

const struct world_config *world_config(const struct world *w);
static inline sim_tick world_now(const struct world *w) { return world_front(w)->loop.now; }
sim_tick world_next(const struct world *w);             /* when the next event is due; TICK_NEVER: none is */
static inline const struct cluster *world_cluster(const struct world *w) { return world_front(w)->cluster; }
uint32_t world_n_running(const struct world *w);        /* tasks */
uint32_t world_n_waiting(const struct world *w);

/* So far. */
struct world_count {
    uint64_t arrived, done, timeout, rejected, unfinished, failed, never_eligible;      /* jobs */
    uint64_t dependent;         /* jobs that waited for others */
    uint64_t unlimited;         /* of those that arrived: without a limit, and so without an estimate */
    uint64_t preemptions, task_failures, starts, mismatches, refusals;
    uint64_t elastic, scalings; /* elastic jobs that arrived; changes of their sizes while they ran */
    sim_tick recorded;          /* of the last that was submitted: see job_spec; 0: unknown */
    sim_tick first_submit, first_start;     /* of the first job that arrived, and task that started; 0: none did */
    sim_tick last_end;          /* of the last job that was done, or ended at its limit; 0: none was */
    sim_wide in_system;       /* time that those which ended were in the system, us */
};
const struct world_count *world_count(const struct world *w);
bool     world_takes_refusals(const struct world *w);   /* its decider goes on when an act is refused */
uint64_t world_digest(const struct world *w);
uint64_t world_n_events(const struct world *w);         /* samples are not counted */
uint64_t world_n_instants(const struct world *w);
uint64_t world_n_rounds(const struct world *w);

/* ---- jobs and tasks ---- */

static inline const struct job_table *world_jobs(const struct world *w) { return &world_front(w)->jobs; }
static inline uint32_t world_n_job_slots(const struct world *w) { return world_jobs(w)->n_job_slots; }
static inline uint32_t world_n_task_slots(const struct world *w) { return world_jobs(w)->n_task_slots; }
static inline const struct job  *world_job(const struct world *w, uint32_t job) { return &world_jobs(w)->job[job]; }
static inline const struct task *world_task(const struct world *w, uint32_t task) { return &world_jobs(w)->task[task]; }
static inline const struct job  *world_job_of(const struct world *w, uint32_t task) { return world_job(w, world_task(w, task)->job); }
uint32_t world_n_live_jobs(const struct world *w);      /* that arrived */
uint32_t world_peak_live_jobs(const struct world *w);

/* Names by the ids that jobs have. */
const struct intern *world_users(const struct world *w);
const struct intern *world_queues(const struct world *w);
const struct intern *world_classes(const struct world *w);

/* Requests that tasks made so far, by task.shape. */
static inline const struct shapes *world_shapes(const struct world *w) { return &world_front(w)->shapes; }
static inline const struct shape  *world_shape(const struct world *w, uint32_t shape) { return &world_front(w)->shapes.at[shape]; }
static inline uint32_t world_n_shapes(const struct world *w) { return world_front(w)->shapes.n; }

/* Running time of the task so far over all attempts, restoring included. */
sim_tick world_attained(const struct world *w, uint32_t task);
/* Nominal time of the work the task has not done: what it keeps counts as done
 * while it waits, all its progress while it runs.  Rounded up to a microsecond. */
sim_tick world_left(const struct world *w, uint32_t task);

/*
 * The inputs of a task: *n of them, sizes and replica nodes as they are now (an
 * output not yet written has none).  Borrowed until the next step.
 */
struct world_input {
    int64_t size;
    const uint32_t *replica; uint32_t n_replicas;
    uint32_t writer;            /* task whose output it is; NONE: a block */
    sim_tick since;             /* when it was there, a block when the job came; of an output not yet written: 0 */
};
uint32_t world_n_inputs(const struct world *w, uint32_t task);
struct world_input world_input(const struct world *w, uint32_t task, uint32_t k);
int64_t world_output(const struct world *w, uint32_t task);     /* bytes that it writes */
/*
 * What so many bytes from the level take, us, as policies are told: the nominal
 * time, or what the network measured; and how often that can have changed (0: it
 * is the nominal time).
 */
int64_t world_transfer_us(const struct world *w, enum data_level level, int64_t size);
uint64_t world_transfers_measured(const struct world *w);
/* How long reading its inputs would take on the node, begun now, by those times.  O(inputs' replicas). */
sim_tick world_reading_us(const struct world *w, uint32_t task, uint32_t node);

/* ---- what some worlds have ---- */

/* What a monitor last saw of the task, and how busy GPUs are (speed_busy); nothing, and 0, without profiles. */
struct speed_reading world_read(const struct world *w, uint32_t task);
/*
 * Of an elastic job: may it run on n of its tasks, and how fast then, on GPUs of the type, n_nodes as scaling_spread
 * has it: of nominal, in 1/65536; 0: it may not, or not there.  How long a start after its first takes before it computes.
 */
sim_rate world_scale_speed(const struct world *w, uint32_t job, uint32_t gpu_type, uint32_t n, uint32_t n_nodes);
/* The scaling of an elastic job on GPUs of the type; NULL: none.  How it trains there; goodput 0: not, or not known. */
const struct scaling_row *world_scale_row(const struct world *w, uint32_t job, uint32_t gpu_type);
struct adaptive_at world_scale_step(const struct world *w, uint32_t job, uint32_t gpu_type, uint32_t n, uint32_t n_nodes);
/* The same where it runs. */
struct adaptive_at world_scale_measured(const struct world *w, uint32_t job);
sim_tick world_scale_restart_us(const struct world *w, uint32_t job, uint32_t gpu_type);
/* What makes the speed of a unit that computes, named by its first task. */
struct speed_factors world_speed_factors(const struct world *w, uint32_t task);
int64_t world_busy(const struct world *w);

const struct reservations_sum *world_reserved(const struct world *w);    /* what is reserved, used and lent now */
bool world_borrows(const struct world *w, uint32_t task);   /* the task runs in the reservation of another job */
const struct call_queue *world_calls(const struct world *w);    /* NULL without world_config.calltime */
uint32_t world_engine_types(const struct world *w);         /* that some node has, as bits */
/* How many calls the task makes, 0 for one without calls; number k of them, borrowed until its job ends. */
uint32_t world_n_calls(const struct world *w, uint32_t task);
const struct call *world_call_at(const struct world *w, uint32_t task, uint32_t k);

/* ---- who is told ---- */

enum stop_reason { STOP_DONE, STOP_PREEMPTED, STOP_FAILED, STOP_TIMEOUT, STOP_HORIZON, STOP_MISMATCH, STOP_SCALED };

/* Any member may be NULL.  Called in the order in which things happen. */
struct observer {
    void *ctx;
    void (*arrived)(void *ctx, const struct world *w, uint32_t job);
    /* Its place is allocated; its place is about to be released. */
    void (*started)(void *ctx, const struct world *w, uint32_t task);
    void (*stopped)(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason);
    /* The same, and the end of a job, where the job has a graph: after started, stopped and job_ended. */
    void (*graph_started)(void *ctx, const struct world *w, uint32_t task);
    void (*graph_stopped)(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason);
    void (*graph_ended)(void *ctx, const struct world *w, uint32_t job);
    /* `bytes` of an input of a running task came from this level; whole: the input is complete,
     * else the task was interrupted and these bytes were moved in vain. */
    void (*moved)(void *ctx, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole);
    /* The ledger holds its new cores and memory; was, mem_was: milli-CPU and bytes before. */
    void (*resized)(void *ctx, const struct world *w, uint32_t task, int64_t was, int64_t mem_was);
    /* An elastic job, which waits or is about to go on, has another number of tasks; was: how many it had. */
    void (*sized)(void *ctx, const struct world *w, uint32_t job, uint32_t was);
    /* A unit, named by its first task, computes at another rate from now on, or begins to (task.act.rate). */
    void (*rated)(void *ctx, const struct world *w, uint32_t task);
    /* A unit, named by its first task, turned to this phase (task.phase). */
    void (*phase)(void *ctx, const struct world *w, uint32_t task);
    /* A task that had to wait for others became ready. */
    void (*ready)(void *ctx, const struct world *w, uint32_t task);
    /* Of tasks of calls.  sent: to the queue where it is now, from a node's or the master's (NONE).
     * called: a call is over, done or lost; world_calls(w)->run[task] still tells of it. */
    void (*sent)(void *ctx, const struct world *w, uint32_t task, uint32_t from);
    void (*called)(void *ctx, const struct world *w, uint32_t task, bool done);
    void (*job_ended)(void *ctx, const struct world *w, uint32_t job);
    /* After job_ended, its work not over: it was rejected, never eligible, or unfinished when the run is over. */
    void (*job_dropped)(void *ctx, const struct world *w, uint32_t job);
    /* Before `arrived` of the first job that a user has in the system, and before job_ended of the last. */
    void (*user_changed)(void *ctx, const struct world *w, uint32_t user, bool is_active);
    /* Its reservation at a stage's start; a running task borrows from a job, and is about to give that back. */
    void (*staged)(void *ctx, const struct world *w, uint32_t job, const struct reservations_stage *s);
    void (*lent)(void *ctx, const struct world *w, uint32_t task, uint32_t lender);
    void (*returning)(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason);
    void (*node_changed)(void *ctx, const struct world *w, uint32_t node);
    void (*instant)(void *ctx, const struct world *w);      /* the instant is over, state is final */
    void (*sample)(void *ctx, const struct world *w);
    bool counts_shapes;     /* keeps things by shape: ids of this run never come to mean another request */
};

/* Before the first step.  Observers are told in the order in which they came. */
void world_observe(struct world *w, struct observer o);

#endif
