/* fairness.c -- fairness: Jain's index, finish-time fairness, jobs later than fair; three panels of bars by policy. */
#include <math.h>

#include "plot/figure.h"

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    static const char *const metric[] = { "jain", "rho_p50", "rho_p95", "rho_above_1" };
    double most[ARRAY_LEN(metric)] = { 0 };
    struct bar_names names = { 0 };
    (void)o;
    (void)fprintf(g->to, "$fair << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        figure_bar(g, &k->policy[i], &names);
        for (size_t m = 0; m < ARRAY_LEN(metric); m++) {
            struct stats_ci v = compare_mean(c, &k->policy[i], metric[m], "all");
            if (!isnan(v.mean)) most[m] = fmax(most[m], isnan(v.half) ? v.mean : v.hi);
            figure_interval(g, v);
        }
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\n");
    if (!(most[0] > 0) || !(most[2] > 0)) return diag_set(d, ST_EINPUT, "no run of '%s' has a fairness to draw: no user had a job done", k->title);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nN = %zu\n", k->n_policies);
    bar_names_end(g, &names, 1.75, 2.2, 0.3);
    gnuplot_number(g, "RMAX", fmax(1, most[2]));
    return ST_OK;
}

const struct plot_figure plot_fairness = {
    .name = "fairness", .summary = "Jain's index, finish-time fairness, jobs later than fair, three panels", .draw = draw,
    .about = "Of users Jain's index, of jobs finish-time fairness, median and p95, and how many end later than"
             " on an equal share. From table metric, as `fairway compare` reads it.",
    .chart = { { "Fairness: Jain's index of how evenly users held the cluster (1: all as much), finish-time fairness"
                 " (completion time over that on an equal share of the cluster: above 1 is worse than the share), and the"
                 " part of the jobs above 1.", NULL, true, false } },
};
