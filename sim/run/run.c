/*
 * run.c -- a run: its policy and its world are made, stepped to the end, and written as they go.
 *
 * The row of the run is written first and ended last, so that a run that stops on
 * its way is in the database with what it had.  A policy of a file runs, with its
 * whole run, in a process of its own; that process opens the database for itself.
 */
#include "run/run.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include "run/run_policy.h"
#include "run/setup.h"
#include "base/hash.h"
#include "input/trace/fill.h"
#include "db/event_log.h"
#include "metrics/metrics.h"
#include "db/record.h"

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig) { (void)sig; interrupted = 1; }

void run_catch_interrupt(void)
{
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_interrupt;
    sa.sa_flags = (int)SA_RESETHAND;         /* a second Ctrl-C ends the program at once */
    (void)sigaction(SIGINT, &sa, NULL);
    (void)sigaction(SIGTERM, &sa, NULL);
}

const volatile sig_atomic_t *run_interrupt(void) { return &interrupted; }
bool run_is_interrupted(void) { return interrupted != 0; }

/* What the hooks of one run write to. */
struct sink {
    const struct run_env *env;
    int64_t run;
    struct metrics *metrics;
    struct record  *record;             /* NULL: not asked for */
    int64_t n_asks;                     /* whose scores were told */
    uint64_t n_contradictions[POL_CONTRADICTIONS];
    struct diag error;                  /* the first store error */
    struct sandbox_page *page;             /* NULL: not in a sandbox */
};

static void on_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{
    struct sink *r = ctx;
    if (r->env->decision != NULL) r->env->decision(r->env->decision_ctx, at, verb, job, task, node, reason);
    if (r->error.code != ST_OK || !r->env->scn->output.decisions) return;
    (void)store_decision(r->env->store, r->run, &(struct store_decision){
        .at_us = at, .verb = verb, .ordinal = job, .task = task, .node = node, .reason = reason }, &r->error);
}

static void on_note(void *ctx, sim_tick at, const char *name, double value)
{
    struct sink *r = ctx;
    metrics_note(r->metrics, at, name, value);
    if (r->error.code != ST_OK) return;
    (void)store_note(r->env->store, r->run, &(struct store_note){ .at_us = at, .name = name, .value = value }, &r->error);
}

static void on_scores(void *ctx, sim_tick at, uint64_t job, uint32_t task, const struct pol_score *s, uint32_t n)
{
    struct sink *r = ctx;
    r->n_asks++;
    for (uint32_t i = 0; i < n && r->error.code == ST_OK; i++) {
        bool is_struck = !(s[i].weight > 0);
        (void)store_score(r->env->store, r->run, &(struct store_score){
            .ask = r->n_asks, .at_us = at, .ordinal = job, .task = task, .node = s[i].node, .plugin = s[i].plugin,
            .points = is_struck ? NAN : s[i].points, .weight = is_struck ? 0 : s[i].weight, .lacks = s[i].lacks,
            .is_chosen = s[i].is_chosen != 0 }, &r->error);
    }
}

static const struct { const char *row, *words;
} contradiction[POL_CONTRADICTIONS] = {
    [POL_UNRECORDED] = { "unrecorded", "job without a recorded start, started when it fits" },
    [POL_ELSEWHERE] = { "elsewhere",
                        "the recorded nodes lack what the job asks at its recorded start, started on others" },
    [POL_LATE] = { "late", "more in use at the recorded start than there is, started later" },
};

static void on_contradicts(void *ctx, sim_tick at, uint64_t job, uint32_t what)
{
    struct sink *r = ctx;
    r->n_contradictions[what]++;
    if (r->error.code != ST_OK) return;
    (void)store_contradiction(r->env->store, r->run, &(struct store_contradiction){
        .at_us = at, .ordinal = job, .what = contradiction[what].row }, &r->error);
}

/* Rows of no line of the trace. */
static enum st write_contradictions(const struct sink *r, struct diag *d)
{
    for (int i = 0; i < POL_CONTRADICTIONS; i++)
        if (r->n_contradictions[i] > 0)
            TRY(store_repair(r->env->store, r->run, &(struct store_repair){
                .what = contradiction[i].words, .count = r->n_contradictions[i] }, d));
    return ST_OK;
}

static void on_decided(void *ctx, int64_t wall_ns)
{
    struct sink *r = ctx;
    metrics_decision_time(r->metrics, wall_ns);
}

static double weight_of(const void *ctx, const char *user)
{
    const struct scenario *s = ctx;
    for (size_t i = 0; i < s->users.n; i++)
        if (strcmp(s->users.weight[i].user, user) == 0) return s->users.weight[i].weight;
    return 1;
}

/* What is not modelled of the policy's own file, or by the policy of the trace: rows of no line of the trace. */
static enum st write_notes(const struct run_env *env, const struct host *h, int64_t run, struct diag *d)
{
    const uint64_t n_prefer = env->scn->cluster.preferences.n_jobs;
    size_t n;
    const char *const *note = host_notes(h, &n);
    for (size_t i = 0; i < n; i++)
        TRY(store_repair(env->store, run, &(struct store_repair){ .what = note[i], .count = 1 }, d));
    if (n_prefer == 0 || host_prefers(h)) return ST_OK;
    return store_repair(env->store, run, &(struct store_repair){
        .what = "preferred nodeAffinity of pods is not looked at by the policy", .count = n_prefer }, d);
}

