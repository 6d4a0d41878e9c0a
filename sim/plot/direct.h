/*
 * direct.h -- names beside the points and lines of a figure, where it has more series than a legend tells apart.
 * Layer: plot, private.
 *
 * A figure adds what it draws (direct_add) and then has the names placed, a panel at a time (direct_write); its .gp
 * leaves out the legend where DIRECT is 1 and ends its plot with @DIRECTLY (style.gp), which draws panel PANEL of
 * $names.
 */
#ifndef PLOT_DIRECT_H
#define PLOT_DIRECT_H

#include "plot/gnuplot.h"

/* Series that colours alone tell apart; with more each has its name beside it. */
enum { DIRECT_ABOVE = 8 };

/* A mark, in the figure's data units; joined: a line leads to it from the mark before. */
struct direct_mark { double x, y; size_t series; bool is_joined; };
/* What a panel has drawn; zero: nothing.  Owned by the figure, which frees `at`. */
struct direct { struct direct_mark *at; size_t n, cap; };

/* Series DIRECT_NOBODY: what names should leave free, such as the whiskers of intervals. */
#define DIRECT_NOBODY SIZE_MAX
void direct_add(struct direct *l, size_t series, double x, double y, bool is_joined);

/* An axis as drawn: what values are divided by, its ends after that, its length in inches. */
struct direct_axis { double by, from, to; bool is_log; double inches; };

/*
 * $names << EOD, what direct_write adds for each panel, and EOD with DIRECT.  For each series that has a mark in the
 * panel one row: the mark that is named, where the line from it to the name ends, series, middle of the name, name.
 *
 * Names are placed one after the other, each where it covers least: never another name, if there is room; else marks
 * and lines as few as may be, near its mark, which is one apart from other series.  O(marks x inches + names x 3,000
 * places).
 */
void direct_begin(struct gnuplot *g);
void direct_write(const struct direct *l, struct gnuplot *g, const char *const *name, size_t n_series,
                  const struct direct_axis *x, const struct direct_axis *y);
void direct_end(struct gnuplot *g, size_t n_series);

#endif
