/* cdf.c -- cdf: the distribution of a job metric, a curve a policy, the jobs of all its seeds together. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Points a curve: more than a printed column resolves. */
enum { CURVE_POINTS = 400 };

/* Thinned to some hundred ranks, the first and the last among them. */
static enum st write_curve(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, const char *metric,
                           double *median, double *least, struct diag *d)
{
    sqlite3_stmt *q;
    char *runs = figure_run_list(p);
    enum st st = query_format(c->store, &q, d,
        "WITH r AS (SELECT %s AS x, row_number() OVER (ORDER BY %s) AS k, count(*) OVER () AS n"
        "  FROM v_job WHERE run IN (%s) AND %s IS NOT NULL) "
        "SELECT x, 1.0 * k / n FROM r WHERE k %% max(n / %d, 1) = 0 OR k = 1 OR k = n ORDER BY k",
        metric, metric, runs, metric, CURVE_POINTS);
    mem_free(runs);
    if (st != ST_OK) return st;
    bool past_half = false;
    while (sqlite3_step(q) == SQLITE_ROW) {
        double x = sqlite3_column_double(q, 0), f = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.9g\t%.6f\n", x, f);
        if (!past_half && f >= 0.5) { *median = fmax(*median, x); past_half = true; }
        if (x > 0 && f >= 0.01) *least = fmin(*least, x);
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    const struct metric_job *m;
    double median = 0, least = INFINITY;
    TRY(figure_job_metric(o->metric ? o->metric : "jct", &m, d));
    TRY(figure_jobs_kept(c, k, d));
    (void)fprintf(g->to, "$cdf << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) TRY(write_curve(g, c, &k->policy[i], m->name, &median, &least, d));
    (void)fprintf(g->to, "EOD\n");
    if (!isfinite(least))
        return diag_set(d, ST_EINPUT, "no finished job of '%s' has a %s above 0 to draw", k->title, m->name);
    struct figure_unit unit = m->is_time ? figure_time_unit(median) : (struct figure_unit){ NULL, 1 };
    figure_axis(g, "XLABEL", m->label, "XDIV", unit);
    gnuplot_number(g, "XMIN", least / unit.by);
    figure_legend(g, k, 2.1);
    return ST_OK;
}

const struct plot_figure plot_cdf = {
    .name = "cdf", .summary = "distribution of a job metric, a curve a policy", .options = "[-m METRIC]", .draw = draw,
    .about = "All seeds pooled. From view v_job, thinned to 400 ranks.",
    .chart = {
        { "Completion time of every job, all seeds together: how many jobs (vertical) were done within a time"
          " (horizontal, logarithmic).", NULL, false, false },
        { "Waiting time of every job until its first start, all seeds together.", "wait", false, false },
    },
};
