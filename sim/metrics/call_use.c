#include "metrics/call_use.h"

static void count_engines(struct call_use *s, const struct world *w)
{
    const struct cluster *c = world_cluster(w);
    for (uint32_t k = 0; k < ENGINE_KINDS_MAX; k++) {
        s->engines[k] = 0;
        for (uint32_t i = 0; i < c->n_nodes; i++)
            if (c->node[i].is_up) s->engines[k] += c->node[i].engine_total[k];
    }
}

void call_use_init(struct call_use *s, const struct world *w)
{
    *s = (struct call_use){ .is_on = world_calls(w) != NULL };
    count_engines(s, w);
}

void call_use_fold(struct call_use *s, const struct world *w)
{
    if (!s->is_on) return;
    const struct call_queue *q = world_calls(w);
    usage_wide dt = world_now(w) - s->last;
    s->last = world_now(w);
    for (uint32_t k = 0; k < world_cluster(w)->engines.n; k++) s->cap[k] += dt * s->engines[k];
    s->master += dt * s->now_master;
    s->queued += dt * s->now_queued;
    s->now_master = q->n_master;
    s->now_queued = q->n_queued;
    if (s->now_master > s->max_master) s->max_master = s->now_master;
    if (s->now_queued > s->max_queued) s->max_queued = s->now_queued;
}

void call_use_node(struct call_use *s, const struct world *w)
{
    if (!s->is_on) return;
    call_use_fold(s, w);
    count_engines(s, w);
}

void call_use_sent(struct call_use *s, const struct world *w, uint32_t task)
{
    const struct call_queue *q = world_calls(w);
    uint32_t node = q->run[task].queue;
    if (node != NONE && q->queue[node].n > s->max_node) s->max_node = q->queue[node].n;
}

void call_use_called(struct call_use *s, const struct world *w, uint32_t task, bool done)
{
    const struct call_run *r = &world_calls(w)->run[task];
    s->busy[r->engine] += world_now(w) - r->since;
    if (!done) return;
    const struct call *c = world_call_at(w, task, r->at);
    s->useful[r->engine] += r->exec;
    s->best[r->engine] += calltime_best(world_config(w)->calltime, c->api, c->size, world_engine_types(w));
}

void call_use_stopped(struct call_use *s, const struct world *w, uint32_t task, enum stop_why why)
{
    if (!s->is_on || why != STOP_DONE || world_n_calls(w, task) == 0) return;
    s->task_us += world_now(w) - world_task(w, task)->ready_at;
    s->n_tasks++;
}
