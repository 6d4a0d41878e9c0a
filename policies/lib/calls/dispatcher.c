/*
 * dispatcher.c -- which list each task of calls is in, in step with the host's events,
 * see dispatcher.h.
 */
#include "lib/calls/dispatcher.h"

#include "lib/util.h"

static const struct sched_ops plain;     /* ordinary jobs: nothing differs */

void dispatcher_init(struct dispatcher *h, const struct pol_host *host, void *self)
{
    memset(h, 0, sizeof *h);
    sched_init(&h->sched, host, PLACEMENT_FIRST, &plain, h);
    h->host = host;
    h->calls = pol_extension(host, POL_CALLS);
    h->self = self;
    h->master = (struct dispatcher_list){ POL_NONE, POL_NONE, 0 };
}

void dispatcher_fini(struct dispatcher *h)
{
    sched_fini(&h->sched);
    free(h->task);
    free(h->node);
    free(h->dirty);
    free(h->rest);
}

/* ---- lists ---- */

static void push(struct dispatcher *h, struct dispatcher_list *l, uint32_t t)
{
    struct dispatcher_task *k = dispatcher_task(h, t);
    k->prev = l->last;
    k->next = POL_NONE;
    if (l->last != POL_NONE) dispatcher_task(h, l->last)->next = t; else l->first = t;
    l->last = t;
    l->n++;
}

static void drop(struct dispatcher *h, struct dispatcher_list *l, uint32_t t)
{
    struct dispatcher_task *k = dispatcher_task(h, t);
    if (k->prev != POL_NONE) dispatcher_task(h, k->prev)->next = k->next; else l->first = k->next;
    if (k->next != POL_NONE) dispatcher_task(h, k->next)->prev = k->prev; else l->last = k->prev;
    l->n--;
}

static struct dispatcher_list *list_of(struct dispatcher *h, const struct dispatcher_task *k)
{
    return k->state == DISPATCHER_MASTER ? &h->master : k->state == DISPATCHER_QUEUED ? &h->node[k->node].queue : &h->node[k->node].running;
}

static void mark(struct dispatcher *h, uint32_t node)
{
    if (h->node[node].is_dirty) return;
    h->node[node].is_dirty = true;
    h->dirty[h->n_dirty++] = node;
}

