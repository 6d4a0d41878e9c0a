/* data_bars.c -- data-bars: DT, deviation from fairness and bytes read by distance, three panels of bars by policy. */
#include <math.h>

#include "plot/figure.h"

static const char *const bar_metric[] = {
    "dt", "s_share_sigma", "s_whole_sigma", "bytes_local", "bytes_rack", "bytes_cross", "bytes_vain",
};
enum { BAR_DT, BAR_SHARE, BAR_WHOLE, BAR_LOCAL, BAR_VAIN = 6, BARS };

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct bar_names names = { 0 };
    double most[BARS] = { 0 }, bytes = 0;
    (void)o;
    (void)fprintf(g->to, "$data << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        double sum = 0;
        figure_bar(g, &k->policy[i], &names);
        for (int m = 0; m < BARS; m++) {
            struct stats_ci v = compare_mean(c, &k->policy[i], bar_metric[m], "all");
            double half = isnan(v.half) ? 0 : v.half;
            (void)fprintf(g->to, "\t%.9g\t%.9g", v.mean, half);
            if (!isnan(v.mean)) most[m] = fmax(most[m], v.mean + half);
            if (m >= BAR_LOCAL && !isnan(v.mean)) sum += v.mean;
        }
        (void)fputc('\n', g->to);
        bytes = fmax(bytes, sum);
    }
    (void)fprintf(g->to, "EOD\n");
    if (most[BAR_SHARE] <= 0 && most[BAR_WHOLE] <= 0) return figure_no_ideals(k, d);
    if (bytes <= 0) return diag_set(d, ST_EINPUT, "no run of '%s' read data: there are no bytes to draw", k->title);
    struct figure_unit time = figure_time_unit(most[BAR_DT]), size = figure_bytes_unit(bytes);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 7.0\nN = %zu\n", k->n_policies);
    bar_names_end(g, &names, 1.75, 2.2, 0.3);
    figure_axis(g, "TLABEL", "DT", "TDIV", time);
    gnuplot_number(g, "TMAX", most[BAR_DT] / time.by * 1.08);
    gnuplot_number(g, "SMAX", fmax(most[BAR_SHARE], most[BAR_WHOLE]) * 1.08);
    figure_axis(g, "BLABEL", "Bytes read", "BDIV", size);
    gnuplot_number(g, "BMAX", bytes / size.by * 1.08);
    (void)fprintf(g->to, "HAS_VAIN = %d\n", most[BAR_VAIN] > 0);
    return ST_OK;
}

const struct plot_figure plot_data_bars = {
    .name = "data-bars", .summary = "DT, fairness deviation and bytes by level, three panels", .draw = draw,
    .about = "Sigma is against either ideal, bytes are by level and in vain (the flow paper's Figures 6 and 7)."
             " From table metric, as `fairway compare` reads it.",
    .chart = { { "Total time from the first start to the last end; deviation from fairness (how much jobs differ in their ideal time"
                 " over the time taken: 0 treats all alike); and bytes read, by distance.", NULL, true, false } },
};
