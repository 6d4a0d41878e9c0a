/* shares.c -- shares: what users or queues held over time beside what they were entitled to, a panel for each. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "explain/shares/shares.h"
#include "plot/figure.h"

enum { PANELS_MAX = 6 };

/* Means of each window, at its begin and its end; a window without a row has 0.  Returns the most of all. */
static double write_panel(struct gnuplot *g, const struct shares *x, const struct shares_party *p)
{
    double most = 0;
    size_t i = 0;
    for (int64_t from = 0; from < x->end; from += x->window) {
        const int64_t to = i64_min(from + x->window, x->end);
        double held = 0, entitled = 0;
        while (i < x->n_rows && (x->row[i].from < from || &x->party[x->row[i].party] != p) && x->row[i].from <= from)
            i++;
        if (i < x->n_rows && x->row[i].from == from) {
            held = (double)x->row[i].sum.held / (1000 * (double)(to - from));
            entitled = (double)x->row[i].sum.entitled / (1000 * (double)(to - from));
        }
        most = fmax(most, fmax(held, entitled));
        for (int k = 0; k < 2; k++)
            (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\n", (double)(k == 0 ? from : to) / 1e6, held, entitled);
    }
    (void)fputs("\n\n", g->to);
    return most;
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o,
                    struct diag *d)
{
    const struct shares_opts opts = { .by = o->metric != NULL ? o->metric : "user" };
    const struct shares_party *at[SHARES_PARTIES_MAX];
    struct figure_run run;
    struct shares x;
    double most = 0;
    char label[320];
    if (strcmp(opts.by, "user") != 0 && strcmp(opts.by, "queue") != 0)
        return diag_set(d, ST_EINPUT, "'%s': expected -m user or -m queue", opts.by);
    TRY(figure_run_find(&run, k, o->run, d));
    TRY(shares_load(&x, c->store, &(struct selection){ .run = run.id }, &opts, d));
    for (size_t i = 0; i < x.n; i++) at[i] = &x.party[i];
    qsort(at, x.n, sizeof *at, shares_by_loss);
    const size_t n = x.n < PANELS_MAX ? x.n : PANELS_MAX;
    (void)fprintf(g->to, "array LABEL[%zu]\n$shares << EOD\n", n);
    for (size_t i = 0; i < n; i++) most = fmax(most, write_panel(g, &x, at[i]));
    (void)fprintf(g->to, "EOD\n");
    for (size_t i = 0; i < n; i++) {
        (void)snprintf(label, sizeof label, "%.100s: lost %.4g of %.4g %s hours", at[i]->name,
                       shares_hours(at[i]->sum.lost), shares_hours(at[i]->sum.entitled), x.unit);
        gnuplot_item(g, "LABEL", i, label);
    }
    const struct figure_unit unit = figure_time_unit((double)x.end / 1e6);
    (void)snprintf(label, sizeof label, "Time (%s), %s, seed %llu%s", unit.name, run.p->label,
                   (unsigned long long)run.p->seed[run.index], x.n > n ? "; those who lost most" : "");
    gnuplot_text(g, "XLABEL", label);
    gnuplot_text(g, "YLABEL", strcmp(x.unit, "GPU") == 0 ? "GPUs" : "Cores");
    gnuplot_number(g, "TDIV", unit.by);
    gnuplot_number(g, "TMAX", (double)x.end / 1e6);
    gnuplot_number(g, "YMAX", most > 0 ? most * 1.05 : 1);
    (void)fprintf(g->to, "P = %zu\nif (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n", n,
                  0.65 + 0.95 * (double)n);
    shares_fini(&x);
    return ST_OK;
}

const struct plot_figure plot_shares = {
    .name = "shares",
    .summary = "held by users over time beside what they were entitled to",
    .about = "Means of windows of an hour (of runs above ten days a day), a panel for each of the six users, or queues "
             "with -m"
             " queue, that lost most: `fairway explain FILE.db RUN --shares user`. From tables job, attempt, request.",
    .options = "[-m user|queue] [--run N]",
    .draw = draw,
};
