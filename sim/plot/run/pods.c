/* pods.c -- pods: CPU and GPU jobs on each node, and pending, at one instant; a panel a policy. */
#include <math.h>
#include <sqlite3.h>

#include "plot/figure.h"

enum { PANELS_MAX = 12, NODES_MAX = 24 };

/* Each node with the CPU and GPU jobs that have a task there at `at` (-1: when the last task had started); then what
 * waits. */
static enum st write_nodes(struct gnuplot *g, const struct compare *c, int64_t run, sim_tick at, size_t *rows, double *most, struct diag *d)
{
    static const char query[] =
        "WITH t(at) AS (SELECT CASE WHEN ?2 >= 0 THEN ?2 ELSE max(start_us) END FROM attempt WHERE run = ?1),"
        " here AS (SELECT a.node, sum(j.n_gpu = 0) AS cpu, sum(j.n_gpu > 0) AS gpu FROM t, attempt a"
        "  JOIN job j ON j.run = a.run AND j.ordinal = a.ordinal"
        "  WHERE a.run = ?1 AND a.start_us <= t.at AND (a.end_us > t.at OR (a.outcome = 'horizon' AND a.end_us = t.at)) GROUP BY a.node)"
        " SELECT n.name, coalesce(h.cpu, 0), coalesce(h.gpu, 0), n.node FROM node n LEFT JOIN here h ON h.node = n.node WHERE n.run = ?1"
        " UNION ALL SELECT 'pending', coalesce(sum(j.n_gpu = 0), 0), coalesce(sum(j.n_gpu > 0), 0), 1 << 40 FROM t, job j"
        "  WHERE j.run = ?1 AND j.status NOT IN ('rejected', 'never_eligible')"
        " AND j.submit_us <= t.at AND (j.start_us < 0 OR j.start_us > t.at) ORDER BY 4";
    sqlite3_stmt *q;
    TRY(query_run(c->store, run, query, &q, d));
    (void)sqlite3_bind_int64(q, 2, at);
    for (*rows = 0; sqlite3_step(q) == SQLITE_ROW; ++*rows) {
        int64_t cpu = sqlite3_column_int64(q, 1), gpu = sqlite3_column_int64(q, 2);
        gnuplot_cell(g, (const char *)sqlite3_column_text(q, 0));
        (void)fprintf(g->to, "\t%lld\t%lld\n", (long long)cpu, (long long)gpu);
        *most = fmax(*most, (double)(cpu + gpu));
    }
    (void)fprintf(g->to, "\n\n");
    return query_end(c->store, q, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    size_t rows = 0;
    double most = 1;
    if (k->n_policies > PANELS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has a panel for each, %d at most", k->title, k->n_policies, PANELS_MAX);
    (void)fprintf(g->to, "$pods << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        int64_t any = 0;
        TRY(query_int(c->store, &any, d, "SELECT 1 FROM attempt WHERE run = %lld LIMIT 1", (long long)k->policy[i].run[0]));
        if (any == 0) {
            (void)diag_set(d, ST_EINPUT, "'%s' kept no record of where its tasks ran", k->title);
            return diag_hint(d, "say `output: {attempts: true}` in the scenario, and run it again");
        }
        TRY(write_nodes(g, c, k->policy[i].run[0], o->to, &rows, &most, d));
        if (rows - 1 > NODES_MAX)
            return diag_set(d, ST_EINPUT, "'%s' has %zu nodes; this figure has a bar for each, of %d at most", k->title, rows - 1, NODES_MAX);
    }
    (void)fprintf(g->to, "EOD\n");
    size_t columns = k->n_policies < 3 ? k->n_policies : 3, lines = (k->n_policies + columns - 1) / columns;
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\n", 0.5 + (rows > 8 ? 3.4 : 2.2) * (double)columns, 0.35 + 1.75 * (double)lines);
    (void)fprintf(g->to, "COLUMNS = %zu\nROWS = %zu\nBARS = %zu\nN = %zu\n", columns, lines, rows, k->n_policies);
    figure_labels(g, k);
    gnuplot_number(g, "YMAX", most * 1.1);
    return ST_OK;
}

const struct plot_figure plot_pods = {
    .name = "pods", .summary = "CPU and GPU pods on each node, and pending; a panel a policy", .options = "[--to T]", .draw = draw,
    .about = "When the last task had started, or at --to; each policy's first seed (the Kubernetes paper's"
             " Figures 2 to 4). From tables attempt, job.",
};
