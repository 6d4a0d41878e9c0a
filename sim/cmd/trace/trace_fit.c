/* trace_fit.c -- the table of a fit, its words and its rows. */
#include "cmd/trace/trace_fit.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include "base/embed.h"
#include "base/mem.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "db/query.h"
#include "input/fit/goodness.h"
#include "input/fit/learn.h"

static void cell(struct table *t, double x)
{
    if (isnan(x)) table_cell(t, "%s", "");
    else table_cell(t, "%.4g", x);
}

static void print_table(const struct goodness *g, enum table_format form)
{
    struct table *t = table_of("figure|unit|#trace|#model|#least|#most|#distance|#of halves|verdict");
    for (int f = 0; f < GOODNESS_N; f++) {
        const struct goodness_row *r = &g->row[f];
        const double x[] = { r->trace, r->model, r->least, r->most, r->distance, r->halves };
        if (isnan(r->trace)) continue;
        table_cell(t, "%s", goodness_info[f].name);
        table_cell(t, "%s", goodness_info[f].unit);
        for (size_t i = 0; i < ARRAY_LEN(x); i++) cell(t, x[i]);
        table_cell(t, "%s", goodness_verdict(r));
    }
    table_end(t, form, stdout);
}

/* "a, b and c" of the figures with the verdict; NULL: there is none. */
static char *figures_that(const struct goodness *g, const char *verdict)
{
    const char *name[GOODNESS_N];
    char *text = NULL;
    size_t n = 0;
    for (int f = 0; f < GOODNESS_N; f++)
        if (strcmp(goodness_verdict(&g->row[f]), verdict) == 0) name[n++] = goodness_info[f].name;
    for (size_t i = 0; i < n; i++) {
        char *more = mem_printf("%s%s%s", text != NULL ? text : "", i == 0 ? "" : i + 1 == n ? " and " : ", ", name[i]);
        mem_free(text);
        text = more;
    }
    return text;
}

static void say(const struct goodness *g, const char *verdict, const char *before)
{
    char *names = figures_that(g, verdict);
    if (names != NULL) text_line(stdout, "%s%s.", before, names);
    mem_free(names);
}

static void print_words(const struct goodness *g)
{
    (void)putchar('\n');
    say(g, "nearer", "As near to the trace as its two halves are to each other, or nearer: ");
    say(g, "further", "Further from the trace than its two halves are from each other: ");
    say(g, "within", "The trace is between the least and the most of the draws: ");
    say(g, "above", "More in every draw than in the trace: ");
    say(g, "below", "Less in every draw than in the trace: ");
    text_line(stdout, "Distances are Kolmogorov and Smirnov's, means of %zu draw%s.", g->n_draws,
              g->n_draws == 1 ? "" : "s");
}

/* ---- rows ---- */

static void bind_number(sqlite3_stmt *q, int i, double x)
{
    if (isnan(x)) (void)sqlite3_bind_null(q, i);
    else (void)sqlite3_bind_double(q, i, x);
}

