/* bars.c -- bars: mean, p95 and p99 of a job metric relative to a baseline, paired by seed. */
#include <math.h>

#include "plot/figure.h"

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    static const char *const tail[] = { "mean", "p95", "p99" };
    const char *metric = o->metric ? o->metric : "jct", *scope = o->scope ? o->scope : "all";
    const struct metric_job *m;
    size_t base = 0;
    struct bar_names names = { 0 };
    bool has_interval = false;
    double most = 1;
    TRY(figure_job_metric(metric, &m, d));
    if (o->base != NULL) TRY(compare_find(k, o->base, &base, d));
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        figure_bar(g, &k->policy[i], &names);
        for (size_t t = 0; t < ARRAY_LEN(tail); t++) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s_%s", metric, tail[t]);
            TRY(compare_check_metric(c, name, scope, d));
            struct stats_ci r = compare_ratio(c, &k->policy[i], &k->policy[base], name, scope);
            if (isnan(r.mean))
                return diag_set(d, ST_EINPUT, "'%s' has no %s relative to '%s': no seed in common, or a value of 0",
                                k->policy[i].label, name, k->policy[base].label);
            has_interval = has_interval || !isnan(r.half);
            most = fmax(most, isnan(r.half) ? r.mean : r.hi);
            figure_interval(g, r);
        }
        (void)fputc('\n', g->to);
    }
    /* As wide as the labels need, within reason. */
    double need = 0.7 + (double)k->n_policies * (0.065 * (double)names.longest + 0.06), wide = fmin(names.longest > 16 ? 7 : 5.5, fmax(3.5, need));
    (void)fprintf(g->to, "EOD\nif (!exists(\"W\")) W = %.2f\nN = %zu\nHAS_CI = %d\n", wide, k->n_policies, has_interval);
    bar_names_end(g, &names, wide - 0.7, 2.2, 0.26);
    gnuplot_number(g, "YMAX", most * 1.08);
    gnuplot_text(g, "YLABEL", m->label);
    gnuplot_text(g, "BASE", k->policy[base].label);
    return ST_OK;
}

const struct plot_figure plot_bars = {
    .name = "bars", .summary = "mean, p95, p99 relative to a baseline, paired by seed",
    .about = "With 95 % intervals. From table metric, as `fairway compare` reads it.",
    .options = "[-m METRIC] [--scope SCOPE] [--base POLICY]", .draw = draw,
    .chart = { { "Completion time relative to the first policy: mean, 95th and 99th percentile."
                 " Whiskers are 95 % intervals over seeds, paired.", NULL, false, false } },
};
