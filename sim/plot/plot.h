/*
 * plot.h -- the figures.  Layer: plot.
 *
 * What is drawn comes from the database's views and from compare.h: a figure
 * chooses, thins and lays out, and computes no metric.  The drawing itself is
 * plots/FIGURE.gp.
 */
#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "compare/compare.h"
#include "plot/gnuplot.h"

/* What the user chose; NULL, -1 and 0 where nothing was chosen. */
struct plot_opts {
    const char *out;            /* path */
    const char *scenario;       /* title of a case; needed when the database has several */
    const char *metric;         /* a job metric such as jct; or what a figure makes of it */
    const char *scope;
    const char *base;           /* label of a policy */
    int64_t     run;
    const char *nodes;          /* names, comma-separated, or a number: that many, those with the most starts */
    sim_tick    from, to;       /* a window, since the run began */
};

enum { PLOT_CHARTS = 2 };

struct plot_figure {
    const char *name, *summary;
    const char *about;          /* what the summary leaves out, and what it is drawn from: sentences */
    const char *options;        /* that it takes besides --scenario, as help prints them; NULL: none */
    enum st (*draw)(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                    const struct plot_opts *o, struct diag *d);
    /* How the HTML page shows it; caption NULL: not, or not once more.  A wide one has panels side by side; that a
     * rare one cannot be drawn is not mentioned. */
    struct { const char *caption, *metric; bool is_wide, is_rare; } chart[PLOT_CHARTS];
    bool is_of_file;            /* it draws what is no case: `c` has the store alone, `k` is NULL */
};

/* Every figure, in the order in which help and the page have them: plot_ID, of a file in this folder. */
#define PLOT_FIGURES(F) \
    F(bars)             \
    F(cdf)              \
    F(recorded)         \
    F(timeline)         \
    F(levels)           \
    F(shares)           \
    F(gantt)            \
    F(fairness)         \
    F(jobs_ideal)       \
    F(engine_bars)      \
    F(data_bars)        \
    F(energy)           \
    F(fairness_traffic) \
    F(pods)             \
    F(frag_load)        \
    F(lending)          \
    F(workflow_gantt)   \
    F(engines)          \
    F(tornado)          \
    F(search)           \
    F(search_frontier)  \
    F(search_size)      \
    F(search_race)      \
    F(fit)

#define PLOT_DECLARE(id) extern const struct plot_figure plot_##id;
PLOT_FIGURES(PLOT_DECLARE)
#undef PLOT_DECLARE

extern const struct plot_figure *const plot_figures[];      /* ended by NULL */

/* NULL with d filled when there is none of that name. */
const struct plot_figure *plot_find(const char *name, struct diag *d);
enum st plot_make(struct store *s, const struct plot_figure *f, const struct plot_opts *o, struct diag *d);

#endif
