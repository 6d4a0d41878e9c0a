#include "run/run.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include "host/host.h"
#include "host/policy_load.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/version.h"
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

bool run_is_interrupted(void) { return interrupted != 0; }

/* What the hooks of one run write to. */
struct sink {
    const struct run_env *env;
    int64_t run;
    struct metrics *metrics;
    struct record  *record;             /* NULL: not asked for */
    struct diag error;                  /* the first store error */
    struct sandbox_page *page;             /* NULL: not in a sandbox */
};

static void on_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason)
{
    struct sink *r = ctx;
    if (r->error.code != ST_OK || !r->env->scn->output.decisions) return;
    (void)store_decision(r->env->store, r->run, &(struct store_decision){
        .at_us = at, .verb = verb, .ordinal = job, .task = task, .node = node, .why = reason }, &r->error);
}

static void on_note(void *ctx, sim_tick at, const char *name, double value)
{
    struct sink *r = ctx;
    metrics_note(r->metrics, at, name, value);
    if (r->error.code != ST_OK) return;
    (void)store_note(r->env->store, r->run, &(struct store_note){ .at_us = at, .name = name, .value = value }, &r->error);
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

static char *format_weights(const struct scenario *s)
{
    if (s->users.n == 0) return NULL;
    size_t n = 1;
    for (size_t i = 0; i < s->users.n; i++) n += strlen(s->users.weight[i].user) + 32;
    char *t = mem_alloc(n, 1);
    int at = 0;
    for (size_t i = 0; i < s->users.n; i++)
        at += snprintf(t + at, n - (size_t)at, "%s%s:%.15g", i ? ";" : "", s->users.weight[i].user, s->users.weight[i].weight);
    return t;
}

static enum st open_policy(struct host **h, const struct scenario *s, const struct scn_policy *p,
                           const struct host_hooks *hooks, struct diag *d)
{
    char *weights = format_weights(s);
    struct host_origin at = { p->line ? s->id.path : NULL, p->line, p->col };
    enum st st = host_create(h, p->spec, weights, &at, hooks, d);
    mem_free(weights);
    return st;
}

/* A policy that names itself takes that name where the user gave it none; no two may then be called the same. */
static enum st take_label(struct scenario *s, struct scn_policy *p, const char *label, struct diag *d)
{
    if (label == NULL || strcmp(p->label, p->spec) != 0) return ST_OK;
    for (size_t i = 0; i < s->asked.n_policies; i++) {
        if (&s->asked.policy[i] == p || strcmp(s->asked.policy[i].label, label) != 0) continue;
        enum st st = diag_at(d, ST_EINPUT, p->line ? s->id.path : "", p->line, p->col,
                             "policy '%s' calls itself '%s', as another is called", p->spec, label);
        diag_hint(d, "in the scenario, give it a label: {exec: ..., label: ...}");
        return st;
    }
    mem_free(p->label);
    p->label = mem_strdup(label);
    return ST_OK;
}

/* A policy of a file is known by the file's bytes and its parameters, wherever the file lies. */
static void identify(const struct host *p, char out[HASH_HEX])
{
    const char *spec = host_spec(p), *file = host_file_digest(p);
    struct hash128 h;
    hash_init(&h);
    if (*file != '\0') {
        hash_text(&h, file);
        hash_text(&h, host_ops(p)->name);
        spec += policy_load_path_len(spec);
    }
    hash_text(&h, spec);
    hash_hex(&h, out);
}

static void policy_of(struct run_policy *out, const struct host *h)
{
    const char *source = host_ops(h)->source, *file = host_file_digest(h);
    size_t cap = strlen(source) + strlen(file) + 32;
    out->spec = mem_strdup(host_spec(h));
    out->source = mem_alloc(cap, 1);
    (void)snprintf(out->source, cap, "%s%s%s", source, *file ? "; file digest " : "", file);
    identify(h, out->identity);
    out->is_clairvoyant = host_clairvoyant(h);
    out->by_count = (host_flags(h) & POL_BY_COUNT) != 0;
}

void run_policy_fini(struct run_policy *p)
{
    mem_free(p->spec);
    mem_free(p->source);
    memset(p, 0, sizeof *p);
}

/* What was found of a policy of a file, out of the process in which it was created. */
struct answer { char spec[1 << 16], source[1 << 12], identity[HASH_HEX]; bool is_clairvoyant, by_count; };
struct find { struct scenario *s; struct scn_policy *policy; int64_t call_us; struct answer *answer; struct run_policy *who; };

static enum st find_policy(void *ctx, struct sandbox_page *page, struct diag *d)
{
    const struct find *f = ctx;
    struct host *h;
    struct run_policy who;
    TRY(open_policy(&h, f->s, f->policy, &(struct host_hooks){ .page = page, .call_us = f->call_us }, d));
    enum st st = take_label(f->s, f->policy, host_label(h), d);
    policy_of(&who, h);
    host_destroy(h);
    if (st != ST_OK) { run_policy_fini(&who); return st; }
    if (f->answer == NULL) { *f->who = who; return ST_OK; }
    if (strlen(who.spec) >= sizeof f->answer->spec || strlen(who.source) >= sizeof f->answer->source)
        return diag_set(d, ST_EINPUT, "the policy's spec has %zu characters, and its source %zu: too many", strlen(who.spec), strlen(who.source));
    (void)strcpy(f->answer->spec, who.spec);
    (void)strcpy(f->answer->source, who.source);
    memcpy(f->answer->identity, who.identity, sizeof who.identity);
    f->answer->is_clairvoyant = who.is_clairvoyant;
    f->answer->by_count = who.by_count;
    run_policy_fini(&who);
    return ST_OK;
}

enum st run_policy_find(struct run_policy *out, struct scenario *s, struct scn_policy *p,
                        const struct sandbox_limits *limits, struct diag *d)
{
    struct find f = { s, p, limits->call_us, NULL, out };
    memset(out, 0, sizeof *out);
    if (!host_is_foreign(p->spec)) return find_policy(&f, NULL, d);
    f.answer = sandbox_share(sizeof *f.answer);
    enum st st = sandbox_run(limits, p->spec, NULL, find_policy, &f, d);
    if (st == ST_OK) {
        *out = (struct run_policy){ .spec = mem_strdup(f.answer->spec), .source = mem_strdup(f.answer->source), .is_clairvoyant = f.answer->is_clairvoyant,
                                     .by_count = f.answer->by_count };
        memcpy(out->identity, f.answer->identity, sizeof out->identity);
    }
    sandbox_unshare(f.answer, sizeof *f.answer);
    return st;
}

enum st run_check_policies(struct scenario *s, const struct sandbox_limits *limits, struct diag *d)
{
    char (*seen)[HASH_HEX];
    enum st st = ST_OK;
    MEM_ARRAY(seen, s->asked.n_policies);
    for (size_t i = 0; i < s->asked.n_policies && st == ST_OK; i++) {
        struct run_policy who;
        st = run_policy_find(&who, s, &s->asked.policy[i], limits, d);
        if (st != ST_OK) break;
        memcpy(seen[i], who.identity, HASH_HEX);
        for (size_t k = 0; k < i && st == ST_OK; k++)       /* the later run would replace the earlier one */
            if (strcmp(seen[k], seen[i]) == 0)
                st = diag_at(d, ST_EINPUT, s->asked.policy[i].line > 0 ? s->id.path : "", s->asked.policy[i].line, s->asked.policy[i].col,
                             "policies '%s' and '%s' are the same: %s", s->asked.policy[k].label, s->asked.policy[i].label, who.spec);
        run_policy_fini(&who);
    }
    mem_free(seen);
    return st;
}

void run_describe(struct run_row *out, const struct scenario *s, uint64_t content_hash, const struct run_policy *who,
                  const char *label, uint64_t seed)
{
    struct hash128 key;
    hash_init(&key);
    hash_text(&key, FAIRWAY_VERSION);
    hash_text(&key, s->id.canonical);
    hash_bytes(&key, &content_hash, sizeof content_hash);
    hash_text(&key, who->identity);
    hash_bytes(&key, &seed, sizeof seed);
    hash_hex(&key, out->key);
    /* A generated trace differs by seed, and instances do; their runs still ask one question, and compare pairs them. */
    if (trace_is_made(&s->trace)) (void)snprintf(out->trace_hash, sizeof out->trace_hash, "generated");
    else if (s->trace.n_instances > 0) (void)snprintf(out->trace_hash, sizeof out->trace_hash, "instances");
    else (void)snprintf(out->trace_hash, sizeof out->trace_hash, "%016" PRIx64, content_hash);
    out->row = (struct store_run){
        .key = out->key, .scenario = s->id.name, .title = s->id.title, .variant = s->id.variant, .scenario_text = s->id.canonical,
        .trace_path = s->trace.path ? s->trace.path : "(generated)", .trace_hash = out->trace_hash, .policy = label,
        .policy_spec = who->spec, .policy_source = who->source, .seed = seed, .clairvoyant = who->is_clairvoyant,
        .by_count = who->by_count };
}

static enum st write_facts(const struct run_env *env, int64_t run, struct diag *d)
{
    const struct cluster *c = &env->scn->cluster;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const struct node *n = &c->node[i];
        TRY(store_node(env->store, run, &(struct store_node){
            .node = i, .name = intern_name(&c->node_names, i), .rack = intern_name(&c->rack_names, n->rack),
            .gpu_type = n->gpu_type == NONE ? NULL : intern_name(&c->gpu_types, n->gpu_type), .n_gpu = n->n_gpu,
            .cpu_milli = n->cpu_total, .mem_b = n->mem_total }, d));
    }
    const struct trace_repairs *r = &env->trace->repairs;
    for (size_t i = 0; i < r->n; i++)
        TRY(store_repair(env->store, run, &(struct store_repair){
            .what = r->at[i].what, .count = r->at[i].count, .first_line = r->at[i].first_line }, d));
    return ST_OK;
}

