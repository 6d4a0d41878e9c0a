/*
 * world_calls.c -- tasks that are made of calls: who may be sent where, and what
 * their calls do to engines and time.
 *
 * A call elsewhere than on its task's node carries its arguments there and its
 * result back; its engine is taken for all that time, and serves one call.
 */
#include "model/world_priv.h"

#include "base/mem.h"

static const struct calls *calls_of(const struct world *w, uint32_t task) { return w->jobs.job[w->jobs.task[task].job].calls; }
static const struct call_run *run_of(const struct world *w, uint32_t task) { return &w->calls->run[task]; }

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

/* ---- queues ---- */

void world_calls_unqueue(struct world *w, uint32_t task)
{
    uint32_t node = call_queue_leave(w->calls, task);
    if (node != NONE) cluster_touch(w->cluster, node);
}

void world_calls_arrive(struct world *w, uint32_t job)
{
    for (uint32_t t = w->jobs.job[job].first_task; t != NONE; t = w->jobs.task[t].next) {
        call_queue_add(w->calls, t);
        if (w->jobs.task[t].state == TASK_WAITING) call_queue_wait(w->calls, t);
    }
}

void world_calls_forget(struct world *w, uint32_t job)
{
    for (uint32_t t = w->jobs.job[job].first_task; t != NONE; t = w->jobs.task[t].next)
        if (w->jobs.task[t].state == TASK_WAITING) world_calls_unqueue(w, t);
}

enum pol_refusal world_calls_may_start(const struct world *w, uint32_t task, uint32_t node)
{
    uint32_t queue = run_of(w, task)->queue;
    if (queue == NONE) return POL_REFUSAL_NOT_SENT;
    return queue == node ? POL_OK : POL_REFUSAL_OTHER_QUEUE;
}

/* What enters the digest beside the task: which of these it was, and where. */
enum call_fact { CALL_SENT, CALL_BEGUN, CALL_DONE, CALL_LOST };
static void fold(struct world *w, uint32_t task, enum call_fact what, uint32_t node, uint32_t engine)
{
    world_fold(w, FACT_CALLS, order_of(w, task), (uint64_t)engine << 32 | node, what);
}

enum pol_refusal world_send(struct world *w, uint32_t task, uint32_t node)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return POL_REFUSAL_NO_TASK;
    if (world_n_calls(w, task) == 0) return POL_REFUSAL_NO_QUEUE;
    if (w->jobs.task[task].state == TASK_BLOCKED) return POL_REFUSAL_BLOCKED;
    if (w->jobs.task[task].state != TASK_WAITING) return POL_REFUSAL_NOT_WAITING;
    if (node >= w->cluster->n_nodes) return POL_REFUSAL_NO_NODE;
    if (!w->cluster->node[node].is_up) return POL_REFUSAL_NODE_DOWN;
    if (run_of(w, task)->queue == node) return POL_REFUSAL_IN_QUEUE;
    uint32_t from = call_queue_send(w->calls, task, node);
    if (from != NONE) cluster_touch(w->cluster, from);
    cluster_touch(w->cluster, node);
    fold(w, task, CALL_SENT, node, 0);
    TELL(w, sent, task, from);
    return POL_OK;
}

/* ---- calls ---- */

enum pol_refusal world_call(struct world *w, uint32_t task, uint32_t node, uint32_t engine)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return POL_REFUSAL_NO_TASK;
    if (world_n_calls(w, task) == 0) return POL_REFUSAL_NO_CALLS;
    struct task *k = task_at(w, task);
    if (k->state != TASK_RUNNING) return POL_REFUSAL_NOT_RUNNING;
    if (k->phase != PHASE_COMPUTE) return POL_REFUSAL_NOT_COMPUTING;
    if (run_of(w, task)->node != NONE) return POL_REFUSAL_CALLING;
    if (node >= w->cluster->n_nodes) return POL_REFUSAL_NO_NODE;
    if (engine >= w->cluster->engines.n) return POL_REFUSAL_NO_ENGINE;
    const struct call *call = world_call_at(w, task, run_of(w, task)->at);
    sim_tick exec = calltime_us(w->cfg.calltime, call->api, engine, call->size);
    if (exec < 0) return POL_REFUSAL_ENGINE_UNFIT;
    sim_tick way = calltime_overhead(w->cluster, w->cluster->hold[task].node, node, call->size, call->result);
    if (way < 0 || exec > DUR_MAX - way) return POL_REFUSAL_CALL_TOO_LONG;
    enum pol_refusal refusal = cluster_engine_allocate(w->cluster, node, engine);
    if (refusal != POL_OK) return refusal;
    call_queue_begin(w->calls, task, node, engine, w->loop.now, exec, way);
    act_start(&k->act, &w->loop.q, ev_slot(SLOT_ACT, task), order_of(w, task), (exec + way) << RATE_BITS, RATE_ONE, w->loop.now);
    fold(w, task, CALL_BEGUN, node, engine);
    return POL_OK;
}

