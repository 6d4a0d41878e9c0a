/* Figures of placement: pods, which node runs what; and frag-load, a cluster being filled. */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/plot.h"

enum { PANELS_MAX = 12, NODES_MAX = 24, POINTS = 65 };

static enum st sql_failed(const struct compare *c, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(store_db(c->store)));
}

static void policy_label(struct gnuplot *g, size_t i, const struct compare_policy *p)
{
    char name[32], label[256];
    (void)snprintf(name, sizeof name, "LABEL[%zu]", i + 1);
    (void)snprintf(label, sizeof label, "%s%s", p->label, p->clairvoyant ? " *" : "");
    gnuplot_text(g, name, label);
}

/* ---- pods ---- */

/* Nodes in their order with the CPU and GPU jobs that have a task there at `at` (-1: when the last one had started); then what waits. */
static enum st pods_block(struct gnuplot *g, const struct compare *c, int64_t run, sim_tick at, size_t *rows, double *most, struct diag *d)
{
    static const char query[] =
        "WITH t(at) AS (SELECT CASE WHEN ?2 >= 0 THEN ?2 ELSE max(start_us) END FROM attempt WHERE run = ?1),"
        " here AS (SELECT a.node, sum(j.n_gpu = 0) AS cpu, sum(j.n_gpu > 0) AS gpu FROM t, attempt a"
        "  JOIN job j ON j.run = a.run AND j.ordinal = a.ordinal"
        "  WHERE a.run = ?1 AND a.start_us <= t.at AND (a.end_us > t.at OR (a.outcome = 'horizon' AND a.end_us = t.at)) GROUP BY a.node)"
        " SELECT n.name, coalesce(h.cpu, 0), coalesce(h.gpu, 0), n.node FROM node n LEFT JOIN here h ON h.node = n.node WHERE n.run = ?1"
        " UNION ALL SELECT 'pending', coalesce(sum(j.n_gpu = 0), 0), coalesce(sum(j.n_gpu > 0), 0), 1 << 40 FROM t, job j"
        "  WHERE j.run = ?1 AND j.status <> 'rejected' AND j.submit_us <= t.at AND (j.start_us < 0 OR j.start_us > t.at) ORDER BY 4";
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store), query, -1, &q, NULL);
    *rows = 0;
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, run);
        (void)sqlite3_bind_int64(q, 2, at);
    }
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        int64_t cpu = sqlite3_column_int64(q, 1), gpu = sqlite3_column_int64(q, 2);
        gnuplot_cell(g, (const char *)sqlite3_column_text(q, 0));
        (void)fprintf(g->to, "\t%lld\t%lld\n", (long long)cpu, (long long)gpu);
        *most = fmax(*most, (double)(cpu + gpu));
        ++*rows;
    }
    (void)fprintf(g->to, "\n\n");
    return sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK ? ST_OK : sql_failed(c, d);
}

static bool has_attempts(const struct compare *c, int64_t run)
{
    sqlite3_stmt *q = NULL;
    bool any = false;
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT 1 FROM attempt WHERE run = ? LIMIT 1", -1, &q, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, run);
        any = sqlite3_step(q) == SQLITE_ROW;
    }
    (void)sqlite3_finalize(q);
    return any;
}

enum st plot_pods(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    size_t rows = 0;
    double most = 1;
    if (k->n_policies > PANELS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has a panel for each, %d at most", k->title, k->n_policies, PANELS_MAX);
    (void)fprintf(g->to, "$pods << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        if (!has_attempts(c, k->policy[i].run[0])) {
            (void)diag_set(d, ST_EINPUT, "'%s' kept no record of where its tasks ran", k->title);
            diag_hint(d, "say `output: {attempts: true}` in the scenario, and run it again");
            return ST_EINPUT;
        }
        TRY(pods_block(g, c, k->policy[i].run[0], o->to, &rows, &most, d));
        if (rows - 1 > NODES_MAX)
            return diag_set(d, ST_EINPUT, "'%s' has %zu nodes; this figure has a bar for each, of %d at most", k->title, rows - 1, NODES_MAX);
    }
    (void)fprintf(g->to, "EOD\n");
    size_t columns = k->n_policies < 3 ? k->n_policies : 3, lines = (k->n_policies + columns - 1) / columns;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\n", 0.5 + (rows > 8 ? 3.4 : 2.2) * (double)columns, 0.35 + 1.75 * (double)lines);
    (void)fprintf(g->to, "COLUMNS = %zu\nROWS = %zu\nBARS = %zu\nN = %zu\narray LABEL[%zu]\n", columns, lines, rows, k->n_policies, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) policy_label(g, i, &k->policy[i]);
    gnuplot_number(g, "YMAX", most * 1.1);
    return ST_OK;
}

