/*
 * report.c -- the page: one JSON document of all that it shows, in the frame of page/report.html.
 *
 * What the numbers are is decided here, how they look in page/report.js.
 */
#include "report/report_priv.h"

#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/embed.h"
#include "base/jsonout.h"
#include "base/mem.h"
#include "base/version.h"
#include "compare/metric_info.h"
#include "compare/view.h"
#include "db/query.h"

/* ---- parts ---- */

static json_t *array_of(json_t *to, const char *key)
{
    json_t *a = json_array();
    (void)json_object_set_new(to, key, a);
    return a;
}

/* A column of the row at which q stands, as its type. */
static json_t *column(sqlite3_stmt *q, int i)
{
    switch (sqlite3_column_type(q, i)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(q, i));
    case SQLITE_FLOAT:   return jsonout_number(sqlite3_column_double(q, i));
    default:             return jsonout_text((const char *)sqlite3_column_text(q, i));
    }
}

/* Appends each row of a query as an array. */
static enum st rows(struct store *s, int64_t run, json_t *to, const char *sql, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(s, run, sql, &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        json_t *row = json_array();
        for (int i = 0; i < sqlite3_column_count(q); i++) (void)json_array_append_new(row, column(q, i));
        (void)json_array_append_new(to, row);
    }
    return query_end(s, q, d);
}

/* null, a number, or [number, half the width of its interval]. */
static json_t *cell(struct stats_ci x, double by)
{
    json_t *mean = jsonout_number(x.mean * by), *half = jsonout_number(x.half * by);
    if (!json_is_null(half)) return json_pack("[o, o]", mean, half);
    json_decref(half);
    return mean;
}

/* ---- policies side by side ---- */

static void means(const struct compare_view *v, json_t *to)
{
    struct compare_columns l;
    json_t *columns = array_of(to, "columns");
    compare_columns_init(&l, v);
    for (size_t i = 0; i < l.n; i++) {
        json_t *heading = json_pack("{s:s, s:s, s:s, s:b}", "metric", l.at[i].metric, "name", l.at[i].heading, "unit",
                                    l.at[i].scale.unit, "over_bound", l.at[i].type == COMPARE_OVER_BOUND);
        (void)json_array_append_new(columns, heading);
    }
    for (size_t p = 0; p < v->k->n_policies; p++) {
        json_t *row = array_of(json_array_get(json_object_get(to, "policies"), p), "means");
        for (size_t i = 0; i < l.n; i++) {
            struct stats_ci x = compare_column_value(v, &l.at[i], &v->k->policy[p]);
            (void)json_array_append_new(row, cell(x, l.at[i].scale.by));
        }
    }
    mem_free(l.at);
}

/* null, or [by, half its interval, in per cent?, is no difference within the interval?]. */
static json_t *difference(const struct compare_change *g)
{
    if (isnan(g->by.mean)) return json_null();
    return json_pack("[o, o, b, b]", jsonout_number(g->by.mean * g->scale.by), jsonout_number(g->by.half * g->scale.by),
                     g->is_percent, g->by.lo <= 0 && g->by.hi >= 0);
}

/* Of each policy but the first, for each metric. */
static void differences(const struct compare_view *v, json_t *to)
{
    json_t *compared = array_of(to, "compared");
    for (size_t m = 0; m < v->n_metrics; m++) (void)json_array_append_new(compared, json_string(v->metric[m]));
    for (size_t p = 1; p < v->k->n_policies; p++) {
        json_t *row = array_of(json_array_get(json_object_get(to, "policies"), p), "differences");
        for (size_t m = 0; m < v->n_metrics; m++) {
            struct compare_change g = compare_change_of(v, &v->k->policy[p], v->metric[m]);
            (void)json_array_append_new(row, difference(&g));
        }
    }
}

static void set_text(json_t *to, const char *key, char *s)
{
    (void)json_object_set_new(to, key, jsonout_text(s));
    mem_free(s);
}

static void sentences(const struct compare_view *v, json_t *to)
{
    set_text(to, "conclusion", compare_conclusion(v));
    for (size_t p = 0; p < v->k->n_policies; p++)
        set_text(json_array_get(json_object_get(to, "policies"), p), "fates", compare_fates(v, &v->k->policy[p]));
    json_t *list = array_of(to, "sentences");
    size_t judged = 0;
    for (size_t p = 1; p < v->k->n_policies; p++) {
        char *s = compare_sentence(v, &v->k->policy[p], &judged);
        (void)json_array_append_new(list, jsonout_text(s));
        mem_free(s);
    }
    json_t *remarks = array_of(to, "remarks");
    for (size_t i = 0; i < 2 * v->k->n_policies; i++) {
        char *s = compare_remark(v, i);
        if (s != NULL) (void)json_array_append_new(remarks, jsonout_text(s));
        mem_free(s);
    }
    set_text(to, "caution", compare_sentence_caution(judged));
}

