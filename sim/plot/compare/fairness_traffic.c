/* fairness_traffic.c -- fairness-traffic: deviation from fairness against bytes over the network, a point a policy. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "plot/figure.h"

/* As many names as the figure has room for. */
enum { POINTS_MAX = 24 };

/* Points come with their names, of eight at most in a legend beside the figure. */
static void finish(struct gnuplot *g, const struct compare_case *k, const struct direct *marks, double most, double sigma,
                   bool whole)
{
    const bool is_direct = k->n_policies > DIRECT_ABOVE;
    const struct figure_unit unit = figure_bytes_unit(most);
    size_t longest = 0;
    for (size_t i = 0; i < k->n_policies; i++)
        if (strlen(k->policy[i].label) > longest) longest = strlen(k->policy[i].label);
    const double w = 7, h = is_direct ? 4.2 : 2.8;
    const double key = is_direct ? 0.1 : fmin(3.2, 0.35 + 0.058 * (double)longest);
    const struct direct_axis x = { unit.by, 0, most / unit.by * 1.06, false, w - 0.55 - key };
    const struct direct_axis y = { 1, 0, sigma * 1.06, false, h - 0.12 - 0.4 };
    (void)fprintf(g->to, "N = %zu\n", k->n_policies);
    figure_labels(g, k);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = %.1f\nif (!exists(\"H\")) H = %.2f\nKEYWIDTH = %.3f\n", w, h, key);
    (void)fprintf(g->to, "XLABEL = \"Read over the network (%s)\"\n", unit.name);
    gnuplot_text(g, "IDEAL", whole ? "ideal on the whole" : "ideal on a share");
    gnuplot_number(g, "XDIV", unit.by);
    gnuplot_number(g, "XMAX", x.to);
    gnuplot_number(g, "YMAX", y.to);
    direct_begin(g);
    figure_names(g, k, marks, &x, &y);
    direct_end(g, k->n_policies);
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    const char *metric = o->metric != NULL ? o->metric : "s_share_sigma";
    bool whole = strcmp(metric, "s_whole_sigma") == 0;
    double most = 0, sigma = 0;
    struct direct marks = { 0 };
    if (!whole && strcmp(metric, "s_share_sigma") != 0) {
        (void)diag_set(d, ST_EINPUT, "fairness-traffic draws a fairness deviation, not '%s'", metric);
        return diag_hint(d, "it is s_share_sigma or s_whole_sigma");
    }
    if (k->n_policies > POINTS_MAX)
        return diag_set(d, ST_EINPUT, "'%s' has %zu policies; this figure has points for %d at most", k->title, k->n_policies, POINTS_MAX);
    (void)fprintf(g->to, "$data << EOD\n");
    for (size_t i = 0; i < k->n_policies; i++) {
        struct stats_ci x = compare_mean(c, &k->policy[i], "bytes_network", "all"), y = compare_mean(c, &k->policy[i], metric, "all");
        if (isnan(x.half)) x.lo = x.hi = x.mean;
        if (isnan(y.half)) y.lo = y.hi = y.mean;
        (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\t%.9g\t%.9g\n\n\n", x.mean, x.lo, x.hi, y.mean, y.lo, y.hi);
        direct_add(&marks, i, x.mean, y.mean, false);
        direct_add(&marks, DIRECT_NOBODY, x.lo, y.mean, false);
        direct_add(&marks, DIRECT_NOBODY, x.hi, y.mean, true);
        direct_add(&marks, DIRECT_NOBODY, x.mean, y.lo, false);
        direct_add(&marks, DIRECT_NOBODY, x.mean, y.hi, true);
        if (!isnan(x.mean)) most = fmax(most, x.hi);
        if (!isnan(y.mean)) sigma = fmax(sigma, y.hi);
    }
    (void)fprintf(g->to, "EOD\n");
    enum st st = sigma <= 0 ? figure_no_ideals(k, d) : ST_OK;
    if (st == ST_OK && most <= 0)
        st = diag_set(d, ST_EINPUT, "no run of '%s' moved data over the network: there are no bytes to draw", k->title);
    if (st == ST_OK) finish(g, k, &marks, most, sigma, whole);
    mem_free(marks.at);
    return st;
}

const struct plot_figure plot_fairness_traffic = {
    .name = "fairness-traffic", .summary = "fairness deviation against bytes over the network, a point a policy",
    .about = "-m s_share_sigma is the default; with intervals (the flow paper's a1, a2, a3). From table metric,"
             " as `fairway compare` reads it.",
    .options = "[-m s_share_sigma|s_whole_sigma]", .draw = draw,
};
