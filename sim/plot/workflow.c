/* Figures of workflows and their reservations: lending and workflow-gantt. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/plot.h"

enum { LANES_MAX = 400, FLOWS_MAX = 24, BARS_MAX = 4000 };

struct picture { sqlite3 *db; int64_t run; const struct compare_policy *p; size_t which; double from, to; };

static enum st failed(const struct picture *a, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(a->db));
}

static enum st choose(struct picture *a, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    *a = (struct picture){ .db = store_db(c->store), .run = o->run >= 0 ? o->run : k->policy[0].run[0],
                           .from = o->from >= 0 ? (double)o->from / 1e6 : 0, .to = o->to >= 0 ? (double)o->to / 1e6 : HUGE_VAL };
    return plot_run(k, a->run, &a->p, &a->which, d);
}

static sqlite3_stmt *prepare(const struct picture *a, const char *sql)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(a->db, sql, -1, &q, NULL) == SQLITE_OK) (void)sqlite3_bind_int64(q, 1, a->run);
    return q;
}

static void write_axis(struct gnuplot *g, const struct picture *a, double end)
{
    char text[256];
    struct plot_unit unit = plot_time_unit(end - a->from);
    gnuplot_number(g, "FROM", a->from);
    gnuplot_number(g, "TO", end);
    gnuplot_number(g, "TDIV", unit.seconds);
    (void)snprintf(text, sizeof text, "Time (%s)", unit.name);
    gnuplot_text(g, "XLABEL", text);
    (void)snprintf(text, sizeof text, "run %lld: %s, seed %llu", (long long)a->run, a->p->label, (unsigned long long)a->p->seed[a->which]);
    gnuplot_text(g, "TITLE", text);
}

/* ---- lending ---- */

static enum st first_resource(const struct picture *a, const char **wanted, char *buf, size_t cap, struct diag *d)
{
    sqlite3_stmt *q = prepare(a, "SELECT resource FROM stage WHERE run = ?1 AND (?2 IS NULL OR resource = ?2) ORDER BY seq LIMIT 1");
    if (q == NULL) return failed(a, d);
    (void)sqlite3_bind_text(q, 2, *wanted, -1, SQLITE_STATIC);
    bool found = sqlite3_step(q) == SQLITE_ROW;
    if (found) (void)snprintf(buf, cap, "%s", (const char *)sqlite3_column_text(q, 0));
    (void)sqlite3_finalize(q);
    if (found) { *wanted = buf; return ST_OK; }
    (void)diag_set(d, ST_EINPUT, "run %lld reserved nothing%s%s", (long long)a->run, *wanted ? " of " : "", *wanted ? *wanted : "");
    diag_hint(d, "--run chooses one of the policy 'workflow', --metric cpu, gpu or a licence");
    return ST_EINPUT;
}

/* Steps: what holds from each change on. */
static enum st write_steps(struct gnuplot *g, const struct picture *a, const char *resource, double *end, double *most, struct diag *d)
{
    sqlite3_stmt *q = prepare(a, "SELECT r.at_us / 1e6, u.value, l.value, r.value FROM series r"
        " JOIN series u ON u.run = r.run AND u.at_us = r.at_us AND u.name = 'reserved_used_' || ?2"
        " JOIN series l ON l.run = r.run AND l.at_us = r.at_us AND l.name = 'lent_' || ?2"
        " WHERE r.run = ?1 AND r.name = 'reserved_' || ?2 ORDER BY r.at_us");
    if (q == NULL) return failed(a, d);
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
    if (sqlite3_finalize(q) != SQLITE_OK) return failed(a, d);
    if (n > 0 && *end > a->from) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "run %lld has no record of what was reserved over time%s", (long long)a->run, n > 0 ? " in that window" : "");
    diag_hint(d, "say `output: {lending: true}` in the scenario, or --set output.lending=true, and run it again");
    return ST_EINPUT;
}

enum st plot_lending(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct picture a;
    const char *resource = o->metric;
    char name[160], text[200];
    double end = 0, most = 0;
    size_t n = 0;
    TRY(choose(&a, c, k, o, d));
    TRY(first_resource(&a, &resource, name, sizeof name, d));
    TRY(write_steps(g, &a, resource, &end, &most, d));
    sqlite3_stmt *q = prepare(&a, "SELECT DISTINCT at_us / 1e6, stage FROM stage WHERE run = ?1 ORDER BY seq");
    if (q == NULL) return failed(&a, d);
    (void)fprintf(g->to, "$bounds << EOD\n");
    while (sqlite3_step(q) == SQLITE_ROW) {
        double at = sqlite3_column_double(q, 0);
        if (at < a.from || at > end) continue;
        (void)fprintf(g->to, "%.9g\t%lld\n", at, (long long)sqlite3_column_int64(q, 1));
        n++;
    }
    (void)fprintf(g->to, "EOD\n");
    if (sqlite3_finalize(q) != SQLITE_OK) return failed(&a, d);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = 2.4\nN_BOUNDS = %zu\n", n);
    write_axis(g, &a, end);
    gnuplot_number(g, "YMAX", most * 1.02);
    (void)snprintf(text, sizeof text, "%s reserved", strcmp(resource, "cpu") == 0 ? "Cores" : strcmp(resource, "gpu") == 0 ? "GPUs" : resource);
    gnuplot_text(g, "YLABEL", text);
    return ST_OK;
}

