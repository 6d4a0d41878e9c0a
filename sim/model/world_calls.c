#include "model/world_priv.h"

#include <stdlib.h>
#include "base/mem.h"

struct callq *callq_create(uint32_t n_nodes)
{
    struct callq *q;
    MEM_NEW(q);
    MEM_ARRAY(q->queue, n_nodes);
    for (uint32_t i = 0; i < n_nodes; i++) q->queue[i] = (struct node_queue){ NONE, NONE, 0 };
    return q;
}

void callq_destroy(struct callq *q)
{
    if (q == NULL) return;
    mem_free(q->run);
    mem_free(q->queue);
    mem_free(q);
}

static const struct calls *calls_of(const struct world *w, uint32_t task) { return w->jobs.job[w->jobs.task[task].job].calls; }
static struct call_run *run_of(struct world *w, uint32_t task) { return &w->callq->run[task]; }

uint32_t world_n_calls(const struct world *w, uint32_t task)
{
    const struct calls *c = calls_of(w, task);
    return c == NULL ? 0 : c->n[w->jobs.task[task].index];
}

const struct call *world_call_at(const struct world *w, uint32_t task, uint32_t k)
{
    const struct calls *c = calls_of(w, task);
    return &c->call[c->first[w->jobs.task[task].index] + k];
}

/* ---- the way to another node ---- */

/* Bytes over a link, rounded up; -1 when that is more than can be counted. */
static sim_tick link_us(int64_t bytes, int64_t bps)
{
    if (bps == 0 || bytes == 0) return 0;
    if (bytes / bps >= DUR_MAX / TICK_SEC / 4) return -1;
    sim_tick us = mul_div(bytes, TICK_SEC, bps);
    return us + (mul_div(us, bps, TICK_SEC) < bytes);
}

sim_tick calls_overhead(const struct cluster *c, uint32_t a, uint32_t b, int64_t size, int64_t result)
{
    const struct node *x = &c->node[a], *y = &c->node[b];
    if (a == b) return 0;
    int64_t bps = x->link_bps == 0 ? y->link_bps : y->link_bps == 0 ? x->link_bps : i64_min(x->link_bps, y->link_bps);
    sim_tick there = link_us(size, bps), back = link_us(result, bps);
    return there < 0 || back < 0 ? -1 : 2 * (x->latency_us + y->latency_us) + there + back;
}

/* ---- queues ---- */

static void leave_queue(struct world *w, uint32_t task)
{
    struct call_run *r = run_of(w, task);
    if (r->queue == NONE) { w->callq->n_master--; return; }
    struct node_queue *q = &w->callq->queue[r->queue];
    if (r->prev != NONE) run_of(w, r->prev)->next = r->next; else q->first = r->next;
    if (r->next != NONE) run_of(w, r->next)->prev = r->prev; else q->last = r->prev;
    q->n--;
    w->callq->n_queued--;
    cluster_touch(w->cluster, r->queue);
    r->queue = NONE;
}

void calls_arrive(struct world *w, uint32_t job)
{
    for (uint32_t t = w->jobs.job[job].first_task; t != NONE; t = w->jobs.task[t].next) {
        MEM_RESERVE(w->callq->run, w->callq->cap_run, (size_t)t + 1);
        *run_of(w, t) = (struct call_run){ .queue = NONE, .prev = NONE, .next = NONE, .node = NONE };
        if (w->jobs.task[t].state == TASK_WAITING) calls_ready(w, t);
    }
}

void calls_ready(struct world *w, uint32_t task)
{
    SIM_ASSERT(run_of(w, task)->queue == NONE);
    w->callq->n_master++;
}

void calls_unqueue(struct world *w, uint32_t task) { leave_queue(w, task); }

void calls_forget(struct world *w, uint32_t job)
{
    for (uint32_t t = w->jobs.job[job].first_task; t != NONE; t = w->jobs.task[t].next)
        if (w->jobs.task[t].state == TASK_WAITING) leave_queue(w, t);
}

