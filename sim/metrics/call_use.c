#include "metrics/call_use.h"

static void count_engines(struct call_use *s, const struct world *w)
{
    for (uint32_t k = 0; k < ENGINE_KINDS_MAX; k++) {
        s->engines[k] = 0;
        for (uint32_t i = 0; i < w->cluster->n_nodes; i++)
            if (w->cluster->node[i].is_up) s->engines[k] += w->cluster->node[i].engine_total[k];
    }
}

void call_use_init(struct call_use *s, const struct world *w)
{
    *s = (struct call_use){ .last = 0 };
    count_engines(s, w);
}

void call_use_fold(struct call_use *s, const struct world *w)
{
    if (w->callq == NULL) return;
    usage_wide dt = world_now(w) - s->last;
    s->last = world_now(w);
    for (uint32_t k = 0; k < w->cluster->engines.n; k++) s->cap[k] += dt * s->engines[k];
    s->master += dt * s->now_master;
    s->queued += dt * s->now_queued;
    s->now_master = w->callq->n_master;
    s->now_queued = w->callq->n_queued;
    if (s->now_master > s->max_master) s->max_master = s->now_master;
    if (s->now_queued > s->max_queued) s->max_queued = s->now_queued;
}

void call_use_node(struct call_use *s, const struct world *w)
{
    if (w->callq == NULL) return;
    call_use_fold(s, w);
    count_engines(s, w);
}

void call_use_sent(struct call_use *s, const struct world *w, uint32_t task)
{
    uint32_t node = w->callq->run[task].queue;
    if (node != NONE && w->callq->queue[node].n > s->max_node) s->max_node = w->callq->queue[node].n;
}

void call_use_called(struct call_use *s, const struct world *w, uint32_t task, bool done)
{
    const struct call_run *r = &w->callq->run[task];
    s->busy[r->kind] += world_now(w) - r->since;
    if (!done) return;
    const struct call *c = world_call_at(w, task, r->at);
    s->useful[r->kind] += r->exec;
    s->best[r->kind] += calltime_best(w->cfg.calltime, c->api, c->size, w->engine_mask);
}

void call_use_stopped(struct call_use *s, const struct world *w, uint32_t task, enum stop_why why)
{
    const struct task *t = &w->jobs.task[task];
    if (why != STOP_DONE || w->jobs.job[t->job].calls == NULL) return;
    s->task_us += world_now(w) - t->ready_at;
    s->n_tasks++;
}
