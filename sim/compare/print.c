/* print.c -- the tables of compare.h: a column a policy, for people; the long one is in long_table.c. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "compare/view.h"
#include "compare/metric_info.h"

int compare_digits(double x)
{
    double a = fabs(x);
    if (a == floor(a) && a < 1e9) return 0;
    return a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
}

void compare_cell(struct table *t, struct stats_ci ci, double by, const char *unit)
{
    double x = ci.mean * by, half = ci.half * by;
    const char *gap = unit[0] ? " " : "";
    if (isnan(x)) table_cell(t, "-");
    else if (isnan(half)) table_cell(t, "%.*f%s%s", compare_digits(x), x, gap, unit);
    else if (isinf(half)) table_cell(t, "%.*f%s%s (open)", compare_digits(x), x, gap, unit);
    else table_cell(t, "%.*f \u00b1%.*f%s%s", compare_digits(x), x, compare_digits(x), half, gap, unit);
}

void compare_policy_cell(struct table *t, const struct compare_policy *p)
{
    table_cell(t, "%s%s", p->label, p->clairvoyant ? " *" : "");
}

void compare_line(const struct compare_view *v, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = mem_vprintf(fmt, ap);
    va_end(ap);
    table_sentence(s, v->format, v->to);
    mem_free(s);
}

static void print_means(const struct compare_view *v)
{
    struct table *t = table_create();
    struct compare_columns l;
    compare_columns_init(&l, v);
    while (l.at[l.n - 1].type == COMPARE_OVER_BOUND) l.n--; /* they stand beside their bounds, below */
    table_column(t, "policy", false);
    table_column(t, "seeds", true);
    for (size_t i = 0; i < l.n; i++) {
        char heading[96];
        (void)snprintf(heading, sizeof heading, l.at[i].scale.unit[0] ? "%s, %s" : "%s", l.at[i].heading,
                       l.at[i].scale.unit);
        table_column(t, heading, true);
    }
    for (size_t p = 0; p < v->k->n_policies; p++) {
        const struct compare_policy *q = &v->k->policy[p];
        compare_policy_cell(t, q);
        table_cell(t, "%zu", q->n_runs);
        for (size_t i = 0; i < l.n; i++) compare_cell(t, compare_column_value(v, &l.at[i], q), l.at[i].scale.by, "");
    }
    table_end(t, v->format, v->to);
    mem_free(l.at);
}

/* Relative differences in per cent; where the base is 0, plain ones. */
static void print_differences(const struct compare_view *v)
{
    struct table *t = table_create();
    table_column(t, "policy", false);
    for (size_t m = 0; m < v->n_metrics; m++) table_column(t, v->metric[m], true);
    for (size_t p = 0; p < v->k->n_policies; p++) {
        const struct compare_policy *q = &v->k->policy[p];
        if (q == v->base) continue;
        compare_policy_cell(t, q);
        for (size_t m = 0; m < v->n_metrics; m++) {
            struct compare_change g = compare_change_of(v, q, v->metric[m]);
            double x = 100 * g.by.mean;
            if (!g.is_percent) compare_cell(t, g.by, g.scale.by, g.scale.unit);
            else if (isnan(g.by.half)) table_cell(t, "%+.1f%%", x);
            else if (isinf(g.by.half)) table_cell(t, "%+.1f%% (open)", x);
            else if (v->k->batches == NULL && metric_info_is_tail(v->metric[m]) && g.by.n >= STATS_SKEW_LEAST)
                table_cell(t, "%+.1f%% [%+.1f, %+.1f]", x, 100 * g.by.lo, 100 * g.by.hi);
            else table_cell(t, "%+.1f%% \u00b1%.1f", x, 100 * g.by.half);
        }
    }
    table_end(t, v->format, v->to);
}

static bool has_several(const struct compare_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++) if (k->policy[i].n_runs > 1) return true;
    return false;
}

/* Does any policy have several runs that differ in the metrics shown? */
static bool is_repeated(const struct compare_view *v)
{
    for (size_t p = 0; p < v->k->n_policies; p++)
        for (size_t m = 0; m < v->n_metrics; m++)
            if (compare_mean(v->c, &v->k->policy[p], v->metric[m], v->scope).half > 0) return true;
    return false;
}