static enum st write_figures(struct store *s, const struct goodness *g, int64_t id, struct diag *d)
{
    for (int f = 0; f < GOODNESS_N; f++) {
        const struct goodness_row *r = &g->row[f];
        const double x[] = { r->trace, r->model, r->least, r->most, r->distance, r->halves };
        sqlite3_stmt *q;
        if (isnan(r->trace)) continue;
        TRY(query_begin(s, "INSERT INTO fit_figure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", &q, d));
        (void)sqlite3_bind_int64(q, 1, id);
        (void)sqlite3_bind_text(q, 2, goodness_info[f].name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(q, 3, goodness_info[f].unit, -1, SQLITE_STATIC);
        for (int i = 0; i < (int)ARRAY_LEN(x); i++) bind_number(q, 4 + i, x[i]);
        (void)sqlite3_bind_text(q, 10, goodness_verdict(r), -1, SQLITE_STATIC);
        (void)sqlite3_step(q);
        TRY(query_end(s, q, d));
    }
    return ST_OK;
}

static enum st write_hours(struct store *s, const struct goodness *g, int64_t id, struct diag *d)
{
    static const char *const of[] = { "trace", "model" };
    sqlite3_stmt *q;
    TRY(query_begin(s, "INSERT INTO fit_hour VALUES (?, ?, ?, ?, ?)", &q, d));
    for (int k = 0; k < 2; k++)
        for (size_t h = 0; h < g->hour[k].n; h++) {
            (void)sqlite3_bind_int64(q, 1, id);
            (void)sqlite3_bind_text(q, 2, of[k], -1, SQLITE_STATIC);
            (void)sqlite3_bind_int64(q, 3, (int64_t)h);
            (void)sqlite3_bind_double(q, 4, g->hour[k].arrivals[h]);
            (void)sqlite3_bind_double(q, 5, g->hour[k].demand[h]);
            (void)sqlite3_step(q);
            (void)sqlite3_reset(q);
        }
    return query_end(s, q, d);
}

/* In place of an earlier fit of the same trace into the same file. */
static enum st write_rows(struct store *s, const struct trace *t, const struct trace_fit_opts *o,
                          const struct goodness *g, struct diag *d)
{
    sqlite3_stmt *q;
    char *trace = mem_printf("%016llx", (unsigned long long)t->facts.content_hash);
    int64_t id = 0;
    TRY(query_exec(s, embed_text("fit.sql"), d));
    TRY(query_exec(s, "BEGIN IMMEDIATE", d));
    TRY(query_begin(s,
                    "INSERT INTO fit (model, trace, draws) VALUES (?1, ?2, ?3)"
                    " ON CONFLICT (model) DO UPDATE SET trace = excluded.trace, draws = excluded.draws",
                    &q, d));
    (void)sqlite3_bind_text(q, 1, o->output, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(q, 2, trace, -1, SQLITE_STATIC);
    (void)sqlite3_bind_int64(q, 3, (int64_t)g->n_draws);
    (void)sqlite3_step(q);
    mem_free(trace);
    TRY(query_end(s, q, d));
    TRY(query_begin(s, "SELECT id FROM fit WHERE model = ?1", &q, d));
    (void)sqlite3_bind_text(q, 1, o->output, -1, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW) id = sqlite3_column_int64(q, 0);
    TRY(query_end(s, q, d));
    char sql[160];
    (void)snprintf(sql, sizeof sql, "DELETE FROM fit_figure WHERE fit = %lld; DELETE FROM fit_hour WHERE fit = %lld",
                   (long long)id, (long long)id);
    TRY(query_exec(s, sql, d));
    TRY(write_figures(s, g, id, d));
    TRY(write_hours(s, g, id, d));
    return query_exec(s, "COMMIT", d);
}

/* ---- the fit ---- */

static enum st write_model(const struct model *m, const char *path, struct diag *d)
{
    FILE *f;
    char *part;
    TRY(cmd_output_open(&f, &part, path, d));
    model_write(m, f);
    return cmd_output_close(f, part, path, ST_OK, d);
}

enum st trace_fit(const struct trace *t, const struct trace_fit_opts *o, struct diag *d)
{
    struct fit_jobs jobs;
    struct model learnt, model;
    struct goodness g = { .n_draws = 0 };
    struct store *s = NULL;
    TRY(fit_jobs_read(&jobs, t, d));
    enum st st = learn_model(&jobs, t->opts.path, &learnt, d);
    if (st == ST_OK) st = write_model(&learnt, o->output, d);
    model_fini(&learnt);
    if (st == ST_OK && jobs.n_more > 0)
        (void)fprintf(stderr,
                      "note: %llu jobs ask for more than cards, cores, memory and time, which a model does not hold\n",
                      (unsigned long long)jobs.n_more);
    /* What is judged is what the file says. */
    if (st == ST_OK) st = model_read(&model, o->output, d);
    if (st == ST_OK) {
        st = goodness_measure(&g, &jobs, &model, o->draws, d);
        model_fini(&model);
    }
    if (st == ST_OK && o->db != NULL) st = store_open(&s, o->db, d);
    if (st == ST_OK && s != NULL) st = write_rows(s, t, o, &g, d);
    if (s != NULL) store_close(s);
    if (st == ST_OK) print_table(&g, o->table);
    if (st == ST_OK && o->table == TABLE_TEXT) print_words(&g);
    goodness_fini(&g);
    fit_jobs_fini(&jobs);
    return st;
}
