/* The tables of compare.h: wide for people, long for programs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "out/compare.h"
#include "out/published.h"

static const char *const usual[] = {
    "jct_mean", "jct_p99", "wait_mean", "bounded_slowdown_mean", "gpu_util", "jain", "rho_p95", "preemptions",
};

/* The same where jobs read data. */
static const char *const usual_data[] = {
    "dt", "span_mean", "s_share_mean", "s_share_sigma", "local_share", "bytes_network", "bytes_vain", "preemptions", "gpu_util",
};

/* Numbers that must never go unseen: jobs that did not end as they should. */
static const struct { const char *metric, *heading; } trouble[] = {
    { "jobs_timeout", "timed out" }, { "jobs_rejected", "rejected" }, { "jobs_unfinished", "unfinished" },
};

struct view {
    const struct compare *c;
    const struct cmp_case *k;
    const struct cmp_policy *base;
    const struct published *published;      /* of the case */
    const char *const *metric; size_t n_metrics;
    const char *scope;
};

static bool is_level_share(const char *metric)
{
    return strcmp(metric, "local_share") == 0 || strcmp(metric, "rack_share") == 0 || strcmp(metric, "cross_share") == 0;
}

/* How a metric is shown: seconds as hours where they are many, shares in per cent. */
struct scale { double by; char unit[16]; };

static struct scale scale_of(const struct view *v, const char *metric)
{
    struct scale s = { .by = 1 };
    double most = 0;
    (void)compare_unit(v->c, metric, s.unit, sizeof s.unit);
    for (size_t i = 0; i < v->k->n_policies; i++) most = fmax(most, compare_mean(v->c, &v->k->policy[i], metric, v->scope).mean);
    if (strcmp(s.unit, "s") == 0) {
        if (most >= 3 * 3600) s = (struct scale){ 1 / 3600.0, "h" };
        else if (most >= 3 * 60) s = (struct scale){ 1 / 60.0, "min" };
    } else if (strcmp(s.unit, "B") == 0) {
        s = most >= 1e12 ? (struct scale){ 1e-12, "TB" } : most >= 1e9 ? (struct scale){ 1e-9, "GB" } : (struct scale){ 1e-6, "MB" };
    } else if (strstr(metric, "_util") != NULL || strcmp(metric, "card_occupancy") == 0 || is_level_share(metric)) {
        s = (struct scale){ 100, "%" };
    } else if (strcmp(s.unit, "1") == 0) {
        s.unit[0] = '\0';
    }
    return s;
}

/* Digits after the point: four significant, none for whole numbers. */
static int digits(double x)
{
    double a = fabs(x);
    if (a == floor(a) && a < 1e9) return 0;
    return a >= 1000 ? 0 : a >= 100 ? 1 : a >= 10 ? 2 : 3;
}

static void cell_ci(struct table *t, struct stats_ci ci, double by, const char *unit)
{
    double x = ci.mean * by, half = ci.half * by;
    const char *gap = unit[0] ? " " : "";
    if (isnan(x)) table_cell(t, "-");
    else if (isnan(half)) table_cell(t, "%.*f%s%s", digits(x), x, gap, unit);
    else table_cell(t, "%.*f \u00b1%.*f%s%s", digits(x), x, digits(x), half, gap, unit);
}

static void policy_cell(struct table *t, const struct cmp_policy *p)
{
    table_cell(t, "%s%s", p->label, p->clairvoyant ? " *" : "");
}

static bool has_trouble(const struct view *v, size_t i)
{
    double sum = 0;
    for (size_t p = 0; p < v->k->n_policies; p++) sum += fmax(0, compare_mean(v->c, &v->k->policy[p], trouble[i].metric, "all").mean);
    return sum > 0;
}

static void print_means(const struct view *v, enum table_format f, FILE *to)
{
    struct table *t = table_create();
    bool shown[ARRAY_LEN(trouble)];
    struct scale *scale;
    MEM_ARRAY(scale, v->n_metrics);
    table_column(t, "policy", false);
    table_column(t, "seeds", true);
    table_column(t, "jobs done", true);
    for (size_t i = 0; i < ARRAY_LEN(trouble); i++)
        if ((shown[i] = has_trouble(v, i))) table_column(t, trouble[i].heading, true);
    for (size_t m = 0; m < v->n_metrics; m++) {
        char heading[96];
        scale[m] = scale_of(v, v->metric[m]);
        (void)snprintf(heading, sizeof heading, scale[m].unit[0] ? "%s, %s" : "%s", v->metric[m], scale[m].unit);
        table_column(t, heading, true);
    }
    for (size_t p = 0; p < v->k->n_policies; p++) {
        const struct cmp_policy *q = &v->k->policy[p];
        policy_cell(t, q);
        table_cell(t, "%zu", q->n_runs);
        cell_ci(t, (struct stats_ci){ .mean = compare_mean(v->c, q, "jobs_done", "all").mean, .half = NAN }, 1, "");
        for (size_t i = 0; i < ARRAY_LEN(trouble); i++)
            if (shown[i]) cell_ci(t, (struct stats_ci){ .mean = compare_mean(v->c, q, trouble[i].metric, "all").mean, .half = NAN }, 1, "");
        for (size_t m = 0; m < v->n_metrics; m++) cell_ci(t, compare_mean(v->c, q, v->metric[m], v->scope), scale[m].by, "");
    }
    table_print(t, f, to);
    table_destroy(t);
    mem_free(scale);
}