/* How the intervals of a case by batches were made, and what is open. */
static void print_batches(const struct compare_view *v)
{
    const struct batches *b = v->k->batches;
    bool is_open = false;
    for (size_t p = 0; p < v->k->n_policies; p++)
        for (size_t m = 0; m < v->n_metrics; m++)
            is_open = is_open || isinf(compare_mean(v->c, &v->k->policy[p], v->metric[m], v->scope).half);
    compare_line(v, "\u00b1: 95 %% interval from %d batches of %zu jobs in the order of submission, after a warm-up of %.6g h%s.", BATCHES,
                 b->n_jobs, (double)b->whole.from / 3600e6, b->is_given ? "" : " that MSER-5 finds of their waits");
    if (!b->is_settled)
        compare_line(v, "Nothing is decided: the jobs' waits do not settle in the first half of the run.");
    else if (is_open)
        compare_line(v, "open: the run is too short for an interval: the values rise over their 95th percentile (99th for _p99) fewer than %d times, "
                     "or a batch has none.", BATCH_RISES);
}

static void print_title(const struct compare_view *v)
{
    char window[96] = "", from[32], to[32];
    const struct window *w = v->k->batches != NULL ? &v->k->batches->whole : &v->c->window;
    if (window_is_on(w)) {
        (void)snprintf(from, sizeof from, "%.6g h", (double)w->from / 3600e6);
        (void)snprintf(to, sizeof to, w->to == TICK_NEVER ? "the end" : "%.6g h", (double)w->to / 3600e6);
        (void)snprintf(window, sizeof window, ", jobs submitted from %s to %s", from, to);
    }
    bool all = strcmp(v->scope, "all") == 0;
    char *title = table_escape(v->k->title, v->format), *scope = table_escape(v->scope, v->format);
    (void)fprintf(v->to, "%s%s%s%s%s%s\n\n", v->format == TABLE_MARKDOWN ? "### " : v->format == TABLE_LATEX ? "\\paragraph{" : "",
                  title, all ? "" : ", ", all ? "" : scope, window, v->format == TABLE_LATEX ? "}" : "");
    mem_free(title);
    mem_free(scope);
}

static void print_notes(const struct compare_view *v)
{
    (void)fputc('\n', v->to);
    if (v->k->batches != NULL) {
        print_batches(v);
    } else if (is_repeated(v)) {
        bool tails = false;
        for (size_t m = 0; m < v->n_metrics; m++) tails = tails || metric_info_is_tail(v->metric[m]);
        compare_line(v, "\u00b1: 95 %% interval over seeds (Student's t%s).", !tails ? "" :
                     "; of _p95, _p99 and _max, with 8 seeds or more, half the width of one corrected for skewness, given whole in [..]");
    } else if (has_several(v->k)) {
        compare_line(v, "The seeds change nothing here: each policy's runs are equal, so this is one case. "
                     "`fairway compare --batches` has intervals from within the runs.");
    } else {
        compare_line(v, "One seed: no intervals over seeds; `fairway compare --batches` has them from within a long run.");
    }
    const char *waits = compare_waits(v);
    if (waits != NULL) compare_line(v, "%s", waits);
    if (compare_any_clairvoyant(v->k)) compare_line(v, "* clairvoyant: it was told true durations.");
    if (window_is_on(&v->c->window))
        compare_line(v, "Job metrics are over the jobs submitted in the window, utilisation over the samples taken in it.");
}

static void print_wide(const struct compare_view *v)
{
    print_title(v);
    print_means(v);
    if (v->k->n_policies > 1) {
        (void)fputc('\n', v->to);
        compare_line(v, "Difference to %s%s:", v->base->label, v->k->batches != NULL ? ", paired by batch" : has_several(v->k) ? ", paired by seed" : "");
        (void)fputc('\n', v->to);
        print_differences(v);
        compare_print_sentences(v);
    }
    if (!window_is_on(&v->c->window) && strcmp(v->scope, "all") == 0) {
        compare_print_bounds(v);
        published_print(v->c, v->k, v->published, v->format, v->to);
    }
    print_notes(v);
}

static void print_unfinished(const struct compare_view *v)
{
    const struct compare *c = v->c;
    if (c->n_unfinished == 0) return;
    (void)fputc('\n', v->to);
    compare_line(v, "Not compared, because not finished:");
    if (v->format != TABLE_TEXT) (void)fputc('\n', v->to);
    for (size_t i = 0; i < c->n_unfinished; i++) {
        const struct compare_unfinished *l = &c->unfinished[i];
        char *s = table_escape(l->message, v->format), *name = table_escape(l->scenario, v->format), *policy = table_escape(l->policy, v->format);
        (void)fprintf(v->to, "%srun %lld (%s, %s, seed %llu): %s%s%s%s\n", v->format == TABLE_MARKDOWN ? "- " : "  ", (long long)l->run, name, policy,
                      (unsigned long long)l->seed, l->status, s[0] ? ": " : "", s, v->format == TABLE_LATEX ? "\n" : "");
        MEM_FREE(s, name, policy);
    }
}

