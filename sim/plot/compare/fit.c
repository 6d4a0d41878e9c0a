/* fit.c -- fit: arrivals and demand of a trace day by day, beside a draw of the model learnt from it. */
#include <math.h>
#include <sqlite3.h>

#include "plot/figure.h"

static enum st write_days(struct gnuplot *g, struct store *s, int64_t id, const char *of, double most[2],
                          struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(s,
                    "SELECT hour / 24 AS day, sum(arrivals), avg(demand) FROM fit_hour WHERE fit = ?1 AND of = ?2"
                    " AND hour BETWEEN 0 AND 1000000 AND arrivals BETWEEN 0 AND 1e15"
                    " AND demand BETWEEN 0 AND 1e15 GROUP BY day ORDER BY day",
                    &q, d));
    (void)sqlite3_bind_int64(q, 1, id);
    (void)sqlite3_bind_text(q, 2, of, -1, SQLITE_STATIC);
    while (sqlite3_step(q) == SQLITE_ROW) {
        const double x[2] = { sqlite3_column_double(q, 1), sqlite3_column_double(q, 2) };
        (void)fprintf(g->to, "%lld\t%.6g\t%.6g\n", (long long)sqlite3_column_int64(q, 0), x[0], x[1]);
        for (int i = 0; i < 2; i++) most[i] = fmax(most[i], x[i]);
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(s, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    double most[2] = { 0 };
    int64_t n = 0, id = 0;
    sqlite3_stmt *q;
    (void)k;
    TRY(query_int(c->store, &n, d, "SELECT count(*) FROM sqlite_schema WHERE name IN ('fit', 'fit_hour')"));
    if (n < 2) return diag_set(d, ST_EINPUT, "the database holds no fit; `fairway trace fit -d` writes one");
    TRY(query_begin(c->store, "SELECT id, model FROM fit WHERE ?1 IS NULL OR model = ?1 ORDER BY id DESC LIMIT 1", &q,
                    d));
    (void)sqlite3_bind_text(q, 1, o->scenario, -1, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW) {
        id = sqlite3_column_int64(q, 0);
        gnuplot_text(g, "MODEL", query_text(q, 1));
    }
    TRY(query_end(c->store, q, d));
    if (id == 0)
        return diag_set(d, ST_EINPUT, "the database holds no fit of '%s'", o->scenario != NULL ? o->scenario : "");
    (void)fprintf(g->to, "$days << EOD\n");
    TRY(write_days(g, c->store, id, "trace", most, d));
    TRY(write_days(g, c->store, id, "model", most, d));
    (void)fprintf(g->to, "EOD\nif (!exists(\"W\")) W = 7.0\nif (!exists(\"H\")) H = 3.2\n");
    gnuplot_number(g, "ARRIVALS", fmax(most[0], 1));
    gnuplot_number(g, "DEMAND", fmax(most[1], 1e-3));
    return ST_OK;
}

const struct plot_figure plot_fit = {
    .name = "fit",
    .summary = "a trace beside a model learnt from it, day by day",
    .draw = draw,
    .is_of_file = true,
    .about = "Arrivals in a day, and the cards (cores where no job has any) that the jobs would hold if all started at "
             "once: the trace, and the model's first draw, which is like it in kind and not day for day. --scenario "
             "names the model's file, default the last one. From tables fit and fit_hour, which fairway trace fit -d writes.",
};