/* ---- frag-load ---- */

static const char *const fill_series[] = { "frag_expected", "gpu_util", "cpu_util", "tasks_waiting" };

/* A policy's series against the load, over all its seeds; in steps of 1/POINTS of the greatest load. */
static enum st load_block(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, const char *name, size_t *n,
                          double *x_max, double *y_max, struct diag *d)
{
    static const char query[] =
        "SELECT avg(l.value), avg(s.value) FROM series l JOIN series s ON s.run = l.run AND s.at_us = l.at_us AND s.name = ?1"
        " WHERE l.run IN (%s) AND l.name = 'gpu_asked' GROUP BY CAST(l.value * %d / (SELECT max(value) FROM series WHERE run IN (%s)"
        " AND name = 'gpu_asked') AS INTEGER) ORDER BY 1";
    char *runs = plot_run_list(p), *sql;
    size_t len = sizeof query + 2 * strlen(runs) + 32;
    MEM_ARRAY(sql, len);
    (void)snprintf(sql, len, query, runs, POINTS, runs);
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store), sql, -1, &q, NULL);
    if (rc == SQLITE_OK) (void)sqlite3_bind_text(q, 1, name, -1, SQLITE_STATIC);
    *n = 0;
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        double x = sqlite3_column_double(q, 0), y = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.6g\t%.6g\n", x, y);
        *x_max = fmax(*x_max, x);
        *y_max = fmax(*y_max, y);
        ++*n;
    }
    (void)fprintf(g->to, "\n\n");
    rc = sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK ? ST_OK : ST_EWORLD;
    mem_free(sql);
    mem_free(runs);
    return rc == ST_OK ? ST_OK : sql_failed(c, d);
}

enum st plot_frag_load(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    size_t n, longest = 0;
    double x = 0, y[ARRAY_LEN(fill_series)] = { 0 };
    (void)o;
    for (size_t s = 0; s < ARRAY_LEN(fill_series); s++) {
        (void)fprintf(g->to, "$fill%zu << EOD\n", s);
        for (size_t i = 0; i < k->n_policies; i++) {
            TRY(load_block(g, c, &k->policy[i], fill_series[s], &n, &x, &y[s], d));
            if (n > 0) continue;
            (void)diag_set(d, ST_EINPUT, "'%s' has no samples of a cluster being filled", k->title);
            diag_hint(d, "say `trace: {fill: 1.3}` and `output: {sample_every: 1m}` in the scenario, and run it again");
            return ST_EINPUT;
        }
        (void)fprintf(g->to, "EOD\n");
    }
    for (size_t i = 0; i < k->n_policies; i++) longest = strlen(k->policy[i].label) > longest ? strlen(k->policy[i].label) : longest;
    size_t columns = 120 / (longest + 9), rows;
    columns = columns < 1 ? 1 : columns;
    rows = (k->n_policies + columns - 1) / columns;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nif (!exists(\"H\")) H = %.2f\n", 4.2 + 0.125 * (double)rows);
    (void)fprintf(g->to, "KEYROWS = %zu\nN = %zu\narray LABEL[%zu]\n", rows, k->n_policies, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) policy_label(g, i, &k->policy[i]);
    gnuplot_number(g, "XMAX", x * 100);
    gnuplot_number(g, "YMAX", fmax(1, y[3] * 1.05));
    return ST_OK;
}