/* Relative differences in per cent; where the base is 0, plain ones. */
static void print_differences(const struct view *v, enum table_format f, FILE *to)
{
    struct table *t = table_create();
    table_column(t, "policy", false);
    for (size_t m = 0; m < v->n_metrics; m++) table_column(t, v->metric[m], true);
    for (size_t p = 0; p < v->k->n_policies; p++) {
        const struct cmp_policy *q = &v->k->policy[p];
        if (q == v->base) continue;
        policy_cell(t, q);
        for (size_t m = 0; m < v->n_metrics; m++) {
            struct stats_ci r = compare_ratio(v->c, q, v->base, v->metric[m], v->scope);
            if (isnan(r.mean)) {
                struct scale scale = scale_of(v, v->metric[m]);
                cell_ci(t, compare_diff(v->c, q, v->base, v->metric[m], v->scope), scale.by, scale.unit);
                continue;
            }
            r.mean -= 1;
            double x = 100 * r.mean;
            if (isnan(r.half)) table_cell(t, "%+.1f%%", x);
            else table_cell(t, "%+.1f%% \u00b1%.1f", x, 100 * r.half);
        }
    }
    table_print(t, f, to);
    table_destroy(t);
}

static bool any_clairvoyant(const struct cmp_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++) if (k->policy[i].clairvoyant) return true;
    return false;
}

static bool any_repeated(const struct cmp_case *k)
{
    for (size_t i = 0; i < k->n_policies; i++) if (k->policy[i].n_runs > 1) return true;
    return false;
}

static void print_wide(const struct view *v, enum table_format f, FILE *to)
{
    bool md = f == TABLE_MARKDOWN;
    (void)fprintf(to, "%s%s%s%s\n\n", md ? "### " : "", v->k->title, strcmp(v->scope, "all") != 0 ? ", " : "",
                  strcmp(v->scope, "all") != 0 ? v->scope : "");
    print_means(v, f, to);
    if (v->k->n_policies > 1) {
        (void)fprintf(to, "\nDifference to %s%s:\n\n", v->base->label,
                      any_repeated(v->k) ? ", paired by seed" : "");
        print_differences(v, f, to);
    }
    published_print(v->c, v->k, v->published, f, to);
    if (any_repeated(v->k)) (void)fprintf(to, "\n\u00b1: 95 %% interval over seeds (Student's t).\n");
    else (void)fprintf(to, "\nOne seed: no intervals.\n");
    if (any_clairvoyant(v->k)) (void)fprintf(to, "%s clairvoyant: it was told true durations.\n", md ? "\\*" : "*");
}

static void print_left(const struct compare *c, FILE *to)
{
    if (c->n_left == 0) return;
    (void)fprintf(to, "\nNot compared, because not finished:\n");
    for (size_t i = 0; i < c->n_left; i++) {
        const struct cmp_left *l = &c->left[i];
        (void)fprintf(to, "  run %lld (%s, %s, seed %llu): %s%s%s\n", (long long)l->run, l->scenario, l->policy,
                      (unsigned long long)l->seed, l->status, l->message[0] ? ": " : "", l->message);
    }
}

static void cell_full(struct table *t, double x)
{
    if (isnan(x)) table_cell(t, "%s", "");
    else table_cell(t, "%.12g", x);
}

/* What is published of the policy's metric: the value (against "") or its ratio to the base. */
static void cell_published(struct table *t, const struct view *v, const struct cmp_policy *p, const char *metric, const char *against)
{
    for (size_t i = 0; i < v->published->n; i++) {
        const struct published_row *r = &v->published->at[i];
        if (r->is != '=' || strcmp(r->metric, metric) != 0 || strcmp(r->against, against) != 0) continue;
        if (strcmp(v->scope, "all") == 0 && published_is_of(r, v->k, p)) { cell_full(t, r->value); return; }
    }
    table_cell(t, "%s", "");
}

