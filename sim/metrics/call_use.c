/*
 * call_use.c -- the collector of what tasks of API calls did: time of engines,
 * queues of master and nodes, calls to other nodes.
 *
 * Integrals fold when an instant is over, O(engine types).
 */
#include "metrics/collector.h"

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "task_time_mean", "s", COLLECTOR_ONE },
    { "queue_master_mean", "1", COLLECTOR_ONE }, { "queue_master_max", "1", COLLECTOR_ONE },
    { "queue_nodes_mean", "1", COLLECTOR_ONE }, { "queue_nodes_max", "1", COLLECTOR_ONE }, { "queue_node_max", "1", COLLECTOR_ONE },
    { "tasks_sent", "1", COLLECTOR_ONE }, { "tasks_moved", "1", COLLECTOR_ONE },
    { "calls_done", "1", COLLECTOR_ONE }, { "calls_lost", "1", COLLECTOR_ONE },
    { "calls_cross", "1", COLLECTOR_ONE }, { "calls_cross_bytes", "B", COLLECTOR_ONE },
    { "engine_useful", "1", COLLECTOR_ONE }, { "engine_taken", "1", COLLECTOR_ONE }, { "engine_best", "1", COLLECTOR_ONE },
    { "useful_share", "1", COLLECTOR_ONE }, { "best_share", "1", COLLECTOR_ONE },
    { "queue_master", "1", COLLECTOR_SERIES }, { "queue_nodes", "1", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

struct call_use {
    const struct collector_out *out;
    /* Engines x us.  useful: executing done calls; busy: taken by any; best: of the calls done there, the least
     * time on any type of the cluster. */
    sim_wide useful[ENGINE_TYPES_MAX], busy[ENGINE_TYPES_MAX], best[ENGINE_TYPES_MAX];
    sim_wide cap[ENGINE_TYPES_MAX];                                 /* there, on nodes that are up */
    int64_t    engines[ENGINE_TYPES_MAX];                           /* now */
    sim_wide master, queued;                                        /* tasks x us */
    uint32_t   now_master, now_queued, max_master, max_queued, max_node;
    sim_wide task_us; uint64_t n_tasks;                             /* done tasks: from being ready to the end */
    sim_tick   last;
};

static void count_engines(struct call_use *s, const struct world *w)
{
    const struct cluster *c = world_cluster(w);
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX; k++) {
        s->engines[k] = 0;
        for (uint32_t i = 0; i < c->n_nodes; i++)
            if (c->node[i].is_up) s->engines[k] += c->node[i].engine_total[k];
    }
}

static bool init(void *self, const struct world *w)
{
    struct call_use *s = self;
    if (world_calls(w) == NULL) return false;
    count_engines(s, w);
    return true;
}

static void on_instant(void *self, const struct world *w)
{
    struct call_use *s = self;
    const struct call_queue *q = world_calls(w);
    sim_wide dt = world_now(w) - s->last;
    s->last = world_now(w);
    for (uint32_t k = 0; k < world_cluster(w)->engines.n; k++) s->cap[k] += dt * s->engines[k];
    s->master += dt * s->now_master;
    s->queued += dt * s->now_queued;
    s->now_master = q->n_master;
    s->now_queued = q->n_queued;
    if (s->now_master > s->max_master) s->max_master = s->now_master;
    if (s->now_queued > s->max_queued) s->max_queued = s->now_queued;
}

static void on_node_changed(void *self, const struct world *w, uint32_t node)
{
    (void)node;
    on_instant(self, w);
    count_engines(self, w);
}

static void on_sent(void *self, const struct world *w, uint32_t task, uint32_t from)
{
    struct call_use *s = self;
    (void)from;
    const struct call_queue *q = world_calls(w);
    uint32_t node = q->run[task].queue;
    if (node != NONE && q->queue[node].n > s->max_node) s->max_node = q->queue[node].n;
}

static void on_called(void *self, const struct world *w, uint32_t task, bool done)
{
    struct call_use *s = self;
    const struct call_run *r = &world_calls(w)->run[task];
    s->busy[r->engine] += world_now(w) - r->since;
    if (!done) return;
    const struct call *c = world_call_at(w, task, r->at);
    s->useful[r->engine] += r->exec;
    s->best[r->engine] += calltime_best(world_config(w)->calltime, c->api, c->size, world_engine_types(w));
}

static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct call_use *s = self;
    if (reason != STOP_DONE || world_n_calls(w, task) == 0) return;
    s->task_us += world_now(w) - world_task(w, task)->ready_at;
    s->n_tasks++;
}

static void on_sample(void *self, const struct world *w)
{
    const struct call_use *s = self;
    collector_put_series(s->out, world_now(w), "queue_master", world_calls(w)->n_master);
    collector_put_series(s->out, world_now(w), "queue_nodes", world_calls(w)->n_queued);
}

/* ---- when the run is over ---- */

static void put_engines(const struct call_use *s, const struct world *w)
{
    const struct intern *type = &world_cluster(w)->engines;
    sim_wide useful = 0, best = 0, cap = 0, taken = 0;
    for (uint32_t k = 0; k < type->n; k++) {
        char *scope = collector_scope("engine", intern_name(type, k));
        collector_put(s->out, "engine_useful", scope, collector_ratio((double)s->useful[k], (double)s->cap[k]));
        collector_put(s->out, "engine_taken", scope, collector_ratio((double)s->busy[k], (double)s->cap[k]));
        collector_put(s->out, "engine_best", scope, collector_ratio((double)s->best[k], (double)s->cap[k]));
        mem_free(scope);
        useful += s->useful[k];
        best += s->best[k];
        cap += s->cap[k];
        taken += s->busy[k];
    }
    collector_put(s->out, "engine_useful", "all", collector_ratio((double)useful, (double)cap));
    collector_put(s->out, "engine_taken", "all", collector_ratio((double)taken, (double)cap));
    collector_put(s->out, "engine_best", "all", collector_ratio((double)best, (double)cap));
    collector_put(s->out, "useful_share", "all", collector_ratio((double)useful, (double)taken));
    collector_put(s->out, "best_share", "all", collector_ratio((double)best, (double)taken));
}

static void emit(void *self, const struct world *w)
{
    struct call_use *s = self;
    const struct call_queue *q = world_calls(w);
    on_instant(s, w);
    double span = (double)s->last;
    const struct { const char *name; double x; } value[] = {
        { "task_time_mean", collector_ratio((double)s->task_us / 1e6, (double)s->n_tasks) },
        { "queue_master_mean", collector_ratio((double)s->master, span) }, { "queue_nodes_mean", collector_ratio((double)s->queued, span) },
        { "queue_master_max", s->max_master }, { "queue_nodes_max", s->max_queued }, { "queue_node_max", s->max_node },
        { "tasks_sent", (double)q->n_sent }, { "tasks_moved", (double)q->n_moved },
        { "calls_done", (double)q->n_done }, { "calls_lost", (double)q->n_lost },
        { "calls_cross", (double)q->n_cross }, { "calls_cross_bytes", (double)q->cross_b },
    };
    for (size_t i = 0; i < ARRAY_LEN(value); i++) collector_put(s->out, value[i].name, "all", value[i].x);
    put_engines(s, w);
}

const struct collector call_use_collector = {
    .metric = metric, .size = sizeof(struct call_use), .init = init, .emit = emit,
    .observer = { .sent = on_sent, .called = on_called, .stopped = on_stopped, .node_changed = on_node_changed,
                  .instant = on_instant, .sample = on_sample },
};
