/* frag_load.c -- frag-load: fragments, allocation and what waits against the load, while a cluster fills. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

enum { POINTS = 65 };

static const char *const fill_series[] = { "frag_expected", "gpu_util", "cpu_util", "tasks_waiting" };

/* A policy's series against the load, over all its seeds; in steps of 1/POINTS of the greatest load. */
static enum st write_curve(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, const char *name, size_t *n,
                          double *x_max, double *y_max, struct diag *d)
{
    sqlite3_stmt *q;
    char *runs = figure_run_list(p);
    enum st st = query_format(c->store, &q, d,
        "SELECT avg(l.value), avg(s.value) FROM series l JOIN series s ON s.run = l.run AND s.at_us = l.at_us AND s.name = ?1"
        " WHERE l.run IN (%s) AND l.name = 'gpu_asked' GROUP BY CAST(l.value * %d / (SELECT max(value) FROM series WHERE run IN (%s)"
        " AND name = 'gpu_asked') AS INTEGER) ORDER BY 1", runs, POINTS, runs);
    mem_free(runs);
    if (st != ST_OK) return st;
    (void)sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    *n = 0;
    while (sqlite3_step(q) == SQLITE_ROW) {
        double x = sqlite3_column_double(q, 0), y = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.6g\t%.6g\n", x, y);
        *x_max = fmax(*x_max, x);
        *y_max = fmax(*y_max, y);
        ++*n;
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    size_t n, longest = 0;
    double x = 0, y[ARRAY_LEN(fill_series)] = { 0 };
    (void)o;
    for (size_t s = 0; s < ARRAY_LEN(fill_series); s++) {
        (void)fprintf(g->to, "$fill%zu << EOD\n", s);
        for (size_t i = 0; i < k->n_policies; i++) {
            TRY(write_curve(g, c, &k->policy[i], fill_series[s], &n, &x, &y[s], d));
            if (n > 0) continue;
            (void)diag_set(d, ST_EINPUT, "'%s' has no samples of a cluster being filled", k->title);
            return diag_hint(d, "say `trace: {fill: 1.3}` and `output: {sample_every: 1m}` in the scenario, and run "
                             "it again");
        }
        (void)fprintf(g->to, "EOD\n");
    }
    for (size_t i = 0; i < k->n_policies; i++) longest = strlen(k->policy[i].label) > longest ? strlen(k->policy[i].label) : longest;
    size_t columns = 120 / (longest + 9), rows;
    columns = columns < 1 ? 1 : columns;
    rows = (k->n_policies + columns - 1) / columns;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nif (!exists(\"H\")) H = %.2f\n", 4.2 + 0.125 * (double)rows);
    (void)fprintf(g->to, "KEYROWS = %zu\nN = %zu\n", rows, k->n_policies);
    figure_labels(g, k);
    gnuplot_number(g, "XMAX", x * 100);
    gnuplot_number(g, "YMAX", fmax(1, y[3] * 1.05));
    return ST_OK;
}

const struct plot_figure plot_frag_load = {
    .name = "frag-load", .summary = "fragments, allocation and pods unscheduled as a cluster fills", .draw = draw,
    .about = "Against the GPUs asked for so far, over all seeds in 65 steps, as FGD draws it. From table series.",
    .chart = { { "Fragments among the free GPUs, GPUs and CPUs allocated, and pods unscheduled while the cluster fills.", NULL, true, true } },
};
