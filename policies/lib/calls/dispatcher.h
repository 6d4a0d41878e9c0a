/*
 * dispatcher.h -- what policies for tasks of API calls keep: the master's queue, each
 * node's queue and running tasks, and the engines free now.  Ordinary jobs in
 * the same run go to a scheduler state of their own, in order of arrival, skipping what
 * does not fit, before the calls get what is left.
 *
 * Call order in decide: hub_open; then send, start and call.  The lists and the
 * scheduler state's plan already show what was decided.
 *
 * A task is named by its slot.  It is in one list at a time: the master's while
 * it waits there, its node's queue, then its node's running ones.
 */
#ifndef POL_LIB_CALLS_DISPATCHER_H
#define POL_LIB_CALLS_DISPATCHER_H

#include "lib/sched/list.h"

enum hub_state { HUB_NONE, HUB_MASTER, HUB_QUEUED, HUB_RUNNING };

struct hub_task {
    pol_task task;
    pol_job  job;
    uint64_t ordinal;
    uint32_t index, shape, n_calls;
    uint8_t  state;             /* enum hub_state */
    bool     is_idle;           /* running, and its next call may run */
    uint32_t node;              /* whose queue or running list it is in */
    uint32_t kind;              /* engine that it was sent for */
    uint32_t prev, next;
    struct pol_call call;       /* the next, while is_idle */
    uint32_t call_no;
};

struct hub_list { uint32_t first, last, n; };
struct hub_node { struct hub_list queue, running; bool is_dirty; };

struct hub {
    struct sched sched;
    const struct pol_host *host;
    const struct pol_view *view;        /* from hub_open to the end of decide */
    struct hub_task *task;  size_t cap_task;        /* by slot */
    struct hub_list master;
    struct hub_node *node;  uint32_t n_nodes;
    uint32_t *dirty; uint32_t n_dirty;              /* nodes where something changed, each once */
    struct pol_event *rest; size_t cap_rest;        /* what the scheduler state is told */
    /* What a policy does when a task begins to wait with the master, and leaves the hub or its place; may be NULL. */
    void (*arrived)(void *self, uint32_t task);
    void (*left)(void *self, uint32_t task);
    void *self;
};

void hub_init(struct hub *h, const struct pol_host *host, void *self);
void hub_fini(struct hub *h);
/* Take in what happened, and start ordinary jobs.  Dirty: nodes that changed, or whose tasks did. */
void hub_open(struct hub *h, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
/* The dirty nodes in order of their numbers. */
void hub_sort(struct hub *h);
/* They were looked at. */
void hub_clean(struct hub *h);

/* From the master's queue or another node's. */
void hub_send(struct hub *h, uint32_t task, uint32_t node, uint32_t kind, const char *why);
/* A queued task starts on its node; false if it does not fit there now. */
bool hub_start(struct hub *h, uint32_t task, const char *why);
/* The next call of an idle task. */
void hub_call(struct hub *h, uint32_t task, uint32_t node, uint32_t kind, const char *why);

/* Could the task ever run on the node, empty and up? */
bool hub_suits(const struct hub *h, uint32_t task, uint32_t node);

static inline struct hub_task *hub_task(const struct hub *h, uint32_t t) { return &h->task[t]; }
static inline int32_t hub_free(const struct hub *h, uint32_t node, uint32_t kind)
{
    const struct pol_node *n = &h->sched.plan.node[node].n;
    return n->is_up ? n->engine_free[kind] : 0;
}
static inline int32_t hub_total(const struct hub *h, uint32_t node, uint32_t kind) { return h->view->node[node].engine_total[kind]; }

#endif
