#include "plot/plot.h"

#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"

/* Points a curve: more than a printed column resolves. */
enum { CDF_POINTS = 400, TIMELINE_POINTS = 100 };

static const struct { const char *name, *label; bool is_time; } job_metrics[] = {
    { "jct", "Job completion time", true },     { "wait", "Waiting time", true },
    { "slowdown", "Slowdown", false },          { "bounded_slowdown", "Bounded slowdown", false },
    { "rho", "Finish-time fairness", false },   { "span", "Single-job time", true },
    { "s_whole", "Ideal time on the whole cluster / time", false },
    { "s_share", "Ideal time on a share of the cluster / time", false },
};

static enum st sql_failed(const struct compare *c, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(store_db(c->store)));
}

struct plot_unit plot_time_unit(double seconds)
{
    if (seconds >= 4 * 86400) return (struct plot_unit){ "days", 86400 };
    if (seconds >= 4 * 3600)  return (struct plot_unit){ "hours", 3600 };
    if (seconds >= 4 * 60)    return (struct plot_unit){ "minutes", 60 };
    return (struct plot_unit){ "seconds", 1 };
}

static enum st find_job_metric(const char *metric, size_t *m, struct diag *d)
{
    const char *names[ARRAY_LEN(job_metrics)];
    for (*m = 0; *m < ARRAY_LEN(job_metrics); ++*m) {
        names[*m] = job_metrics[*m].name;
        if (strcmp(names[*m], metric) == 0) return ST_OK;
    }
    const char *near = diag_nearest(metric, names, ARRAY_LEN(job_metrics));
    (void)diag_set(d, ST_EINPUT, "this figure cannot show '%s'; expected jct, wait, span, slowdown, bounded_slowdown, rho, s_whole or s_share", metric);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    return ST_EINPUT;
}

/* Labels, rows of the legend above the figure, and a height that leaves `h` inches for the rest. */
static void write_labels(struct gnuplot *g, const struct compare_case *k, double h)
{
    enum { LINE_CHARS = 68, SAMPLE_CHARS = 9 };
    size_t longest = 0, cols, rows;
    for (size_t i = 0; i < k->n_policies; i++) {
        size_t len = strlen(k->policy[i].label) + (k->policy[i].clairvoyant ? 2 : 0);
        if (len > longest) longest = len;
    }
    cols = LINE_CHARS / (longest + SAMPLE_CHARS);
    if (cols < 1) cols = 1;
    rows = (k->n_policies + cols - 1) / cols;
    (void)fprintf(g->to, "if (!exists(\"H\")) H = %.2f\n", h + 0.125 * (double)rows);
    (void)fprintf(g->to, "KEYROWS = %zu\nN = %zu\narray LABEL[%zu]\n", rows, k->n_policies, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) {
        char name[32], label[256];
        (void)snprintf(name, sizeof name, "LABEL[%zu]", i + 1);
        (void)snprintf(label, sizeof label, "%s%s", k->policy[i].label, k->policy[i].clairvoyant ? " *" : "");
        gnuplot_text(g, name, label);
    }
}

/* ---- cdf ---- */

char *plot_run_list(const struct compare_policy *p)
{
    enum { DIGITS = 21 };
    char *s;
    size_t at = 0;
    MEM_ARRAY(s, p->n_runs * DIGITS + 1);
    for (size_t i = 0; i < p->n_runs; i++)
        at += (size_t)snprintf(s + at, DIGITS + 1, "%s%lld", i > 0 ? "," : "", (long long)p->run[i]);
    return s;
}

/* Thinned to some hundred ranks, the first and the last among them. */
static enum st cdf_block(struct gnuplot *g, const struct compare *c, const struct compare_policy *p, const char *metric,
                         double *median, double *least, struct diag *d)
{
    static const char query[] =
        "WITH r AS (SELECT %s AS x, row_number() OVER (ORDER BY %s) AS k, count(*) OVER () AS n"
        "  FROM v_job WHERE run IN (%s) AND %s IS NOT NULL) "
        "SELECT x, 1.0 * k / n FROM r WHERE k %% max(n / %d, 1) = 0 OR k = 1 OR k = n ORDER BY k";
    char *runs = plot_run_list(p), *sql;
    size_t len = sizeof query + strlen(runs) + 256;
    MEM_ARRAY(sql, len);
    (void)snprintf(sql, len, query, metric, metric, runs, metric, CDF_POINTS);
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store), sql, -1, &q, NULL);
    bool past_half = false;
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        double x = sqlite3_column_double(q, 0), f = sqlite3_column_double(q, 1);
        (void)fprintf(g->to, "%.9g\t%.6f\n", x, f);
        if (!past_half && f >= 0.5) { *median = fmax(*median, x); past_half = true; }
        if (x > 0 && f >= 0.01) *least = fmin(*least, x);
    }
    (void)fprintf(g->to, "\n\n");
    rc = sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK ? ST_OK : ST_EWORLD;
    mem_free(sql);
    mem_free(runs);
    return rc == ST_OK ? ST_OK : sql_failed(c, d);
}