static enum st write_facts(const struct run_env *env, const struct host *h, int64_t run, struct diag *d)
{
    const struct cluster *c = &env->scn->cluster;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct pol_node *n = &c->node[i];
        TRY(store_node(env->store, run, &(struct store_node){
            .node = i, .name = intern_name(&c->node_names, i), .rack = intern_name(&c->rack_names, n->rack),
            .gpu_type = n->gpu_type == NONE ? NULL : intern_name(&c->gpu_types, n->gpu_type), .n_gpu = n->n_gpu,
            .cpu_milli = n->cpu_total, .mem_b = n->mem_total }, d));
    }
    const struct trace_repairs *r = &env->trace->repairs;
    for (size_t i = 0; i < r->n; i++)
        TRY(store_repair(env->store, run, &(struct store_repair){
            .what = r->at[i].what, .count = r->at[i].count, .first_line = r->at[i].first_line }, d));
    return write_notes(env, h, run, d);
}

static enum st begin(const struct run_env *env, const struct host *h, const struct scn_policy *p, uint64_t seed,
                     int64_t *run, char key[HASH_HEX], struct diag *d)
{
    struct run_policy who;
    struct run_row row;
    run_policy_describe(&who, h);
    run_policy_row(&row, env->scn, env->trace->facts.content_hash, &who, p->label, seed);
    memcpy(key, row.key, HASH_HEX);
    enum st st = store_run_begin(env->store, &row.row, run, d);
    run_policy_fini(&who);
    return st;
}

static enum st loop(const struct run_env *env, struct world *w, const struct sink *rec, struct diag *d)
{
    const struct world_count *count = world_count(w);
    for (enum st st; (st = world_step(w, d)) != ST_END;) {
        if (st != ST_OK) return st;
        if ((env->stop != NULL && *env->stop) || (rec->page != NULL && rec->page->stop)) return diag_set(d, ST_EINTR, "interrupted");
        if (rec->error.code != ST_OK) { *d = rec->error; return d->code; }
        if (env->progress) progress_tick(env->progress, world_n_instants(w), count->done + count->timeout, world_now(w));
    }
    if (rec->error.code != ST_OK) { *d = rec->error; return d->code; }
    if (rec->record != NULL) TRY(record_error(rec->record, d));
    return metrics_error(rec->metrics, d);
}

static enum st simulate(const struct run_env *env, struct host *h, struct sink *rec, uint64_t seed,
                        struct run_result *out, struct diag *d)
{
    struct scenario *s = env->scn;
    struct source src;
    sim_tick horizon = s->horizon, end = TICK_NEVER;
    if (s->replay.fill > 0) TRY(trace_fill_open(env->trace, s->replay.fill, seed, &src, &end, d));
    else TRY(trace_source_open(env->trace, &src, d));
    if (end < horizon) horizon = end;
    struct world_config cfg = setup_world(s, seed);
    cfg.fault = s->fault;
    cfg.mismatch_after = s->jobs.mismatch_after;
    cfg.reject_infeasible = s->jobs.reject_infeasible;
    cfg.calltime = s->engines.has_times ? &s->engines.times : NULL;
    cfg.relation = s->engines.has_relation ? &s->engines.relation : NULL;
    cfg.concurrency = s->replay.concurrency;
    cfg.horizon = horizon;
    cfg.sample_every = s->output.sample_every;
    struct world *w = world_create(&cfg, src, host_decider(h));
    rec->metrics = metrics_create(w, &(struct metrics_opts){
        .store = env->store, .run = rec->run, .no_jobs = s->output.no_jobs, .write_lending = s->output.lending,
        .may_thread = store_may_thread(env->store),
        .n_jobs = env->trace->facts.n_jobs, .reads_limits = (host_flags(h) & POL_USES_LIMITS) != 0,
        .warmup = s->output.warmup, .cooldown = s->output.cooldown, .fills = s->replay.fill > 0,
        .weight_of = weight_of, .weight_ctx = s,
        .energy = s->energy.has_power || s->energy.has_price ? &s->energy : NULL,
        .ideal_whole = env->isolated ? env->isolated->whole : NULL, .ideal_share = env->isolated ? env->isolated->share : NULL,
        .n_ideal = env->isolated ? env->isolated->n : 0 });
    if (env->log != NULL) world_observe(w, event_log_observer(env->log));
    if (s->output.attempts || s->output.decisions) {
        rec->record = record_create(w, env->store, rec->run, s->output.decisions);
        if (s->output.speeds) record_speeds(rec->record);
        world_observe(w, record_observer(rec->record));
    }
    enum st st = loop(env, w, rec, d);
    if (st == ST_OK && rec->record != NULL) st = record_finish(rec->record, w, d);
    if (st == ST_OK) st = metrics_finish(rec->metrics, w, d);
    if (st == ST_OK) st = write_contradictions(rec, d);
    out->digest = world_digest(w);
    out->n_events = world_n_events(w);
    out->n_done = world_count(w)->done + world_count(w)->timeout;
    out->n_unfinished = world_count(w)->unfinished;
    out->n_rejected = world_count(w)->rejected;
    out->n_never_eligible = world_count(w)->never_eligible;
    out->n_arrived = world_count(w)->arrived;
    out->n_unlimited = (host_flags(h) & POL_USES_LIMITS) != 0 ? world_count(w)->unlimited : 0;
    out->n_refused = world_count(w)->refusals;
    out->is_scoreless = s->output.scores && !host_scores(h);
    metrics_destroy(rec->metrics);
    record_destroy(rec->record);
    world_destroy(w);
    if (s->replay.fill > 0) trace_fill_close(&src);
    else trace_source_close(&src);
    return st;
}

