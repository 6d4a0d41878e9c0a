/* jobs_ideal.c -- jobs-ideal: each job's time beside its time alone on the cluster and on a share, a panel a policy. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Panels of a figure; bars of a job wide enough to be seen. */
enum { PANELS_MAX = 12, JOBS_MAX = 120 };

/* A policy's jobs in order of arrival, each the mean over its runs: span and both ideals, s. */
static enum st write_jobs(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, size_t *n, double *most, struct diag *d)
{
    sqlite3_stmt *q;
    char *runs = figure_run_list(p);
    enum st st = query_format(c->store, &q, d,
        "SELECT id, avg(span), avg(ideal_whole), avg(ideal_share) FROM v_job WHERE run IN (%s) AND ideal_whole IS NOT NULL"
        " GROUP BY id ORDER BY min(ordinal), id", runs);
    mem_free(runs);
    if (st != ST_OK) return st;
    *n = 0;
    while (sqlite3_step(q) == SQLITE_ROW) {
        double x[3];
        gnuplot_cell(g, (const char *)sqlite3_column_text(q, 0));
        for (int i = 0; i < 3; i++) {
            x[i] = sqlite3_column_type(q, i + 1) == SQLITE_NULL ? NAN : sqlite3_column_double(q, i + 1);
            (void)fprintf(g->to, "\t%.9g", x[i]);
            if (!isnan(x[i])) *most = fmax(*most, x[i]);
        }
        (void)fputc('\n', g->to);
        ++*n;
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    size_t n, jobs = 0;
    double most = 0;
    (void)o;
    if (k->n_policies > PANELS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has a panel for each, %d at most", k->title, k->n_policies, PANELS_MAX);
    TRY(figure_jobs_kept(c, k, d));
    (void)fprintf(g->to, "$jobs << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        TRY(write_jobs(g, c, &k->policy[i], &n, &most, d));
        if (n == 0) return figure_no_ideals(k, d);
        jobs = n > jobs ? n : jobs;
    }
    (void)fprintf(g->to, "EOD\n");
    if (jobs > JOBS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu jobs; this figure has bars for each, of %d at most: try `cdf -m s_share`", k->title, jobs, JOBS_MAX);
    size_t columns = k->n_policies > 2 ? 2 : k->n_policies, rows = (k->n_policies + columns - 1) / columns;
    struct figure_unit unit = figure_time_unit(most);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\n", columns > 1 ? 7.0 : 3.5, 0.62 + 1.25 * (double)rows);
    (void)fprintf(g->to, "COLUMNS = %zu\nROWS = %zu\nJOBS = %zu\nN = %zu\n", columns, rows, jobs, k->n_policies);
    figure_labels(g, k);
    figure_axis(g, "YLABEL", "Single-job time", "TDIV", unit);
    gnuplot_number(g, "YMAX", most / unit.by * 1.05);
    return ST_OK;
}

const struct plot_figure plot_jobs_ideal = {
    .name = "jobs-ideal", .summary = "each job's time beside its ideal times, a panel a policy", .draw = draw,
    .about = "Sharing the cluster against alone (the flow paper's Figure 5); means over seeds. From view v_job.",
    .chart = { { "Each job's time from its first start to its end, sharing the cluster, beside its ideal times: alone on the"
                 " whole cluster, and alone on a share of it.", NULL, true, false } },
};