static enum st write_cdf(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                         const struct plot_opts *o, struct diag *d)
{
    size_t m;
    double median = 0, least = INFINITY;
    char label[128];
    TRY(find_job_metric(o->metric ? o->metric : "jct", &m, d));
    (void)fprintf(g->to, "$cdf << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) TRY(cdf_block(g, c, &k->policy[i], job_metrics[m].name, &median, &least, d));
    (void)fprintf(g->to, "EOD\n");
    if (!isfinite(least))
        return diag_set(d, ST_EINPUT, "no finished job of '%s' has a %s above 0 to draw", k->title, job_metrics[m].name);
    struct plot_unit unit = job_metrics[m].is_time ? plot_time_unit(median) : (struct plot_unit){ NULL, 1 };
    (void)snprintf(label, sizeof label, unit.name ? "%s (%s)" : "%s", job_metrics[m].label, unit.name);
    gnuplot_text(g, "XLABEL", label);
    gnuplot_number(g, "XDIV", unit.seconds);
    gnuplot_number(g, "XMIN", least / unit.seconds);
    write_labels(g, k, 2.1);
    return ST_OK;
}

/* ---- bars ---- */

static enum st write_bars(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                          const struct plot_opts *o, struct diag *d)
{
    static const char *const tail[] = { "mean", "p95", "p99" };
    const char *metric = o->metric ? o->metric : "jct", *scope = o->scope ? o->scope : "all";
    size_t m, base = 0;
    struct plot_names names = { 0 };
    bool has_ci = false;
    double most = 1;
    char label[256];
    TRY(find_job_metric(metric, &m, d));
    if (o->base != NULL) TRY(compare_find(k, o->base, &base, d));
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        (void)snprintf(label, sizeof label, "%s%s", k->policy[i].label, k->policy[i].clairvoyant ? " *" : "");
        plot_names_add(&names, label);
        gnuplot_cell(g, label);
        for (size_t t = 0; t < ARRAY_LEN(tail); t++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s_%s", metric, tail[t]);
            TRY(compare_check_metric(c, name, scope, d));
            struct stats_ci r = compare_ratio(c, &k->policy[i], &k->policy[base], name, scope);
            if (isnan(r.mean))
                return diag_set(d, ST_EINPUT, "'%s' has no %s relative to '%s': no seed in common, or a value of 0",
                                k->policy[i].label, name, k->policy[base].label);
            bool has = !isnan(r.half);
            has_ci = has_ci || has;
            most = fmax(most, has ? r.hi : r.mean);
            (void)fprintf(g->to, "\t%.9g\t%.9g\t%.9g", r.mean, has ? r.lo : r.mean, has ? r.hi : r.mean);
        }
        (void)fputc('\n', g->to);
    }
    /* As wide as the labels need, within reason. */
    double need = 0.7 + (double)k->n_policies * (0.065 * (double)names.longest + 0.06), wide = fmin(names.longest > 16 ? 7 : 5.5, fmax(3.5, need));
    (void)fprintf(g->to, "EOD\nif (!exists(\"W\")) W = %.2f\nN = %zu\nHAS_CI = %d\n", wide, k->n_policies, has_ci);
    plot_names_end(g, &names, wide - 0.7, 2.2, 0.26);
    gnuplot_number(g, "YMAX", most * 1.08);
    gnuplot_text(g, "YLABEL", job_metrics[m].label);
    gnuplot_text(g, "BASE", k->policy[base].label);
    return ST_OK;
}

/* ---- timeline ---- */

