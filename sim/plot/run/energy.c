/* energy.c -- energy: energy and cost by policy, what jobs hold below what no job does; a panel for each. */
#include <math.h>

#include "plot/figure.h"

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    static const char *const metric[] = { "energy", "energy_idle", "cost", "cost_idle" };
    enum { ENERGY, COST = 2, METRICS = ARRAY_LEN(metric) };
    double most[METRICS] = { 0 };
    bool is_known[METRICS] = { false };
    struct bar_names names = { 0 };
    (void)o;
    (void)fprintf(g->to, "$energy << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        figure_bar(g, &k->policy[i], &names);
        for (int m = 0; m < METRICS; m++) {
            struct stats_ci v = compare_mean(c, &k->policy[i], metric[m], "all");
            is_known[m] |= !isnan(v.mean);
            if (!isnan(v.mean)) most[m] = fmax(most[m], isnan(v.half) ? v.mean : v.hi);
            figure_interval(g, v);
        }
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\n");
    if (!is_known[ENERGY] && !is_known[COST]) {
        (void)diag_set(d, ST_EINPUT, "no run of '%s' has energy or cost to draw", k->title);
        return diag_hint(d, "state `power` of nodes and GPU types in the scenario, or a `price`, and run it again");
    }
    int panels = is_known[ENERGY] + is_known[COST];
    bool is_large = most[ENERGY] >= 4000;
    struct figure_unit unit = is_large ? (struct figure_unit){ "MWh", 1000 } : (struct figure_unit){ "kWh", 1 };
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nN = %zu\nHAS_ENERGY = %d\nHAS_COST = %d\n",
                  panels > 1 ? 7.0 : 3.5, k->n_policies, is_known[ENERGY], is_known[COST]);
    bar_names_end(g, &names, 2.75, 2.2, 0.3);
    figure_axis(g, "ELABEL", "Energy", "EDIV", unit);
    gnuplot_number(g, "EMAX", most[ENERGY] > 0 ? most[ENERGY] / unit.by * 1.08 : 1);
    gnuplot_number(g, "CMAX", most[COST] > 0 ? most[COST] * 1.08 : 1);
    return ST_OK;
}

const struct plot_figure plot_energy = {
    .name = "energy", .summary = "energy and cost by policy, with what nobody holds", .draw = draw,
    .about = "Bars are of the whole run, their upper part the idle power, or the price, of what no job holds;"
             " with 95 % intervals of the whole. From table metric, as `fairway compare` reads it.",
    .chart = { { "Energy and cost of the whole run; the pale part is of nodes and cards that no job held.",
                 NULL, true, true } },
};
