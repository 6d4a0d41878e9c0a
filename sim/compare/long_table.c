/* long_table.c -- every number of a comparison, for programs: a row a policy and metric. */
#include <math.h>
#include <string.h>

#include "compare/view.h"
#include "compare/metric_info.h"

static void cell_full(struct table *t, double x)
{
    if (!isfinite(x)) table_cell(t, "%s", "");
    else table_cell(t, "%.12g", x);
}

/* What is published of the policy's metric: the value (against "") or its ratio to the base. */
static void cell_published(struct table *t, const struct compare_view *v, const struct compare_policy *p, const char *metric, const char *against)
{
    for (size_t i = 0; i < v->published->n; i++) {
        const struct published_row *r = &v->published->at[i];
        if (r->is != '=' || strcmp(r->metric, metric) != 0 || strcmp(r->against, against) != 0) continue;
        if (strcmp(v->scope, "all") == 0 && published_is_of(r, v->k, p)) { cell_full(t, r->value); return; }
    }
    table_cell(t, "%s", "");
}

void compare_print_long(const struct compare *c, struct compare_view *view, const struct compare_policy *const *base, const struct published *published)
{
    struct table *t = table_of(
        "scenario|policy|spec|#clairvoyant|metric|scope|unit|#seeds|#mean|#ci95|base|#pairs|#diff|#diff_ci95|#ratio|#ratio_ci95"
        "|#published|#published_ratio|#lo95|#hi95|#diff_lo95|#diff_hi95|#ratio_lo95|#ratio_hi95|interval|#x_bound");
    for (size_t k = 0; k < c->n; k++) {
        view->k = &c->at[k];
        view->published = &published[k];
        for (size_t p = 0; p < c->at[k].n_policies; p++)
            for (size_t m = 0; m < view->n_metrics; m++) {
                const struct compare_policy *q = &c->at[k].policy[p];
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
                const struct stats_ci three[] = { mean, diff, ratio };
                for (size_t i = 0; i < ARRAY_LEN(three); i++) {
                    cell_full(t, three[i].lo);
                    cell_full(t, three[i].hi);
                }
                table_cell(t, "%s", isnan(mean.half) ? "" : isinf(mean.half) ? "open" : q->batches != NULL ? "batches" : metric_info_is_tail(metric) && mean.n >= STATS_SKEW_LEAST ? "skew" : "t");
                cell_full(t, compare_over_bound(c, q, metric).mean);
            }
    }
    table_end(t, view->format, view->to);
}
