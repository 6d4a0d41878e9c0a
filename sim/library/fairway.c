/*
 * fairway.c -- the calls of fairway.h: what it takes is handed to the rooms that do it, what they find is copied out.
 *
 * All state is in struct fairway, or on the stack of the call.
 */
#include "library/fairway.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "base/version.h"
#include "compare/compare.h"
#include "db/query.h"
#include "db/select.h"
#include "explain/explain.h"
#include "host/host.h"
#include "library/fairway_priv.h"
#include "plot/plot.h"
#include "run/run.h"
#include "run/run_policy.h"
#include "run/setup.h"

struct fairway {
    struct scenario scn;
    struct host_own **own;
    size_t n_own, cap_own;        /* of the policies that the client gave */
    bool has_policies, has_seeds; /* the client's own are in the place of the scenario's */
};

uint32_t fairway_api(void) { return FAIRWAY_API; }
const char *fairway_version(void) { return FAIRWAY_VERSION; }
void fairway_free(void *text) { mem_free(text); }

/* ---- errors ---- */

int fairway_fail(struct fairway_error *e, const struct diag *d)
{
    int status = diag_exit_status(d->code);
    if (e == NULL) return status;
    *e = (struct fairway_error){ .status = status, .line = d->line, .column = d->col };
    (void)snprintf(e->file, sizeof e->file, "%s", d->file);
    (void)snprintf(e->message, sizeof e->message, "%s", d->msg);
    (void)snprintf(e->hint, sizeof e->hint, "%s", d->hint);
    return status;
}

static int finish(struct fairway_error *e, enum st st, const struct diag *d)
{
    if (st != ST_OK) return fairway_fail(e, d);
    if (e != NULL) *e = (struct fairway_error){ .status = FAIRWAY_OK };
    return FAIRWAY_OK;
}

/* ---- scenarios ---- */

struct fairway *fairway_open(const char *path, const char *text, const char *const *set, size_t n_set,
    struct fairway_error *e)
{
    struct fairway *f;
    struct diag d = { 0 };
    MEM_NEW(f);
    enum st st = scn_load_text(&f->scn, path, text, set, n_set, &d);
    (void)finish(e, st, &d);
    if (st == ST_OK) return f;
    fairway_close(f);
    return NULL;
}

void fairway_close(struct fairway *f)
{
    if (f == NULL) return;
    scn_fini(&f->scn);
    mem_free_all((void *const *)f->own, f->n_own);
    MEM_FREE((void *)f->own, f);
}

static void add(struct fairway *f, const char *spec, const char *label, const struct host_own *own)
{
    struct scn_asked *a = &f->scn.asked;
    for (size_t i = 0; !f->has_policies && i < a->n_policies; i++) MEM_FREE(a->policy[i].spec, a->policy[i].label);
    if (!f->has_policies) a->n_policies = 0;
    f->has_policies = true;
    MEM_RESERVE(a->policy, a->cap_policies, a->n_policies + 1);
    a->policy[a->n_policies++] = (struct scn_policy){ mem_strdup(spec), mem_strdup(label != NULL ? label : spec), 0,
        0, own };
}

int fairway_add_policy(struct fairway *f, const char *spec, const char *label, struct fairway_error *e)
{
    add(f, spec, label, NULL);
    return finish(e, ST_OK, NULL);
}

void fairway_add_own(struct fairway *f, const struct host_own *own, const char *spec, const char *label)
{
    struct host_own *mine;
    MEM_NEW(mine);
    *mine = *own;
    MEM_PUSH(f->own, f->n_own, f->cap_own, mine);
    add(f, spec, label, mine);
}

int fairway_add_table(struct fairway *f, const struct pol_ops *table, const void *client, const char *spec,
    const char *label,
                      struct fairway_error *e)
{
    fairway_add_own(f, &(struct host_own){ .table = table, .client = client }, spec, label);
    return finish(e, ST_OK, NULL);
}

