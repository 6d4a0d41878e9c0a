/*
 * workflow_gantt.c -- workflow-gantt: when the tasks of each workflow ran, coloured by stage.
 *
 * A workflow is a band of lanes; a task is a bar on the lowest lane that is free
 * when it begins.
 */
#include <math.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

enum { LANES_MAX = 400, FLOWS_MAX = 24, BARS_MAX = 4000 };

struct flow { int64_t ordinal; char *id; uint32_t lane0, lanes; };
struct lane_set { double free_at[LANES_MAX]; uint32_t n; };

/* The lowest lane that is free when the bar begins. */
static uint32_t lane_of(struct lane_set *l, double from, double to)
{
    uint32_t i = 0;
    while (i < l->n && l->free_at[i] > from) i++;
    if (i == LANES_MAX) i = LANES_MAX - 1;
    if (i >= l->n) l->n = i + 1;
    l->free_at[i] = to;
    return i;
}

static enum st write_flow(struct gnuplot *g, const struct figure_span *a, struct flow *f, double *end, size_t *bars, struct diag *d)
{
    struct lane_set lanes = { .n = 0 };
    /* A task's stage is that which its workflow entered last; without reservations it is not known. */
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run.id, "SELECT start_us / 1e6, end_us / 1e6, (SELECT stage FROM stage s WHERE s.run = t.run AND s.ordinal = t.ordinal"
        "  AND s.at_us <= t.start_us ORDER BY s.seq DESC LIMIT 1) FROM attempt t WHERE run = ?1 AND ordinal = ?2 ORDER BY start_us, task", &q, d));
    (void)sqlite3_bind_int64(q, 2, f->ordinal);
    while (sqlite3_step(q) == SQLITE_ROW && *bars < BARS_MAX) {
        double from = sqlite3_column_double(q, 0), to = sqlite3_column_double(q, 1);
        if (to <= from || to < a->from || from > a->to) continue;
        uint32_t lane = f->lane0 + lane_of(&lanes, from, to);
        (void)fprintf(g->to, "%.9g\t%.9g\t%u\t%lld\n", fmax(from, a->from), fmin(to, a->to), lane, (long long)sqlite3_column_int64(q, 2));
        *end = fmax(*end, fmin(to, a->to));
        ++*bars;
    }
    f->lanes = lanes.n;
    return query_end(a->c->store, q, d);
}

static enum st load_flows(const struct figure_span *a, struct flow *f, size_t *n, size_t *all, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run.id, "SELECT ordinal, id FROM job WHERE run = ?1 AND stage_wait_us IS NOT NULL ORDER BY ordinal", &q, d));
    for (*n = *all = 0; sqlite3_step(q) == SQLITE_ROW; ++*all)
        if (*n < FLOWS_MAX) f[(*n)++] = (struct flow){ .ordinal = sqlite3_column_int64(q, 0), .id = mem_strdup((const char *)sqlite3_column_text(q, 1)) };
    TRY(query_end(a->c->store, q, d));
    return *n > 0 ? ST_OK : diag_set(d, ST_EINPUT, "run %lld has no workflow: no job whose tasks have an order", (long long)a->run.id);
}

static enum st write_flows(struct gnuplot *g, const struct figure_span *a, struct flow *f, size_t n, double *end, struct diag *d)
{
    uint32_t lane = 0;
    size_t bars = 0, shown = 0;
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < n; i++) {
        f[i].lane0 = lane;
        TRY(write_flow(g, a, &f[i], end, &bars, d));
        if (f[i].lanes > 0) lane += f[i].lanes + 1;
    }
    (void)fprintf(g->to, "EOD\n$flows << EOD\n");
    for (size_t i = 0; i < n; i++) {
        if (f[i].lanes == 0) continue;
        (void)fprintf(g->to, "%u\t%u\t", f[i].lane0, f[i].lanes);
        gnuplot_cell(g, f[i].id);
        (void)fputc('\n', g->to);
        shown++;
    }
    (void)fprintf(g->to, "EOD\n");
    if (bars == 0) {
        (void)diag_set(d, ST_EINPUT, "run %lld has no record of when workflows' tasks ran%s", (long long)a->run.id, a->from > 0 || a->to < HUGE_VAL ? " in that window" : "");
        return diag_hint(d, "say `output: {attempts: true}` in the scenario, or --set output.attempts=true, and run "
                         "it again");
    }
    gnuplot_number(g, "ROWS", lane - 1);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n",
                  fmin(7, 0.8 + fmax(0.13 * (double)shown, fmin(0.09 * lane, 0.25 * (double)shown + 0.02 * lane))));
    return ST_OK;
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct figure_span a;
    struct flow flow[FLOWS_MAX];
    size_t n = 0, all;
    double end = 0;
    TRY(figure_span_find(&a, c, k, o, d));
    enum st st = load_flows(&a, flow, &n, &all, d);
    if (st == ST_OK) st = write_flows(g, &a, flow, n, &end, d);
    if (st == ST_OK) {
        char text[256];
        figure_span_axis(g, &a, end);
        (void)snprintf(text, sizeof text, "run %lld: %s, seed %llu; %zu of %zu workflows, a lane a task, coloured by stage", (long long)a.run.id, a.run.p->label,
                       (unsigned long long)a.run.p->seed[a.run.index], n, all);
        gnuplot_text(g, "TITLE", text);
    }
    for (size_t i = 0; i < n; i++) mem_free(flow[i].id);
    return st;
}

const struct plot_figure plot_workflow_gantt = {
    .name = "workflow-gantt", .summary = "when each workflow's tasks ran, by stage", .options = "[--run N] [--from T] [--to T]", .draw = draw,
    .about = "A band a workflow, a lane a task, a colour a stage, grey without reservation; the first 24. From"
             " tables attempt, stage.",
    .chart = { { "When the tasks of each workflow ran in the first run, coloured by stage.", NULL, false, true } },
};