/* ---- which metrics ---- */

/* For programs: all that a table for people or the published figures would show. */
static void add_all(struct compare_metrics *l, const struct compare *c, const struct published *published)
{
    compare_add_usual(l, c, NULL, "all");
    compare_add_metric(l, c, "makespan");
    for (size_t k = 0; k < c->n; k++) {
        compare_add_usual(l, c, &c->at[k], "all");
        for (size_t i = 0; i < published[k].n; i++) compare_add_metric(l, c, published[k].at[i].metric);
    }
}

static void print_cases(struct compare_view *v, const struct compare_policy *const *base, const struct published *published, bool is_default)
{
    const struct compare *c = v->c;
    for (size_t k = 0; k < c->n; k++) {
        struct compare_metrics l = { NULL, 0, 0 };
        if (k > 0) (void)fputc('\n', v->to);
        v->k = &c->at[k];
        v->base = base[k];
        v->published = &published[k];
        if (is_default) {
            compare_add_usual(&l, c, v->k, v->scope);
            v->metric = l.at;
            v->n_metrics = l.n;
        }
        print_wide(v);
        mem_free(l.at);
    }
}

/* A window in which no run has a job to count. */
static enum st check_window(const struct compare *c, const char *scope, struct diag *d)
{
    if (!window_is_on(&c->window)) return ST_OK;
    if (c->window.from >= c->window.to) return diag_set(d, ST_EINPUT, "the window is empty: it ends before it begins");
    bool any = false;
    for (size_t k = 0; k < c->n; k++)
        for (size_t p = 0; p < c->at[k].n_policies; p++)
            for (size_t i = 0; i < c->at[k].policy[p].n_runs; i++)
                any |= compare_value(c, c->at[k].policy[p].run[i], "jobs_counted", scope) > 0;
    TRY(compare_error(c, d));           /* a run that has no rows to look for */
    if (any) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "no job that counts%s%s was submitted in the window", strcmp(scope, "all") != 0 ? " of " : "",
                   strcmp(scope, "all") != 0 ? scope : "");
    return diag_hint(d, "times count from when the run began; without a unit they are seconds");
}

static enum st check_metrics(const struct compare *c, const struct compare_opts *o, const char *scope, struct diag *d)
{
    for (size_t m = 0; m < o->n_metrics; m++) TRY(compare_check_metric(c, o->metric[m], scope, d));
    if (o->n_metrics == 0 && o->scope != NULL) TRY(compare_check_metric(c, "jct_mean", scope, d));
    return check_window(c, scope, d);
}

enum st compare_print(const struct compare *c, const struct compare_opts *o, FILE *to, struct diag *d)
{
    struct compare_view v = { .c = c, .metric = o->metric, .n_metrics = o->n_metrics, .scope = o->scope ? o->scope : "all",
                      .format = o->format, .to = to };
    TRY(check_metrics(c, o, v.scope, d));
    const struct compare_policy **base;
    struct published *published;
    enum st st = ST_OK;
    MEM_ARRAY(base, c->n);
    MEM_ARRAY(published, c->n);
    for (size_t k = 0; k < c->n && st == ST_OK; k++) {
        size_t at = 0;
        if (o->base != NULL) st = compare_find(&c->at[k], o->base, &at, d);
        if (st == ST_OK) base[k] = &c->at[k].policy[at];
        if (st == ST_OK) st = published_load(&published[k], c->at[k].scenario, d);
    }
    if (st == ST_OK && (o->format == TABLE_CSV || o->format == TABLE_JSON)) {
        struct compare_metrics all = { NULL, 0, 0 };
        if (o->n_metrics == 0) {
            add_all(&all, c, published);
            v.metric = all.at;
            v.n_metrics = all.n;
        }
        compare_print_long(c, &v, base, published);
        v.format = TABLE_TEXT;
        v.to = stderr;              /* stdout is for a program */
        print_unfinished(&v);
        mem_free(all.at);
    } else if (st == ST_OK) {
        print_cases(&v, base, published, o->n_metrics == 0);
        print_unfinished(&v);
    }
    for (size_t k = 0; k < c->n; k++) published_fini(&published[k]);
    mem_free(published);
    mem_free(base);
    return compare_error(c, d);
}
