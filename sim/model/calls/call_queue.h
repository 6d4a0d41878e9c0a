/*
 * call_queue.h -- tasks of calls in a world: the queues of master and nodes, and the
 * calls that run.  Layer: model, part of world.h.
 *
 * Such a task waits with the master (queue NONE) until it is sent to a node's
 * queue; world_start takes it from there, on that node; it then makes its calls
 * one by one, each where world_call says.  A call elsewhere than on the task's
 * node carries its arguments there and its result back; its engine is taken
 * for all that time, and serves one call.
 */
#ifndef MODEL_CALLS_CALL_QUEUE_H
#define MODEL_CALLS_CALL_QUEUE_H

#include "core/evloop.h"
#include "model/cluster/cluster.h"
#include "model/calls/calls.h"

struct world;

/* By task slot; of tasks of calls alone. */
struct call_run {
    uint32_t queue;             /* node in whose queue it waits; NONE: the master's, or it runs, or is blocked */
    uint32_t prev, next;        /* in that queue */
    uint32_t at;                /* number of its next call, or of the one that runs */
    uint32_t node, kind;        /* of the call that runs; node NONE: none does */
    sim_tick since, exec, overhead;     /* of it: begin, time on the engine, time on the way */
};

struct node_queue { uint32_t first, last, n; };

struct callq {
    struct call_run *run;       size_t cap_run;
    struct node_queue *queue;   /* [n_nodes] */
    uint32_t n_master, n_queued, n_calling;     /* tasks waiting with the master, in nodes' queues; calls running */
    uint64_t n_sent, n_moved, n_done, n_cross, n_lost;      /* from the master, between nodes; calls done, of those not at home, interrupted */
    int64_t  cross_b;           /* bytes that calls carried: arguments and results of n_cross */
};

struct callq *callq_create(uint32_t n_nodes);
void          callq_destroy(struct callq *q);       /* NULL is fine */

/* Time on the way from node a to b and back: 0 if they are one.  us; rounded up.  -1: longer than can be counted. */
sim_tick calls_overhead(const struct cluster *c, uint32_t a, uint32_t b, int64_t size, int64_t result);

/*
 * Acts; each returns NULL, or why it is refused with nothing changed.
 * send: a waiting task goes to a node's queue, from the master's or another
 * node's.  call: the next call of a running task on an engine of a node.
 */
const char *world_send(struct world *w, uint32_t task, uint32_t node);
const char *world_call(struct world *w, uint32_t task, uint32_t node, uint32_t kind);

/* The call number k of the task; borrowed until its job ends.  n: how many it makes, 0 for a task without calls. */
uint32_t           world_n_calls(const struct world *w, uint32_t task);
const struct call *world_call_at(const struct world *w, uint32_t task, uint32_t k);

/* ---- for world*.c ---- */
void calls_arrive(struct world *w, uint32_t job);           /* its calls are set */
void calls_ready(struct world *w, uint32_t task);           /* it begins to wait with the master */
const char *calls_may_start(const struct world *w, uint32_t task, uint32_t node);
void calls_unqueue(struct world *w, uint32_t task);         /* it starts */
void calls_forget(struct world *w, uint32_t job);           /* over with tasks that still wait, or rejected */
void calls_over(struct world *w, uint32_t task);            /* its call came to an end */
void calls_stop(struct world *w, uint32_t task);            /* interrupted: the call under way is lost */
void calls_node_down(struct world *w, uint32_t node);       /* queue and calls of a node that fails */
void calls_audit(const struct world *w);

#endif
