/* levels.c -- levels: series of one run and notes of its policy over time, a panel for each group of names. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Curves that a panel tells apart; points a curve, above which the last of each span stands for it. */
enum { PANELS_MAX = 6, CURVES_MAX = 8, POINTS_MAX = 1500 };
static const char usual[] = "gpu_util/tasks_waiting";

struct levels {
    const struct compare *c;
    int64_t run;
    double  end;                                        /* s */
    size_t  n_curves, n_panels, first[PANELS_MAX + 1];  /* first curve of each panel */
    double  least[PANELS_MAX], most[PANELS_MAX];
};

/* A run's samples and notes are one relation here; a name is in one of the two tables. */
#define ROWS "(SELECT at_us, value FROM series WHERE run = ?1 AND name = ?2 UNION ALL" \
             " SELECT at_us, value FROM note WHERE run = ?1 AND name = ?2 AND value IS NOT NULL)"

static enum st ask(const struct levels *x, const char *sql, const char *name, sqlite3_stmt **q, struct diag *d)
{
    TRY(query_run(x->c->store, x->run, sql, q, d));
    if (name != NULL) (void)sqlite3_bind_text(*q, 2, name, -1, SQLITE_STATIC);
    return ST_OK;
}

/* When the run's last job ended or its last sample or note was taken, s. */
static enum st find_end(struct levels *x, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(ask(x, "SELECT max(ifnull((SELECT max(end_us) FROM job WHERE run = ?1), 0), ifnull((SELECT max(at_us) FROM series WHERE run = ?1), 0),"
               " ifnull((SELECT max(at_us) FROM note WHERE run = ?1), 0)) / 1e6", NULL, &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) x->end = sqlite3_column_double(q, 0);
    return query_end(x->c->store, q, d);
}

static enum st no_such(const struct levels *x, const char *name, struct diag *d)
{
    enum { MAX = 64 };
    sqlite3_stmt *q;
    char *names[MAX];
    size_t n = 0;
    TRY(ask(x, "SELECT DISTINCT name FROM series WHERE run = ?1 UNION SELECT DISTINCT name FROM note WHERE run = ?1 ORDER BY 1", NULL, &q, d));
    while (n < MAX && sqlite3_step(q) == SQLITE_ROW) names[n++] = mem_strdup((const char *)sqlite3_column_text(q, 0));
    (void)sqlite3_finalize(q);
    (void)diag_set(d, ST_EINPUT, "run %lld has neither samples nor notes called '%s'", (long long)x->run, name);
    (void)diag_suggest(d, name, (const char *const *)names, n);
    diag_hint(d, "samples need `output: {sample_every: 5m}` in the scenario; --run N chooses another run");
    for (size_t i = 0; i < n; i++) mem_free(names[i]);
    return ST_EINPUT;
}

/* One curve as steps: each value stands until the next, the last to the end. */
static enum st write_curve(struct gnuplot *g, struct levels *x, const char *name, struct diag *d)
{
    sqlite3_stmt *q;
    double last = 0;
    int64_t n = 0;
    TRY(ask(x, "SELECT count(*) FROM " ROWS, name, &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) n = sqlite3_column_int64(q, 0);
    TRY(query_end(x->c->store, q, d));
    if (n == 0) return no_such(x, name, d);
    /* Beside max, a bare column is of the row that has it. */
    TRY(ask(x, "SELECT max(at_us) / 1e6, value FROM " ROWS " GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1", name, &q, d));
    (void)sqlite3_bind_double(q, 3, n > POINTS_MAX ? fmax(1, x->end * 1e6 / POINTS_MAX) : 1);
    while (sqlite3_step(q) == SQLITE_ROW) {
        last = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.9g\t%.9g\n", sqlite3_column_double(q, 0), last);
        x->least[x->n_panels] = fmin(x->least[x->n_panels], last);
        x->most[x->n_panels] = fmax(x->most[x->n_panels], last);
    }
    (void)fprintf(g->to, "%.9g\t%.9g\n\n\n", x->end, last);
    return query_end(x->c->store, q, d);
}

/* "a,b/c": panels divided by '/', curves by ','.  Calls f for each name with its place. */
static enum st each_name(struct gnuplot *g, struct levels *x, const char *spec,
                         enum st (*f)(struct gnuplot *, struct levels *, const char *, struct diag *), struct diag *d)
{
    x->n_curves = x->n_panels = 0;
    x->first[0] = 0;
    for (const char *s = spec;; s++) {
        char name[64];
        size_t len = strcspn(s, ",/");
        if (len == 0 || len >= sizeof name)
            return diag_set(d, ST_EINPUT, "'%s': expected names with ',' between curves and '/' between panels", spec);
        memcpy(name, s, len);
        name[len] = '\0';
        TRY(f(g, x, name, d));
        x->n_curves++;
        s += len;
        if (*s == ',' && x->n_curves - x->first[x->n_panels] < CURVES_MAX) continue;
        if (*s == ',') return diag_set(d, ST_EINPUT, "found more than %d curves in one panel", CURVES_MAX);
        x->first[++x->n_panels] = x->n_curves;
        if (*s == '\0') return ST_OK;
        if (x->n_panels == PANELS_MAX) return diag_set(d, ST_EINPUT, "found more than %d panels", PANELS_MAX);
    }
}

static enum st write_label(struct gnuplot *g, struct levels *x, const char *name, struct diag *d)
{
    char label[64];
    (void)d;
    (void)snprintf(label, sizeof label, "%s", name);
    for (char *s = label; *s != '\0'; s++) if (*s == '_') *s = ' ';
    gnuplot_item(g, "LABEL", x->n_curves, label);
    return ST_OK;
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    const char *spec = o->metric != NULL ? o->metric : usual;
    struct figure_run run;
    TRY(figure_run_find(&run, k, o->run, d));
    struct levels x = { .c = c, .run = run.id };
    TRY(find_end(&x, d));
    (void)fprintf(g->to, "$levels << EOD\n");
    TRY(each_name(g, &x, spec, write_curve, d));
    (void)fprintf(g->to, "EOD\narray LABEL[%zu]\narray FIRST[%zu]\narray LOW[%zu]\narray HIGH[%zu]\n", x.n_curves, x.n_panels + 1, x.n_panels, x.n_panels);
    TRY(each_name(g, &x, spec, write_label, d));
    for (size_t i = 0; i <= x.n_panels; i++) (void)fprintf(g->to, "FIRST[%zu] = %zu\n", i + 1, x.first[i] + 1);
    for (size_t i = 0; i < x.n_panels; i++)
        (void)fprintf(g->to, "LOW[%zu] = %.9g\nHIGH[%zu] = %.9g\n", i + 1, x.least[i], i + 1, x.most[i] > x.least[i] ? x.most[i] : x.least[i] + 1);
    struct figure_unit unit = figure_time_unit(x.end);
    char label[320];
    (void)snprintf(label, sizeof label, "Time (%s), %s, seed %llu", unit.name, run.p->label, (unsigned long long)run.p->seed[run.index]);
    gnuplot_text(g, "XLABEL", label);
    gnuplot_number(g, "TDIV", unit.by);
    gnuplot_number(g, "TMAX", x.end);
    (void)fprintf(g->to, "P = %zu\nif (!exists(\"H\")) H = %.2f\n", x.n_panels, 0.45 + 1.15 * (double)x.n_panels);
    return ST_OK;
}

const struct plot_figure plot_levels = {
    .name = "levels", .summary = "series and notes of one run, a panel for each group",
    .about = "Steps: -m gpu_util,gpu_active/reserved_cores,borrowed_cores; of more than 1,500 values the last of"
             " each span. From tables series, note.",
    .options = "[-m NAME,NAME/NAME...] [--run N]", .draw = draw,
};
