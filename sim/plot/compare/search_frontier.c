/* search_frontier.c -- search-frontier: how many statements hold against how far off the figures are, a point a set. */
#include <math.h>
#include <sqlite3.h>

#include "plot/figure.h"
#include "plot/compare/search.h"

/* The largest error of a figure that counts, and statements that hold. */
static const char points[] = "SELECT x.\"set\", max(CASE WHEN t.\"is\" = '=' AND t.weight > 0 THEN o.error END),"
                             " sum(t.\"is\" <> '=' AND t.weight > 0 AND o.error <= 0)"
                             " FROM search_set x JOIN search_ours o ON o.search = x.search AND o.\"set\" = x.\"set\""
                             " JOIN search_target t ON t.search = x.search AND t.target = o.target"
                             " WHERE x.search = %lld AND x.phase <> 'fresh' AND x.error IS NULL AND t.role = 'figure' "
                             "GROUP BY x.\"set\" ORDER BY 2, 3 DESC, 1";

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    int64_t id = 0, n = 0, n_statements = 0, best = -1;
    double most = 0;
    sqlite3_stmt *q;
    (void)k;
    TRY(search_find(c->store, o->scenario, NULL, &id, d));
    TRY(query_int(
        c->store, &n_statements, d,
        "SELECT count(*) FROM search_target WHERE search = %lld AND role = 'figure' AND \"is\" <> '=' AND weight > 0",
        (long long)id));
    TRY(query_format(c->store, &q, d, points, (long long)id));
    (void)fprintf(g->to, "$points << EOD\n");
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        double off = sqlite3_column_double(q, 1);
        int64_t hold = sqlite3_column_int64(q, 2);
        bool is_best = hold > best;             /* none that is nearer to the figures has as many */
        (void)fprintf(g->to, "%.9g\t%lld\t%d\t%lld\n", 100 * off, (long long)hold, is_best,
                      (long long)sqlite3_column_int64(q, 0));
        if (is_best) { best = hold; most = off; }
    }
    (void)fprintf(g->to, "EOD\n");
    TRY(query_end(c->store, q, d));
    if (n == 0 || n_statements == 0) return diag_set(d, ST_EINPUT, "the search is not of figures and statements");
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 4.6\nif (!exists(\"H\")) H = 2.8\n");
    gnuplot_number(g, "XMAX", 100 * fmax(2 * most, 0.2));
    gnuplot_number(g, "STATEMENTS", (double)n_statements);
    gnuplot_number(g, "YMOST", (double)best);
    return ST_OK;
}

const struct plot_figure plot_search_frontier = {
    .name = "search-frontier",
    .summary = "statements that hold against how far off the figures are, a point a set of a search",
    .about = "The line joins the sets that no other beats in both; of the latest search. From the tables of searches.",
    .draw = draw,
    .is_of_file = true,
};
