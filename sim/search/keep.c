/* keep.c -- writes the tables of search.sql. */
#include "search/keep.h"

#include <math.h>
#include <string.h>
#include <sqlite3.h>
#include "base/embed.h"
#include "base/mem.h"
#include "db/query.h"
#include "search/promise.h"
#include "search/race.h"

static const char *const role_name[] = { "figure", "metric", "limit" };

/* Run a statement with its parameters; types, a letter each: i int64_t, x double, where NaN is NULL, s text or NULL. */
static enum st insert(struct store *s, struct diag *d, const char *sql, const char *types, ...)
{
    sqlite3_stmt *q;
    va_list ap;
    TRY(query_begin(s, sql, &q, d));
    va_start(ap, types);
    for (int i = 1; types[i - 1] != '\0'; i++) {
        if (types[i - 1] == 'i') (void)sqlite3_bind_int64(q, i, va_arg(ap, int64_t));
        else if (types[i - 1] == 'x') (void)sqlite3_bind_double(q, i, va_arg(ap, double));
        else (void)sqlite3_bind_text(q, i, va_arg(ap, const char *), -1, SQLITE_TRANSIENT);
    }
    va_end(ap);
    (void)sqlite3_step(q);
    return query_end(s, q, d);
}

static enum st commit(struct store *s, enum st st, struct diag *d)
{
    if (st == ST_OK) st = query_exec(s, "COMMIT", d);
    if (st != ST_OK && sqlite3_get_autocommit(store_db(s)) == 0)
        (void)sqlite3_exec(store_db(s), "ROLLBACK", NULL, NULL, NULL);
    return st;
}

/* ---- the search ---- */

static char *metric_in_words(const struct search_metric *m)
{
    return mem_printf("%s of %s%s%s%s%s", m->metric, m->policy, m->against[0] != '\0' ? " : " : "", m->against,
                      strcmp(m->scope, "all") != 0 ? ", " : "", strcmp(m->scope, "all") != 0 ? m->scope : "");
}

static char *objective_in_words(const struct trial *t)
{
    const struct search_spec *s = t->spec;
    if (s->method == SEARCH_SIZE) return mem_strdup(s->is_cost ? "cost an hour" : "nodes");
    if (s->has_figures) return mem_printf("distance to %s", s->figures != NULL ? s->figures : "the published figures");
    return metric_in_words(&s->metric);
}

static void key_of(const struct trial *t, const char *section, char hex[HASH_HEX])
{
    struct hash128 h;
    hash_init(&h);
    hash_text(&h, section);
    for (size_t k = 0; k < t->targets->n_scenarios; k++) hash_text(&h, t->targets->scenario[k].canonical);
    for (size_t i = 0; i < t->targets->n; i++) hash_bytes(&h, &t->targets->at[i].row.value, sizeof(double));
    hash_hex(&h, hex);
}

static enum st drop_rows(struct store *s, int64_t id, struct diag *d)
{
    static const char *const table[] = { "search_variable", "search_target", "search_set",
                                         "search_value", "search_ours", "search_run",
                                         "search_interval", "search_verdict", "search_answer" };
    char sql[80];
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        (void)snprintf(sql, sizeof sql, "DELETE FROM %s WHERE search = ?", table[i]);
        TRY(insert(s, d, sql, "i", id));
    }
    return ST_OK;
}

static enum st write_search(const struct trial *t, const char *section, int64_t *id, struct diag *d)
{
    char key[HASH_HEX], *words = objective_in_words(t);
    key_of(t, section, key);
    *id = 0;
    enum st st =
        insert(t->store, d,
               "INSERT OR IGNORE INTO search (key, scenario, section, objective, maximise) VALUES (?, ?, ?, ?, ?)",
               "ssssi", key, t->targets->scenario[0].name, section, words, (int64_t)t->spec->maximise);
    mem_free(words);
    if (st == ST_OK) st = query_int(t->store, id, d, "SELECT id FROM search WHERE key = '%s'", key);
    if (st == ST_OK) st = drop_rows(t->store, *id, d);
    for (size_t i = 0; i < t->spec->n_variables && st == ST_OK; i++)
        st = insert(t->store, d, "INSERT INTO search_variable VALUES (?, ?, ?, NULL, NULL)", "iis", *id, (int64_t)i,
                    t->spec->variable[i].name);
    for (size_t i = 0; i < t->targets->n && st == ST_OK; i++) {
        const struct target *x = &t->targets->at[i];
        const char is[2] = { x->row.is, '\0' };
        st = insert(t->store, d, "INSERT INTO search_target VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    "iisssssssxxxs", *id, (int64_t)i, role_name[x->role], t->targets->scenario[x->scenario].name,
                    x->row.policy, x->row.against, x->row.metric, x->row.scope != NULL ? x->row.scope : "all", is,
                    x->row.value, x->row.within, x->weight, x->row.source);
    }
    return st;
}