int fairway_add_seeds(struct fairway *f, uint64_t first, uint64_t last, struct fairway_error *e)
{
    struct scn_asked *a = &f->scn.asked;
    struct diag d = { 0 };
    if (last < first || last - first >= SCN_SEEDS_MAX)
        return finish(e, diag_set(&d, ST_EINPUT, "seeds %" PRIu64 " to %" PRIu64 " are no range of at most %d", first,
            last, SCN_SEEDS_MAX), &d);
    if (!f->has_seeds) a->n_seeds = 0;
    f->has_seeds = true;
    for (size_t i = 0; i < a->n_seeds; i++)
        if (a->seed[i] >= first && a->seed[i] <= last)
            return finish(e, diag_set(&d, ST_EINPUT, "seed %" PRIu64 " is given twice", a->seed[i]), &d);
    for (uint64_t seed = first;; seed++) {
        MEM_PUSH(a->seed, a->n_seeds, a->cap_seeds, seed);
        if (seed == last) return finish(e, ST_OK, NULL);
    }
}

/* ---- running ---- */

/* One fairway_run. */
struct going {
    struct fairway *f;
    struct fairway_options o;     /* as the client gave them; what it has not is 0 */
    struct fairway_error *failed; /* where the first failure of a run goes */
    struct run_env env;
    struct setup setup;
    struct progress progress;
    struct fairway_progress at;
    bool any_failed;
};

static void on_progress(void *ctx, double fraction, uint64_t n_ended, sim_tick now)
{
    struct going *g = ctx;
    (void)fraction;
    g->at.n_ended = n_ended;
    g->at.now_us = now;
    g->o.progress(g->o.ctx, &g->at);
}

static void on_decision(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node,
    const char *reason)
{
    const struct going *g = ctx;
    g->o.decision(g->o.ctx, &(struct fairway_decision){ at, verb, job, task, node, reason });
}

static void tell_note(const struct going *g, const char *of, const char *what, uint64_t count, uint64_t first_line)
{
    if (g->o.note != NULL) g->o.note(g->o.ctx, &(struct fairway_note){ of, what, count, first_line });
}

static void tell_repairs(const struct going *g)
{
    const struct trace_repairs *r = &g->setup.trace.repairs;
    const char *path = g->f->scn.trace.path;
    for (size_t i = 0; i < r->n; i++)
        tell_note(g, path != NULL ? path : "trace", r->at[i].what, r->at[i].count, r->at[i].first_line);
}

