/*
 * compare.c -- cases, their policies and values, of compare.h.
 *
 * A value is read once and kept by "RUN FROM TO SCOPE METRIC": tables, sentences and
 * bounds ask for the same ones many times.
 */
#include "compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/intern.h"
#include "base/mem.h"
#include "compare/metric_info.h"
#include "db/check.h"
#include "db/query.h"

static bool is_at(sqlite3_stmt *q, int col, const char *s)
{
    return strcmp(query_text(q, col), s) == 0;
}

/* By "run from to scope metric"; and the first failure to read one. */
struct compare_values { struct intern asked; double *x; size_t cap; struct diag error; };

/* ---- loading ---- */

enum { COL_ID, COL_SCENARIO, COL_TEXT, COL_TRACE, COL_POLICY, COL_SPEC, COL_CLAIRVOYANT, COL_SEED, COL_VARIANT, COL_DIGEST };

static struct compare_case *case_of(struct compare *c, sqlite3_stmt *q, const char *scenario)
{
    for (size_t i = 0; i < c->n; i++) {
        struct compare_case *k = &c->at[i];
        if (strcmp(scenario, k->scenario) == 0 && is_at(q, COL_TEXT, k->text) && is_at(q, COL_TRACE, k->trace)) return k;
    }
    struct compare_case *k = MEM_NEXT(c->at, c->n, c->cap);
    k->scenario = mem_strdup(scenario);
    k->variant = query_text_dup(q, COL_VARIANT);
    k->text = query_text_dup(q, COL_TEXT);
    k->trace = query_text_dup(q, COL_TRACE);
    return k;
}

/*
 * The only case of a scenario is titled by the scenario's name, whatever was set
 * in it: a baseline finds cases by their title, and must find one again after a
 * change.  Of several, "NAME (WHAT WAS SET)", numbered where that is the same.
 */
static void name_cases(struct compare *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct compare_case *k = &c->at[i];
        size_t n_scenario = 0, n_before = 0;
        for (size_t j = 0; j < c->n; j++) {
            if (strcmp(c->at[j].scenario, k->scenario) != 0) continue;
            n_scenario++;
            n_before += j < i && strcmp(c->at[j].variant, k->variant) == 0;
        }
        const char *set = n_scenario > 1 ? k->variant : "", *comma = set[0] != '\0' ? ", " : "";
        if (n_before > 0) k->title = mem_printf("%s (%s%svariant %zu)", k->scenario, set, comma, n_before + 1);
        else k->title = mem_printf(set[0] != '\0' ? "%s (%s)" : "%s", k->scenario, set);
    }
}

static struct compare_policy *policy_of(struct compare_case *k, sqlite3_stmt *q, const char *label)
{
    bool is_unique = true;
    for (size_t i = 0; i < k->n_policies; i++) {
        struct compare_policy *p = &k->policy[i];
        if (strcmp(label, p->name) != 0) continue;
        if (is_at(q, COL_SPEC, p->spec)) return p;
        is_unique = false;
    }
    struct compare_policy *p = MEM_NEXT(k->policy, k->n_policies, k->cap_policies);
    p->name = mem_strdup(label);
    p->spec = query_text_dup(q, COL_SPEC);
    p->label = is_unique ? mem_strdup(label) : query_text_dup(q, COL_SPEC);
    p->clairvoyant = sqlite3_column_int(q, COL_CLAIRVOYANT) != 0;
    return p;
}

#define RUN_COLUMNS "id, scenario, scenario_text, trace_hash, policy, policy_spec, clairvoyant, seed, variant, digest"

static void add_run(struct compare *c, sqlite3_stmt *q, const char *scenario, const char *label)
{
    struct compare_policy *p = policy_of(case_of(c, q, scenario), q, label);
    MEM_RESERVE(p->run, p->cap_run, p->n_runs + 1);
    MEM_RESERVE(p->seed, p->cap_seed, p->n_runs + 1);
    MEM_RESERVE(p->digest, p->cap_digest, p->n_runs + 1);
    const char *hex = (const char *)sqlite3_column_text(q, COL_DIGEST);
    p->digest[p->n_runs] = hex != NULL ? strtoull(hex, NULL, 16) : 0;
    p->run[p->n_runs] = sqlite3_column_int64(q, COL_ID);
    p->seed[p->n_runs++] = sqlite3_column_int64(q, COL_SEED);
}

