/* Figures of panels by policy: fairness, and of data-intensive jobs jobs-ideal and data-bars; and of points: fairness-traffic. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/plot.h"

/* Panels of a figure; bars of a job wide enough to be seen. */
enum { PANELS_MAX = 12, JOBS_MAX = 120 };

static enum st sql_failed(const struct compare *c, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(store_db(c->store)));
}

static enum st no_ideals(const struct compare_case *k, struct diag *d)
{
    (void)diag_set(d, ST_EINPUT, "no job of '%s' has an ideal time to draw", k->title);
    diag_hint(d, "say `output: {ideal: 6}` in the scenario (the ideal on a sixth of the GPUs), and run it again");
    return ST_EINPUT;
}

static void panel_label(struct gnuplot *g, const char *array, size_t i, const struct compare_policy *p)
{
    char name[32], label[256];
    (void)snprintf(name, sizeof name, "%s[%zu]", array, i + 1);
    (void)snprintf(label, sizeof label, "%s%s", p->label, p->clairvoyant ? " *" : "");
    gnuplot_text(g, name, label);
}

/* ---- jobs-ideal ---- */

/* A policy's jobs in order of arrival, each the mean over its runs: span and both ideals, s. */
static enum st jobs_block(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, size_t *n, double *most, struct diag *d)
{
    char *runs = plot_run_list(p);
    static const char query[] =
        "SELECT id, avg(span), avg(ideal_whole), avg(ideal_share) FROM v_job WHERE run IN (%s) AND ideal_whole IS NOT NULL"
        " GROUP BY id ORDER BY min(ordinal), id";
    char *sql;
    size_t len = sizeof query + strlen(runs);
    MEM_ARRAY(sql, len);
    (void)snprintf(sql, len, query, runs);
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store), sql, -1, &q, NULL);
    *n = 0;
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
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
    bool ok = sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK;
    mem_free(sql);
    mem_free(runs);
    return ok ? ST_OK : sql_failed(c, d);
}