/* What is not modelled of a policy's own file, or by the policy: the run's, not the trace's. */
static enum st tell_notes(const struct going *g, int64_t run, const char *label, struct diag *d)
{
    sqlite3_stmt *q;
    if (g->o.note == NULL) return ST_OK;
    TRY(query_run(g->env.store, run, "SELECT what, count FROM repair WHERE run = ? AND first_line = 0 ORDER BY what",
        &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) tell_note(g, label, query_text(q, 0), (uint64_t)sqlite3_column_int64(q, 1),
        0);
    return query_end(g->env.store, q, d);
}

static void tell_run(struct going *g, const struct scn_policy *p, uint64_t seed, const struct run_result *r,
    const struct diag *failed)
{
    struct fairway_error e;
    struct fairway_result out = { .policy = p->label, .label = g->at.label, .seed = seed, .digest = r->digest,
        .n_done = r->n_done, .n_unfinished = r->n_unfinished, .n_rejected = r->n_rejected,
        .n_never_eligible = r->n_never_eligible, .n_refused = r->n_refused, .n_arrived = r->n_arrived,
        .n_unlimited = r->n_unlimited, .n_events = r->n_events, .id = r->id, .wall_s = r->wall_s,
        .is_scoreless = r->is_scoreless };
    if (failed != NULL) {
        (void)fairway_fail(&e, failed);
        out = (struct fairway_result){ .policy = p->label, .label = g->at.label, .error = &e, .seed = seed,
            .id = r->id };
        if (!g->any_failed && g->failed != NULL) *g->failed = e;
        g->any_failed = true;
    }
    if (g->o.run != NULL) g->o.run(g->o.ctx, &out);
}

/* Every policy on the trace of one seed. */
static enum st run_seed(struct going *g, uint64_t seed, bool with_repairs, struct diag *d)
{
    const struct scn_asked *a = &g->f->scn.asked;
    if (with_repairs) tell_repairs(g);
    for (size_t i = 0; i < a->n_policies; i++) {
        char label[80];
        struct run_result r;
        struct diag failed = { 0 };
        (void)snprintf(label, sizeof label, "%.48s seed %" PRIu64, a->policy[i].label, seed);
        g->at.run++;
        g->at.label = label;
        g->at.n_jobs = g->setup.trace.facts.n_jobs;
        progress_run(&g->progress, g->at.n_jobs);
        if (g->env.log != NULL) (void)fprintf(g->env.log, "# %s\n", label);
        enum st st = run_one(&g->env, &a->policy[i], seed, &r, &failed);
        if (st != ST_OK && st != ST_EPOLICY) {
            *d = failed;
            return st;
        }
        tell_run(g, &a->policy[i], seed, &r, st == ST_EPOLICY ? &failed : NULL);
        if (with_repairs && st == ST_OK) TRY(tell_notes(g, r.id, a->policy[i].label, d));
    }
    return ST_OK;
}

static enum st run_all(struct going *g, struct diag *d)
{
    const struct scn_asked *a = &g->f->scn.asked;
    for (size_t k = 0; k < a->n_seeds; k++) {
        TRY(setup_trace(&g->setup, a->seed[k], d));
        TRY(setup_isolated(&g->setup, &g->env.isolated, d));
        TRY(run_seed(g, a->seed[k], k == 0, d));
    }
    return ST_OK;
}

static enum st with_log(struct going *g, struct diag *d)
{
    const char *log = g->o.log;
    if (log != NULL && (g->env.log = fopen(log, "w")) == NULL)
        return diag_set(d, ST_EWORLD, "cannot write the log '%s': %s", log, strerror(errno));
    enum st st = run_all(g, d);
    if (g->env.log != NULL && fclose(g->env.log) != 0 && st == ST_OK)
        st = diag_set(d, ST_EWORLD, "cannot write the log '%s': %s", log, strerror(errno));
    return st;
}

static void tell_plan(const struct going *g, const char *database)
{
    struct scenario *s = &g->f->scn;
    if (g->o.begin != NULL)
        g->o.begin(g->o.ctx, &(struct fairway_plan){ .name = s->id.name, .database = database,
            .n_policies = s->asked.n_policies, .n_seeds = s->asked.n_seeds, .is_drawn = setup_is_drawn(s),
            .has_sweep = s->asked.has_sweep, .may_end_unfinished = s->horizon != TICK_NEVER || s->replay.fill > 0 });
}

/* All input is read and checked before the database is opened: a mistake leaves none behind. */
static enum st execute(struct going *g, struct diag *d)
{
    struct scenario *s = &g->f->scn;
    if (s->asked.n_policies == 0)
        return diag_at(d, ST_EINPUT, s->id.path, 0, 0, "no policy: name some under `policies:` or with -p");
    TRY(run_policy_check_all(s, &g->env.limits, d));
    char *database = g->o.database != NULL ? mem_strdup(g->o.database) : mem_printf("%s.db", s->id.name);
    setup_begin(&g->setup, s);
    enum st st = setup_trace(&g->setup, s->asked.seed[0], d);
    if (st == ST_OK) st = store_open(&g->env.store, database, d);
    if (st == ST_OK) {
        tell_plan(g, database);
        g->at.n_runs = (uint32_t)(s->asked.n_policies * s->asked.n_seeds);
        st = with_log(g, d);
        store_close(g->env.store);
    }
    setup_fini(&g->setup);
    mem_free(database);
    return st;
}

int fairway_run(struct fairway *f, const struct fairway_options *o, struct fairway_error *e)
{
    struct diag d = { 0 };
    struct going g = { .f = f, .failed = e };
    if (o != NULL) memcpy(&g.o, o, o->size < sizeof g.o ? o->size : sizeof g.o);
    if (e != NULL) *e = (struct fairway_error){ .status = FAIRWAY_OK };
    progress_begin(&g.progress, true);
    if (g.o.progress != NULL) g.progress.report = on_progress;
    g.progress.ctx = &g;
    g.env = (struct run_env){ .scn = &f->scn, .trace = &g.setup.trace, .progress = &g.progress,
        .limits = SANDBOX_LIMITS, .stop = g.o.stop, .decision = g.o.decision != NULL ? on_decision : NULL,
        .decision_ctx = &g };
    if (g.o.decide_timeout_us > 0) g.env.limits.call_us = g.o.decide_timeout_us;
    if (g.o.policy_memory_b > 0) g.env.limits.mem_b = g.o.policy_memory_b;
    g.env.limits.no_exec = g.o.no_exec != 0;
    const bool audit = f->scn.output.audit, strict = f->scn.trace.strict;
    f->scn.output.audit |= g.o.audit != 0;
    f->scn.trace.strict |= g.o.strict != 0;
    enum st st = execute(&g, &d);
    f->scn.output.audit = audit;
    f->scn.trace.strict = strict;
    if (st == ST_OK && g.any_failed) return FAIRWAY_EPOLICY;
    return finish(e, st, &d);
}

/* ---- results ---- */

static bool find_format(const char *name, enum table_format *out)
{
    static const char *const known[] = { [TABLE_TEXT] = "text", [TABLE_MARKDOWN] = "markdown",
        [TABLE_LATEX] = "latex", [TABLE_CSV] = "csv", [TABLE_JSON] = "json" };
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (strcmp(name, known[i]) != 0) continue;
        *out = (enum table_format)i;
        return true;
    }
    return false;
}