static void print_long(const struct compare *c, struct view *view, const struct cmp_policy *const *base,
                       const struct published *published, enum table_format f, FILE *to)
{
    static const struct { const char *heading; bool is_number; } col[] = {
        { "scenario", false }, { "policy", false }, { "spec", false }, { "clairvoyant", true }, { "metric", false },
        { "scope", false }, { "unit", false }, { "seeds", true }, { "mean", true }, { "ci95", true }, { "base", false },
        { "pairs", true }, { "diff", true }, { "diff_ci95", true }, { "ratio", true }, { "ratio_ci95", true },
        { "published", true }, { "published_ratio", true },
    };
    struct table *t = table_create();
    for (size_t i = 0; i < ARRAY_LEN(col); i++) table_column(t, col[i].heading, col[i].is_number);
    for (size_t k = 0; k < c->n; k++) {
        view->k = &c->at[k];
        view->published = &published[k];
        for (size_t p = 0; p < c->at[k].n_policies; p++)
            for (size_t m = 0; m < view->n_metrics; m++) {
                const struct cmp_policy *q = &c->at[k].policy[p];
                const char *metric = view->metric[m];
                char unit[16];
                struct stats_ci mean = compare_mean(c, q, metric, view->scope);
                struct stats_ci diff = compare_diff(c, q, base[k], metric, view->scope);
                struct stats_ci ratio = compare_ratio(c, q, base[k], metric, view->scope);
                table_cell(t, "%s", c->at[k].title);
                table_cell(t, "%s", q->label);
                table_cell(t, "%s", q->spec);
                table_cell(t, "%d", q->clairvoyant);
                table_cell(t, "%s", metric);
                table_cell(t, "%s", view->scope);
                table_cell(t, "%s", compare_unit(c, metric, unit, sizeof unit));
                table_cell(t, "%zu", mean.n);
                cell_full(t, mean.mean);
                cell_full(t, mean.half);
                table_cell(t, "%s", base[k]->label);
                table_cell(t, "%zu", diff.n);
                cell_full(t, diff.mean);
                cell_full(t, diff.half);
                cell_full(t, ratio.mean);
                cell_full(t, ratio.half);
                cell_published(t, view, q, metric, "");
                cell_published(t, view, q, metric, base[k]->label);
            }
    }
    table_print(t, f, to);
    table_destroy(t);
}

static bool reads_data(const struct compare *c, const struct cmp_case *k)
{
    return !isnan(compare_mean(c, &k->policy[0], "bytes_network", "all").mean);
}

struct metrics_list { const char **at; size_t n, cap; };
static void add_metric(struct metrics_list *l, const char *metric)
{
    for (size_t i = 0; i < l->n; i++) if (strcmp(l->at[i], metric) == 0) return;
    MEM_RESERVE(l->at, l->cap, l->n + 1);
    l->at[l->n++] = metric;
}

/* For programs: all that a table for people or the published figures would show.  Borrows the names. */
static struct metrics_list default_metrics(const struct compare *c, const struct published *published)
{
    struct metrics_list l = { NULL, 0, 0 };
    for (size_t i = 0; i < ARRAY_LEN(usual); i++) add_metric(&l, usual[i]);
    for (size_t k = 0; k < c->n; k++) {
        for (size_t i = 0; reads_data(c, &c->at[k]) && i < ARRAY_LEN(usual_data); i++) add_metric(&l, usual_data[i]);
        for (size_t i = 0; i < published[k].n; i++) add_metric(&l, published[k].at[i].metric);
    }
    return l;
}

static void print_cases(const struct compare *c, struct view *v, const struct cmp_policy *const *base,
                        const struct published *published, bool is_default, enum table_format f, FILE *to)
{
    for (size_t k = 0; k < c->n; k++) {
        if (k > 0) (void)fputc('\n', to);
        v->k = &c->at[k];
        v->base = base[k];
        v->published = &published[k];
        if (is_default) {
            bool data = reads_data(c, v->k);
            v->metric = data ? usual_data : usual;
            v->n_metrics = data ? ARRAY_LEN(usual_data) : ARRAY_LEN(usual);
        }
        print_wide(v, f, to);
    }
}

enum st compare_print(const struct compare *c, const struct compare_opts *o, FILE *to, struct diag *d)
{
    struct view v = { .c = c, .metric = o->n_metrics > 0 ? o->metric : usual,
                      .n_metrics = o->n_metrics > 0 ? o->n_metrics : ARRAY_LEN(usual), .scope = o->scope ? o->scope : "all" };
    for (size_t m = 0; m < o->n_metrics; m++) TRY(compare_check_metric(c, o->metric[m], v.scope, d));
    if (o->n_metrics == 0 && o->scope != NULL) TRY(compare_check_metric(c, "jct_mean", v.scope, d));
    const struct cmp_policy **base;
    struct published *published;
    enum st st = ST_OK;
    MEM_ARRAY(base, c->n);
    MEM_ARRAY(published, c->n);
    for (size_t k = 0; k < c->n && st == ST_OK; k++) {
        size_t at = 0;
        if (o->base != NULL) st = compare_find(&c->at[k], o->base, &at, d);
        if (st == ST_OK) base[k] = &c->at[k].policy[at];
        if (st == ST_OK) st = published_load(&published[k], c->store, c->at[k].scenario, d);
    }
    if (st == ST_OK && (o->format == TABLE_CSV || o->format == TABLE_JSON)) {
        struct metrics_list all = { NULL, 0, 0 };
        if (o->n_metrics == 0) {
            all = default_metrics(c, published);
            v.metric = all.at;
            v.n_metrics = all.n;
        }
        print_long(c, &v, base, published, o->format, to);
        print_left(c, stderr);      /* stdout is for a program */
        mem_free(all.at);
    } else if (st == ST_OK) {
        print_cases(c, &v, base, published, o->n_metrics == 0 && o->scope == NULL, o->format, to);
        print_left(c, to);
    }
    for (size_t k = 0; k < c->n; k++) published_fini(&published[k]);
    mem_free(published);
    mem_free(base);
    return st;
}
