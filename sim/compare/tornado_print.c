/* tornado_print.c -- changes to a base as tables and sentences, and as rows for programs. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compare/metric_info.h"
#include "compare/tornado.h"
#include "compare/view.h"

static const char *const usual[] = { "jct_mean" };

/* ---- a table ---- */

/* "+1.2 [+0.8, +1.7]"; without the ends where there is no interval, "-" where there is nothing. */
static void signed_cell(struct table *t, const struct stats_ci *x, double by, double less, int digits, const char *unit)
{
    const double mean = by * (x->mean - less);
    if (x->n == 0 || isnan(mean)) table_cell(t, "-");
    else if (isnan(x->half)) table_cell(t, "%+.*f%s", digits, mean, unit);
    else
        table_cell(t, "%+.*f%s [%+.*f, %+.*f]", digits, mean, unit, digits, by * (x->lo - less), digits,
                   by * (x->hi - less));
}

static void row(struct table *t, const struct compare_view *v, const char *name, const char *sets,
                const struct tornado_effect *e)
{
    const struct compare_scale scale = compare_scale_of(v, v->metric[0]);
    table_cell(t, "%s", name);
    if (e->value.n == 0) table_cell(t, "-");
    else compare_cell(t, e->value, scale.by, "");
    signed_cell(t, &e->diff, scale.by, 0, compare_digits(e->diff.mean * scale.by), "");
    signed_cell(t, &e->ratio, 100, 1, 1, "%");
    table_cell(t, "%s", sets);
}

static void print_table(const struct tornado *t, const struct compare_view *v, const struct tornado_effects *e)
{
    const struct compare_scale scale = compare_scale_of(v, v->metric[0]);
    char heading[200];
    (void)snprintf(heading, sizeof heading, "change|#%s%s%s|#difference to base|#relative|sets", v->metric[0],
                   scale.unit[0] ? ", " : "", scale.unit);
    struct table *table = table_of(heading);
    row(table, v, t->at[0].name, t->at[0].sets, &(struct tornado_effect){ .value = e->base });
    for (size_t i = 0; i < e->n; i++)
        row(table, v, t->at[e->at[i].change].name, t->at[e->at[i].change].sets, &e->at[i]);
    if (t->has_all) {
        row(table, v, t->at[t->n - 1].name, "", &e->all);
        row(table, v, "the sum of each alone", "", &(struct tornado_effect){ .diff = e->sum });
        row(table, v, "together beyond that sum", "", &(struct tornado_effect){ .diff = e->beyond });
    }
    table_end(table, v->format, v->to);
}

/* ---- sentences ---- */

/* "1.2 ± 0.3 h"; the caller frees it. */
static char *amount(const struct compare_view *v, const struct stats_ci *x)
{
    const struct compare_scale s = compare_scale_of(v, v->metric[0]);
    const double mean = fabs(x->mean * s.by);
    return mem_printf("%.*f \u00b1 %.*f%s%s", compare_digits(mean), mean, compare_digits(mean), x->half * s.by,
                      s.unit[0] ? " " : "", s.unit);
}

static void print_lead(const struct tornado *t, const struct compare_view *v, const struct tornado_effects *e)
{
    if (e->n == 0) return;
    const char *first = t->at[e->at[0].change].name, *next = e->n > 1 ? t->at[e->at[1].change].name : "",
               *rival = e->rival < e->n ? t->at[e->at[e->rival].change].name : next;
    const enum tornado_verdict is = tornado_judge(&e->at[0].diff);
    char *by = amount(v, &e->lead);
    bool any = false;
    for (size_t i = 0; i < e->n; i++) any = any || tornado_judge(&e->at[i].diff) == TORNADO_DIFFERS;
    if (is == TORNADO_OPEN)
        compare_line(v, "What matters most is not decided: %s.",
                     e->at[0].diff.n < 2 ? "one seed is one case, no evidence"
                                         : "the seeds change nothing, so this is one case");
    else if (!any)
        compare_line(v, "No change of these is told apart from none at %zu seeds.", e->at[0].diff.n);
    else if (e->n > 1 && is == TORNADO_DIFFERS && e->rival == e->n)
        compare_line(v, "'%s' matters most for %s: %s more than '%s', the next.", first, v->metric[0], by, next);
    else if (e->n > 1)
        compare_line(v, "Whether '%s' or '%s' matters more for %s is not decided at %zu seeds.", first, rival,
                     v->metric[0], e->lead.n);
    mem_free(by);
}

/* A sentence of compare.h, of the policy with the change against itself without it. */
static void print_change(const struct compare_view *v, const struct tornado_change *c, const char *policy,
                         size_t *judged)
{
    size_t at;
    struct diag ignored = { 0 };
    if (c->k == NULL || compare_find(c->k, policy, &at, &ignored) != ST_OK) return;
    struct compare_policy with = c->k->policy[at], without = *v->base;
    struct compare_view of = *v;
    with.label = mem_printf("%s with '%s'", policy, c->name);
    without.label = (char[]){ "without" };
    of.base = &without;
    char *s = compare_sentence(&of, &with, judged);
    compare_line(v, "%s", s);
    mem_free(with.label);
    mem_free(s);
}

