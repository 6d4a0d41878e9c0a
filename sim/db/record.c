/* record.c -- the rows of attempts, calls, outages and phases; of words, capabilities, requests and cores. */
#include "db/record.h"


#include "base/mem.h"
#include "db/event_log.h"

struct record {
    struct store *store;
    int64_t   run;
    bool      requests;
    sim_tick *down_since;               /* [n_nodes]; -1 up */
    int64_t  *lender; size_t cap_lender;    /* by task slot: ordinal of the job from which it last borrowed; -1 none */
    bool      speeds;
    int64_t   n_phases, n_cores, n_speeds;
    struct diag error;
};

static const char *const phase_name[] = {
    [PHASE_FAIL] = "mismatch", [PHASE_RESTORE] = "restore", [PHASE_READ] = "read", [PHASE_COMPUTE] = "compute", [PHASE_WRITE] = "write",
};

static void write_words(struct record *r, const char *which, const struct intern *names)
{
    for (uint32_t i = 0; i < names->n && r->error.code == ST_OK; i++)
        (void)store_word(r->store, r->run, &(struct store_word){ .kind = which, .bit = i, .name = intern_name(names, i) }, &r->error);
}

/* Counts by engine type, as text; NULL when there are none. */
static const char *engines_text(const int32_t *engine, char *buf, size_t cap)
{
    bool any = false;
    size_t at = 0;
    for (int k = 0; k < ENGINE_TYPES_MAX; k++) {
        any = any || engine[k] != 0;
        at += (size_t)snprintf(buf + at, cap - at, "%s%ld", k > 0 ? "," : "", (long)engine[k]);
    }
    return any ? buf : NULL;
}

enum { ENGINES_TEXT = ENGINE_TYPES_MAX * 12 };

/* card: the node's first, as they are all alike. */
static void write_capability(struct record *r, uint32_t node, const struct pol_node *n, const struct pol_card *card)
{
    char engines[ENGINES_TEXT];
    (void)store_capability(r->store, r->run, &(struct store_capability){
        .node = node, .labels = n->labels, .gpu_mem_b = n->n_gpu > 0 ? card->mem_total : 0,
        .engines = engines_text(n->engine_total, engines, sizeof engines), .gpu_cores = n->n_gpu > 0 ? card->core_total : 0,
        .max_tasks = n->max_tasks, .cpu_reserved_milli = n->cpu_reserved, .mem_reserved_b = n->mem_reserved }, &r->error);
}

static void write_request(struct record *r, const struct job *j, uint32_t task0, const struct shape *q)
{
    char engines[ENGINES_TEXT];
    (void)store_request(r->store, r->run, &(struct store_request){
        .ordinal = j->ordinal, .task0 = task0, .gang = j->gang, .cpu_milli = q->cpu_milli, .mem_b = q->mem_b, .n_gpu = q->n_gpu,
        .gpu_milli = q->gpu_milli, .gpu_mem_b = q->gpu_mem_b, .gpu_types = q->gpu_types, .need_all = q->need_all,
        .need_any = q->need_any, .engines = engines_text(q->engine, engines, sizeof engines), .exclusive = q->exclusive,
        .gpu_cores = q->gpu_cores }, &r->error);
}

