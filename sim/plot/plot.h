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
    const char *metric;         /* cdf, bars: jct, wait, slowdown...; levels: names, "a,b/c" */
    const char *scope;          /* bars */
    const char *base;           /* bars: label */
    int64_t     run;            /* timeline, levels, gantt */
    const char *nodes;          /* gantt: names, comma-separated, or a number: that many, those with the most starts */
    sim_tick    from, to;       /* gantt */
};

/* Which options a figure takes: one letter each. */
struct plot_figure {
    const char *name, *summary;
    const char *takes;          /* of "smcbrnft": scenario metric scope base run nodes from to */
    enum st (*write)(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                     const struct plot_opts *o, struct diag *d);
};
extern const struct plot_figure plot_figures[];     /* ended by a NULL name */

/* NULL with d filled when there is none of that name. */
const struct plot_figure *plot_find(const char *name, struct diag *d);
enum st plot_make(struct store *s, const struct plot_figure *f, const struct plot_opts *o, struct diag *d);

/* gantt.c */
enum st plot_gantt(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                   const struct plot_opts *o, struct diag *d);

/* levels.c */
enum st plot_levels(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                    const struct plot_opts *o, struct diag *d);

/* engines.c */
enum st plot_engines(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                     const struct plot_opts *o, struct diag *d);

/* engine_bars.c */
enum st plot_engine_bars(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                         const struct plot_opts *o, struct diag *d);

/* fairness.c */
enum st plot_jobs_ideal(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                        const struct plot_opts *o, struct diag *d);
enum st plot_fairness(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                      const struct plot_opts *o, struct diag *d);
enum st plot_data_bars(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                       const struct plot_opts *o, struct diag *d);
enum st plot_fairness_traffic(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                              const struct plot_opts *o, struct diag *d);

/* placement.c */
enum st plot_pods(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                  const struct plot_opts *o, struct diag *d);
enum st plot_frag_load(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                       const struct plot_opts *o, struct diag *d);

/* workflow.c; lending's metric is a resource */
enum st plot_lending(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                     const struct plot_opts *o, struct diag *d);
enum st plot_workflow_gantt(struct gnuplot *g, const struct compare *c, const struct compare_case *k,
                            const struct plot_opts *o, struct diag *d);

/* bar_names.c: the names under bars.  Add each, then write ROTATE, SPLIT, BELOW and H
 * for `room` inches of axis; with flat names the figure is h inches high, `below` of them under the axis. */
struct plot_names { size_t n, longest, longest_piece, lines; };
void plot_names_add(struct plot_names *a, const char *name);
void plot_names_end(struct gnuplot *g, const struct plot_names *a, double room, double h, double below);

/* The runs of a policy as a list for SQL's IN; owned by the caller. */
char   *plot_run_list(const struct compare_policy *p);
/* For figures: a run of the case by number (ST_EINPUT if it is none); a unit of time that suits `us`. */
enum st plot_run(const struct compare_case *k, int64_t run, const struct compare_policy **p, size_t *index, struct diag *d);
struct plot_unit { const char *name; double seconds; };
struct plot_unit plot_time_unit(double seconds);

#endif
