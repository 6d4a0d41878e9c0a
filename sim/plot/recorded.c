/* recorded.c -- recorded: quantiles of simulated waits against those of the recorded ones, a line a policy. */
#include <math.h>
#include <sqlite3.h>

#include "plot/figure.h"

/* Points a line: more than a printed column resolves. */
enum { LINE_POINTS = 200 };

/* The k-th shortest of either, of the jobs that both runs ended and count; waits below a second are drawn as one. */
static enum st write_line(struct gnuplot *g, const struct compare *c, int64_t record, int64_t run, double *most,
                          struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_format(c->store, &q, d,
        "WITH j AS (SELECT (a.recorded_start_us - a.submit_us) / 1e6 AS was, b.wait AS waits FROM job a"
        "  JOIN v_job b USING (ordinal) WHERE a.run = %lld AND b.run = %lld AND a.recorded_start_us IS NOT NULL"
        "  AND a.counted AND a.status IN ('done', 'timeout')),"
        " x AS (SELECT was, row_number() OVER (ORDER BY was) AS k FROM j),"
        " y AS (SELECT waits, row_number() OVER (ORDER BY waits) AS k, count(*) OVER () AS n FROM j)"
        " SELECT max(was, 1.0), max(waits, 1.0) FROM x JOIN y USING (k)"
        " WHERE k %% max(n / %d, 1) = 0 OR k = 1 OR k = n ORDER BY k", (long long)record, (long long)run, LINE_POINTS));
    while (sqlite3_step(q) == SQLITE_ROW) {
        *most = fmax(*most, fmax(sqlite3_column_double(q, 0), sqlite3_column_double(q, 1)));
        (void)fprintf(g->to, "%.9g\t%.9g\n", sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    const struct compare_policy *record = compare_recorded(k);
    double most = 0;
    (void)o;
    if (record == NULL) {
        (void)diag_set(d, ST_EINPUT, "'%s' has no finished run of policy 'recorded'", k->title);
        return diag_hint(d, "`fairway run SCENARIO.yaml -p recorded` adds it");
    }
    TRY(figure_jobs_kept(c, k, d));
    (void)fprintf(g->to, "$recorded << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++)
        TRY(write_line(g, c, record->run[0], k->policy[i].run[0], &most, d));
    (void)fprintf(g->to, "EOD\n");
    if (!(most > 1)) return diag_set(d, ST_EINPUT, "no job of '%s' waited for more than a second", k->title);
    gnuplot_number(g, "MOST", most);
    figure_legend(g, k, 3.0);
    return ST_OK;
}

const struct plot_figure plot_recorded = {
    .name = "recorded", .summary = "quantiles of waits against the recorded ones", .draw = draw,
    .about = "A line a policy, its first run; on the diagonal it made jobs wait as they did. Needs a run of `recorded`."
             " From table job, thinned to 200 ranks.",
    .chart = { { "Waits until the first start: the shortest, the next and so on to the longest, of each policy (vertical)"
                 " against what happened (horizontal). On the dotted line both are equal.", NULL, false, true } },
};
