/*
 * dispatcher.h -- what policies for tasks of API calls keep: the master's queue, each
 * node's queue and running tasks, and which engines are free.  Ordinary jobs of the same
 * run are started first, in order of arrival, skipping what does not fit (lib/sched); the
 * calls get what is left.
 *
 * Call order in decide: dispatcher_open; then send, start and call.  A decision shows in
 * the lists and in sched.plan at once.
 *
 * Invariant: a task, named by its slot, is in one list at a time: the master's queue, then
 * a node's queue, then that node's running tasks.
 * Cost: O(1) for each event and decision; dispatcher_open O(nodes) when one comes or goes.
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
    const struct pol_calls *calls;      /* borrowed, as the host is */
    const struct pol_view *view;        /* from dispatcher_open to the end of decide */
    struct dispatcher_task *task;  size_t cap_task;        /* by slot */
    struct dispatcher_list master;
    struct dispatcher_node *node;  uint32_t n_nodes;
    uint32_t *dirty; uint32_t n_dirty;              /* nodes where something changed, each once */
    struct pol_event *rest; size_t cap_rest;        /* events of ordinary jobs, for lib/sched */
    /* Called when a task begins to wait with the master, and when it ends or is interrupted; may be NULL. */
    void (*arrived)(void *self, uint32_t task);
    void (*left)(void *self, uint32_t task);
    void *self;
};

void dispatcher_init(struct dispatcher *h, const struct pol_host *host, void *self);
void dispatcher_fini(struct dispatcher *h);
/* Take in what happened, and start ordinary jobs.  Nodes that changed, or whose tasks did, become dirty. */
void dispatcher_open(struct dispatcher *h, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
/* Sort the dirty nodes by number. */
void dispatcher_sort(struct dispatcher *h);
/* No node is dirty any more. */
void dispatcher_clean(struct dispatcher *h);

/* To a node's queue, from the master's or another node's, for an engine of this type (POL_NONE: of any). */
void dispatcher_send(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason);
/* A queued task starts on its node; false if it does not fit there now. */
bool dispatcher_start(struct dispatcher *h, uint32_t task, const char *reason);
/* Run the next call of an idle task on an engine of a node. */
void dispatcher_call(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason);

/* Could the task ever run on the node, empty and up? */
bool dispatcher_suits(const struct dispatcher *h, uint32_t task, uint32_t node);
/* The same of a task of this shape, which may still be blocked. */
bool dispatcher_shape_suits(const struct dispatcher *h, uint32_t shape, uint32_t node);

static inline struct dispatcher_task *dispatcher_task(const struct dispatcher *h, uint32_t t) { return &h->task[t]; }
static inline int32_t dispatcher_free(const struct dispatcher *h, uint32_t node, uint32_t engine)
{
    const struct pol_node *n = &h->sched.plan.node[node].n;
    return n->is_up ? n->engine_free[engine] : 0;
}
static inline int32_t dispatcher_total(const struct dispatcher *h, uint32_t node, uint32_t engine) { return h->view->node[node].engine_total[engine]; }

#endif