static enum st begin(const struct run_env *env, const struct host *h, const struct scn_policy *p, uint64_t seed,
                     int64_t *run, char key[HASH_HEX], struct diag *d)
{
    struct run_policy who;
    struct run_row row;
    policy_of(&who, h);
    run_describe(&row, env->scn, env->trace->facts.content_hash, &who, p->label, seed);
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
        if (interrupted || (rec->page != NULL && rec->page->stop)) return diag_set(d, ST_EINTR, "interrupted");
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
    struct world *w = world_create(&(struct world_config){
        .cluster = &s->cluster, .perf = &s->perf, .profiles = s->profiles.is_used ? &s->profiles.table : NULL,
        .monitor = s->profiles.monitor, .fault = s->fault, .seed = seed, .checkpoint_interval = s->jobs.checkpoint_interval,
        .restore_cost = s->jobs.restore_cost, .mismatch_after = s->jobs.mismatch_after,
        .enforce_limits = s->jobs.enforce_limits, .reject_infeasible = s->jobs.reject_infeasible, .audit = s->output.audit,
        .data = &s->data.blocks, .net = s->data.net, .calltime = s->engines.has_times ? &s->engines.times : NULL,
        .relation = s->engines.has_relation ? &s->engines.relation : NULL, .concurrency = s->replay.concurrency,
        .horizon = horizon, .sample_every = s->output.sample_every }, src, host_decider(h));
    rec->metrics = metrics_create(w, &(struct metrics_opts){
        .store = env->store, .run = rec->run, .write_lending = s->output.lending,
        .n_jobs = env->trace->facts.n_jobs, .warmup = s->output.warmup, .cooldown = s->output.cooldown, .fills = s->replay.fill > 0,
        .weight_of = weight_of, .weight_ctx = s,
        .ideal_whole = env->isolated ? env->isolated->whole : NULL, .ideal_share = env->isolated ? env->isolated->share : NULL,
        .n_ideal = env->isolated ? env->isolated->n : 0 });
    if (env->log != NULL) world_observe(w, event_log_observer(env->log));
    if (s->output.attempts || s->output.decisions) {
        rec->record = record_create(w, env->store, rec->run, s->output.decisions);
        world_observe(w, record_observer(rec->record));
    }
    enum st st = loop(env, w, rec, d);
    if (st == ST_OK && rec->record != NULL) st = record_finish(rec->record, w, d);
    if (st == ST_OK) st = metrics_finish(rec->metrics, w, d);
    out->digest = world_digest(w);
    out->n_events = world_n_events(w);
    out->n_done = world_count(w)->done + world_count(w)->timeout;
    out->n_unfinished = world_count(w)->unfinished;
    out->n_rejected = world_count(w)->rejected;
    metrics_destroy(rec->metrics);
    record_destroy(rec->record);
    world_destroy(w);
    if (s->replay.fill > 0) trace_fill_close(&src);
    else trace_source_close(&src);
    return st;
}

