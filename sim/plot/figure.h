/*
 * figure.h -- what the files of figures share.  Layer: plot, private.
 *
 * A figure is one file here, which defines a struct plot_figure, a line of
 * PLOT_FIGURES in plot.h, and plots/FIGURE.gp, which draws the data that it
 * writes.
 */
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include "compare/metric_info.h"
#include "db/query.h"
#include "plot/compare/bar_names.h"
#include "plot/direct.h"
#include "plot/plot.h"

/* A unit that suits a quantity: it is divided by `by`. */
struct figure_unit { const char *name; double by; };
struct figure_unit figure_time_unit(double seconds);        /* seconds to days */
struct figure_unit figure_bytes_unit(double bytes);         /* MB to TB */

/* A policy's label, with " *" where it is clairvoyant. */
const char *figure_label(const struct compare_policy *p, char *buf, size_t cap);
/* The first cell of a policy's row of bars: its label, which is to stand below them. */
void figure_bar(struct gnuplot *g, const struct compare_policy *p, struct bar_names *names);
/* `array LABEL[n]` and the labels of the case's policies. */
void figure_labels(struct gnuplot *g, const struct compare_case *k);
/* Inches. */
struct figure_size { double w, h; };
/* N, KEYROWS and labels of a legend above the figure, and H, which leaves h inches for the rest; for more policies than
 * a legend tells apart none, and W and H for names in the figure.  Returns both. */
struct figure_size figure_legend(struct gnuplot *g, const struct compare_case *k, double h);
/* A panel of $names: the policies' names beside their marks, whose series are policies. */
void figure_names(struct gnuplot *g, const struct compare_case *k, const struct direct *l, const struct direct_axis *x,
                  const struct direct_axis *y);
/* Three cells: the value and the ends of its interval, which are the value where there is none. */
void figure_interval(struct gnuplot *g, struct stats_ci v);

/* A job metric by name, or ST_EINPUT with the nearest one as a hint. */
enum st figure_job_metric(const char *name, const struct metric_job **m, struct diag *d);

/* The runs of a policy as a list for SQL's IN; owned by the caller. */
char   *figure_run_list(const struct compare_policy *p);

/* Which of a policy's runs a figure is of: p->run[index]. */
struct figure_run { const struct compare_policy *p; size_t index; int64_t id; };
/* The run that was asked for (ST_EINPUT if it is none of the case), or the case's first. */
enum st figure_run_find(struct figure_run *r, const struct compare_case *k, int64_t asked, struct diag *d);

/* ST_EINPUT: a run of the case left out the rows of its jobs. */
enum st figure_jobs_kept(const struct compare *c, const struct compare_case *k, struct diag *d);
/* ST_EINPUT: no job has a time alone (the ideal of users), and how to have it. */
enum st figure_no_ideals(const struct compare_case *k, struct diag *d);

/* An axis in a unit: its label, "WHAT (unit)", and what values are divided by. */
void figure_axis(struct gnuplot *g, const char *label, const char *what, const char *div, struct figure_unit unit);
/* FROM, TO, TDIV and XLABEL of an axis of time, s. */
void figure_time_axis(struct gnuplot *g, double from, double to);

/* One run, and the window of it that was asked for, s; to HUGE_VAL: to the end. */
struct figure_span { const struct compare *c; struct figure_run run; double from, to; };
enum st figure_span_find(struct figure_span *s, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d);
/* The axis of time from s->from to end, and a TITLE that names the run. */
void    figure_span_axis(struct gnuplot *g, const struct figure_span *s, double end);

#endif