enum st plot_jobs_ideal(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                        const struct plot_opts *o, struct diag *d)
{
    size_t n, jobs = 0;
    double most = 0;
    (void)o;
    if (k->n_policies > PANELS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has a panel for each, %d at most", k->title, k->n_policies, PANELS_MAX);
    (void)fprintf(g->to, "$jobs << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        TRY(jobs_block(g, c, &k->policy[i], &n, &most, d));
        if (n == 0) return no_ideals(k, d);
        jobs = n > jobs ? n : jobs;
    }
    (void)fprintf(g->to, "EOD\n");
    if (jobs > JOBS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu jobs; this figure has bars for each, of %d at most: try `cdf -m s_share`", k->title, jobs, JOBS_MAX);
    size_t columns = k->n_policies > 2 ? 2 : k->n_policies, rows = (k->n_policies + columns - 1) / columns;
    struct plot_unit unit = plot_time_unit(most);
    char label[64];
    (void)snprintf(label, sizeof label, "Single-job time (%s)", unit.name);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\n", columns > 1 ? 7.0 : 3.5, 0.62 + 1.25 * (double)rows);
    (void)fprintf(g->to, "COLUMNS = %zu\nROWS = %zu\nJOBS = %zu\nN = %zu\narray LABEL[%zu]\n", columns, rows, jobs, k->n_policies, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) panel_label(g, "LABEL", i, &k->policy[i]);
    gnuplot_text(g, "YLABEL", label);
    gnuplot_number(g, "TDIV", unit.seconds);
    gnuplot_number(g, "YMAX", most / unit.seconds * 1.05);
    return ST_OK;
}

/* ---- data-bars ---- */

static const char *const bar_metric[] = {
    "dt", "s_share_sigma", "s_whole_sigma", "bytes_local", "bytes_rack", "bytes_cross", "bytes_vain",
};
enum { BAR_DT, BAR_SHARE, BAR_WHOLE, BAR_LOCAL, BAR_VAIN = 6, BARS };

enum st plot_data_bars(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                       const struct plot_opts *o, struct diag *d)
{
    struct plot_names names = { 0 };
    double most[BARS] = { 0 }, bytes = 0;
    char label[256];
    (void)o;
    (void)fprintf(g->to, "$data << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        double sum = 0;
        (void)snprintf(label, sizeof label, "%s%s", k->policy[i].label, k->policy[i].clairvoyant ? " *" : "");
        plot_names_add(&names, label);
        gnuplot_cell(g, label);
        for (int m = 0; m < BARS; m++) {
            struct stats_ci v = compare_mean(c, &k->policy[i], bar_metric[m], "all");
            double half = isnan(v.half) ? 0 : v.half;
            (void)fprintf(g->to, "\t%.9g\t%.9g", v.mean, half);
            if (!isnan(v.mean)) most[m] = fmax(most[m], v.mean + half);
            if (m >= BAR_LOCAL && !isnan(v.mean)) sum += v.mean;
        }
        (void)fputc('\n', g->to);
        bytes = fmax(bytes, sum);
    }
    (void)fprintf(g->to, "EOD\n");
    if (most[BAR_SHARE] <= 0 && most[BAR_WHOLE] <= 0) return no_ideals(k, d);
    if (bytes <= 0) return diag_set(d, ST_EINPUT, "no run of '%s' read data: there are no bytes to draw", k->title);
    struct plot_unit unit = plot_time_unit(most[BAR_DT]);
    double div = bytes >= 1e12 ? 1e12 : bytes >= 1e9 ? 1e9 : 1e6;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nN = %zu\n", k->n_policies);
    plot_names_end(g, &names, 1.75, 2.2, 0.3);
    (void)snprintf(label, sizeof label, "DT (%s)", unit.name);
    gnuplot_text(g, "TLABEL", label);
    gnuplot_number(g, "TDIV", unit.seconds);
    gnuplot_number(g, "TMAX", most[BAR_DT] / unit.seconds * 1.08);
    gnuplot_number(g, "SMAX", fmax(most[BAR_SHARE], most[BAR_WHOLE]) * 1.08);
    (void)snprintf(label, sizeof label, "Bytes read (%s)", div >= 1e12 ? "TB" : div >= 1e9 ? "GB" : "MB");
    gnuplot_text(g, "BLABEL", label);
    gnuplot_number(g, "BDIV", div);
    gnuplot_number(g, "BMAX", bytes / div * 1.08);
    (void)fprintf(g->to, "HAS_VAIN = %d\n", most[BAR_VAIN] > 0);
    return ST_OK;
}

/* ---- fairness ---- */

enum st plot_fairness(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                      const struct plot_opts *o, struct diag *d)
{
    static const char *const metric[] = { "jain", "rho_p50", "rho_p95", "rho_above_1" };
    double most[ARRAY_LEN(metric)] = { 0 };
    struct plot_names names = { 0 };
    char label[256];
    (void)o;
    (void)fprintf(g->to, "$fair << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        (void)snprintf(label, sizeof label, "%s%s", k->policy[i].label, k->policy[i].clairvoyant ? " *" : "");
        plot_names_add(&names, label);
        gnuplot_cell(g, label);
        for (size_t m = 0; m < ARRAY_LEN(metric); m++) {
            struct stats_ci v = compare_mean(c, &k->policy[i], metric[m], "all");
            bool has = !isnan(v.half);
            if (!isnan(v.mean)) most[m] = fmax(most[m], has ? v.hi : v.mean);
            (void)fprintf(g->to, "\t%.9g\t%.9g\t%.9g", v.mean, has ? v.lo : v.mean, has ? v.hi : v.mean);
        }
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\n");
    if (!(most[0] > 0) || !(most[2] > 0)) return diag_set(d, ST_EINPUT, "no run of '%s' has a fairness to draw: no user had a job done", k->title);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nN = %zu\n", k->n_policies);
    plot_names_end(g, &names, 1.75, 2.2, 0.3);
    gnuplot_number(g, "RMAX", fmax(1, most[2]));
    return ST_OK;
}

/* ---- fairness-traffic ---- */

/* As many as have points and colours that differ. */
enum { POINTS_MAX = 24 };

enum st plot_fairness_traffic(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                              const struct plot_opts *o, struct diag *d)
{
    const char *metric = o->metric != NULL ? o->metric : "s_share_sigma";
    bool whole = strcmp(metric, "s_whole_sigma") == 0;
    double most = 0, sigma = 0;
    size_t longest = 0;
    if (!whole && strcmp(metric, "s_share_sigma") != 0) {
        (void)diag_set(d, ST_EINPUT, "fairness-traffic draws a fairness deviation, not '%s'", metric);
        diag_hint(d, "it is s_share_sigma or s_whole_sigma");
        return ST_EINPUT;
    }
    if (k->n_policies > POINTS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has points for %d at most", k->title, k->n_policies, POINTS_MAX);
    (void)fprintf(g->to, "$data << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        struct stats_ci x = compare_mean(c, &k->policy[i], "bytes_network", "all"), y = compare_mean(c, &k->policy[i], metric, "all");
        if (isnan(x.half)) x.lo = x.hi = x.mean;
        if (isnan(y.half)) y.lo = y.hi = y.mean;
        (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n\n\n", x.mean, x.lo, x.hi, y.mean, y.lo, y.hi);
        if (!isnan(x.mean)) most = fmax(most, x.hi);
        if (!isnan(y.mean)) sigma = fmax(sigma, y.hi);
    }
    (void)fprintf(g->to, "EOD\n");
    if (sigma <= 0) return no_ideals(k, d);
    if (most <= 0) return diag_set(d, ST_EINPUT, "no run of '%s' moved data over the network: there are no bytes to draw", k->title);
    double div = most >= 1e12 ? 1e12 : most >= 1e9 ? 1e9 : 1e6;
    (void)fprintf(g->to, "N = %zu\narray LABEL[%zu]\n", k->n_policies, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) {
        panel_label(g, "LABEL", i, &k->policy[i]);
        if (strlen(k->policy[i].label) > longest) longest = strlen(k->policy[i].label);
    }
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nif (!exists(\"H\")) H = %.2f\nKEYWIDTH = %.3f\n",
                  fmax(2.8, 0.5 + 0.14 * (double)k->n_policies), fmin(3.2, 0.35 + 0.058 * (double)longest));
    (void)fprintf(g->to, "XLABEL = \"Read over the network (%s)\"\n", div >= 1e12 ? "TB" : div >= 1e9 ? "GB" : "MB");
    gnuplot_text(g, "IDEAL", whole ? "ideal on the whole" : "ideal on a share");
    gnuplot_number(g, "XDIV", div);
    gnuplot_number(g, "XMAX", most / div * 1.06);
    gnuplot_number(g, "YMAX", sigma * 1.06);
    return ST_OK;
}