/* The run itself, here or in a sandbox.  out->id is set as soon as the database has the run. */
static enum st run_here(const struct run_env *env, const struct scn_policy *policy, uint64_t seed, struct sandbox_page *page,
                        struct run_result *out, struct diag *d)
{
    struct host *h;
    struct sink rec = { .env = env, .page = page };
    struct host_hooks hooks = { .ctx = &rec, .decision = env->scn->output.decisions ? on_decision : NULL,
                                   .note = on_note, .decided = on_decided, .page = page,
                                   .call_us = env->limits.call_us };
    TRY(open_policy(&h, env->scn, policy, &hooks, d));
    double t0 = progress_clock();
    enum st st = begin(env, h, policy, seed, &rec.run, out->key, d);
    if (st != ST_OK) { host_destroy(h); return st; }
    out->id = rec.run;
    st = write_facts(env, rec.run, d);
    if (st == ST_OK) st = simulate(env, h, &rec, seed, out, d);
    host_destroy(h);                     /* before the run is called done: this too may fail */
    out->wall_s = progress_clock() - t0;
    struct diag ignored = { 0 };
    struct diag *end_diag = st == ST_OK ? d : &ignored;     /* the first error is the one to report */
    enum store_status status = st == ST_OK ? STORE_DONE : st == ST_EINTR ? STORE_INTERRUPTED : STORE_FAILED;
    enum st ended = store_run_end(env->store, rec.run, status, out->digest, st == ST_OK ? NULL : d->msg, out->wall_s, end_diag);
    return st == ST_OK ? ended : st;
}

struct sandboxed { const struct run_env *env; const struct scn_policy *policy; uint64_t seed; struct sandboxed_result *out; };
struct sandboxed_result { struct run_result r; bool is_over; };    /* is_over: run_here returned, and wrote the run's end */

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
    enum st st = sandbox_run(&env->limits, policy->spec, &interrupted, run_there, &c, d);
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
    return host_is_foreign(policy->spec) ? run_sandboxed(env, policy, seed, out, d) : run_here(env, policy, seed, NULL, out, d);
}
