/*
 * run.c -- a case under a policy in a world of its own, audited, recorded as `fairway run` records it, then checked
 * from its rows.
 */
#include "storm/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "db/record.h"
#include "host/host.h"
#include "metrics/metrics.h"
#include "storm/check.h"

/* No case needs nearly as many instants; who gets there goes on without end. */
enum { INSTANTS_MAX = 300000, MOMENTS_MAX = 20000 };

const char *const storm_kind_name[STORM_KINDS] = { "running", "restoring", "reading", "writing", "computing",
                                                   "lent",    "resized",   "queued",  "calling", "waiting" };

/* What a task is in the middle of, by slot. */
struct open_task {
    sim_tick ran, phase, lent, resized, queued;
    enum storm_kind kind;
    uint32_t node;
};
struct watch {
    struct storm_run *out;
    struct open_task *task;
    size_t cap;
};

static void add(struct watch *m, enum storm_kind kind, sim_tick from, sim_tick to, uint32_t node)
{
    struct storm_run *o = m->out;
    if (from < 0 || o->n_moments == MOMENTS_MAX) return;
    MEM_RESERVE(o->moment, o->cap_moments, o->n_moments + 1);
    o->moment[o->n_moments++] = (struct storm_moment){ .kind = kind, .from = from, .to = to, .node = node };
}

static struct open_task *at(struct watch *m, uint32_t task)
{
    MEM_RESERVE(m->task, m->cap, (size_t)task + 1);
    return &m->task[task];
}

static void on_started(void *ctx, const struct world *w, uint32_t task)
{
    struct watch *m = ctx;
    struct open_task *t = at(m, task);
    uint32_t node = cluster_hold(world_cluster(w), task)->node;
    add(m, STORM_WAITING, world_task(w, task)->ready_at, world_now(w), node);
    if (world_calls(w) != NULL && world_n_calls(w, task) > 0) add(m, STORM_QUEUED, t->queued, world_now(w), node);
    *t = (struct open_task){ .ran = world_now(w), .phase = -1, .lent = -1, .resized = -1, .queued = -1, .node = node };
}

static void on_stopped(void *ctx, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct watch *m = ctx;
    struct open_task *t = at(m, task);
    (void)reason;
    m->out->n_attempts++;
    m->out->n_failed += reason == STOP_FAILED;
    add(m, STORM_RUNNING, t->ran, world_now(w), t->node);
    add(m, t->kind, t->phase, world_now(w), t->node);
    add(m, STORM_LENT, t->lent, world_now(w), t->node);
    add(m, STORM_RESIZED, t->resized, world_now(w), t->node);
}

static void on_phase(void *ctx, const struct world *w, uint32_t task)
{
    static const enum storm_kind kind[] = { [PHASE_FAIL] = STORM_COMPUTING,
                                            [PHASE_RESTORE] = STORM_RESTORING,
                                            [PHASE_READ] = STORM_READING,
                                            [PHASE_COMPUTE] = STORM_COMPUTING,
                                            [PHASE_WRITE] = STORM_WRITING };
    struct watch *m = ctx;
    struct open_task *t = at(m, task);
    if (t->phase >= 0) add(m, t->kind, t->phase, world_now(w), t->node);
    t->phase = world_now(w);
    t->kind = kind[world_task(w, task)->phase];
}

static void on_resized(void *ctx, const struct world *w, uint32_t task, int64_t was, int64_t mem_was)
{
    (void)mem_was;
    struct watch *m = ctx;
    struct open_task *t = at(m, task);
    (void)was;
    add(m, STORM_RESIZED, t->resized, world_now(w), t->node);
    t->resized = world_now(w);
}

static void on_lent(void *ctx, const struct world *w, uint32_t task, uint32_t lender)
{
    (void)lender;
    at(ctx, task)->lent = world_now(w);
}

static void on_sent(void *ctx, const struct world *w, uint32_t task, uint32_t from)
{
    struct watch *m = ctx;
    (void)from;
    at(m, task)->queued = world_now(w);
}

static void on_called(void *ctx, const struct world *w, uint32_t task, bool done)
{
    const struct call_run *c = &world_calls(w)->run[task];
    (void)done;
    add(ctx, STORM_CALLING, c->since, world_now(w), c->node);
    if (c->node != at(ctx, task)->node) add(ctx, STORM_CALLING, c->since, world_now(w), at(ctx, task)->node);
}

/* As conform.c has it: calls by its flags, licences as it did not ask for them, or it says that it gives up. */
static bool declines(const struct diag *d)
{
    return d->breach == BREACH_CALLS || d->breach == BREACH_LICENCES || d->breach == BREACH_GAVE_UP;
}

static enum st step_all(struct world *w, struct diag *d)
{
    enum st st = ST_OK;
    for (uint32_t n = 0; st == ST_OK && n < INSTANTS_MAX; n++) st = world_step(w, d);
    return st == ST_OK ? diag_set(d, ST_EPOLICY, "it goes on after %d instants", INSTANTS_MAX) : st;
}