static enum st load_done(struct compare *c, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(c->store, "SELECT " RUN_COLUMNS " FROM v_run ORDER BY id", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) add_run(c, q, query_text(q, COL_SCENARIO), query_text(q, COL_POLICY));
    return query_end(c->store, q, d);
}

enum st compare_load_runs(struct compare *c, struct store *s, const struct compare_run *run, size_t n, struct diag *d)
{
    sqlite3_stmt *q;
    *c = (struct compare){ .store = s };
    MEM_NEW(c->values);
    enum st st = query_begin(s, "SELECT " RUN_COLUMNS " FROM run WHERE id = ? AND status = 'done'", &q, d);
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        (void)sqlite3_bind_int64(q, 1, run[i].id);
        if (sqlite3_step(q) == SQLITE_ROW) add_run(c, q, run[i].scenario, run[i].label);
        (void)sqlite3_reset(q);
    }
    st = query_end(s, q, d);
    name_cases(c);
    if (st != ST_OK) compare_fini(c);
    return st;
}

static enum st load_unfinished(struct compare *c, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(c->store, "SELECT id, seed, scenario, policy, status, message FROM run"
                                " WHERE status <> 'done' ORDER BY id", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(c->unfinished, c->cap_unfinished, c->n_unfinished + 1);
        c->unfinished[c->n_unfinished++] = (struct compare_unfinished){ .run = sqlite3_column_int64(q, 0), .seed = sqlite3_column_int64(q, 1),
            .scenario = query_text_dup(q, 2), .policy = query_text_dup(q, 3), .status = query_text_dup(q, 4), .message = query_text_dup(q, 5) };
    }
    return query_end(c->store, q, d);
}

enum st compare_load(struct compare *c, struct store *s, struct diag *d)
{
    *c = (struct compare){ .store = s };
    MEM_NEW(c->values);
    enum st st = load_done(c, d);
    name_cases(c);
    if (st == ST_OK) st = load_unfinished(c, d);
    if (st == ST_OK && c->n == 0) {
        st = diag_set(d, ST_EINPUT, "the database holds no finished run (%zu failed, interrupted or still running)", c->n_unfinished);
        if (c->n_unfinished > 0 && c->unfinished[0].message[0] != '\0') diag_hint(d, "run %lld: %s", (long long)c->unfinished[0].run, c->unfinished[0].message);
    }
    if (st != ST_OK) compare_fini(c);
    return st;
}

enum st compare_check_rows(const struct compare *c, const struct compare_case *k, struct diag *d)
{
    for (size_t p = 0; p < k->n_policies; p++)
        for (size_t i = 0; i < k->policy[p].n_runs; i++) TRY(check_run(c->store, k->policy[p].run[i], d));
    return ST_OK;
}

void compare_fini(struct compare *c)
{
    for (size_t i = 0; i < c->n; i++) {
        struct compare_case *k = &c->at[i];
        for (size_t j = 0; j < k->n_policies; j++) {
            struct compare_policy *p = &k->policy[j];
            mem_free(p->label); mem_free(p->name); mem_free(p->spec); mem_free(p->run); mem_free(p->seed); mem_free(p->digest);
        }
        MEM_FREE(k->policy, k->title, k->scenario, k->text, k->trace, k->variant, k->batches);
    }
    for (size_t i = 0; i < c->n_unfinished; i++) {
        struct compare_unfinished *l = &c->unfinished[i];
        mem_free(l->scenario); mem_free(l->policy); mem_free(l->status); mem_free(l->message);
    }
    mem_free(c->at);
    mem_free(c->unfinished);
    intern_fini(&c->values->asked);
    mem_free(c->values->x);
    mem_free(c->values);
    *c = (struct compare){ .store = NULL };
}

/* ---- finding ---- */

const struct compare_policy *compare_recorded(const struct compare_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++) {
        const char *spec = k->policy[i].spec;
        if (strncmp(spec, "recorded", 8) == 0 && (spec[8] == '\0' || spec[8] == ':')) return &k->policy[i];
    }
    return NULL;
}

enum st compare_find(const struct compare_case *k, const char *label, size_t *index, struct diag *d)
{
    const char **names;
    enum st st = ST_OK;
    MEM_ARRAY(names, k->n_policies);
    for (*index = 0; *index < k->n_policies; ++*index) {
        if (strcmp(k->policy[*index].label, label) == 0) break;
        names[*index] = k->policy[*index].label;
    }
    if (*index == k->n_policies) {
        (void)diag_set(d, ST_EINPUT, "no finished run of '%s' has the policy '%s'", k->title, label);
        (void)diag_suggest(d, label, names, k->n_policies);
        st = diag_hint(d, "there is '%s', among others", k->policy[0].label);
    }
    mem_free(names);
    return st;
}