static void write_cluster(struct record *r, const struct cluster *c)
{
    write_words(r, "label", &c->labels);
    write_words(r, "gpu_type", &c->gpu_types);
    write_words(r, "engine", &c->engines);
    for (uint32_t i = 0; i < c->n_nodes && r->error.code == ST_OK; i++) {
        const struct pol_node *n = &c->node[i];
        write_capability(r, i, n, &c->card[n->card0]);
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
    MEM_FREE(r->down_since, r->lender, r);
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
    (void)store_phase(r->store, r->run, &(struct store_phase){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .seq = r->n_phases++, .at_us = world_now(w), .phase = phase }, &r->error);
}

static void on_arrived(void *ctx, const struct world *w, uint32_t job)
{
    struct record *r = ctx;
    const struct job *j = world_job(w, job);
    uint32_t shape = NONE;
    for (uint32_t t = j->first_task; t != NONE; t = world_task(w, t)->next) {
        const struct task *k = world_task(w, t);
        if (r->requests && r->error.code == ST_OK && k->shape != shape)
            write_request(r, j, k->index, world_shape(w, shape = k->shape));
        if (k->state == TASK_BLOCKED) write_phase(r, w, t, "blocked");
    }
}

static void on_phase(void *ctx, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    bool only_computes = t->phase == PHASE_COMPUTE && world_job(w, t->job)->graph == NULL && !t->restores;
    if (!only_computes) write_phase(ctx, w, task, phase_name[t->phase]);
}

static void on_ready(void *ctx, const struct world *w, uint32_t task) { write_phase(ctx, w, task, "ready"); }

/* Tasks that an elastic job has now, or has no longer. */
static void on_sized(void *ctx, const struct world *w, uint32_t job, uint32_t was)
{
    const struct job *j = world_job(w, job);
    bool grew = j->n_tasks > was;
    for (uint32_t t = grew ? j->first_task : j->first_spare; t != NONE; t = world_task(w, t)->next) {
        bool was_there = world_task(w, t)->index < was;
        if (grew != was_there) write_phase(ctx, w, t, grew ? "ready" : "blocked");
    }
}

static void write_cores(struct record *r, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    if (!r->requests || r->error.code != ST_OK) return;
    (void)store_cores(r->store, r->run, &(struct store_cores){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .attempt = t->attempts, .seq = r->n_cores++,
        .at_us = world_now(w), .cpu_milli = cluster_hold(world_cluster(w), task)->cpu_milli,
        .mem_b = cluster_hold(world_cluster(w), task)->mem_b }, &r->error);
}

static void on_started(void *ctx, const struct world *w, uint32_t task)
{
    struct record *r = ctx;
    MEM_RESERVE(r->lender, r->cap_lender, (size_t)task + 1);
    r->lender[task] = -1;
    const struct shape *s = world_shape(w, world_task(w, task)->shape);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    if (!s->exclusive && (h->cpu_milli != s->cpu_milli || h->mem_b != s->mem_b)) write_cores(ctx, w, task);
}

static void on_resized(void *ctx, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    (void)was, (void)mem_was;
    write_cores(ctx, w, task);
}

static void on_lent(void *ctx, const struct world *w, uint32_t task, uint32_t lender)
{
    struct record *r = ctx;
    r->lender[task] = (int64_t)world_job(w, lender)->ordinal;
}

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct record *r = ctx;
    const struct task *t = world_task(w, task);
    const struct hold *h = cluster_hold(world_cluster(w), task);
    if (r->error.code != ST_OK) return;
    (void)store_attempt(r->store, r->run, &(struct store_attempt){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .attempt = t->attempts, .node = h->node, .cards = h->cards,
        .start_us = t->started_at, .end_us = world_now(w), .outcome = event_log_stop_reason[reason], .is_short = h->is_short,
        .lender = r->lender[task] }, &r->error);
}

static void on_called(void *ctx, const struct world *w, uint32_t task, bool done)
{
    struct record *r = ctx;
    const struct task *t = world_task(w, task);
    const struct call_run *c = &world_calls(w)->run[task];
    if (r->error.code != ST_OK) return;
    (void)store_call(r->store, r->run, &(struct store_call){
        .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .call = c->at,
        .home = world_cluster(w)->hold[task].node, .node = c->node,
        .engine = intern_name(&world_cluster(w)->engines, c->engine),
        .api = intern_name(&world_config(w)->calltime->apis, world_call_at(w, task, c->at)->api),
        .start_us = c->since, .end_us = world_now(w), .exec_us = c->exec, .way_us = c->overhead, .done = done }, &r->error);
}

static void on_rated(void *ctx, const struct world *w, uint32_t task)
{
    struct record *r = ctx;
    const struct task *t = world_task(w, task);
    struct speed_factors f = world_speed_factors(w, task);
    if (r->error.code != ST_OK) return;
    (void)store_speed(r->store, r->run, &(struct store_speed){
        .seq = r->n_speeds++, .ordinal = world_job(w, t->job)->ordinal, .task = t->index, .at_us = world_now(w),
        .speed = (double)t->act.rate / RATE_ONE, .type = (double)f.type / RATE_ONE, .scale = f.scale, .cores = f.cores, .bandwidth = 1 / f.slow,
        .cards = f.cards, .distance = f.distance, .data = f.data, .model = f.model }, &r->error);
}

void record_speeds(struct record *r) { r->speeds = true; }

/* The node's outage, if it is in one. */
static void write_outage(struct record *r, uint32_t node, int64_t up_us)
{
    if (r->down_since[node] < 0 || r->error.code != ST_OK) return;
    (void)store_outage(r->store, r->run, &(struct store_outage){ .node = node, .down_us = r->down_since[node], .up_us = up_us }, &r->error);
}

static void on_node_changed(void *ctx, const struct world *w, uint32_t node)
{
    struct record *r = ctx;
    if (!world_cluster(w)->node[node].is_up) {
        r->down_since[node] = world_now(w);
        return;
    }
    write_outage(r, node, world_now(w));
    r->down_since[node] = -1;
}

enum st record_finish(struct record *r, const struct world *w, struct diag *d)
{
    for (uint32_t i = 0; i < world_cluster(w)->n_nodes; i++) write_outage(r, i, -1);
    return record_error(r, d);
}

struct observer record_observer(struct record *r)
{
    return (struct observer){ .ctx = r, .arrived = on_arrived, .started = on_started, .resized = on_resized, .lent = on_lent,
                              .stopped = on_stopped, .called = on_called, .phase = on_phase, .ready = on_ready, .sized = on_sized,
                              .node_changed = on_node_changed, .rated = r->speeds ? on_rated : NULL };
}