static void end_call(struct world *w, uint32_t task, bool done)
{
    const struct call_run *r = run_of(w, task);
    fold(w, task, done ? CALL_DONE : CALL_LOST, r->node, r->engine);
    TELL(w, called, task, done);
    cluster_engine_release(w->cluster, r->node, r->engine);
    if (done) {
        const struct call *call = world_call_at(w, task, r->at);
        task_at(w, task)->done += calltime_best(w->cfg.calltime, call->api, call->size, w->engine_types) << RATE_BITS;
        call_queue_done(w->calls, task, r->node == w->cluster->hold[task].node ? -1 : call->size + call->result);
    } else {
        evq_cancel(&w->loop.q, ev_slot(SLOT_ACT, task));
        call_queue_lost(w->calls, task);
    }
}

void world_calls_over(struct world *w, uint32_t task)
{
    end_call(w, task, true);
    if (run_of(w, task)->at < world_n_calls(w, task)) world_notify(w, NOTICE_CALL, w->jobs.task[task].job, task, NONE);
    else if (job_of(w, task)->graph != NULL) world_data_write(w, task);
    else world_unit_finish(w, task, STOP_DONE);
}

void world_calls_stop(struct world *w, uint32_t task)
{
    if (run_of(w, task)->node != NONE) end_call(w, task, false);
}

/*
 * Its queue goes back to the master.  Calls of tasks at home there stopped with
 * them; what is left came from other nodes, whose tasks make the call anew.
 */
void world_calls_node_down(struct world *w, uint32_t node)
{
    for (uint32_t t; (t = w->calls->queue[node].first) != NONE;) {
        world_calls_unqueue(w, t);
        call_queue_wait(w->calls, t);
        fold(w, t, CALL_SENT, NONE, 0);
        TELL(w, sent, t, node);
        world_notify(w, NOTICE_READY, w->jobs.task[t].job, t, NONE);
    }
    struct world_slot *lost;
    size_t n = 0;
    MEM_ARRAY(lost, (size_t)w->calls->n_calling + 1);
    for (uint32_t t = 0; t < w->jobs.n_task_slots; t++)
        if (w->jobs.task[t].is_live && world_n_calls(w, t) > 0 && run_of(w, t)->node == node)
            lost[n++] = (struct world_slot){ .order = order_of(w, t), .slot = t };
    world_sort(lost, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = lost[i].slot;
        end_call(w, t, false);
        world_notify(w, NOTICE_CALL, w->jobs.task[t].job, t, node);
    }
    mem_free(lost);
}

void world_calls_audit(const struct world *w)
{
    const struct call_queue *q = w->calls;
    uint32_t master = 0, queued = 0, calling = 0;
    int32_t (*engine)[ENGINE_TYPES_MAX];
    call_queue_audit(q);
    MEM_ARRAY(engine, w->cluster->n_nodes);
    for (uint32_t t = 0; t < w->jobs.n_task_slots; t++) {
        if (!w->jobs.task[t].is_live || world_n_calls(w, t) == 0) continue;
        const struct call_run *r = &q->run[t];
        const struct task *k = &w->jobs.task[t];
        master += k->state == TASK_WAITING && r->queue == NONE;
        queued += r->queue != NONE;
        SIM_ASSERT(r->queue == NONE || (k->state == TASK_WAITING && w->cluster->node[r->queue].is_up));
        SIM_ASSERT(r->at <= world_n_calls(w, t));
        if (r->node == NONE) continue;
        SIM_ASSERT(k->state == TASK_RUNNING && k->phase == PHASE_COMPUTE && w->cluster->node[r->node].is_up);
        SIM_ASSERT(evq_pending(&w->loop.q, ev_slot(SLOT_ACT, t)) && r->at < world_n_calls(w, t));
        calling++;
        engine[r->node][r->engine]++;
    }
    for (uint32_t i = 0; i < w->cluster->n_nodes; i++)
        for (int k = 0; k < ENGINE_TYPES_MAX; k++) SIM_ASSERT(engine[i][k] == w->cluster->own[i].engine_calls[k]);
    SIM_ASSERT(master == q->n_master && queued == q->n_queued && calling == q->n_calling);
    mem_free(engine);
}
