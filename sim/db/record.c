#include "db/record.h"

#include <string.h>

#include "base/mem.h"

struct record {
    struct store *store;
    int64_t   run;
    bool      requests;
    sim_tick *down_since;               /* [n_nodes]; -1 up */
    uint64_t  n_phases, n_cores;
    struct diag error;
};

static const char *const phase_name[] = {
    [PHASE_FAIL] = "mismatch", [PHASE_RESTORE] = "restore", [PHASE_READ] = "read", [PHASE_COMPUTE] = "compute", [PHASE_WRITE] = "write",
};

static void write_words(struct record *r, const char *kind, const struct intern *names)
{
    for (uint32_t i = 0; i < names->n && r->error.code == ST_OK; i++)
        (void)store_word(r->store, r->run, kind, i, intern_name(names, i), &r->error);
}

static void write_cluster(struct record *r, const struct cluster *c)
{
    write_words(r, "label", &c->labels);
    write_words(r, "gpu_type", &c->gpu_types);
    write_words(r, "engine", &c->engines);
    for (uint32_t i = 0; i < c->n_nodes && r->error.code == ST_OK; i++) {
        const struct node *n = &c->node[i];
        (void)store_capability(r->store, r->run, i, n, &c->card[n->card0], &r->error);
    }
}

struct record *record_create(const struct world *w, struct store *s, int64_t run, bool requests)
{
    struct record *r;
    MEM_NEW(r);
    r->store = s;
    r->run = run;
    r->requests = requests;
    MEM_ARRAY(r->down_since, world_cluster(w)->n_nodes);
    for (uint32_t i = 0; i < world_cluster(w)->n_nodes; i++) r->down_since[i] = -1;
    if (requests) write_cluster(r, world_cluster(w));
    return r;
}

void record_destroy(struct record *r)
{
    if (r == NULL) return;
    mem_free(r->down_since);
    mem_free(r);
}

enum st record_error(const struct record *r, struct diag *d)
{
    if (r->error.code != ST_OK && d->code == ST_OK) *d = r->error;
    return r->error.code;
}

static void write_phase(struct record *r, const struct world *w, uint32_t task, const char *phase)
{
    const struct task *t = world_task(w, task);
    if (r->error.code != ST_OK) return;
    (void)store_phase(r->store, r->run, world_job(w, t->job)->ordinal, t->index, r->n_phases++, world_now(w), phase, &r->error);
}

static void on_arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct record *r = ctx;
    const struct job *j = world_job(w, job);
    uint32_t shape = NONE;
    for (uint32_t t = j->first_task; t != NONE; t = world_task(w, t)->next) {
        const struct task *k = world_task(w, t);
        if (r->requests && r->error.code == ST_OK && k->shape != shape)
            (void)store_request(r->store, r->run, j->ordinal, k->index, j->gang, world_shape(w, shape = k->shape), &r->error);
        if (k->state == TASK_BLOCKED) write_phase(r, w, t, "blocked");
    }
}

static void on_phase(void *ctx, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    bool only_computes = t->phase == PHASE_COMPUTE && world_job(w, t->job)->graph == NULL && !(t->done > 0 && world_config(w)->restore_cost > 0);
    if (!only_computes) write_phase(ctx, w, task, phase_name[t->phase]);
}

static void on_ready(void *ctx, const struct world *w, uint32_t task) { write_phase(ctx, w, task, "ready"); }

static void write_cores(struct record *r, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    if (!r->requests || r->error.code != ST_OK) return;
    (void)store_cores(r->store, r->run, world_job(w, t->job)->ordinal, t->index, t->attempts, r->n_cores++, world_now(w),
                      cluster_hold(world_cluster(w), task)->cpu_milli, &r->error);
}

static void on_started(void *ctx, const struct world *w, uint32_t task)
{
    const struct shape *s = world_shape(w, world_task(w, task)->shape);
    if (!s->exclusive && cluster_hold(world_cluster(w), task)->cpu_milli != s->cpu_milli) write_cores(ctx, w, task);
}

static void on_resized(void *ctx, const struct world *w, uint32_t task, int64_t was)
{
    (void)was;
    write_cores(ctx, w, task);
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    struct record *r = ctx;
    if (!world_cluster(w)->node[node].is_up) {
        r->down_since[node] = world_now(w);
        return;
    }
    sim_tick since = r->down_since[node];
    r->down_since[node] = -1;
    if (since >= 0 && r->error.code == ST_OK) (void)store_outage(r->store, r->run, node, since, world_now(w), &r->error);
}

enum st record_finish(struct record *r, const struct world *w, struct diag *d)
{
    for (uint32_t i = 0; i < world_cluster(w)->n_nodes && r->error.code == ST_OK; i++)
        if (r->down_since[i] >= 0) (void)store_outage(r->store, r->run, i, r->down_since[i], -1, &r->error);
    return record_error(r, d);
}

struct observer record_observer(struct record *r)
{
    return (struct observer){ .ctx = r, .arrived = on_arrived, .started = on_started, .resized = on_resized, .phase = on_phase, .ready = on_ready, .node_changed = on_node_changed };
}