/* Of users, queues and workflows the trace tells, of labels the cluster. */
static int32_t on_knows(void *ctx, uint32_t type, const char *name)
{
    const struct sink *rec = ctx;
    const struct trace *t = rec->env->trace;
    switch (type) {
    case POL_NAME_USER:  return intern_find(&t->names.users, name) != NONE;
    case POL_NAME_QUEUE: return intern_find(&t->names.queues, name) != NONE;
    case POL_NAME_JOB:   return trace_has_graph(t, name);
    case POL_NAME_LABEL: return intern_find(&t->cluster->labels, name) != NONE;
    default: return -1;
    }
}

/* The run itself, here or in a sandbox.  out->id is set as soon as the database has the run. */
static enum st run_here(const struct run_env *env, const struct scn_policy *policy, uint64_t seed, struct sandbox_page *page,
                        struct run_result *out, struct diag *d)
{
    struct host *h;
    struct sink rec = { .env = env, .page = page };
    struct host_hooks hooks = { .ctx = &rec,
                                .decision = env->scn->output.decisions || env->decision != NULL ? on_decision : NULL,
                                .note = on_note,
                                .scores = env->scn->output.scores ? on_scores : NULL,
                                .contradicts = on_contradicts,
                                .decided = on_decided,
                                .page = page,
                                .knows = on_knows,
                                .call_us = env->limits.call_us };
    TRY(run_policy_open(&h, env->scn, seed, policy, &hooks, d));
    double t0 = progress_clock();
    enum st st = begin(env, h, policy, seed, &rec.run, out->key, d);
    if (st != ST_OK) { host_destroy(h); return st; }
    out->id = rec.run;
    st = write_facts(env, h, rec.run, d);
    if (st == ST_OK) st = simulate(env, h, &rec, seed, out, d);
    host_destroy(h);                     /* before the run is called done: this too may fail */
    out->wall_s = progress_clock() - t0;
    struct diag broken = { 0 };
    enum store_status status = st == ST_OK ? STORE_DONE : st == ST_EINTR ? STORE_INTERRUPTED : STORE_FAILED;
    enum st ended = store_run_end(env->store, rec.run, status, out->digest, st == ST_OK ? NULL : d->msg, out->wall_s, &broken);
    if (ended != ST_OK && st != ST_EWORLD) { *d = broken; return ended; }       /* without a database nothing can go on */
    return st;
}

struct sandboxed { const struct run_env *env; const struct scn_policy *policy; uint64_t seed; struct sandboxed_result *out; };
/* is_over: run_here returned, and wrote the run's end. */
struct sandboxed_result { struct run_result r; bool is_over; };

static enum st run_there(void *ctx, struct sandbox_page *page, struct diag *d)
{
    struct sandboxed *c = ctx;
    TRY(store_return(c->env->store, d));
    enum st st = run_here(c->env, c->policy, c->seed, page, &c->out->r, d);
    store_leave(c->env->store);
    c->out->is_over = true;
    return st;
}

static enum st run_sandboxed(const struct run_env *env, const struct scn_policy *policy, uint64_t seed, struct run_result *out, struct diag *d)
{
    struct sandboxed_result *shared = sandbox_share(sizeof *shared);
    struct sandboxed c = { env, policy, seed, shared };
    double t0 = progress_clock();
    store_leave(env->store);
    enum st st = sandbox_run(&env->limits, policy->spec, env->stop, run_there, &c, d);
    struct diag again = { 0 };
    enum st back = store_return(env->store, &again);
    if (back == ST_OK && !shared->is_over && shared->r.id != 0)
        back = store_run_end(env->store, shared->r.id, st == ST_EINTR ? STORE_INTERRUPTED : STORE_FAILED, 0, d->msg, progress_clock() - t0, &again);
    *out = shared->r;
    sandbox_unshare(shared, sizeof *shared);
    if (back != ST_OK) { *d = again; return back; }     /* without a database nothing can go on */
    return st;
}

enum st run_one(const struct run_env *env, const struct scn_policy *policy, uint64_t seed,
                struct run_result *out, struct diag *d)
{
    memset(out, 0, sizeof *out);
    return policy->own == NULL && host_is_foreign(policy->spec) ? run_sandboxed(env, policy, seed, out, d) : run_here(env, policy, seed, NULL, out, d);
}