static void judge(struct storm_run *out, const struct storm_case *c, const struct world *w, const struct host *h,
                  enum st st, const struct diag *d)
{
    const struct world_count *n = world_count(w);
    if (st != ST_END) (void)snprintf(out->wrong, sizeof out->wrong, "t=%" PRId64 " us: %s", world_now(w), d->msg);
    else if (c->must_end && n->unfinished > 0 && (host_flags(h) & POL_STRANDS) == 0)
        (void)snprintf(out->wrong, sizeof out->wrong, "%" PRIu64 " jobs never ended though every node came back",
                       n->unfinished);
}

static enum st begin(struct store *s, const struct storm_case *c, int64_t *run, struct diag *d)
{
    TRY(store_run_begin(s,
                        &(struct store_run){ .key = "storm",
                                             .scenario = c->base->name,
                                             .title = "",
                                             .scenario_text = "",
                                             .trace_path = "",
                                             .trace_hash = "",
                                             .policy = c->plan->spec,
                                             .policy_spec = c->plan->spec,
                                             .policy_source = "",
                                             .seed = c->plan->seed },
                        run, d));
    for (uint32_t i = 0; i < c->base->cluster.n_nodes; i++) {
        const struct pol_node *n = &c->base->cluster.node[i];
        TRY(store_node(s, *run,
                       &(struct store_node){ .node = i,
                                             .name = intern_name(&c->base->cluster.node_names, i),
                                             .rack = "",
                                             .gpu_type = n->gpu_type == NONE
                                                             ? NULL
                                                             : intern_name(&c->base->cluster.gpu_types, n->gpu_type),
                                             .n_gpu = n->n_gpu,
                                             .cpu_milli = n->cpu_total,
                                             .mem_b = n->mem_total },
                       d));
    }
    return ST_OK;
}

/* Not checked: for who looks into what went wrong. */
struct decisions {
    struct store *store;
    int64_t run;
    struct diag error;
};
static void on_decision(void *ctx, sim_tick at_us, const char *verb, uint64_t job, int64_t task, int64_t node,
                        const char *reason)
{
    struct decisions *k = ctx;
    (void)store_decision(
        k->store, k->run,
        &(struct store_decision){
            .at_us = at_us, .verb = verb, .ordinal = job, .task = task, .node = node, .reason = reason },
        &k->error);
}

static void world_failed(struct storm_run *out, const struct diag *d)
{
    (void)snprintf(out->wrong, sizeof out->wrong, "%s", d->msg);
}

void storm_run(const struct storm_plan *p, struct store *s, struct storm_run *out)
{
    *out = (struct storm_run){ .moment = out->moment, .cap_moments = out->cap_moments };
    struct storm_case *c = storm_case_make(p);
    struct watch watch = { .out = out };
    struct diag d = { 0 };
    struct host *h;
    struct decisions decisions = { .store = s };
    struct host_hooks hooks = { .ctx = &decisions, .decision = on_decision, .tricks.reuses_shapes = true };
    if (host_create(&h, p->spec, NULL, &c->base->cfg, NULL, &hooks, &d) != ST_OK ||
        begin(s, c, &decisions.run, &d) != ST_OK) {
        world_failed(out, &d);
        out->declined = d.breach == BREACH_CREATE;
        storm_case_free(c);
        return;
    }
    const int64_t run = decisions.run;
    struct world *w = world_create(&c->base->cfg, storm_case_source(c), host_decider(h));
    struct metrics *m =
        metrics_create(w, &(struct metrics_opts){ .store = s, .run = run, .n_jobs = storm_case_n_jobs(c) });
    struct record *rec = record_create(w, s, run, true);
    world_observe(w, record_observer(rec));
    world_observe(w, (struct observer){ .ctx = &watch,
                                        .started = on_started,
                                        .stopped = on_stopped,
                                        .phase = on_phase,
                                        .resized = on_resized,
                                        .lent = on_lent,
                                        .sent = on_sent,
                                        .called = on_called });
    enum st st = step_all(w, &d);
    out->declined = declines(&d);
    out->digest = world_digest(w);
    if (!out->declined) judge(out, c, w, h, st, &d);
    d = decisions.error;
    if (d.code != ST_OK || record_finish(rec, w, &d) != ST_OK || metrics_finish(m, w, &d) != ST_OK ||
        store_run_end(s, run, STORE_DONE, out->digest, NULL, 0, &d) != ST_OK)
        world_failed(out, &d);
    if (!out->declined && out->wrong[0] == '\0') (void)storm_check(s, run, c, out->wrong, sizeof out->wrong);
    record_destroy(rec);
    metrics_destroy(m);
    world_destroy(w);
    host_destroy(h);
    mem_free(watch.task);
    storm_case_free(c);
}
