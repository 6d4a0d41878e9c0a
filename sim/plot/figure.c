/* figure.c -- labels, units, queries and runs, for the figures. */
#include "plot/figure.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "db/select.h"

/* ---- units ---- */

struct figure_unit figure_time_unit(double seconds)
{
    if (seconds >= 4 * 86400) return (struct figure_unit){ "days", 86400 };
    if (seconds >= 4 * 3600)  return (struct figure_unit){ "hours", 3600 };
    if (seconds >= 4 * 60)    return (struct figure_unit){ "minutes", 60 };
    return (struct figure_unit){ "seconds", 1 };
}

struct figure_unit figure_bytes_unit(double bytes)
{
    if (bytes >= 1e12) return (struct figure_unit){ "TB", 1e12 };
    if (bytes >= 1e9)  return (struct figure_unit){ "GB", 1e9 };
    return (struct figure_unit){ "MB", 1e6 };
}

void figure_axis(struct gnuplot *g, const char *label, const char *what, const char *div, struct figure_unit unit)
{
    char text[320];
    (void)snprintf(text, sizeof text, unit.name != NULL ? "%s (%s)" : "%s", what, unit.name);
    gnuplot_text(g, label, text);
    gnuplot_number(g, div, unit.by);
}

void figure_time_axis(struct gnuplot *g, double from, double to)
{
    char text[64];
    struct figure_unit unit = figure_time_unit(to - from);
    gnuplot_number(g, "FROM", from);
    gnuplot_number(g, "TO", to);
    gnuplot_number(g, "TDIV", unit.by);
    (void)snprintf(text, sizeof text, "Time (%s)", unit.name);
    gnuplot_text(g, "XLABEL", text);
}

/* ---- labels ---- */

const char *figure_label(const struct compare_policy *p, char *buf, size_t cap)
{
    (void)snprintf(buf, cap, "%s%s", p->label, p->clairvoyant ? " *" : "");
    return buf;
}

void figure_bar(struct gnuplot *g, const struct compare_policy *p, struct bar_names *names)
{
    char label[256];
    bar_names_add(names, figure_label(p, label, sizeof label));
    gnuplot_cell(g, label);
}

void figure_labels(struct gnuplot *g, const struct compare_case *k)
{
    (void)fprintf(g->to, "array LABEL[%zu]\n", k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) {
        char label[256];
        gnuplot_item(g, "LABEL", i, figure_label(&k->policy[i], label, sizeof label));
    }
}

struct figure_size figure_legend(struct gnuplot *g, const struct compare_case *k, double h)
{
    enum { LINE_CHARS = 68, SAMPLE_CHARS = 9 };
    const bool is_direct = k->n_policies > DIRECT_ABOVE;
    size_t longest = 0, cols, rows;
    for (size_t i = 0; i < k->n_policies; i++) {
        size_t len = strlen(k->policy[i].label) + (k->policy[i].clairvoyant ? 2 : 0);
        if (len > longest) longest = len;
    }
    cols = LINE_CHARS / (longest + SAMPLE_CHARS);
    if (cols < 1) cols = 1;
    rows = (k->n_policies + cols - 1) / cols;
    if (is_direct) rows = 0;
    const struct figure_size size = { is_direct ? 7.0 : 3.5, h + (is_direct ? 1.0 : 0.125 * (double)rows) };
    if (is_direct) (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\n", size.w);
    (void)fprintf(g->to, "if (!exists(\"H\")) H = %.2f\n", size.h);
    (void)fprintf(g->to, "KEYROWS = %zu\nN = %zu\n", rows, k->n_policies);
    figure_labels(g, k);
    return size;
}

void figure_names(struct gnuplot *g, const struct compare_case *k, const struct direct *l, const struct direct_axis *x,
                  const struct direct_axis *y)
{
    char (*label)[256];
    const char **name;
    MEM_ARRAY(label, k->n_policies);
    MEM_ARRAY(name, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++) name[i] = figure_label(&k->policy[i], label[i], sizeof label[i]);
    direct_write(l, g, name, k->n_policies, x, y);
    mem_free(name);
    mem_free(label);
}

void figure_interval(struct gnuplot *g, struct stats_ci v)
{
    bool has = !isnan(v.half);
    (void)fprintf(g->to, "\t%.9g\t%.9g\t%.9g", v.mean, has ? v.lo : v.mean, has ? v.hi : v.mean);
}

/* ---- metrics ---- */

enum st figure_job_metric(const char *name, const struct metric_job **m, struct diag *d)
{
    const char *names[METRIC_JOBS];
    size_t n = 0;
    for (size_t i = 0; i < METRIC_JOBS; i++) {
        *m = &metric_info_jobs[i];
        if ((*m)->label == NULL) continue;
        names[n++] = (*m)->name;
        if (strcmp((*m)->name, name) == 0) return ST_OK;
    }
    (void)diag_set(d, ST_EINPUT, "this figure cannot show '%s'; expected jct, wait, span, slowdown, bounded_slowdown, rho, s_whole or s_share", name);
    return diag_suggest(d, name, names, n);
}

/* ---- runs ---- */

char *figure_run_list(const struct compare_policy *p)
{
    enum { DIGITS = 21 };
    char *s;
    size_t at = 0;
    MEM_ARRAY(s, p->n_runs * DIGITS + 1);
    for (size_t i = 0; i < p->n_runs; i++)
        at += (size_t)snprintf(s + at, DIGITS + 1, "%s%lld", i > 0 ? "," : "", (long long)p->run[i]);
    return s;
}

enum st figure_run_find(struct figure_run *r, const struct compare_case *k, int64_t asked, struct diag *d)
{
    r->id = asked >= 0 ? asked : k->policy[0].run[0];
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++)
            if (k->policy[i].run[j] == r->id) { r->p = &k->policy[i]; r->index = j; return ST_OK; }
    (void)diag_set(d, ST_EINPUT, "'%s' has no finished run %lld", k->title, (long long)r->id);
    return diag_hint(d, "its first is run %lld (%s, seed %llu)", (long long)k->policy[0].run[0], k->policy[0].label,
                     (unsigned long long)k->policy[0].seed[0]);
}

enum st figure_jobs_kept(const struct compare *c, const struct compare_case *k, struct diag *d)
{
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++) TRY(select_jobs_kept(c->store, k->policy[i].run[j], d));
    return ST_OK;
}

enum st figure_no_ideals(const struct compare_case *k, struct diag *d)
{
    (void)diag_set(d, ST_EINPUT, "no job of '%s' has an ideal time to draw", k->title);
    return diag_hint(d, "say `output: {ideal: 6}` in the scenario (the ideal on a sixth of the GPUs), and run it "
                     "again");
}

enum st figure_span_find(struct figure_span *s, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    *s = (struct figure_span){ .c = c, .from = o->from >= 0 ? (double)o->from / 1e6 : 0, .to = o->to >= 0 ? (double)o->to / 1e6 : HUGE_VAL };
    return figure_run_find(&s->run, k, o->run, d);
}

void figure_span_axis(struct gnuplot *g, const struct figure_span *s, double end)
{
    char text[256];
    figure_time_axis(g, s->from, end);
    (void)snprintf(text, sizeof text, "run %lld: %s, seed %llu", (long long)s->run.id, s->run.p->label,
                   (unsigned long long)s->run.p->seed[s->run.index]);
    gnuplot_text(g, "TITLE", text);
}