/* ---- workflow-gantt ---- */

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

static enum st write_flow(struct gnuplot *g, const struct picture *a, struct flow *f, double *end, size_t *bars, struct diag *d)
{
    static struct lane_set lanes;
    /* A task's stage is that which its workflow entered last; without reservations it is not known. */
    sqlite3_stmt *q = prepare(a, "SELECT start_us / 1e6, end_us / 1e6, (SELECT stage FROM stage s WHERE s.run = t.run AND s.ordinal = t.ordinal"
        "  AND s.at_us <= t.start_us ORDER BY s.seq DESC LIMIT 1) FROM attempt t WHERE run = ?1 AND ordinal = ?2 ORDER BY start_us, task");
    if (q == NULL) return failed(a, d);
    (void)sqlite3_bind_int64(q, 2, f->ordinal);
    lanes.n = 0;
    while (sqlite3_step(q) == SQLITE_ROW && *bars < BARS_MAX) {
        double from = sqlite3_column_double(q, 0), to = sqlite3_column_double(q, 1);
        if (to <= from || to < a->from || from > a->to) continue;
        uint32_t lane = f->lane0 + lane_of(&lanes, from, to);
        (void)fprintf(g->to, "%.9g\t%.9g\t%u\t%lld\n", fmax(from, a->from), fmin(to, a->to), lane, (long long)sqlite3_column_int64(q, 2));
        *end = fmax(*end, fmin(to, a->to));
        ++*bars;
    }
    f->lanes = lanes.n;
    return sqlite3_finalize(q) == SQLITE_OK ? ST_OK : failed(a, d);
}

static enum st load_flows(const struct picture *a, struct flow *f, size_t *n, size_t *all, struct diag *d)
{
    sqlite3_stmt *q = prepare(a, "SELECT ordinal, id FROM job WHERE run = ?1 AND stage_wait_us IS NOT NULL ORDER BY ordinal");
    if (q == NULL) return failed(a, d);
    for (*n = *all = 0; sqlite3_step(q) == SQLITE_ROW; ++*all)
        if (*n < FLOWS_MAX) f[(*n)++] = (struct flow){ .ordinal = sqlite3_column_int64(q, 0), .id = mem_strdup((const char *)sqlite3_column_text(q, 1)) };
    if (sqlite3_finalize(q) != SQLITE_OK) return failed(a, d);
    return *n > 0 ? ST_OK : diag_set(d, ST_EINPUT, "run %lld has no workflow: no job whose tasks have an order", (long long)a->run);
}

static enum st write_flows(struct gnuplot *g, const struct picture *a, struct flow *f, size_t n, double *end, struct diag *d)
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
        (void)diag_set(d, ST_EINPUT, "run %lld has no record of when workflows' tasks ran%s", (long long)a->run, a->from > 0 || a->to < HUGE_VAL ? " in that window" : "");
        diag_hint(d, "say `output: {attempts: true}` in the scenario, or --set output.attempts=true, and run it again");
        return ST_EINPUT;
    }
    gnuplot_number(g, "ROWS", lane - 1);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n",
                  fmin(7, 0.8 + fmax(0.13 * (double)shown, fmin(0.09 * lane, 0.25 * (double)shown + 0.02 * lane))));
    return ST_OK;
}

enum st plot_workflow_gantt(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct picture a;
    struct flow flow[FLOWS_MAX];
    size_t n = 0, all;
    double end = 0;
    TRY(choose(&a, c, k, o, d));
    enum st st = load_flows(&a, flow, &n, &all, d);
    if (st == ST_OK) st = write_flows(g, &a, flow, n, &end, d);
    if (st == ST_OK) {
        char text[256];
        write_axis(g, &a, end);
        (void)snprintf(text, sizeof text, "run %lld: %s, seed %llu; %zu of %zu workflows, a lane a task, coloured by stage", (long long)a.run, a.p->label,
                       (unsigned long long)a.p->seed[a.which], n, all);
        gnuplot_text(g, "TITLE", text);
    }
    for (size_t i = 0; i < n; i++) mem_free(flow[i].id);
    return st;
}