const char *calls_may_start(const struct world *w, uint32_t task, uint32_t node)
{
    uint32_t queue = w->callq->run[task].queue;
    if (queue == NONE) return "the task is made of calls: it is sent to a node's queue before that node starts it";
    return queue == node ? NULL : "the task is in the queue of another node";
}

/* What enters the digest beside the task: which of these it was, and where. */
enum call_fact { CALL_SENT, CALL_BEGUN, CALL_DONE, CALL_LOST };
static void fold(struct world *w, uint32_t task, enum call_fact what, uint32_t node, uint32_t kind)
{
    world_fold(w, FACT_CALLS, order_of(w, task), (uint64_t)kind << 32 | node, what);
}

const char *world_send(struct world *w, uint32_t task, uint32_t node)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return "there is no such task";
    if (world_n_calls(w, task) == 0) return "the task is not made of calls: it waits in no node's queue";
    if (w->jobs.task[task].state == TASK_BLOCKED) return "other tasks of its job must end first";
    if (w->jobs.task[task].state != TASK_WAITING) return "the task does not wait";
    if (node >= w->cluster->n_nodes) return "there is no such node";
    if (!w->cluster->node[node].is_up) return "the node is down";
    struct callq *c = w->callq;
    struct call_run *r = run_of(w, task);
    uint32_t from = r->queue;
    if (from == node) return "the task is in that node's queue already";
    leave_queue(w, task);
    if (from == NONE) c->n_sent++; else c->n_moved++;
    struct node_queue *q = &c->queue[node];
    r->queue = node;
    r->prev = q->last;
    r->next = NONE;
    if (q->last != NONE) run_of(w, q->last)->next = task; else q->first = task;
    q->last = task;
    q->n++;
    c->n_queued++;
    cluster_touch(w->cluster, node);
    fold(w, task, CALL_SENT, node, 0);
    TELL(w, sent, task, from);
    return NULL;
}

/* ---- calls ---- */

const char *world_call(struct world *w, uint32_t task, uint32_t node, uint32_t kind)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return "there is no such task";
    if (world_n_calls(w, task) == 0) return "the task is not made of calls";
    struct task *k = task_at(w, task);
    struct call_run *r = run_of(w, task);
    if (k->state != TASK_RUNNING) return "the task is not running";
    if (k->phase != PHASE_COMPUTE) return "the task does not compute yet: it still restores or reads";
    if (r->node != NONE) return "the task makes its calls one after the other, and one is running";
    if (node >= w->cluster->n_nodes) return "there is no such node";
    if (kind >= w->cluster->engines.n) return "there is no such kind of engine";
    const struct call *call = world_call_at(w, task, r->at);
    sim_tick exec = calltime_us(w->cfg.calltime, call->api, kind, call->size);
    if (exec < 0) return "the call cannot run on an engine of that kind";
    sim_tick way = calls_overhead(w->cluster, w->cluster->hold[task].node, node, call->size, call->result);
    if (way < 0 || exec > DUR_MAX - way) return "the call would take longer than can be counted";
    const char *why = cluster_call_take(w->cluster, node, kind);
    if (why != NULL) return why;
    r->node = node;
    r->kind = kind;
    r->since = w->engine.now;
    r->exec = exec;
    r->overhead = way;
    w->callq->n_calling++;
    act_start(&k->act, &w->engine.q, ev_slot(SLOT_ACT, task), order_of(w, task), (exec + way) << RATE_BITS, RATE_ONE, w->engine.now);
    fold(w, task, CALL_BEGUN, node, kind);
    return NULL;
}

static void end_call(struct world *w, uint32_t task, bool done)
{
    struct call_run *r = run_of(w, task);
    fold(w, task, done ? CALL_DONE : CALL_LOST, r->node, r->kind);
    TELL(w, called, task, done);
    cluster_call_give(w->cluster, r->node, r->kind);
    w->callq->n_calling--;
    if (done) {
        const struct call *call = world_call_at(w, task, r->at);
        w->callq->n_done++;
        if (r->node != w->cluster->hold[task].node) {
            w->callq->n_cross++;
            w->callq->cross_b += call->size + call->result;
        }
        task_at(w, task)->done += calltime_best(w->cfg.calltime, call->api, call->size, w->engine_mask) << RATE_BITS;
        r->at++;
    } else {
        w->callq->n_lost++;
        evq_cancel(&w->engine.q, ev_slot(SLOT_ACT, task));
    }
    r->node = NONE;
}

