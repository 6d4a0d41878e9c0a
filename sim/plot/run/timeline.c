/* timeline.c -- timeline: GPU utilisation and tasks waiting over time, a line a policy or one run. */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

/* Points a line: more than a printed column resolves. */
enum { LINE_POINTS = 100 };

/* One run's samples; many are averaged to some hundred points. */
static enum st write_line(struct gnuplot *g, const struct compare *c, int64_t run, const char *name, double slot_s,
                          struct direct *marks, size_t series, struct diag *d)
{
    sqlite3_stmt *q;
    bool is_first = true;
    TRY(query_run(c->store, run, "SELECT avg(at_us) / 1e6, avg(value) FROM series WHERE run = ?1 AND name = ?2"
                     " GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1", &q, d));
    (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(q, 3, fmax(1, slot_s * 1e6));
    for (; sqlite3_step(q) == SQLITE_ROW; is_first = false) {
        (void)fprintf(g->to, "%.9g\t%.6g\n", sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
        direct_add(marks, series, sqlite3_column_double(q, 0), sqlite3_column_double(q, 1), !is_first);
    }
    (void)fprintf(g->to, "\n\n");
    TRY(query_end(c->store, q, d));
    if (!is_first) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "run %lld has no samples of %s to draw", (long long)run, name);
    return diag_hint(d, "say `output: {sample_every: 5m}` in the scenario, or --set output.sample_every=5m, "
                     "and run it again");
}

static enum st last_sample(const struct compare *c, int64_t run, double *at, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(c->store, run, "SELECT max(at_us) / 1e6 FROM series WHERE run = ?1", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) *at = fmax(*at, sqlite3_column_double(q, 0));
    return query_end(c->store, q, d);
}

/* What gnuplot leaves of the figure (timeline.gp), each half of it. */
static void write_names(struct gnuplot *g, const struct compare_case *k, const struct direct marks[2], double end,
                        struct figure_unit unit, struct figure_size size)
{
    const double high = (size.h - 0.10 - 0.46) / 2 - 0.08;
    const struct direct_axis across = { unit.by, 0, end / unit.by, false, size.w - 0.6 - 0.15 };
    double most = 0;
    for (size_t i = 0; i < marks[1].n; i++) most = fmax(most, marks[1].at[i].y);
    direct_begin(g);
    figure_names(g, k, &marks[0], &across, &(struct direct_axis){ 0.01, 0, 100, false, high });
    figure_names(g, k, &marks[1], &across, &(struct direct_axis){ 1, 0, (most > 0 ? most : 1) * 1.05, false, high });
    direct_end(g, k->n_policies);
}

/* One line a policy, its first seed; or the one run asked for. */
static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    static const struct { const char *block, *series; } panel[] = { { "util", "gpu_util" }, { "queue", "tasks_waiting" } };
    struct figure_run only;
    struct direct marks[ARRAY_LEN(panel)] = { { .n = 0 } };
    double end = 0;
    bool is_one = o->run >= 0;
    TRY(figure_run_find(&only, k, o->run, d));
    size_t lines = is_one ? 1 : k->n_policies;
    enum st st = ST_OK;
    for (size_t i = 0; i < lines; i++) TRY(last_sample(c, is_one ? only.id : k->policy[i].run[0], &end, d));
    for (size_t s = 0; s < ARRAY_LEN(panel); s++) {
        (void)fprintf(g->to, "$%s << EOD\n", panel[s].block);
        for (size_t i = 0; i < lines && st == ST_OK; i++)
            st = write_line(g, c, is_one ? only.id : k->policy[i].run[0], panel[s].series, end / LINE_POINTS,
                            &marks[s], i, d);
        (void)fprintf(g->to, "EOD\n");
    }
    struct figure_unit unit = figure_time_unit(end);
    char label[160];
    (void)snprintf(label, sizeof label, "Time (%s), seed %llu", unit.name, (unsigned long long)only.p->seed[only.index]);
    gnuplot_text(g, "XLABEL", label);
    gnuplot_number(g, "TDIV", unit.by);
    gnuplot_number(g, "TMAX", end);
    if (is_one) {
        (void)fprintf(g->to, "if (!exists(\"H\")) H = 3.1\nKEYROWS = 1\nN = 1\narray LABEL[1]\n");
        gnuplot_text(g, "LABEL[1]", only.p->label);
        direct_begin(g);
        direct_end(g, 1);
    } else if (st == ST_OK) {
        write_names(g, k, marks, end, unit, figure_legend(g, k, 3.0));
    }
    for (size_t s = 0; s < ARRAY_LEN(panel); s++) mem_free(marks[s].at);
    return st;
}

const struct plot_figure plot_timeline = {
    .name = "timeline", .summary = "GPU utilisation and tasks waiting over time", .options = "[--run N]", .draw = draw,
    .about = "From table series; many samples are averaged to 100 points.",
    .chart = { { "GPUs allocated (above) and tasks waiting to start (below) over time, each policy's first seed.", NULL, false, false } },
};