/* One run's samples; many are averaged to some hundred points. */
static enum st series_block(struct gnuplot *g, const struct compare *c, int64_t run, const char *name, double bucket_s,
                            size_t *n, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(c->store),
        "SELECT avg(at_us) / 1e6, avg(value) FROM series WHERE run = ?1 AND name = ?2"
        " GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1", -1, &q, NULL);
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, run);
        (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
        (void)sqlite3_bind_double(q, 3, fmax(1, bucket_s * 1e6));
    }
    *n = 0;
    while (rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW) {
        (void)fprintf(g->to, "%.9g\t%.6g\n", sqlite3_column_double(q, 0), sqlite3_column_double(q, 1));
        ++*n;
    }
    (void)fprintf(g->to, "\n\n");
    return sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK ? ST_OK : sql_failed(c, d);
}

/* The run's policy, which of its runs it is. */
enum st plot_run(const struct compare_case *k, int64_t run, const struct compare_policy **p, size_t *index, struct diag *d)
{
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++)
            if (k->policy[i].run[j] == run) { *p = &k->policy[i]; *index = j; return ST_OK; }
    (void)diag_set(d, ST_EINPUT, "'%s' has no finished run %lld", k->title, (long long)run);
    diag_hint(d, "its first is run %lld (%s, seed %llu)", (long long)k->policy[0].run[0], k->policy[0].label,
              (unsigned long long)k->policy[0].seed[0]);
    return ST_EINPUT;
}

static double last_sample(const struct compare *c, int64_t run)
{
    sqlite3_stmt *q = NULL;
    double at = 0;
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT max(at_us) / 1e6 FROM series WHERE run = ?", -1, &q, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, run);
        if (sqlite3_step(q) == SQLITE_ROW) at = sqlite3_column_double(q, 0);
    }
    (void)sqlite3_finalize(q);
    return at;
}

/* One line a policy, its first seed; or the one run asked for. */
static enum st write_timeline(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                              const struct plot_opts *o, struct diag *d)
{
    static const struct { const char *block, *series; } panel[] = { { "util", "gpu_util" }, { "queue", "tasks_waiting" } };
    const struct compare_policy *only = NULL;
    size_t which = 0, n;
    double end = 0;
    if (o->run >= 0) TRY(plot_run(k, o->run, &only, &which, d));
    size_t lines = only ? 1 : k->n_policies;
    for (size_t i = 0; i < lines; i++) end = fmax(end, last_sample(c, only ? o->run : k->policy[i].run[0]));
    for (size_t s = 0; s < ARRAY_LEN(panel); s++) {
        (void)fprintf(g->to, "$%s << EOD\n", panel[s].block);
        for (size_t i = 0; i < lines; i++) {
            int64_t run = only ? o->run : k->policy[i].run[0];
            TRY(series_block(g, c, run, panel[s].series, end / TIMELINE_POINTS, &n, d));
            if (n > 0) continue;
            (void)diag_set(d, ST_EINPUT, "run %lld has no samples of %s to draw", (long long)run, panel[s].series);
            diag_hint(d, "say `output: {sample_every: 5m}` in the scenario, or --set output.sample_every=5m, and run it again");
            return ST_EINPUT;
        }
        (void)fprintf(g->to, "EOD\n");
    }
    struct plot_unit unit = plot_time_unit(end);
    char label[160];
    unsigned long long seed = (unsigned long long)(only ? only->seed[which] : k->policy[0].seed[0]);
    (void)snprintf(label, sizeof label, "Time (%s), seed %llu", unit.name, seed);
    gnuplot_text(g, "XLABEL", label);
    gnuplot_number(g, "TDIV", unit.seconds);
    gnuplot_number(g, "TMAX", end);
    if (only == NULL) { write_labels(g, k, 3.0); return ST_OK; }
    (void)fprintf(g->to, "if (!exists(\"H\")) H = 3.1\nKEYROWS = 1\nN = 1\narray LABEL[1]\n");
    gnuplot_text(g, "LABEL[1]", only->label);
    return ST_OK;
}

/* ---- choosing ---- */

