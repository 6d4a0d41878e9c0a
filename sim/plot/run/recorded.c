/* recorded.c -- recorded: quantiles of simulated waits against those of the recorded ones, a line a policy. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Points a line: more than a printed column resolves. */
enum { LINE_POINTS = 200 };

/* The k-th shortest of either, of the jobs that both runs ended and count; waits below a second are drawn as one. */
static enum st write_line(struct gnuplot *g, const struct compare *c, const struct compare_case *k, size_t i,
                          struct direct *marks, double *most, struct diag *d)
{
    sqlite3_stmt *q;
    const int64_t record = compare_recorded(k)->run[0], run = k->policy[i].run[0];
    bool is_first = true;
    TRY(query_format(c->store, &q, d,
        "WITH j AS (SELECT (a.recorded_start_us - a.submit_us) / 1e6 AS was, b.wait AS waits FROM job a"
        "  JOIN v_job b USING (ordinal) WHERE a.run = %lld AND b.run = %lld AND a.recorded_start_us IS NOT NULL"
        "  AND a.counted AND a.status IN ('done', 'timeout')),"
        " x AS (SELECT was, row_number() OVER (ORDER BY was) AS k FROM j),"
        " y AS (SELECT waits, row_number() OVER (ORDER BY waits) AS k, count(*) OVER () AS n FROM j)"
        " SELECT max(was, 1.0), max(waits, 1.0) FROM x JOIN y USING (k)"
        " WHERE k %% max(n / %d, 1) = 0 OR k = 1 OR k = n ORDER BY k", (long long)record, (long long)run, LINE_POINTS));
    for (; sqlite3_step(q) == SQLITE_ROW; is_first = false) {
        *most = fmax(*most, fmax(sqlite3_column_double(q, 0), sqlite3_column_double(q, 1)));
        (void)fprintf(g->to, "%.9g\t%.9g\n", sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
        direct_add(marks, i, sqlite3_column_double(q, 0), sqlite3_column_double(q, 1), !is_first);
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    double most = 0;
    struct direct marks = { 0 };
    enum st st = ST_OK;
    (void)o;
    if (compare_recorded(k) == NULL) {
        (void)diag_set(d, ST_EINPUT, "'%s' has no finished run of policy 'recorded'", k->title);
        return diag_hint(d, "`fairway run SCENARIO.yaml -p recorded` adds it");
    }
    TRY(figure_jobs_kept(c, k, d));
    (void)fprintf(g->to, "$recorded << EOD\n");
    for (size_t i = 0; i < k->n_policies && st == ST_OK; i++) st = write_line(g, c, k, i, &marks, &most, d);
    (void)fprintf(g->to, "EOD\n");
    if (st == ST_OK && !(most > 1))
        st = diag_set(d, ST_EINPUT, "no job of '%s' waited for more than a second", k->title);
    if (st == ST_OK) {
        gnuplot_number(g, "MOST", most);
        const struct figure_size size = figure_legend(g, k, 3.0);
        direct_begin(g);
        figure_names(g, k, &marks, &(struct direct_axis){ 1, 1, most * 1.3, true, size.w - 0.6 - 0.15 },
                     &(struct direct_axis){ 1, 1, most * 1.3, true, size.h - 0.1 - 0.48 });
        direct_end(g, k->n_policies);
    }
    mem_free(marks.at);
    return st;
}

const struct plot_figure plot_recorded = {
    .name = "recorded", .summary = "quantiles of waits against the recorded ones", .draw = draw,
    .about = "A line a policy, its first run; on the diagonal it made jobs wait as they did. Needs a run of `recorded`."
             " From table job, thinned to 200 ranks.",
    .chart = { { "Waits until the first start: the shortest, the next and so on to the longest, of each policy (vertical)"
                 " against what happened (horizontal). On the dotted line both are equal.", NULL, false, true } },
};