void dispatcher_clean(struct dispatcher *h)
{
    for (uint32_t i = 0; i < h->n_dirty; i++) h->node[h->dirty[i]].is_dirty = false;
    h->n_dirty = 0;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void dispatcher_sort(struct dispatcher *h)
{
    if (h->n_dirty > 1) qsort(h->dirty, h->n_dirty, sizeof *h->dirty, by_number);
}

static void leave(struct dispatcher *h, uint32_t t)
{
    struct dispatcher_task *k = dispatcher_task(h, t);
    if (k->state == DISPATCHER_NONE) return;
    if (h->left != NULL) h->left(h->self, t);
    drop(h, list_of(h, k), t);
    if (k->state != DISPATCHER_MASTER) mark(h, k->node);
    k->state = DISPATCHER_NONE;
}

/* ---- events ---- */

static void wait(struct dispatcher *h, pol_task task, const struct pol_task_info *ti)
{
    const struct pol_job_info *ji = h->host->job(h->host->ctx, ti->job);
    POL_RESERVE(h->task, h->cap_task, (size_t)task.slot + 1);
    struct dispatcher_task *k = dispatcher_task(h, task.slot);
    *k = (struct dispatcher_task){ .task = task, .job = ti->job, .ordinal = ji->ordinal, .index = ti->index, .shape = ti->shape,
                            .n_calls = h->calls->state(h->host->ctx, task).n_calls, .state = DISPATCHER_MASTER, .node = POL_NONE, .engine = POL_NONE };
    push(h, &h->master, task.slot);
    if (h->arrived != NULL) h->arrived(h->self, task.slot);
}

/* The info of a task if it is made of calls, else NULL. */
static const struct pol_task_info *ours(const struct dispatcher *h, pol_task t)
{
    const struct pol_task_info *ti = h->host->task(h->host->ctx, t);
    return ti != NULL && h->calls->state(h->host->ctx, t).n_calls > 0 ? ti : NULL;
}

static bool is_known(const struct dispatcher *h, pol_task t) { return t.slot < h->cap_task && h->task[t.slot].state != DISPATCHER_NONE; }

/* Started in order of arrival a workflow would be fifo's under this policy's name. */
static void refuse_workflow(const struct dispatcher *h, pol_job job)
{
    char text[400];
    const char *id = h->host->name(h->host->ctx, POL_NAME_JOB, job.slot);
    (void)snprintf(text, sizeof text, "job '%.80s' is a workflow whose tasks make no API calls, and this policy maps calls "
                   "to engines: 'engines: {tasks: {cpu: 1}}' makes each task one call on engines of that type",
                   id != NULL ? id : "?");
    h->host->fail(h->host->ctx, text);
}

/* True: the event was about a task of calls. */
static bool take_in(struct dispatcher *h, const struct pol_event *e)
{
    const struct pol_host *host = h->host;
    const struct pol_job_info *ji;
    const struct pol_task_info *ti;
    switch ((enum pol_event_type)e->type) {
    case POL_ARRIVED: case POL_JOB_ENDED:
        ji = host->job(host->ctx, e->job);
        if (ji == NULL) return false;
        if (ours(h, ji->first_task) == NULL) {
            if (e->type == POL_ARRIVED && ji->n_stages > 1) refuse_workflow(h, e->job);
            return false;
        }
        for (pol_task t = ji->first_task; t.slot != POL_NONE && (ti = host->task(host->ctx, t)) != NULL; t = ti->next) {
            if (e->type == POL_ARRIVED && ti->is_waiting) wait(h, t, ti);
            if (e->type == POL_JOB_ENDED && is_known(h, t)) leave(h, t.slot);
        }
        return true;
    case POL_READY:
        if ((ti = ours(h, e->task)) == NULL) return false;
        if (is_known(h, e->task)) leave(h, e->task.slot);
        if (ti->is_waiting) wait(h, e->task, ti);
        return true;
    case POL_TASK_ENDED:
        if (ours(h, e->task) == NULL) return false;
        if (is_known(h, e->task)) leave(h, e->task.slot);
        return true;
    case POL_CALL:
        if ((ti = ours(h, e->task)) == NULL || !ti->is_running || !is_known(h, e->task)) return true;
        h->task[e->task.slot].is_idle = true;
        h->task[e->task.slot].call_no = h->calls->state(host->ctx, e->task).next;
        h->task[e->task.slot].call = h->calls->info(host->ctx, e->task, h->task[e->task.slot].call_no);
        mark(h, h->task[e->task.slot].node);
        return true;
    case POL_NODE_DOWN: case POL_NODE_UP: case POL_TIMER: case POL_REFUSED:
        return false;
    }
    return false;
}

void dispatcher_open(struct dispatcher *h, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    size_t n = 0;
    h->view = view;
    if (h->node == NULL) {
        h->n_nodes = view->n_nodes;
        h->node = pol_alloc(h->n_nodes, sizeof *h->node);
        h->dirty = pol_alloc(h->n_nodes, sizeof *h->dirty);
        for (uint32_t i = 0; i < h->n_nodes; i++)
            h->node[i].queue = h->node[i].running = (struct dispatcher_list){ POL_NONE, POL_NONE, 0 };
    }
    POL_RESERVE(h->rest, h->cap_rest, n_ev);
    for (size_t i = 0; i < n_ev; i++) {
        if (!take_in(h, &ev[i])) h->rest[n++] = ev[i];
        /* An engine elsewhere may have come into the reach of any node, or gone. */
        if (ev[i].type == POL_NODE_UP || ev[i].type == POL_NODE_DOWN)
            for (uint32_t k = 0; k < h->n_nodes; k++) mark(h, k);
    }
    for (uint32_t i = 0; i < view->n_changed; i++) mark(h, view->changed[i]);
    sched_open(&h->sched, view, h->rest, n);
    list_run(&h->sched, LIST_SKIP);
}

/* ---- decisions ---- */

void dispatcher_send(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason)
{
    struct dispatcher_task *k = dispatcher_task(h, task);
    drop(h, list_of(h, k), task);
    if (k->state == DISPATCHER_QUEUED) mark(h, k->node);
    k->state = DISPATCHER_QUEUED;
    k->node = node;
    k->engine = engine;
    push(h, &h->node[node].queue, task);
    mark(h, node);
    h->calls->send(h->host->ctx, k->task, node, reason);
}

bool dispatcher_start(struct dispatcher *h, uint32_t task, const char *reason)
{
    struct dispatcher_task *k = dispatcher_task(h, task);
    const struct pol_shape *s = &h->view->shape[k->shape];
    if (!plan_fits(&h->sched.plan, k->node, s)) return false;
    uint64_t cards = plan_pick_cards(&h->sched.plan, k->node, s);
    plan_allocate(&h->sched.plan, k->node, s, cards);
    drop(h, &h->node[k->node].queue, task);
    k->state = DISPATCHER_RUNNING;
    push(h, &h->node[k->node].running, task);
    h->host->start(h->host->ctx, k->task, &(struct pol_place){ .node = k->node, .cards = s->exclusive ? 0 : cards }, 1, reason);
    return true;
}

void dispatcher_call(struct dispatcher *h, uint32_t task, uint32_t node, uint32_t engine, const char *reason)
{
    struct dispatcher_task *k = dispatcher_task(h, task);
    h->sched.plan.node[node].n.engine_free[engine]--;
    k->is_idle = false;
    h->calls->call(h->host->ctx, k->task, node, engine, reason);
}

bool dispatcher_suits(const struct dispatcher *h, uint32_t task, uint32_t node)
{
    return dispatcher_shape_suits(h, dispatcher_task(h, task)->shape, node);
}

bool dispatcher_shape_suits(const struct dispatcher *h, uint32_t shape, uint32_t node)
{
    const struct pol_shape *s = &h->view->shape[shape];
    const struct pol_node *n = &h->view->node[node];
    return pol_node_capacity_empty(n, &h->view->card[n->card0], s) > 0;
}
