/* Policies for tasks of API calls side by side: engine-bars. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/plot.h"

enum { TYPES_MAX = 6, SCOPE_MAX = 96 };

static enum st sql_failed(const struct compare *c, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(store_db(c->store)));
}

/* "engine=cpu" ... of the case's first run, by name. */
static enum st find_engine_types(const struct compare *c, const struct compare_case *k, char scope[TYPES_MAX][SCOPE_MAX], size_t *n, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store), "SELECT scope FROM metric WHERE run = ? AND name = 'engine_taken' AND scope LIKE 'engine=%' ORDER BY scope", -1, &q, NULL);
    if (rc == SQLITE_OK) (void)sqlite3_bind_int64(q, 1, k->policy[0].run[0]);
    for (*n = 0; rc == SQLITE_OK && *n < TYPES_MAX && sqlite3_step(q) == SQLITE_ROW; ++*n)
        (void)snprintf(scope[*n], SCOPE_MAX, "%s", (const char *)sqlite3_column_text(q, 0));
    if (sqlite3_finalize(q) != SQLITE_OK || rc != SQLITE_OK) return sql_failed(c, d);
    return *n > 0 ? ST_OK : diag_set(d, ST_EINPUT, "no task of '%s' was made of API calls: there are no engines to draw", k->title);
}

/* Value and ends of the interval; most and least (above 0) of what was written. */
static void write_ci(struct gnuplot *g, struct stats_ci v, double *least, double *most)
{
    bool has = !isnan(v.half);
    double lo = has ? v.lo : v.mean, hi = has ? v.hi : v.mean;
    (void)fprintf(g->to, "\t%.9g\t%.9g\t%.9g", v.mean, lo, hi);
    if (isnan(v.mean)) return;
    *most = fmax(*most, hi);
    *least = fmin(*least, lo > 0 ? lo : v.mean);
}

enum st plot_engine_bars(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    static const char *const ratio[] = { "makespan", "task_time_mean" }, *const amount[] = { "calls_cross", "calls_cross_bytes", "best_share", "engine_best" };
    char scope[TYPES_MAX][SCOPE_MAX], label[256];
    double most[ARRAY_LEN(ratio) + ARRAY_LEN(amount)] = { 0 }, least[ARRAY_LEN(most)], type_most = 0, ignored = 0;
    size_t base = 0, longest = 0, n_types;
    TRY(find_engine_types(c, k, scope, &n_types, d));
    if (o->base != NULL) TRY(compare_find(k, o->base, &base, d));
    for (size_t i = 0; i < ARRAY_LEN(least); i++) least[i] = HUGE_VAL;
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        const struct compare_policy *p = &k->policy[i];
        size_t at = 0;
        (void)snprintf(label, sizeof label, "%s%s", p->label, p->clairvoyant ? " *" : "");
        if (strlen(label) > longest) longest = strlen(label);
        gnuplot_cell(g, label);
        for (size_t m = 0; m < ARRAY_LEN(ratio); m++, at++) write_ci(g, compare_ratio(c, p, &k->policy[base], ratio[m], "all"), &least[at], &most[at]);
        for (size_t m = 0; m < ARRAY_LEN(amount); m++, at++) write_ci(g, compare_mean(c, p, amount[m], "all"), &least[at], &most[at]);
        double all = compare_mean(c, p, "engine_taken", "all").mean;
        (void)fprintf(g->to, "\t%.9g", all);
        most[5] = fmax(most[5], all);
        for (size_t e = 0; e < n_types; e++) {
            double taken = compare_mean(c, p, "engine_taken", scope[e]).mean;
            write_ci(g, compare_mean(c, p, "engine_best", scope[e]), &ignored, &type_most);
            (void)fprintf(g->to, "\t%.9g", taken);
        }
        (void)fputc('\n', g->to);
    }
    double room = 0.12 + 0.052 * (double)longest;       /* inches for the labels */
    (void)fprintf(g->to, "EOD\nif (!exists(\"W\")) W = %.2f\nif (!exists(\"H\")) H = %.2f\nN = %zu\nKINDS = %zu\narray KIND[%zu]\n",
                  fmax(7, 5.4 + room), 1.1 + 2 * 0.15 * (double)k->n_policies, k->n_policies, n_types, n_types);
    for (size_t e = 0; e < n_types; e++) {
        char name[32];
        (void)snprintf(name, sizeof name, "KIND[%zu]", e + 1);
        gnuplot_text(g, name, strchr(scope[e], '=') + 1);
    }
    double div = most[3] >= 1e12 ? 1e12 : most[3] >= 1e9 ? 1e9 : 1e6;
    gnuplot_number(g, "LABELS", room);
    gnuplot_number(g, "MLEAST", least[0]);
    gnuplot_number(g, "MMOST", most[0]);
    gnuplot_number(g, "TLEAST", least[1]);
    gnuplot_number(g, "TMOST", most[1]);
    gnuplot_number(g, "CMOST", most[2]);
    gnuplot_number(g, "BDIV", div);
    gnuplot_number(g, "BMOST", most[3] / div);
    gnuplot_number(g, "UMOST", most[5]);
    gnuplot_text(g, "BUNIT", div >= 1e12 ? "TB" : div >= 1e9 ? "GB" : "MB");
    (void)snprintf(label, sizeof label, "Makespan and task time relative to %s, paired by seed", k->policy[base].label);
    gnuplot_text(g, "BASE", label);
    return ST_OK;
}
