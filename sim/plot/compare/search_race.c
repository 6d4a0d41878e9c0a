/* search_race.c -- search-race: the sets of a race with their intervals; of two objectives, the front. */
#include <math.h>
#include <sqlite3.h>

#include "plot/compare/search.h"
#include "plot/figure.h"

/*
 * Of each set and fresh set: its number (that of which it is), on fresh seeds or not, verdict, its row by the first
 * objective, mean and ends of that, and of the second or of the first again.
 */
static const char points[] =
    "WITH row AS (SELECT s.\"set\" AS id, row_number() OVER (ORDER BY h.maximise * -2 * i.mean + i.mean, s.\"set\") AS "
    "at"
    " FROM search_set s JOIN search h ON h.id = s.search"
    " JOIN search_interval i ON i.search = s.search AND i.\"set\" = s.\"set\" AND i.target = 0"
    " WHERE s.search = %lld AND s.phase = 'race')"
    " SELECT row.id, s.of IS NOT NULL, v.verdict, row.at, a.mean, coalesce(a.lo, a.mean), coalesce(a.hi, a.mean),"
    " b.mean, coalesce(b.lo, b.mean), coalesce(b.hi, b.mean)"
    " FROM row JOIN search_set s ON row.id = coalesce(s.of, s.\"set\") JOIN search_verdict v ON v.search = s.search "
    "AND v.\"set\" = s.\"set\""
    " JOIN search_interval a ON a.search = s.search AND a.\"set\" = s.\"set\" AND a.target = 0"
    " JOIN search_interval b ON b.search = s.search AND b.\"set\" = s.\"set\" AND b.target = %lld"
    " WHERE s.search = %lld ORDER BY 2, 4";

static int colour_of(const char *verdict) { return verdict[0] == 'o' ? 1 : verdict[2] == 's' ? 2
                                                                                             : 0; } /* beaten: 0 */

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    int64_t id = 0, n_targets = 0, n = 0;
    sqlite3_stmt *q;
    (void)k;
    TRY(search_find(c->store, o->scenario, "race", &id, d));
    TRY(query_int(c->store, &n_targets, d, "SELECT count(*) FROM search_target WHERE search = %lld", (long long)id));
    TRY(query_format(c->store, &q, d, points, (long long)id, (long long)n_targets - 1, (long long)id));
    (void)fprintf(g->to, "$points << EOD\n");
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        (void)fprintf(g->to, "%lld\t%d\t%d", (long long)sqlite3_column_int64(q, 0), sqlite3_column_int(q, 1),
                      colour_of(query_text(q, 2)));
        for (int i = 3; i < 10; i++) (void)fprintf(g->to, "\t%.9g", sqlite3_column_double(q, i));
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\n");
    TRY(query_end(c->store, q, d));
    TRY(query_format(c->store, &q, d,
                     "SELECT metric || ' of ' || policy || CASE scope WHEN 'all' THEN '' ELSE ', ' || scope END"
                     " FROM search_target WHERE search = %lld ORDER BY target",
                     (long long)id));
    for (int i = 0; sqlite3_step(q) == SQLITE_ROW; i++) gnuplot_text(g, i == 0 ? "XLABEL" : "YLABEL", query_text(q, 0));
    TRY(query_end(c->store, q, d));
    TRY(query_int(c->store, &n, d, "SELECT count(*) FROM search_set WHERE search = %lld AND phase = 'race'",
                  (long long)id));
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 4.6\nif (!exists(\"H\")) H = %.2f\nISFRONT = %d\nNSETS = %lld\n",
                  n_targets > 1 ? 3 : 0.75 + 0.16 * (double)n, n_targets > 1, (long long)n);
    return ST_OK;
}

const struct plot_figure plot_search_race = {
    .name = "search-race",
    .summary = "the sets of a race with their intervals, on its seeds and on fresh ones; of two objectives, the front",
    .about = "Of the latest search by a race; numbers are those of sets. From the tables of searches.",
    .draw = draw,
    .is_of_file = true,
};