static void comparison(const struct compare *c, const struct compare_case *k, json_t *to)
{
    struct compare_metrics l = { NULL, 0, 0 };
    compare_add_usual(&l, c, k, "all");
    const struct compare_view v = {
        .c = c, .k = k, .base = &k->policy[0], .metric = l.at, .n_metrics = l.n, .scope = "all"
    };
    means(&v, to);
    differences(&v, to);
    sentences(&v, to);
    mem_free(l.at);
}

/* ---- one policy ---- */

/* A row a metric and a column a scope; of users the other way round, for there are many of them. */
static enum st every_metric(const struct compare *c, const struct compare_policy *q, json_t *to, bool by_user,
                            struct diag *d)
{
    static const char *const metrics[] = {
        "SELECT name, unit FROM metric WHERE run = ? AND scope NOT LIKE 'user=%' GROUP BY name ORDER BY name",
        "SELECT name, unit FROM metric WHERE run = ? AND scope LIKE 'user=%' GROUP BY name ORDER BY name",
    };
    static const char *const scopes[] = {
        "SELECT scope FROM metric WHERE run = ? AND scope NOT LIKE 'user=%' GROUP BY scope"
        " ORDER BY scope <> 'all', scope",
        "SELECT scope FROM metric WHERE run = ? AND scope LIKE 'user=%' GROUP BY scope ORDER BY scope",
    };
    json_t *o = json_object(), *rows_of = array_of(o, "rows"), *columns = array_of(o, "columns"), *row, *col;
    size_t i, k;
    (void)json_object_set_new(to, by_user ? "users" : "metrics", o);
    TRY(rows(c->store, q->run[0], by_user ? columns : rows_of, metrics[by_user], d));
    TRY(rows(c->store, q->run[0], by_user ? rows_of : columns, scopes[by_user], d));
    json_array_foreach(rows_of, i, row) {
        json_array_foreach(columns, k, col) {
            const char *metric = json_string_value(json_array_get(by_user ? col : row, 0));
            const char *scope = json_string_value(json_array_get(by_user ? row : col, 0));
            (void)json_array_append_new(row, cell(compare_mean(c, q, metric, scope), 1));
        }
    }
    return ST_OK;
}

static enum st policy(const struct compare *c, const struct compare_policy *q, json_t *to, struct diag *d)
{
    static const struct { const char *key, *sql; } first[] = {       /* of the first seed's run */
        { "source", "SELECT policy_source FROM run WHERE id = ?" },
        { "slowest", "SELECT id, user, class, n_gpu, start_us - submit_us, end_us - submit_us - ran_us,"
                     " end_us - submit_us, n_preempted, n_failed FROM job WHERE run = ? AND start_us >= 0 AND end_us >= 0"
                     " ORDER BY start_us - submit_us DESC, ordinal LIMIT 8" },
        { "troubled", "SELECT id, user, class, n_gpu, status, submit_us, nullif(start_us, -1), nullif(limit_us, -1),"
                      " count(*) OVER () FROM job WHERE run = ? AND status <> 'done' ORDER BY ordinal LIMIT 8" },
        { "unlimited", "SELECT id, user, class, n_gpu, status, submit_us, nullif(start_us, -1), NULL,"
                       " count(*) OVER () FROM job j WHERE run = ? AND limit_us < 0 AND EXISTS (SELECT 1 FROM metric m"
                       " WHERE m.run = j.run AND name = 'jobs_unlimited' AND scope = 'all' AND value > 0)"
                       " ORDER BY ordinal LIMIT 8" },
        { "notes", "SELECT name, count(*), avg(value), min(value), max(value) FROM note WHERE run = ?"
                   " GROUP BY name ORDER BY name" },
    };
    static const char every[] = "SELECT id, printf('%u', seed), digest, key, trace_hash, version FROM run WHERE id = ?";
    json_t *runs = array_of(to, "runs");
    for (size_t i = 0; i < q->n_runs; i++) TRY(rows(c->store, q->run[i], runs, every, d));
    for (size_t i = 0; i < ARRAY_LEN(first); i++)
        TRY(rows(c->store, q->run[0], array_of(to, first[i].key), first[i].sql, d));
    TRY(every_metric(c, q, to, false, d));
    return every_metric(c, q, to, true, d);
}

