/*
 * call_queue.h -- where tasks that are made of calls wait, and the calls that run.
 * Layer: model.
 *
 * Such a task waits with the master until it is sent to a node's queue; it is
 * started from there, on that node, and then makes its calls one by one.  This
 * keeps the queues and counts; when a task may be sent or make a call, and how
 * long a call takes, is the world's (world_calls.c).
 *
 * Invariant (call_queue_audit): a waiting task is with the master or in one queue.
 * O(1) each, but for create and audit.
 */
#ifndef MODEL_CALLS_CALL_QUEUE_H
#define MODEL_CALLS_CALL_QUEUE_H

#include "base/base.h"

/* By task slot; of tasks of calls alone. */
struct call_run {
    uint32_t queue;             /* node in whose queue it waits; NONE: the master's, or it runs, or is blocked */
    uint32_t prev, next;        /* in that queue */
    uint32_t at;                /* number of its next call, or of the one that runs */
    uint32_t node, engine;      /* of the call that runs, and the type of its engine; node NONE: none does */
    sim_tick since, exec, overhead;     /* of it: begin, time on the engine, time on the way */
};

struct node_queue { uint32_t first, last, n; };

struct call_queue {
    struct call_run *run;       size_t cap_run;
    struct node_queue *queue;   /* [n_nodes] */
    uint32_t n_nodes;
    uint32_t n_master, n_queued;            /* tasks waiting with the master, in nodes' queues */
    uint32_t n_calling;                     /* calls running */
    uint64_t n_sent, n_moved;               /* tasks so far: from the master to a node, between nodes */
    uint64_t n_done, n_cross, n_lost;       /* calls so far: done, of those not at home, interrupted */
    int64_t  cross_b;           /* bytes that calls carried: arguments and results of n_cross */
};

struct call_queue *call_queue_create(uint32_t n_nodes);
void call_queue_destroy(struct call_queue *q);              /* NULL is fine */

/* A task that arrived: it is in no queue and has made no call. */
void call_queue_add(struct call_queue *q, uint32_t task);
/* It begins to wait, with the master. */
void call_queue_wait(struct call_queue *q, uint32_t task);
/* It waits no longer.  Returns the node in whose queue it was; NONE: with the master. */
uint32_t call_queue_leave(struct call_queue *q, uint32_t task);
/* It goes from where it waits to the end of a node's queue.  Returns what leave does. */
uint32_t call_queue_send(struct call_queue *q, uint32_t task, uint32_t node);

/* It makes all its calls anew. */
void call_queue_restart(struct call_queue *q, uint32_t task);
/* Its next call begins, at `now`. */
void call_queue_begin(struct call_queue *q, uint32_t task, uint32_t node, uint32_t engine, sim_tick now, sim_tick exec, sim_tick overhead);
/* The call is done; crossed_b: the bytes that it carried if it was not at home, else -1.  Or it is lost. */
void call_queue_done(struct call_queue *q, uint32_t task, int64_t crossed_b);
void call_queue_lost(struct call_queue *q, uint32_t task);

/* O(nodes + queued tasks): lists and counts of the nodes' queues; stops the program when one is wrong. */
void call_queue_audit(const struct call_queue *q);

#endif
