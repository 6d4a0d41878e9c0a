/* lending.c -- lending: what is reserved for workflows over time: used, lent and idle, with the starts of stages. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "plot/figure.h"

static enum st first_resource(const struct figure_span *a, const char **wanted, char *buf, size_t cap, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run.id, "SELECT resource FROM stage WHERE run = ?1 AND (?2 IS NULL OR resource = ?2) ORDER BY seq LIMIT 1", &q, d));
    (void)sqlite3_bind_text(q, 2, *wanted, -1, SQLITE_STATIC);
    bool found = sqlite3_step(q) == SQLITE_ROW;
    if (found) (void)snprintf(buf, cap, "%s", (const char *)sqlite3_column_text(q, 0));
    (void)sqlite3_finalize(q);
    if (found) { *wanted = buf; return ST_OK; }
    (void)diag_set(d, ST_EINPUT, "run %lld reserved nothing%s%s", (long long)a->run.id, *wanted ? " of " : "", *wanted ? *wanted : "");
    return diag_hint(d, "--run chooses one of the policy 'workflow', --metric cpu, gpu or a licence");
}

/* Steps: what holds from each change on. */
static enum st write_steps(struct gnuplot *g, const struct figure_span *a, const char *resource, double *end, double *most, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run.id, "SELECT r.at_us / 1e6, u.value, l.value, r.value FROM series r"
        " JOIN series u ON u.run = r.run AND u.at_us = r.at_us AND u.name = 'reserved_used_' || ?2"
        " JOIN series l ON l.run = r.run AND l.at_us = r.at_us AND l.name = 'lent_' || ?2"
        " WHERE r.run = ?1 AND r.name = 'reserved_' || ?2 ORDER BY r.at_us", &q, d));
    (void)sqlite3_bind_text(q, 2, resource, -1, SQLITE_STATIC);
    double x[3] = { 0 };
    size_t n = 0;
    *end = 0;
    (void)fprintf(g->to, "$steps << EOD\n");
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        double at = sqlite3_column_double(q, 0);
        if (at > a->from && at <= a->to) (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\n", at, x[0], x[0] + x[1], x[2]);
        for (int i = 0; i < 3; i++) x[i] = sqlite3_column_double(q, i + 1);
        if (at >= a->from && at <= a->to) {
            (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\n", at, x[0], x[0] + x[1], x[2]);
            *most = fmax(*most, x[2]);
        }
        *end = fmin(at, a->to);
    }
    (void)fprintf(g->to, "EOD\n");
    TRY(query_end(a->c->store, q, d));
    if (n > 0 && *end > a->from) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "run %lld has no record of what was reserved over time%s", (long long)a->run.id, n > 0 ? " in that window" : "");
    return diag_hint(d, "say `output: {lending: true}` in the scenario, or --set output.lending=true, and run it "
                     "again");
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct figure_span a;
    const char *resource = o->metric;
    char name[160], text[200];
    double end = 0, most = 0;
    size_t n = 0;
    TRY(figure_span_find(&a, c, k, o, d));
    TRY(first_resource(&a, &resource, name, sizeof name, d));
    TRY(write_steps(g, &a, resource, &end, &most, d));
    sqlite3_stmt *q;
    TRY(query_run(c->store, a.run.id, "SELECT DISTINCT at_us / 1e6, stage FROM stage WHERE run = ?1 ORDER BY seq", &q, d));
    (void)fprintf(g->to, "$bounds << EOD\n");
    while (sqlite3_step(q) == SQLITE_ROW) {
        double at = sqlite3_column_double(q, 0);
        if (at < a.from || at > end) continue;
        (void)fprintf(g->to, "%.9g\t%lld\n", at, (long long)sqlite3_column_int64(q, 1));
        n++;
    }
    (void)fprintf(g->to, "EOD\n");
    TRY(query_end(c->store, q, d));
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = 2.4\nN_BOUNDS = %zu\n", n);
    figure_span_axis(g, &a, end);
    gnuplot_number(g, "YMAX", most * 1.02);
    (void)snprintf(text, sizeof text, "%s reserved", strcmp(resource, "cpu") == 0 ? "Cores" : strcmp(resource, "gpu") == 0 ? "GPUs" : resource);
    gnuplot_text(g, "YLABEL", text);
    return ST_OK;
}

const struct plot_figure plot_lending = {
    .name = "lending", .summary = "what is reserved: used, lent, idle, with stages",
    .about = "What is stacked is reserved for workflows over time, in cores, with -m gpu in GPUs, or of a"
             " licence. From tables series, stage.",
    .options = "[--run N] [-m cpu|gpu|LICENCE] [--from T] [--to T]", .draw = draw,
    .chart = { { "Cores reserved for workflows: used, lent and idle, in the first run that reserved any.", NULL, false, true } },
};
