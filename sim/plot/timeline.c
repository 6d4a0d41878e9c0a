/* timeline.c -- timeline: GPU utilisation and tasks waiting over time, a line a policy or one run. */
#include <math.h>
#include <sqlite3.h>

#include "plot/figure.h"

/* Points a line: more than a printed column resolves. */
enum { LINE_POINTS = 100 };

/* One run's samples; many are averaged to some hundred points. */
static enum st write_line(struct gnuplot *g, const struct compare *c, int64_t run, const char *name, double slot_s,
                          size_t *n, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(c->store, run, "SELECT avg(at_us) / 1e6, avg(value) FROM series WHERE run = ?1 AND name = ?2"
                     " GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1", &q, d));
    (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(q, 3, fmax(1, slot_s * 1e6));
    for (*n = 0; sqlite3_step(q) == SQLITE_ROW; ++*n)
        (void)fprintf(g->to, "%.9g\t%.6g\n", sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st last_sample(const struct compare *c, int64_t run, double *at, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(c->store, run, "SELECT max(at_us) / 1e6 FROM series WHERE run = ?1", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) *at = fmax(*at, sqlite3_column_double(q, 0));
    return query_end(c->store, q, d);
}

/* One line a policy, its first seed; or the one run asked for. */
static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    static const struct { const char *block, *series; } panel[] = { { "util", "gpu_util" }, { "queue", "tasks_waiting" } };
    struct figure_run only;
    size_t n;
    double end = 0;
    bool is_one = o->run >= 0;
    TRY(figure_run_find(&only, k, o->run, d));
    size_t lines = is_one ? 1 : k->n_policies;
    for (size_t i = 0; i < lines; i++) TRY(last_sample(c, is_one ? only.id : k->policy[i].run[0], &end, d));
    for (size_t s = 0; s < ARRAY_LEN(panel); s++) {
        (void)fprintf(g->to, "$%s << EOD\n", panel[s].block);
        for (size_t i = 0; i < lines; i++) {
            int64_t run = is_one ? only.id : k->policy[i].run[0];
            TRY(write_line(g, c, run, panel[s].series, end / LINE_POINTS, &n, d));
            if (n > 0) continue;
            (void)diag_set(d, ST_EINPUT, "run %lld has no samples of %s to draw", (long long)run, panel[s].series);
            return diag_hint(d, "say `output: {sample_every: 5m}` in the scenario, or --set output.sample_every=5m, "
                             "and run it again");
        }
        (void)fprintf(g->to, "EOD\n");
    }
    struct figure_unit unit = figure_time_unit(end);
    char label[160];
    (void)snprintf(label, sizeof label, "Time (%s), seed %llu", unit.name, (unsigned long long)only.p->seed[only.index]);
    gnuplot_text(g, "XLABEL", label);
    gnuplot_number(g, "TDIV", unit.by);
    gnuplot_number(g, "TMAX", end);
    if (!is_one) { figure_legend(g, k, 3.0); return ST_OK; }
    (void)fprintf(g->to, "if (!exists(\"H\")) H = 3.1\nKEYROWS = 1\nN = 1\narray LABEL[1]\n");
    gnuplot_text(g, "LABEL[1]", only.p->label);
    return ST_OK;
}

const struct plot_figure plot_timeline = {
    .name = "timeline", .summary = "GPU utilisation and tasks waiting over time", .options = "[--run N]", .draw = draw,
    .about = "From table series; many samples are averaged to 100 points.",
    .chart = { { "GPUs allocated and tasks waiting over time, each policy's first seed.", NULL, false, false } },
};
