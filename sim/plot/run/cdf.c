/* cdf.c -- cdf: the distribution of a job metric, a curve a policy, the jobs of all its seeds together. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Points a curve: more than a printed column resolves. */
enum { CURVE_POINTS = 400 };

struct curves { struct direct marks; double median, least, most; };

/* Thinned to some hundred ranks, the first and the last among them. */
static enum st write_curve(struct gnuplot *g, const struct compare *c, const struct compare_case *k, size_t i,
                           const char *metric, struct curves *x, struct diag *d)
{
    sqlite3_stmt *q;
    char *runs = figure_run_list(&k->policy[i]);
    enum st st = query_format(c->store, &q, d,
        "WITH r AS (SELECT %s AS x, row_number() OVER (ORDER BY %s) AS k, count(*) OVER () AS n"
        "  FROM v_job WHERE run IN (%s) AND %s IS NOT NULL) "
        "SELECT x, 1.0 * k / n FROM r WHERE k %% max(n / %d, 1) = 0 OR k = 1 OR k = n ORDER BY k",
        metric, metric, runs, metric, CURVE_POINTS);
    mem_free(runs);
    if (st != ST_OK) return st;
    bool past_half = false, is_first = true;
    for (; sqlite3_step(q) == SQLITE_ROW; is_first = false) {
        double at = sqlite3_column_double(q, 0), f = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.9g\t%.6f\n", at, f);
        if (!past_half && f >= 0.5) { x->median = fmax(x->median, at); past_half = true; }
        if (at > 0 && f >= 0.01) x->least = fmin(x->least, at);
        x->most = fmax(x->most, at);
        direct_add(&x->marks, i, at, f, !is_first);
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static void finish(struct gnuplot *g, const struct compare_case *k, const struct metric_job *m, const struct curves *x)
{
    const struct figure_unit unit = m->is_time ? figure_time_unit(x->median) : (struct figure_unit){ NULL, 1 };
    figure_axis(g, "XLABEL", m->label, "XDIV", unit);
    gnuplot_number(g, "XMIN", x->least / unit.by);
    gnuplot_number(g, "XMAX", x->most / unit.by);
    const struct figure_size size = figure_legend(g, k, 2.1);
    const struct direct_axis across = { unit.by, x->least / unit.by, x->most / unit.by, true, size.w - 0.6 - 0.15 };
    direct_begin(g);
    figure_names(g, k, &x->marks, &across, &(struct direct_axis){ 1, 0, 1, false, size.h - 0.1 - 0.48 });
    direct_end(g, k->n_policies);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    const struct metric_job *m;
    struct curves x = { .least = INFINITY };
    TRY(figure_job_metric(o->metric ? o->metric : "jct", &m, d));
    TRY(figure_jobs_kept(c, k, d));
    enum st st = ST_OK;
    (void)fprintf(g->to, "$cdf << EOD\n");
    for (size_t i = 0; i < k->n_policies && st == ST_OK; i++) st = write_curve(g, c, k, i, m->name, &x, d);
    (void)fprintf(g->to, "EOD\n");
    if (st == ST_OK && !isfinite(x.least))
        st = diag_set(d, ST_EINPUT, "no finished job of '%s' has a %s above 0 to draw", k->title, m->name);
    if (st == ST_OK) finish(g, k, m, &x);
    mem_free(x.marks.at);
    return st;
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
