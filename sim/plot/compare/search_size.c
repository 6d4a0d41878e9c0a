/* search_size.c -- search-size: what each size makes of a promise, with its interval, and a line a load. */
#include <math.h>
#include <sqlite3.h>

#include "plot/compare/search.h"
#include "plot/figure.h"

/* Sets of a promise by load and size; which load, and the verdict on this promise alone; the answer of that load. */
static const char points[] =
    "SELECT r.rank, s.objective, i.mean, coalesce(i.lo, i.mean), coalesce(i.hi, i.mean),"
    " CASE WHEN i.lo IS NULL THEN 0 WHEN t.\"is\" = '<' THEN (i.hi <= t.value) - (i.lo > t.value)"
    " ELSE (i.lo >= t.value) - (i.hi < t.value) END,"
    " EXISTS (SELECT 1 FROM search_answer a WHERE a.search = s.search AND a.\"set\" = s.\"set\")"
    " FROM search_interval i JOIN search_set s ON s.search = i.search AND s.\"set\" = i.\"set\""
    " JOIN search_target t ON t.search = i.search AND t.target = i.target"
    " LEFT JOIN search_variable x ON x.search = i.search AND x.name IN ('trace.speedup', 'trace.model.load')"
    " LEFT JOIN search_value v ON v.search = i.search AND v.\"set\" = i.\"set\" AND v.variable = x.variable"
    " JOIN (SELECT load, row_number() OVER (ORDER BY load) - 1 AS rank, count(*) OVER () AS n FROM search_answer"
    "  WHERE search = %lld) r ON r.rank = coalesce(CAST(v.at * r.n AS INTEGER), 0)"
    " WHERE i.search = %lld AND i.target = %lld AND s.phase = 'size' ORDER BY 1, 2";

/* A block a load of a promise, in that order. */
static enum st write_promise(struct gnuplot *g, struct store *s, int64_t id, int64_t target, int64_t n_loads,
                             struct diag *d)
{
    sqlite3_stmt *q;
    int64_t at = 0;
    TRY(query_format(s, &q, d, points, (long long)id, (long long)id, (long long)target));
    while (sqlite3_step(q) == SQLITE_ROW) {
        for (; at < sqlite3_column_int64(q, 0); at++) (void)fprintf(g->to, "NaN\tNaN\tNaN\tNaN\t0\t0\n\n\n");
        (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\t%d\t%d\n", sqlite3_column_double(q, 1),
                      sqlite3_column_double(q, 2), sqlite3_column_double(q, 3), sqlite3_column_double(q, 4),
                      sqlite3_column_int(q, 5), sqlite3_column_int(q, 6));
    }
    for (; at < n_loads; at++) (void)fprintf(g->to, "NaN\tNaN\tNaN\tNaN\t0\t0\n\n\n");
    return query_end(s, q, d);
}

static enum st write_names(struct gnuplot *g, struct store *s, int64_t id, int64_t n, int64_t n_loads, struct diag *d)
{
    sqlite3_stmt *q;
    (void)fprintf(g->to, "array NAME[%lld]\narray BOUND[%lld]\narray LOAD[%lld]\n", (long long)n, (long long)n,
                  (long long)n_loads);
    TRY(query_format(s, &q, d,
                     "SELECT metric || ' of ' || policy || CASE scope WHEN 'all' THEN '' ELSE ', ' || scope END, value"
                     " FROM search_target WHERE search = %lld ORDER BY target",
                     (long long)id));
    for (size_t i = 0; sqlite3_step(q) == SQLITE_ROW; i++) {
        gnuplot_item(g, "NAME", i, query_text(q, 0));
        (void)fprintf(g->to, "BOUND[%zu] = %.9g\n", i + 1, sqlite3_column_double(q, 1));
    }
    TRY(query_end(s, q, d));
    TRY(query_format(s, &q, d,
                     "SELECT CASE WHEN load > 1 THEN printf('load +%%.4g %%%%', 100 * (load - 1)) ELSE 'load as it is'"
                     " END FROM search_answer WHERE search = %lld ORDER BY load",
                     (long long)id));
    for (size_t i = 0; sqlite3_step(q) == SQLITE_ROW; i++) gnuplot_item(g, "LOAD", i, query_text(q, 0));
    return query_end(s, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    int64_t id = 0, n = 0, n_loads = 0, is_cost = 0;
    (void)k;
    TRY(search_find(c->store, o->scenario, "size", &id, d));
    TRY(query_int(c->store, &n, d, "SELECT count(*) FROM search_target WHERE search = %lld", (long long)id));
    TRY(query_int(c->store, &n_loads, d, "SELECT count(*) FROM search_answer WHERE search = %lld", (long long)id));
    TRY(query_int(c->store, &is_cost, d, "SELECT objective <> 'nodes' FROM search WHERE id = %lld", (long long)id));
    (void)fprintf(g->to, "$points << EOD\n");
    for (int64_t i = 0; i < n; i++) TRY(write_promise(g, c->store, id, i, n_loads, d));
    (void)fprintf(g->to, "EOD\n");
    TRY(write_names(g, c->store, id, n, n_loads, d));
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 4.6\nif (!exists(\"H\")) H = %.2f\nN = %lld\nLOADS = %lld\n",
                  0.5 + 2.1 * (double)n, (long long)n, (long long)n_loads);
    gnuplot_text(g, "XLABEL", is_cost != 0 ? "Cost an hour" : "Nodes");
    return ST_OK;
}

const struct plot_figure plot_search_size = {
    .name = "search-size",
    .summary = "what each size makes of a promise, with its interval: a panel a promise, a line a load",
    .about = "Of the latest search with promises; a filled point keeps the promise, a cross breaks it, a hollow one is "
             "open. "
             "From the tables of searches.",
    .draw = draw,
    .is_of_file = true,
};
