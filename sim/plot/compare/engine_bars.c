/* engine_bars.c -- engine-bars: policies for tasks of API calls side by side. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "plot/figure.h"

enum { TYPES_MAX = 6, SCOPE_MAX = 96 };

/* "engine=cpu" ... of the case's first run, by name. */
static enum st find_engine_types(const struct compare *c, const struct compare_case *k, char scope[TYPES_MAX][SCOPE_MAX], size_t *n, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(c->store, k->policy[0].run[0], "SELECT scope FROM metric WHERE run = ?1 AND name = 'engine_taken' AND scope LIKE 'engine=%'"
                     " ORDER BY scope", &q, d));
    for (*n = 0; *n < TYPES_MAX && sqlite3_step(q) == SQLITE_ROW; ++*n)
        (void)snprintf(scope[*n], SCOPE_MAX, "%s", (const char *)sqlite3_column_text(q, 0));
    TRY(query_end(c->store, q, d));
    return *n > 0 ? ST_OK : diag_set(d, ST_EINPUT, "no task of '%s' was made of API calls: there are no engines to draw", k->title);
}

/* The least (above 0) and the most of the intervals of one panel. */
struct range { double least, most; };

static void write_interval(struct gnuplot *g, struct stats_ci v, struct range *r)
{
    bool has = !isnan(v.half);
    figure_interval(g, v);
    if (isnan(v.mean)) return;
    r->most = fmax(r->most, has ? v.hi : v.mean);
    r->least = fmin(r->least, has && v.lo > 0 ? v.lo : v.mean);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    static const char *const ratio[] = { "makespan", "task_time_mean" };
    static const char *const amount[] = { "calls_cross", "calls_cross_bytes", "best_share", "engine_best" };
    enum { MAKESPAN, TASK_TIME, CALLS, BYTES, SHARE, USE, PANELS };     /* the ratios, then the amounts */
    char scope[TYPES_MAX][SCOPE_MAX], label[256];
    struct range range[PANELS];
    size_t base = 0, longest = 0, n_types;
    TRY(find_engine_types(c, k, scope, &n_types, d));
    if (o->base != NULL) TRY(compare_find(k, o->base, &base, d));
    for (int i = 0; i < PANELS; i++) range[i] = (struct range){ HUGE_VAL, 0 };
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        const struct compare_policy *p = &k->policy[i];
        size_t at = 0;
        (void)figure_label(p, label, sizeof label);
        if (strlen(label) > longest) longest = strlen(label);
        gnuplot_cell(g, label);
        for (size_t m = 0; m < ARRAY_LEN(ratio); m++) write_interval(g, compare_ratio(c, p, &k->policy[base], ratio[m], "all"), &range[at++]);
        for (size_t m = 0; m < ARRAY_LEN(amount); m++) write_interval(g, compare_mean(c, p, amount[m], "all"), &range[at++]);
        double all = compare_mean(c, p, "engine_taken", "all").mean;
        (void)fprintf(g->to, "\t%.9g", all);
        range[USE].most = fmax(range[USE].most, all);
        for (size_t e = 0; e < n_types; e++) {
            double taken = compare_mean(c, p, "engine_taken", scope[e]).mean;
            figure_interval(g, compare_mean(c, p, "engine_best", scope[e]));
            (void)fprintf(g->to, "\t%.9g", taken);
        }
        (void)fputc('\n', g->to);
    }
    double room = 0.12 + 0.052 * (double)longest;       /* inches for the labels */
    (void)fprintf(g->to, "EOD\nif (!exists(\"W\")) W = %.2f\nif (!exists(\"H\")) H = %.2f\nN = %zu\nKINDS = %zu\narray KIND[%zu]\n",
                  fmax(7, 5.4 + room), 1.1 + 2 * 0.15 * (double)k->n_policies, k->n_policies, n_types, n_types);
    for (size_t e = 0; e < n_types; e++) gnuplot_item(g, "KIND", e, strchr(scope[e], '=') + 1);
    struct figure_unit unit = figure_bytes_unit(range[BYTES].most);
    gnuplot_number(g, "LABELS", room);
    gnuplot_number(g, "MLEAST", range[MAKESPAN].least);
    gnuplot_number(g, "MMOST", range[MAKESPAN].most);
    gnuplot_number(g, "TLEAST", range[TASK_TIME].least);
    gnuplot_number(g, "TMOST", range[TASK_TIME].most);
    gnuplot_number(g, "CMOST", range[CALLS].most);
    gnuplot_number(g, "BDIV", unit.by);
    gnuplot_number(g, "BMOST", range[BYTES].most / unit.by);
    gnuplot_number(g, "UMOST", range[USE].most);
    gnuplot_text(g, "BUNIT", unit.name);
    (void)snprintf(label, sizeof label, "Makespan and task time relative to %s, paired by seed", k->policy[base].label);
    gnuplot_text(g, "BASE", label);
    return ST_OK;
}

const struct plot_figure plot_engine_bars = {
    .name = "engine-bars", .summary = "policies for API calls: times, calls elsewhere, useful work by kind", .options = "[--base POLICY]", .draw = draw,
    .about = "Makespan and mean task time relative to a baseline, paired by seed; calls and bytes to other"
             " nodes; best_share; engine_best of all engines and by kind, dark, before engine_taken, pale; with"
             " 95 % intervals. From table metric, as `fairway compare` reads it.",
    .chart = { { "Makespan and mean task time relative to the first policy, calls to other nodes, and the useful work of engines by kind: the"
                 " share of their time that the calls need on the kind that suits them best.",
                 NULL, true, true } },
};