enum st compare_check_metric(const struct compare *c, const char *metric, const char *scope, struct diag *d)
{
    enum { MAX = 512 };
    char *names[MAX];
    size_t n = 0;
    bool found = false, in_scope = false;
    sqlite3_stmt *q;
    if (window_is_on(&c->window)) return window_check(metric, d);
    TRY(query_begin(c->store, "SELECT name, max(scope = ?1) FROM metric GROUP BY name ORDER BY name", &q, d));
    (void)sqlite3_bind_text(q, 1, scope, -1, SQLITE_STATIC);
    while (n < MAX && sqlite3_step(q) == SQLITE_ROW) {
        if (is_at(q, 0, metric)) { found = true; in_scope = sqlite3_column_int(q, 1) != 0; }
        names[n++] = query_text_dup(q, 0);
    }
    (void)sqlite3_finalize(q);
    if (!found) {
        (void)diag_set(d, ST_EINPUT, "no run in the database has the metric '%s'", metric);
        (void)diag_suggest(d, metric, (const char *const *)names, n);
        (void)diag_hint(d, DIAG_DOC("results/README.md") " lists the metrics");
    } else if (!in_scope) {
        (void)diag_set(d, ST_EINPUT, "the metric '%s' has no value in the scope '%s'", metric, scope);
        diag_hint(d, "scopes are all, samples, notes, class=NAME, gpus=1, gpus=2-3 and so on, and user=NAME");
    }
    for (size_t i = 0; i < n; i++) mem_free(names[i]);
    return d->code;
}

/* ---- values ---- */

static double read_value(const struct compare *c, int64_t run, const char *metric, const char *scope)
{
    sqlite3_stmt *q;
    double x = NAN;
    if (query_run(c->store, run, "SELECT value FROM metric WHERE run = ? AND name = ? AND scope = ?", &q, &c->values->error) == ST_OK) {
        (void)sqlite3_bind_text(q, 2, metric, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(q, 3, scope, -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_ROW) x = sqlite3_column_double(q, 0);
    }
    (void)query_end(c->store, q, &c->values->error);
    return x;
}

static double value_in(const struct compare *c, int64_t run, const char *metric, const char *scope,
                       const struct window *w)
{
    struct compare_values *v = c->values;
    uint32_t known = v->asked.n;
    char *key = mem_printf("%lld %lld %lld %s %s", (long long)run, (long long)w->from, (long long)w->to, scope, metric);
    uint32_t id = intern_id(&v->asked, key);
    mem_free(key);
    if (id < known) return v->x[id];
    MEM_RESERVE(v->x, v->cap, (size_t)id + 1);
    return v->x[id] = window_is_on(w) ? window_value(c->store, run, metric, scope, w, &v->error)
                                      : read_value(c, run, metric, scope);
}

double compare_value(const struct compare *c, int64_t run, const char *metric, const char *scope)
{
    return value_in(c, run, metric, scope, &c->window);
}

void compare_by_seed(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                     const char *metric, const char *scope, double *x)
{
    for (size_t i = 0; i < p->n_runs; i++) {
        x[i] = compare_value(c, p->run[i], metric, scope);
        if (base == NULL) continue;
        double to = NAN;
        for (size_t j = 0; j < base->n_runs; j++)
            if (base->seed[j] == p->seed[i]) to = compare_value(c, base->run[j], metric, scope);
        x[i] = to != 0 ? x[i] / to : NAN;
    }
}

enum st compare_error(const struct compare *c, struct diag *d)
{
    if (d->code == ST_OK) *d = c->values->error;
    return d->code;
}

const char *compare_unit(const struct compare *c, const char *metric, char *buf, size_t cap)
{
    sqlite3_stmt *q;
    buf[0] = '\0';
    if (query_begin(c->store, "SELECT unit FROM metric WHERE name = ? LIMIT 1", &q, &c->values->error) == ST_OK) {
        (void)sqlite3_bind_text(q, 1, metric, -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_ROW) (void)snprintf(buf, cap, "%s", query_text(q, 0));
    }
    (void)query_end(c->store, q, &c->values->error);
    return buf;
}

static stats_interval *interval_of(const char *metric)
{
    return metric_info_is_tail(metric) ? stats_skew95 : stats_ci95;
}

/* ---- batches ---- */

/* One run, or runs that are equal to the last event. */
static bool is_one_run(const struct compare_policy *p)
{
    for (size_t i = 1; i < p->n_runs; i++) if (p->digest[i] != p->digest[0]) return false;
    return p->n_runs > 0;
}

static bool is_one_trace(const struct compare_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++)
        if (!is_one_run(&k->policy[i]) || (k->policy[i].n_runs == 1 && k->policy[i].seed[0] != k->policy[0].seed[0])) return false;
    return true;
}