enum st keep_begin(const struct trial *t, int64_t *id, struct diag *d)
{
    char *section = ydoc_flow(t->spec->section);
    enum st st = query_exec(t->store, embed_text("search.sql"), d);
    if (st == ST_OK) st = query_exec(t->store, "BEGIN IMMEDIATE", d);
    if (st == ST_OK) st = commit(t->store, write_search(t, section, id, d), d);
    mem_free(section);
    return st;
}

/* ---- sets ---- */

static enum st write_intervals(const struct trial *t, int64_t id, const struct trial_set *x, struct diag *d)
{
    const int64_t number = (int64_t)x->number;
    for (size_t i = 0; i < t->targets->n; i++) {
        const struct stats_ci *c = &x->ci[i];
        if (x->error != NULL || isnan(c->mean)) continue;
        TRY(insert(t->store, d, "INSERT INTO search_interval VALUES (?, ?, ?, ?, ?, ?, ?)", "iiixxxx", id, number,
                   (int64_t)i, c->mean, isfinite(c->half) ? c->lo : NAN, isfinite(c->half) ? c->hi : NAN, x->level));
    }
    const struct stats_ci none = { .mean = NAN, .lo = NAN, .hi = NAN }, *diff = x->by != NULL ? &x->diff : &none;
    return insert(t->store, d, "INSERT INTO search_verdict VALUES (?, ?, ?, ?, nullif(?, 0), ?, ?, ?)", "iisiixxx", id,
                  number, trial_verdict_name[x->verdict], (int64_t)x->n_met,
                  (int64_t)(x->by != NULL ? x->by->number : 0), diff->mean, diff->lo, diff->hi);
}

static enum st write_set(const struct trial *t, int64_t id, const struct trial_set *x, struct diag *d)
{
    const int64_t number = (int64_t)x->number;
    TRY(insert(t->store, d, "INSERT INTO search_set VALUES (?, ?, ?, nullif(?, 0), ?, ?, ?)", "iisixxs", id, number,
               trial_phase_name[x->phase], (int64_t)x->of, x->objective, x->excess, x->error));
    for (size_t i = 0; i < t->spec->n_variables; i++)
        TRY(insert(t->store, d, "INSERT INTO search_value VALUES (?, ?, ?, ?, ?)", "iiisx", id, number, (int64_t)i,
                   x->value[i], x->at[i]));
    for (size_t i = 0; i < t->targets->n; i++) {
        if (isnan(x->ours[i])) continue;
        double error = t->targets->at[i].role == TARGET_FIGURE ? target_error(t->targets, i, x->ours[i]) : 0;
        TRY(insert(t->store, d, "INSERT INTO search_ours VALUES (?, ?, ?, ?, ?)", "iiixx", id, number, (int64_t)i,
                   x->ours[i], error));
    }
    for (size_t i = 0; i < x->n_runs; i++)
        TRY(insert(t->store, d, "INSERT OR IGNORE INTO search_run VALUES (?, ?, ?)", "iii", id, number, x->run[i].id));
    return t->spec->method != SEARCH_NEAREST ? write_intervals(t, id, x, d) : ST_OK;
}

enum st keep_sets(const struct trial *t, int64_t id, struct trial_set *const *set, size_t n, struct diag *d)
{
    TRY(query_exec(t->store, "BEGIN IMMEDIATE", d));
    enum st st = ST_OK;
    for (size_t i = 0; i < n && st == ST_OK; i++) st = write_set(t, id, set[i], d);
    return commit(t->store, st, d);
}

enum st keep_effects(const struct trial *t, int64_t id, const struct keep_effect *e, struct diag *d)
{
    TRY(query_exec(t->store, "BEGIN IMMEDIATE", d));
    enum st st = ST_OK;
    for (size_t i = 0; i < t->spec->n_variables && st == ST_OK; i++)
        st = insert(t->store, d,
                    "UPDATE search_variable SET correlation = ?, share = ? WHERE search = ? AND variable = ?", "xxii",
                    e[i].correlation, e[i].share, id, (int64_t)i);
    return commit(t->store, st, d);
}

static int64_t number_of(const struct trial_set *x) { return x != NULL ? (int64_t)x->number : 0; }

static enum st write_answer(const struct search *s, const struct search_answer *a, char *words, struct diag *d)
{
    const enum st st = insert(
        s->trial.store, d, "INSERT INTO search_answer VALUES (?, ?, nullif(?, 0), nullif(?, 0), nullif(?, 0), ?, ?, ?)",
        "ixiiixis", s->id, a->load, number_of(a->kept), number_of(a->fresh), number_of(a->broken),
        isfinite(a->least) ? a->least : NAN, (int64_t)a->is_decided, words);
    mem_free(words);
    return st;
}

enum st keep_answers(const struct search *s, struct diag *d)
{
    const bool is_size = s->trial.spec->method == SEARCH_SIZE;
    TRY(query_exec(s->trial.store, "BEGIN IMMEDIATE", d));
    enum st st = ST_OK;
    for (size_t i = 0; i < s->n_answers && st == ST_OK; i++) {
        const struct search_answer *a = &s->answer[i];
        st = write_answer(s, a, is_size ? promise_words(s, a) : race_words(s), d);
    }
    return commit(s->trial.store, st, d);
}
