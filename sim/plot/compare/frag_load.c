/* frag_load.c -- frag-load: fragments, allocation and what waits against the load, while a cluster fills. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

enum { POINTS = 65 };

static const char *const fill_series[] = { "frag_expected", "gpu_util", "cpu_util", "tasks_waiting" };

struct curves { struct direct marks[ARRAY_LEN(fill_series)]; double x, y[ARRAY_LEN(fill_series)]; };

/* A policy's series against the load, over all its seeds; in steps of 1/POINTS of the greatest load. */
static enum st write_curve(struct gnuplot *g, const struct compare *c, const struct compare_case *k, size_t i, size_t s,
                           struct curves *f, struct diag *d)
{
    sqlite3_stmt *q;
    char *runs = figure_run_list(&k->policy[i]);
    bool is_first = true;
    enum st st = query_format(c->store, &q, d,
        "SELECT avg(l.value), avg(s.value) FROM series l JOIN series s ON s.run = l.run AND s.at_us = l.at_us AND s.name = ?1"
        " WHERE l.run IN (%s) AND l.name = 'gpu_asked' GROUP BY CAST(l.value * %d / (SELECT max(value) FROM series WHERE run IN (%s)"
        " AND name = 'gpu_asked') AS INTEGER) ORDER BY 1", runs, POINTS, runs);
    mem_free(runs);
    if (st != ST_OK) return st;
    (void)sqlite3_bind_text(q, 1, fill_series[s], -1, SQLITE_STATIC);
    for (; sqlite3_step(q) == SQLITE_ROW; is_first = false) {
        double x = sqlite3_column_double(q, 0), y = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.6g\t%.6g\n", x, y);
        f->x = fmax(f->x, x);
        f->y[s] = fmax(f->y[s], y);
        direct_add(&f->marks[s], i, x, y, !is_first);
    }
    (void)fprintf(g->to, "\n\n");
    TRY(query_end(c->store, q, d));
    if (!is_first) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "'%s' has no samples of a cluster being filled", k->title);
    return diag_hint(d, "say `trace: {fill: 1.3}` and `output: {sample_every: 1m}` in the scenario, and run it again");
}

/* A legend above four panels, laid out as in frag-load.gp, or a name at each line. */
static void finish(struct gnuplot *g, const struct compare_case *k, const struct curves *f)
{
    const bool is_direct = k->n_policies > DIRECT_ABOVE;
    const double waiting = fmax(1, f->y[3] * 1.05);
    size_t longest = 0;
    for (size_t i = 0; i < k->n_policies; i++)
        longest = strlen(k->policy[i].label) > longest ? strlen(k->policy[i].label) : longest;
    size_t columns = 120 / (longest + 9);
    columns = columns < 1 ? 1 : columns;
    const size_t rows = is_direct ? 0 : (k->n_policies + columns - 1) / columns;
    const double w = 7, h = is_direct ? 5.6 : 4.2 + 0.125 * (double)rows;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\n", w, h);
    (void)fprintf(g->to, "KEYROWS = %zu\nN = %zu\n", rows, k->n_policies);
    figure_labels(g, k);
    gnuplot_number(g, "XMAX", f->x * 100);
    gnuplot_number(g, "YMAX", waiting);
    const struct direct_axis x = { 0.01, 0, f->x * 100, false, (w - 0.55 - 0.62 - 0.10) / 2 };
    const double high = (h - 0.14 - 0.5 - 0.16) / 2;
    direct_begin(g);
    for (size_t s = 0; s < ARRAY_LEN(fill_series); s++)
        figure_names(g, k, &f->marks[s], &x, s < 3 ? &(struct direct_axis){ 0.01, 0, 100, false, high }
                                                   : &(struct direct_axis){ 1, 0, waiting, false, high });
    direct_end(g, k->n_policies);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    struct curves f = { .x = 0 };
    enum st st = ST_OK;
    (void)o;
    for (size_t s = 0; s < ARRAY_LEN(fill_series); s++) {
        (void)fprintf(g->to, "$fill%zu << EOD\n", s);
        for (size_t i = 0; i < k->n_policies && st == ST_OK; i++) st = write_curve(g, c, k, i, s, &f, d);
        (void)fprintf(g->to, "EOD\n");
    }
    if (st == ST_OK) finish(g, k, &f);
    for (size_t s = 0; s < ARRAY_LEN(fill_series); s++) mem_free(f.marks[s].at);
    return st;
}

const struct plot_figure plot_frag_load = {
    .name = "frag-load", .summary = "fragments, allocation and pods unscheduled as a cluster fills", .draw = draw,
    .about = "Against the GPUs asked for so far, over all seeds in 65 steps, as FGD draws it. From table series.",
    .chart = { { "While the cluster fills: fragments (free GPUs that a pod, drawn from those that arrived, could not use), GPUs and"
                 " CPUs allocated, and pods unscheduled.", NULL, true, true } },
};