/* ---- the whole ---- */

/* Of each metric of the database, in words; of notes, which only their policy knows, nothing. */
static enum st meanings(struct store *s, json_t *to, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_format(s, &q, d, "SELECT DISTINCT name FROM metric ORDER BY name"));
    while (sqlite3_step(q) == SQLITE_ROW) {
        char *words = metric_info_meaning(query_text(q, 0));
        if (words != NULL) set_text(to, query_text(q, 0), words);
    }
    return query_end(s, q, d);
}

static enum st one_case(const struct compare *c, const struct compare_case *k, const struct report_opts *o, json_t *to,
                        struct diag *d)
{
    static const char facts[] = "SELECT title, trace_path, (SELECT count(*) FROM node n WHERE n.run = r.id),"
        " (SELECT coalesce(sum(n_gpu), 0) FROM node n WHERE n.run = r.id), "
        " (SELECT CAST(value AS INTEGER) FROM metric m WHERE m.run = r.id AND name = 'jobs_arrived' AND scope = 'all'),"
        " (SELECT count(*) FROM metric m WHERE m.run = r.id AND name = 'jobs_counted' AND scope LIKE 'user=%')"
        " FROM run r WHERE id = ?";
    static const char repairs[] = "SELECT what, count, nullif(first_line, 0) FROM repair WHERE run = ? ORDER BY what";
    json_t *policies = array_of(to, "policies");
    const int64_t run = k->policy[0].run[0];
    (void)json_object_set_new(to, "name", jsonout_text(k->title));
    (void)json_object_set_new(to, "scenario", jsonout_text(k->text));
    TRY(rows(c->store, run, array_of(to, "facts"), facts, d));
    TRY(rows(c->store, run, array_of(to, "repairs"), repairs, d));
    for (size_t i = 0; i < k->n_policies; i++) {
        const struct compare_policy *q = &k->policy[i];
        json_t *p = json_pack("{s:o, s:o, s:b}", "label", jsonout_text(q->label), "spec", jsonout_text(q->spec),
                              "clairvoyant", q->clairvoyant);
        (void)json_array_append_new(policies, p);
        TRY(policy(c, q, p, d));
    }
    comparison(c, k, to);
    if (!o->no_charts) TRY(report_charts(c, k, to, d));
    return report_timeline(c, k, to, d);
}

static enum st document(const struct compare *c, const struct report_opts *o, json_t *to, struct diag *d)
{
    static const char not_done[] = "SELECT id, scenario, policy, printf('%u', seed), status, coalesce(message, '')"
        " FROM run WHERE id = ?";
    (void)json_object_set_new(to, "fairway", json_string(FAIRWAY_VERSION));
    (void)json_object_set_new(to, "document", json_string(DIAG_DOC("results/README.md")));
    json_t *cases = array_of(to, "cases"), *unfinished = array_of(to, "unfinished"), *words = json_object();
    (void)json_object_set_new(to, "meanings", words);
    TRY(meanings(c->store, words, d));
    for (size_t i = 0; i < c->n; i++) {
        json_t *k = json_object();
        (void)json_array_append_new(cases, k);
        TRY(one_case(c, &c->at[i], o, k, d));
    }
    for (size_t i = 0; i < c->n_unfinished; i++) TRY(rows(c->store, c->unfinished[i].run, unfinished, not_done, d));
    return compare_error(c, d);
}

/* The frame, with what it names in braces in their place: files of page/, and the document. */
static void write_page(json_t *data, FILE *to)
{
    const char *s = embed_text("report.html");
    for (const char *open; (open = strstr(s, "{{")) != NULL;) {
        const char *close = strstr(open, "}}");
        char *name = mem_strndup(open + 2, (size_t)(close - open) - 2);
        (void)fwrite(s, 1, (size_t)(open - s), to);
        if (strcmp(name, "data") == 0) jsonout_print_in_script(json_incref(data), to);
        else (void)fputs(embed_text(name), to);
        mem_free(name);
        s = close + 2;
    }
    (void)fputs(s, to);
}

enum st report_write(struct store *s, const struct report_opts *o, FILE *to, struct diag *d)
{
    struct compare c;
    TRY(compare_load(&c, s, d));
    json_t *data = json_object();
    enum st st = ST_OK;
    for (size_t i = 0; i < c.n && st == ST_OK; i++) st = compare_check_rows(&c, &c.at[i], d);
    if (st == ST_OK) st = document(&c, o, data, d);
    if (st == ST_OK) write_page(data, to);
    json_decref(data);
    compare_fini(&c);
    return st;
}
