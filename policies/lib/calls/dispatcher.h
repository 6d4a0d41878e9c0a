/*
 * dispatcher.h -- what policies for tasks of API calls keep: the master's queue, each
 * node's queue and running tasks, and the engines free now.  Ordinary jobs in
 * the same run go to a scheduler state of their own, in order of arrival, skipping what
 * does not fit, before the calls get what is left.
 *
 * Call order in decide: dispatcher_open; then send, start and call.  The lists and the
 * scheduler state's plan already show what was decided.
 *
 * A task is named by its slot.  It is in one list at a time: the master's while
 * it waits there, its node's queue, then its node's running ones.
 */
#ifndef POL_LIB_CALLS_DISPATCHER_H
#define POL_LIB_CALLS_DISPATCHER_H

#include "lib/sched/list.h"

enum dispatcher_state { DISPATCHER_NONE, DISPATCHER_MASTER, DISPATCHER_QUEUED, DISPATCHER_RUNNING };

struct dispatcher_task {
    pol_task task;
    pol_job  job;
    uint64_t ordinal;
    uint32_t index, shape, n_calls;
    uint8_t  state;             /* enum dispatcher_state */
    bool     is_idle;           /* running, and its next call may run */
    uint32_t node;              /* whose queue or running list it is in */
    uint32_t engine;              /* engine that it was sent for */
    uint32_t prev, next;
    struct pol_call call;       /* the next, while is_idle */
    uint32_t call_no;
};

struct dispatcher_list { uint32_t first, last, n; };
struct dispatcher_node { struct dispatcher_list queue, running; bool is_dirty; };

struct dispatcher {
    struct sched sched;
    const struct pol_host *host;
    const struct pol_view *view;        /* from dispatcher_open to the end of decide */
    struct dispatcher_task *task;  size_t cap_task;        /* by slot */
    struct dispatcher_list master;
    struct dispatcher_node *node;  uint32_t n_nodes;
    uint32_t *dirty; uint32_t n_dirty;              /* nodes where something changed, each once */
    struct pol_event *rest; size_t cap_rest;        /* what the scheduler state is told */
    /* What a policy does when a task begins to wait with the master, and leaves the dispatcher or its place; may be NULL. */
    void (*arrived)(void *self, uint32_t task);
    void (*left)(void *self, uint32_t task);
    void *self;
};

void dispatcher_init(struct dispatcher *h, const struct pol_host *host, void *self);
void dispatcher_fini(struct dispatcher *h);
/* Take in what happened, and start ordinary jobs.  Dirty: nodes that changed, or whose tasks did. */
void dispatcher_open(struct dispatcher *h, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
/* The dirty nodes in order of their numbers. */
void dispatcher_sort(struct dispatcher *h);
/* They were looked at. */
void dispatcher_clean(struct dispatcher *h);

/* From the master's queue or another node's. */
void dispatcher_send(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason);
/* A queued task starts on its node; false if it does not fit there now. */
bool dispatcher_start(struct dispatcher *h, uint32_t task, const char *reason);
/* The next call of an idle task. */
void dispatcher_call(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason);

/* Could the task ever run on the node, empty and up? */
bool dispatcher_suits(const struct dispatcher *h, uint32_t task, uint32_t node);

static inline struct dispatcher_task *dispatcher_task(const struct dispatcher *h, uint32_t t) { return &h->task[t]; }
static inline int32_t dispatcher_free(const struct dispatcher *h, uint32_t node, uint32_t engine)
{
    const struct pol_node *n = &h->sched.plan.node[node].n;
    return n->is_up ? n->engine_free[engine] : 0;
}
static inline int32_t dispatcher_total(const struct dispatcher *h, uint32_t node, uint32_t engine) { return h->view->node[node].engine_total[engine]; }

#endif