enum st compare_batches(struct compare *c, struct diag *d)
{
    size_t n_found = 0;
    for (size_t i = 0; i < c->n; i++) {
        struct compare_case *k = &c->at[i];
        int64_t *run;
        if (!is_one_trace(k)) continue;
        MEM_ARRAY(run, k->n_policies);
        MEM_NEW(k->batches);
        for (size_t j = 0; j < k->n_policies; j++) run[j] = k->policy[j].run[0];
        const enum st st = batch_find(k->batches, c->store, run, k->n_policies, &c->window, d);
        mem_free(run);
        if (st != ST_OK) return st;
        for (size_t j = 0; j < k->n_policies; j++) k->policy[j].batches = k->batches;
        n_found++;
    }
    if (!window_is_on(&c->window)) c->window = (struct window){ 0, TICK_NEVER };      /* none of whole runs any more */
    if (n_found > 0) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "batches are of one run, and the policies here have several that differ");
    return diag_hint(d, "without --batches intervals come from the seeds");
}

static struct batch_values batch_of(const struct compare *c, const struct compare_policy *p, const char *metric, const char *scope)
{
    struct batch_values x = { .whole = value_in(c, p->run[0], metric, scope, &p->batches->whole),
                              .is_tail = metric_info_is_tail(metric) };
    for (size_t i = 0; i < BATCHES; i++) x.part[i] = value_in(c, p->run[0], metric, scope, &p->batches->at[i]);
    size_t beyond;
    const size_t rises = window_rises(c->store, p->run[0], metric, scope, &p->batches->whole, &beyond, &c->values->error);
    x.is_decided = p->batches->is_settled && rises >= BATCH_RISES && beyond >= BATCH_BEYOND;
    return x;
}

struct stats_ci compare_mean(const struct compare *c, const struct compare_policy *p, const char *metric, const char *scope)
{
    double *x;
    size_t n = 0;
    if (p->batches != NULL) {
        const struct batch_values b = batch_of(c, p, metric, scope);
        return batch_mean(&b);
    }
    MEM_ARRAY(x, p->n_runs);
    for (size_t i = 0; i < p->n_runs; i++) {
        double v = compare_value(c, p->run[i], metric, scope);
        if (!isnan(v)) x[n++] = v;
    }
    struct stats_ci ci = interval_of(metric)(x, n);
    mem_free(x);
    return ci;
}

static struct stats_ci paired(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                              const char *metric, const char *scope,
                              struct stats_ci (*of)(const double *, const double *, size_t, stats_interval *))
{
    double *x, *b;
    size_t n = 0;
    if (p->batches != NULL) {
        const struct batch_values at = batch_of(c, p, metric, scope), to = batch_of(c, base, metric, scope);
        return of == stats_ratio ? batch_ratio(&at, &to) : batch_diff(&at, &to);
    }
    MEM_ARRAY(x, p->n_runs);
    MEM_ARRAY(b, p->n_runs);
    for (size_t i = 0; i < p->n_runs; i++)
        for (size_t j = 0; j < base->n_runs; j++) {
            if (p->seed[i] != base->seed[j]) continue;
            x[n] = compare_value(c, p->run[i], metric, scope);
            b[n] = compare_value(c, base->run[j], metric, scope);
            n += !isnan(x[n]) && !isnan(b[n]);
            break;
        }
    struct stats_ci ci = of(x, b, n, interval_of(metric));
    mem_free(x);
    mem_free(b);
    return ci;
}

struct stats_ci compare_diff(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                             const char *metric, const char *scope)
{
    return paired(c, p, base, metric, scope, stats_diff);
}

struct stats_ci compare_ratio(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                              const char *metric, const char *scope)
{
    return paired(c, p, base, metric, scope, stats_ratio);
}

bool compare_any(const struct compare *c, const struct compare_case *k, const char *metric)
{
    for (size_t i = 0; i < k->n_policies; i++)
        if (compare_mean(c, &k->policy[i], metric, "all").mean > 0) return true;
    return false;
}

bool compare_any_clairvoyant(const struct compare_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++) if (k->policy[i].clairvoyant) return true;
    return false;
}