void calls_over(struct world *w, uint32_t task)
{
    end_call(w, task, true);
    if (run_of(w, task)->at < world_n_calls(w, task)) world_notify(w, NOTICE_CALL, w->jobs.task[task].job, task, NONE);
    else if (job_of(w, task)->graph != NULL) data_write(w, task);
    else unit_finish(w, task, STOP_DONE);
}

void calls_stop(struct world *w, uint32_t task)
{
    if (run_of(w, task)->node != NONE) end_call(w, task, false);
}

static int by_order(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/*
 * Its queue goes back to the master.  Calls of tasks at home there stopped with
 * them; what is left came from other nodes, whose tasks make the call anew.
 */
void calls_node_down(struct world *w, uint32_t node)
{
    struct node_queue *q = &w->callq->queue[node];
    while (q->first != NONE) {
        uint32_t t = q->first;
        leave_queue(w, t);
        calls_ready(w, t);
        fold(w, t, CALL_SENT, NONE, 0);
        TELL(w, sent, t, node);
        world_notify(w, NOTICE_READY, w->jobs.task[t].job, t, NONE);
    }
    uint64_t (*lost)[2];
    uint32_t n = 0;
    MEM_ARRAY(lost, (size_t)w->callq->n_calling + 1);
    for (uint32_t t = 0; t < w->jobs.n_task_slots; t++)
        if (w->jobs.task[t].is_live && world_n_calls(w, t) > 0 && run_of(w, t)->node == node) {
            lost[n][0] = order_of(w, t);
            lost[n++][1] = t;
        }
    qsort(lost, n, sizeof *lost, by_order);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = (uint32_t)lost[i][1];
        end_call(w, t, false);
        world_notify(w, NOTICE_CALL, w->jobs.task[t].job, t, node);
    }
    mem_free(lost);
}

void calls_audit(const struct world *w)
{
    const struct callq *c = w->callq;
    uint32_t master = 0, queued = 0, calling = 0, listed = 0;
    int32_t (*engine)[ENGINE_KINDS_MAX];
    MEM_ARRAY(engine, w->cluster->n_nodes);
    for (uint32_t t = 0; t < w->jobs.n_task_slots; t++) {
        if (!w->jobs.task[t].is_live || world_n_calls(w, t) == 0) continue;
        const struct call_run *r = &c->run[t];
        const struct task *k = &w->jobs.task[t];
        master += k->state == TASK_WAITING && r->queue == NONE;
        queued += r->queue != NONE;
        SIM_ASSERT(r->queue == NONE || (k->state == TASK_WAITING && w->cluster->node[r->queue].is_up));
        SIM_ASSERT(r->at <= world_n_calls(w, t));
        if (r->node == NONE) continue;
        SIM_ASSERT(k->state == TASK_RUNNING && k->phase == PHASE_COMPUTE && w->cluster->node[r->node].is_up);
        SIM_ASSERT(evq_pending(&w->engine.q, ev_slot(SLOT_ACT, t)) && r->at < world_n_calls(w, t));
        calling++;
        engine[r->node][r->kind]++;
    }
    for (uint32_t i = 0; i < w->cluster->n_nodes; i++) {
        uint32_t n = 0;
        for (uint32_t t = c->queue[i].first; t != NONE; t = c->run[t].next, n++) SIM_ASSERT(c->run[t].queue == i);
        SIM_ASSERT(n == c->queue[i].n);
        listed += n;
        for (int k = 0; k < ENGINE_KINDS_MAX; k++) SIM_ASSERT(engine[i][k] == w->cluster->node[i].engine_calls[k]);
    }
    SIM_ASSERT(master == c->n_master && queued == c->n_queued && listed == queued && calling == c->n_calling);
    mem_free(engine);
}
