/*
 * bar_names.h -- the names under bars, and how much room they take.  Layer: plot, private.
 *
 * Flat while they fit beside one another, else leaning, and when they are long
 * upright, each parameter of a policy on a line of its own if the lines fit
 * (plots/style.gp splits where this counts).
 */
#ifndef PLOT_BAR_NAMES_H
#define PLOT_BAR_NAMES_H

#include "plot/gnuplot.h"

struct bar_names { size_t n, longest, longest_piece, lines; };      /* zero-initialise to begin */
void bar_names_add(struct bar_names *b, const char *name);
/*
 * Write ROTATE, SPLIT, BELOW and H for names under `room` inches of axis; with
 * flat names the figure is h inches high, `below` of them under the axis.
 */
void bar_names_end(struct gnuplot *g, const struct bar_names *b, double room, double h, double below);

#endif