const struct plot_figure plot_figures[] = {
    { "cdf",      "distribution of a job metric, a curve a policy", "sm", write_cdf },
    { "bars",     "mean, p95 and p99 relative to a baseline, paired by seed", "smcb", write_bars },
    { "timeline", "GPU utilisation and tasks waiting over time", "sr", write_timeline },
    { "levels",   "series and notes of one run over time, a panel for each group", "smr", plot_levels },
    { "jobs-ideal", "each job's time beside its ideal times, a panel a policy", "s", plot_jobs_ideal },
    { "data-bars", "DT, fairness deviation and bytes by level, three panels", "s", plot_data_bars },
    { "fairness", "Jain's index, finish-time fairness and jobs later than fair, three panels", "s", plot_fairness },
    { "fairness-traffic", "fairness deviation against bytes over the network, a point a policy", "sm", plot_fairness_traffic },
    { "lending",  "what is reserved for workflows: used, lent, idle, over time", "smrft", plot_lending },
    { "workflow-gantt", "when the tasks of each workflow ran, stage by stage", "srft", plot_workflow_gantt },
    { "gantt",    "which user held which GPU when", "srnft", plot_gantt },
    { "engines",  "which call was on which engine when", "srft", plot_engines },
    { "engine-bars", "policies for API calls: times, calls elsewhere, useful work by kind of engine", "sb", plot_engine_bars },
    { "pods",     "CPU and GPU pods on each node, and pending; a panel a policy", "st", plot_pods },
    { "frag-load", "fragments, allocation and pods unscheduled as a cluster fills", "s", plot_frag_load },
    { NULL, NULL, NULL, NULL },
};

const struct plot_figure *plot_find(const char *name, struct diag *d)
{
    const char *names[ARRAY_LEN(plot_figures)];
    size_t n = 0;
    for (; plot_figures[n].name != NULL; n++) {
        if (strcmp(plot_figures[n].name, name) == 0) return &plot_figures[n];
        names[n] = plot_figures[n].name;
    }
    const char *near = diag_nearest(name, names, n);
    (void)diag_set(d, ST_EINPUT, "there is no figure '%s'; there are", name);
    for (size_t i = 0, at = strlen(d->msg); i < n && at + 64 < sizeof d->msg; at = strlen(d->msg), i++)
        (void)snprintf(d->msg + at, sizeof d->msg - at, "%s%s", i == 0 ? " " : i + 1 < n ? ", " : " and ", names[i]);
    if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
    return NULL;
}

static enum st check_options(const struct plot_figure *f, const struct plot_opts *o, struct diag *d)
{
    const struct { char letter; const char *name; bool given; } all[] = {
        { 's', "scenario", o->scenario != NULL }, { 'm', "metric", o->metric != NULL }, { 'c', "scope", o->scope != NULL },
        { 'b', "base", o->base != NULL }, { 'r', "run", o->run >= 0 }, { 'n', "nodes", o->nodes != NULL },
        { 'f', "from", o->from >= 0 }, { 't', "to", o->to >= 0 },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        if (all[i].given && strchr(f->takes, all[i].letter) == NULL)
            return diag_set(d, ST_EINPUT, "the figure '%s' has no use for --%s", f->name, all[i].name);
    return ST_OK;
}

/* The case named, or that of the run named, or the only one. */
static enum st choose_case(const struct compare *c, const struct plot_opts *o, const struct compare_case **k, struct diag *d)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_policy *p;
        size_t index;
        struct diag ignored = { 0 };
        *k = &c->at[i];
        if (o->scenario != NULL ? strcmp(c->at[i].title, o->scenario) == 0
            : o->run >= 0 ? plot_run(*k, o->run, &p, &index, &ignored) == ST_OK : c->n == 1) return ST_OK;
    }
    *k = &c->at[0];
    if (o->scenario != NULL) (void)diag_set(d, ST_EINPUT, "the database has no finished run of a scenario '%s'", o->scenario);
    else if (o->run >= 0 && c->n == 1) return ST_OK;    /* the figure says what is wrong with the run */
    else if (o->run >= 0) (void)diag_set(d, ST_EINPUT, "the database has no finished run %lld", (long long)o->run);
    else (void)diag_set(d, ST_EINPUT, "the database has runs of %zu scenarios; choose one", c->n);
    diag_hint(d, "--scenario '%s', for example", c->at[0].title);
    return ST_EINPUT;
}

enum st plot_make(struct store *s, const struct plot_figure *f, const struct plot_opts *o, struct diag *d)
{
    struct compare c;
    struct gnuplot g;
    const struct compare_case *k;
    TRY(check_options(f, o, d));
    TRY(compare_load(&c, s, d));
    enum st st = choose_case(&c, o, &k, d);
    if (st == ST_OK) st = gnuplot_begin(&g, o->out, f->name, d);
    if (st == ST_OK) {
        st = f->write(&g, &c, k, o, d);
        if (st == ST_OK) st = gnuplot_end(&g, f->name, d);
        else gnuplot_abort(&g);
    }
    compare_fini(&c);
    return st;
}
