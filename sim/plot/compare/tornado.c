/* tornado.c -- tornado: what each change does to its base, the largest first, and all together; a panel a policy. */
#include <math.h>

#include "base/mem.h"
#include "compare/tornado.h"
#include "compare/view.h"
#include "plot/figure.h"

enum { PANELS_MAX = 4 };

struct drawing {
    struct gnuplot *g;
    const struct tornado *t;
    double by;
    enum metric_better better;
    double least, most;
    size_t rows, longest;
};

/* A row: place from above, difference, its ends, colour (1 better, 2 worse, 3 neither, 4 not told apart), name. */
static void write_bar(struct drawing *a, size_t at, const char *name, const struct stats_ci *x)
{
    const bool has = x->n > 0 && isfinite(x->mean), has_ends = has && isfinite(x->half);
    const double mean = has ? x->mean * a->by : 0, lo = has_ends ? x->lo * a->by : mean,
                 hi = has_ends ? x->hi * a->by : mean;
    const int colour = tornado_judge(x) != TORNADO_DIFFERS         ? 4
                       : a->better == BETTER_NEITHER               ? 3
                       : (mean < 0) == (a->better == BETTER_LOWER) ? 1
                                                                   : 2;
    size_t wide = 0;
    for (const char *s = name; *s != '\0'; s++) wide += ((unsigned char)*s & 0xc0) != 0x80;
    if (wide > a->longest) a->longest = wide;
    a->least = fmin(a->least, fmin(mean, lo));
    a->most = fmax(a->most, fmax(mean, hi));
    (void)fprintf(a->g->to, "%zu\t%.9g\t%.9g\t%.9g\t%d\t", at, mean, lo, hi, colour);
    gnuplot_cell(a->g, name);
    (void)fputc('\n', a->g->to);
}

static void write_panel(struct drawing *a, const char *policy, const char *metric, const char *scope)
{
    struct tornado_effects e;
    size_t at = 0;
    tornado_effects(a->t, policy, metric, scope, &e);
    for (size_t i = 0; i < e.n; i++) write_bar(a, at++, a->t->at[e.at[i].change].name, &e.at[i].diff);
    if (a->t->has_all) {
        write_bar(a, at++, a->t->at[a->t->n - 1].name, &e.all.diff);
        write_bar(a, at++, "the sum of each alone", &e.sum);
    }
    if (at > a->rows) a->rows = at;
    (void)fputs("\n\n", a->g->to);
    mem_free(e.at);
}

static enum st draw_loaded(struct drawing *a, const struct plot_opts *o, struct diag *d)
{
    const char *metric = o->metric != NULL ? o->metric : "jct_mean", *scope = o->scope != NULL ? o->scope : "all";
    const struct compare_case *k = a->t->at[0].k;
    const size_t n = k->n_policies < PANELS_MAX ? k->n_policies : PANELS_MAX;
    const struct compare_view v = { .c = &a->t->c, .k = k, .scope = scope };
    const struct metric_info *m = metric_info_of(metric);
    char label[256];
    TRY(compare_check_metric(&a->t->c, metric, scope, d));
    const struct compare_scale scale = compare_scale_of(&v, metric);
    a->by = scale.by;
    a->better = m != NULL ? m->better : BETTER_NEITHER;
    (void)fprintf(a->g->to, "array LABEL[%zu]\n$bars << EOD\n", n);
    for (size_t p = 0; p < n; p++) write_panel(a, k->policy[p].label, metric, scope);
    (void)fprintf(a->g->to, "EOD\n");
    for (size_t p = 0; p < n; p++) gnuplot_item(a->g, "LABEL", p, figure_label(&k->policy[p], label, sizeof label));
    (void)snprintf(label, sizeof label, "%s: difference of %s to the base%s%s", a->t->scenario, metric, scale.unit[0] ? ", " : "",
                   scale.unit);
    gnuplot_text(a->g, "XLABEL", label);
    const double span = a->most > a->least ? a->most - a->least : 1;
    gnuplot_number(a->g, "XMIN", a->least - 0.04 * span);
    gnuplot_number(a->g, "XMAX", a->most + 0.04 * span);
    (void)fprintf(
        a->g->to,
        "P = %zu\nROWS = %zu\nHAS_ALL = %d\nLEFT = %.2f\nif (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n",
        n, a->rows, a->t->has_all, 0.15 + 0.058 * (double)a->longest, 0.5 + (double)n * (0.3 + 0.2 * (double)a->rows));
    return compare_error(&a->t->c, d);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    struct tornado t;
    size_t n, last;
    (void)k;
    TRY(tornado_count(c->store, o->scenario, &n, &last, d));
    if (n == 0 && o->scenario != NULL)
        return diag_set(d, ST_EINPUT, "the database has no sweep of changes to '%s'", o->scenario);
    TRY(tornado_load(&t, c->store, last, d));
    const enum st st = draw_loaded(&(struct drawing){ .g = g, .t = &t }, o, d);
    tornado_fini(&t);
    return st;
}

const struct plot_figure plot_tornado = {
    .name = "tornado",
    .summary = "what each change does to its base, the largest first",
    .about =
        "Differences of the latest sweep of changes, paired by seed, with 95 % intervals, a panel a policy, four at"
        " most; pale where it is not told apart from none. As `fairway compare --changes` has them.",
    .options = "[-m METRIC] [--scope SCOPE]",
    .draw = draw,
    .is_of_file = true,
};