/* What was written, if all went well. */
static char *finish_text(struct mem_text *t, struct fairway_error *e, enum st st, const struct diag *d)
{
    char *text = mem_text_close(t);
    if (finish(e, st, d) == FAIRWAY_OK) return text;
    mem_free(text);
    return NULL;
}

static enum st compare_into(FILE *to, const char *database, const char *format, struct compare_opts *o, struct diag *d)
{
    struct store *s;
    struct compare c;
    if (!find_format(format, &o->format))
        return diag_set(d, ST_EINPUT, "the format is '%s'; expected text, markdown, latex, csv or json", format);
    TRY(store_open_read(&s, database, d));
    enum st st = compare_load(&c, s, d);
    if (st == ST_OK) {
        st = compare_print(&c, o, to, d);
        compare_fini(&c);
    }
    store_close(s);
    return st;
}

char *fairway_compare(const char *database, const char *format, const char *against, const char *scope,
    const char *const *metric,
                      size_t n_metrics, struct fairway_error *e)
{
    struct diag d = { 0 };
    struct mem_text t;
    mem_text_open(&t);
    enum st st = compare_into(t.to, database, format, &(struct compare_opts){ .metric = metric,
        .n_metrics = n_metrics, .scope = scope, .base = against }, &d);
    return finish_text(&t, e, st, &d);
}

static enum st explain_into(FILE *to, struct store *s, const char *run, const char *job, bool as_json, struct diag *d)
{
    struct selection p;
    struct explain x;
    uint64_t ordinal = 0;
    TRY(select_run(&p, s, run, d));
    enum st st = select_job(s, &p, job, &ordinal, d);
    if (st == ST_OK) st = explain_load(&x, s, &p, ordinal, -1, d);
    if (st == ST_OK) {
        (as_json ? explain_json : explain_print)(&x, to);
        explain_fini(&x);
    }
    select_fini(&p);
    return st;
}

char *fairway_explain(const char *database, const char *run, const char *job, int as_json, struct fairway_error *e)
{
    struct diag d = { 0 };
    struct mem_text t;
    struct store *s;
    mem_text_open(&t);
    enum st st = store_open_read(&s, database, &d);
    if (st == ST_OK) {
        st = explain_into(t.to, s, run, job, as_json != 0, &d);
        store_close(s);
    }
    return finish_text(&t, e, st, &d);
}

int fairway_plot(const char *database, const char *figure, const char *out, const struct fairway_plot *o,
    struct fairway_error *e)
{
    struct diag d = { 0 };
    struct store *s;
    struct fairway_plot p = { .run = -1, .from_us = -1, .to_us = -1 };
    if (o != NULL) memcpy(&p, o, o->size < sizeof p ? o->size : sizeof p);
    const struct plot_figure *f = plot_find(figure, &d);
    enum st st = f == NULL ? d.code : store_open_read(&s, database, &d);
    if (st == ST_OK) {
        st = plot_make(s, f, &(struct plot_opts){ .out = out, .scenario = p.scenario, .metric = p.metric,
            .scope = p.scope, .base = p.base, .run = p.run, .nodes = p.nodes, .from = p.from_us, .to = p.to_us }, &d);
        store_close(s);
    }
    return finish(e, st, &d);
}
