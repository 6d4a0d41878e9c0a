/* call_queue.c -- the queues of call_queue.h: lists through the tasks' own records, by task slot. */
#include "model/calls/call_queue.h"

#include "base/mem.h"

struct call_queue *call_queue_create(uint32_t n_nodes)
{
    struct call_queue *q;
    MEM_NEW(q);
    MEM_ARRAY(q->queue, n_nodes);
    q->n_nodes = n_nodes;
    for (uint32_t i = 0; i < n_nodes; i++) q->queue[i] = (struct node_queue){ NONE, NONE, 0 };
    return q;
}

void call_queue_destroy(struct call_queue *q)
{
    if (q == NULL) return;
    mem_free(q->run);
    mem_free(q->queue);
    mem_free(q);
}

void call_queue_add(struct call_queue *q, uint32_t task)
{
    MEM_RESERVE(q->run, q->cap_run, (size_t)task + 1);
    q->run[task] = (struct call_run){ .queue = NONE, .prev = NONE, .next = NONE, .node = NONE };
}

void call_queue_wait(struct call_queue *q, uint32_t task)
{
    SIM_ASSERT(q->run[task].queue == NONE);
    q->n_master++;
}

uint32_t call_queue_leave(struct call_queue *q, uint32_t task)
{
    struct call_run *r = &q->run[task];
    uint32_t node = r->queue;
    if (node == NONE) { q->n_master--; return NONE; }
    struct node_queue *from = &q->queue[node];
    if (r->prev != NONE) q->run[r->prev].next = r->next; else from->first = r->next;
    if (r->next != NONE) q->run[r->next].prev = r->prev; else from->last = r->prev;
    from->n--;
    q->n_queued--;
    r->queue = NONE;
    return node;
}

uint32_t call_queue_send(struct call_queue *q, uint32_t task, uint32_t node)
{
    struct call_run *r = &q->run[task];
    struct node_queue *to = &q->queue[node];
    uint32_t from = call_queue_leave(q, task);
    if (from == NONE) q->n_sent++; else q->n_moved++;
    r->queue = node;
    r->prev = to->last;
    r->next = NONE;
    if (to->last != NONE) q->run[to->last].next = task; else to->first = task;
    to->last = task;
    to->n++;
    q->n_queued++;
    return from;
}

void call_queue_restart(struct call_queue *q, uint32_t task) { q->run[task].at = 0; }

void call_queue_begin(struct call_queue *q, uint32_t task, uint32_t node, uint32_t engine, sim_tick now, sim_tick exec, sim_tick overhead)
{
    struct call_run *r = &q->run[task];
    r->node = node;
    r->engine = engine;
    r->since = now;
    r->exec = exec;
    r->overhead = overhead;
    q->n_calling++;
}

void call_queue_done(struct call_queue *q, uint32_t task, int64_t crossed_b)
{
    q->n_calling--;
    q->n_done++;
    if (crossed_b >= 0) {
        q->n_cross++;
        q->cross_b += crossed_b;
    }
    q->run[task].at++;
    q->run[task].node = NONE;
}

void call_queue_lost(struct call_queue *q, uint32_t task)
{
    q->n_calling--;
    q->n_lost++;
    q->run[task].node = NONE;
}

void call_queue_audit(const struct call_queue *q)
{
    uint32_t listed = 0;
    for (uint32_t i = 0; i < q->n_nodes; i++) {
        uint32_t n = 0, last = NONE;
        for (uint32_t t = q->queue[i].first; t != NONE; last = t, t = q->run[t].next, n++)
            SIM_ASSERT(q->run[t].queue == i && q->run[t].prev == last);
        SIM_ASSERT(n == q->queue[i].n && last == q->queue[i].last);
        listed += n;
    }
    SIM_ASSERT(listed == q->n_queued);
}