static void print_beyond(const struct tornado *t, const struct compare_view *v, const struct tornado_effects *e)
{
    if (!t->has_all) return;
    char *by = amount(v, &e->beyond);
    const enum tornado_verdict is = tornado_judge(&e->beyond);
    if (is == TORNADO_DIFFERS)
        compare_line(v, "All together, %s comes out %s %s than by the sum of each alone.", v->metric[0], by,
                     e->beyond.mean > 0 ? "higher" : "lower");
    else if (is == TORNADO_NOT_TOLD_APART)
        compare_line(v, "All together are not told apart from the sum of each alone at %zu seeds.", e->beyond.n);
    else if (is == TORNADO_SAME)
        compare_line(v, "All together are the sum of each alone.");
    else
        compare_line(v, "Whether all together are more than the sum of each alone is not decided.");
    mem_free(by);
}

static void print_metric(const struct tornado *t, const struct compare_view *v, const char *policy, size_t *judged)
{
    struct tornado_effects e;
    tornado_effects(t, policy, v->metric[0], v->scope, &e);
    print_table(t, v, &e);
    (void)fputc('\n', v->to);
    print_lead(t, v, &e);
    for (size_t i = 0; i < e.n; i++) print_change(v, &t->at[e.at[i].change], policy, judged);
    if (t->has_all) print_change(v, &t->at[t->n - 1], policy, judged);
    print_beyond(t, v, &e);
    mem_free(e.at);
}

/* ---- for programs ---- */

static void long_row(struct table *table, const struct tornado *t, const char *policy, const struct compare_view *v,
                     const char *name, const char *sets, const struct tornado_effect *e)
{
    char unit[32];
    const char *const text[] = { t->scenario, policy, v->metric[0], v->scope,
                                 compare_unit(v->c, v->metric[0], unit, sizeof unit), name, sets };
    const struct stats_ci x[] = { e->value, e->diff, e->ratio };
    for (size_t i = 0; i < ARRAY_LEN(text); i++) table_cell(table, "%s", text[i]);
    table_cell(table, "%zu", e->value.n > e->diff.n ? e->value.n : e->diff.n);
    for (size_t i = 0; i < ARRAY_LEN(x); i++) {
        const double of[] = { x[i].mean, x[i].lo, x[i].hi };
        for (size_t k = 0; k < ARRAY_LEN(of); k++) {
            if (x[i].n > 0 && isfinite(of[k])) table_cell(table, "%.12g", of[k]);
            else table_cell(table, "%s", "");
        }
    }
}

static void add_rows(struct table *table, const struct tornado *t, const char *policy, const struct compare_view *v)
{
    struct tornado_effects e;
    tornado_effects(t, policy, v->metric[0], v->scope, &e);
    long_row(table, t, policy, v, t->at[0].name, t->at[0].sets, &(struct tornado_effect){ .value = e.base });
    for (size_t i = 0; i < e.n; i++)
        long_row(table, t, policy, v, t->at[e.at[i].change].name, t->at[e.at[i].change].sets, &e.at[i]);
    if (t->has_all) {
        long_row(table, t, policy, v, t->at[t->n - 1].name, t->at[t->n - 1].sets, &e.all);
        long_row(table, t, policy, v, "sum", "", &(struct tornado_effect){ .diff = e.sum });
        long_row(table, t, policy, v, "beyond", "", &(struct tornado_effect){ .diff = e.beyond });
    }
    mem_free(e.at);
}

/* ---- all ---- */

static void print_notes(const struct tornado *t, const struct compare_view *v, size_t judged)
{
    char *caution = compare_sentence_caution(judged);
    (void)fputc('\n', v->to);
    compare_line(v, "[..]: 95 %% interval over seeds, of differences paired by seed.");
    if (!t->has_all && t->n > 2) compare_line(v, "No case has all changes: some set the same.");
    if (t->n_missing > 0) compare_line(v, "%zu runs of the sweep are not done and not in this.", t->n_missing);
    if (caution != NULL) compare_line(v, "%s", caution);
    mem_free(caution);
}

enum st tornado_print(struct tornado *t, const struct compare_opts *o, FILE *to, struct diag *d)
{
    const bool is_long = o->format == TABLE_CSV || o->format == TABLE_JSON;
    const char *const *metric = o->n_metrics > 0 ? o->metric : usual;
    const size_t n_metrics = o->n_metrics > 0 ? o->n_metrics : ARRAY_LEN(usual);
    const struct compare_case *base = t->at[0].k;
    struct compare_view v = {
        .c = &t->c, .k = base, .n_metrics = 1, .scope = o->scope ? o->scope : "all", .format = o->format, .to = to
    };
    struct table *table = NULL;
    size_t judged = 0;
    for (size_t m = 0; m < n_metrics; m++) TRY(compare_check_metric(&t->c, metric[m], v.scope, d));
    if (is_long)
        table = table_of("scenario|policy|metric|scope|unit|change|sets|#seeds|#value|#lo|#hi|#difference|#diff_lo|#"
                         "diff_hi|#ratio|#ratio_lo|#ratio_hi");
    for (size_t p = 0; p < base->n_policies; p++) {
        v.base = &base->policy[p];
        for (size_t m = 0; m < n_metrics; m++) {
            v.metric = &metric[m];
            if (is_long) { add_rows(table, t, v.base->label, &v); continue; }
            if (p + m > 0) (void)fputc('\n', to);
            compare_line(&v, "%sChanges to %s, %s, %s%s%s", o->format == TABLE_MARKDOWN ? "### " : "", t->scenario,
                         v.base->label, metric[m], strcmp(v.scope, "all") != 0 ? ", " : "",
                         strcmp(v.scope, "all") != 0 ? v.scope : "");
            (void)fputc('\n', to);
            print_metric(t, &v, v.base->label, &judged);
        }
    }
    if (is_long) table_end(table, o->format, to);
    else print_notes(t, &v, judged);
    return compare_error(&t->c, d);
}
