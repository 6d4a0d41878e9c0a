/*
 * world.h -- jobs on a cluster in time: the state machine between the event
 * loop and a policy.  Layer: model.
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
 * them where others compute (world_send, world_call).
 */
#ifndef MODEL_WORLD_H
#define MODEL_WORLD_H

#include "model/source.h"
#include "model/world_view.h"

/* What happened at this instant, for the decider.  A job or task named here
 * keeps its slot until the instant's round is over. */
enum notice_type { NOTICE_ARRIVED, NOTICE_READY, NOTICE_TASK_ENDED, NOTICE_JOB_ENDED,
                   NOTICE_NODE_DOWN, NOTICE_NODE_UP, NOTICE_TIMER,
                   NOTICE_CALL };   /* the task's next call may run: the last is done, or was lost with `node` */
struct notice {
    enum notice_type type;
    uint32_t job, task;         /* slots; NONE where they do not apply; READY of a gang job: task NONE */
    uint32_t node;              /* NONE where it does not apply */
};

/* Asked once a round.  Acts through world_*.  *again: it wants another round at this instant. */
struct decider {
    void *ctx;
    enum st (*decide)(void *ctx, struct world *w, const struct notice *n, size_t n_notices, bool *again, struct diag *d);
    bool takes_refusals;        /* is told of refused acts, which are then counted (world_count_refusal) */
    bool by_count;              /* counts cards: whether a job can ever run is asked so, too */
    enum shape_reuse shapes;    /* STAY: it keeps things by shape, and does not ask which ids came to mean another */
    bool strands;               /* may leave tasks waiting for ever: they end unfinished, and that is no mistake */
};

/* Copies cfg, borrows what it points at, and empties the cluster. */
struct world *world_create(const struct world_config *cfg, struct source src, struct decider dec);
void world_destroy(struct world *w);            /* NULL is fine */
/* No job arrives by itself: all have, or the closed loop is full. */
bool world_awaits_none(const struct world *w);
/* What waits will wait for ever: the run ends with it unfinished. */
void world_strand(struct world *w);

/*
 * Run one instant.  ST_OK: there may be more; ST_END: every job ended, or the
 * horizon came; an error with d filled otherwise (a trace's, a policy's; ST_EPOLICY
 * too when nothing is left to happen and jobs still wait).
 */
enum st world_step(struct world *w, struct diag *d);

/*
 * Acts.  Each returns POL_OK, or why it is refused with nothing changed.
 */
/* cards 0: the ledger chooses.  cpu_milli, mem_b 0: as asked; else what it holds instead.
 * by_count: whatever memory and cores the cards have (cluster_allocate_by_count). */
struct world_place { uint32_t node; uint64_t cards; int64_t cpu_milli, mem_b; bool by_count; };
enum pol_refusal world_start(struct world *w, uint32_t task, const struct world_place *p);
/* All tasks of a gang job: p [n_tasks], in task order; of an elastic one as many as it then has. */
enum pol_refusal world_start_gang(struct world *w, uint32_t job, const struct world_place *p, uint32_t n);
/* The task, or the whole of its job when it is a gang. */
enum pol_refusal world_preempt(struct world *w, uint32_t task);
/*
 * A running elastic job goes on with n of its tasks, at p [n]: it keeps what a preemption keeps, and starts there at
 * once.
 */
enum pol_refusal world_scale(struct world *w, uint32_t job, const struct world_place *p, uint32_t n);
/* A running task holds other cores from now on, and with mem_b not 0 other memory; its speed follows. */
enum pol_refusal world_resize(struct world *w, uint32_t task, int64_t cpu_milli, int64_t mem_b);
/* A job enters a stage; its reservation is what is said, from now on. */
enum pol_refusal world_reserve(struct world *w, uint32_t job, const struct reservations_stage *s);
/* The running task borrows so much of what it holds (NULL: all) from the job's reservation. */
enum pol_refusal world_lend(struct world *w, uint32_t task, uint32_t job, const struct reservations_amount *part);
/* A waiting task of calls goes to a node's queue, from the master's or another node's. */
enum pol_refusal world_send(struct world *w, uint32_t task, uint32_t node);
/* The next call of a running task, on an engine of a node. */
enum pol_refusal world_call(struct world *w, uint32_t task, uint32_t node, uint32_t engine);
/* A TIMER notice at `at` > now; the same instant twice is one. */
enum pol_refusal world_wake(struct world *w, sim_tick at);
/* An act was refused, and the decider goes on. */
void world_count_refusal(struct world *w);
/* The decider has seen which nodes changed (cluster.changed). */
void world_changes_clear(struct world *w);

#endif
