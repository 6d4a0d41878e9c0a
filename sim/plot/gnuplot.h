/*
 * gnuplot.h -- a self-contained gnuplot script, and its picture.  Layer: plot.
 *
 * The script holds its data inline, the style and the figure's commands, so it
 * can be kept, restyled and run anywhere.  gnuplot runs as a child process
 * without a shell; it reads the script from its standard input and writes the
 * picture to its standard output, so that no file name passes through it.
 */
#ifndef PLOT_GNUPLOT_H
#define PLOT_GNUPLOT_H

#include <stdio.h>
#include "base/diag.h"

struct gnuplot { FILE *to; char *path, *temp; const char *format; bool is_script; };

/* Begin a figure whose format is given by the ending of `path`: .svg .pdf .png, or .gp for the script itself. */
enum st gnuplot_begin(struct gnuplot *g, const char *path, const char *figure, struct diag *d);
/* Add the style and the figure's own commands, run it, put the picture in place.  Closes g, whatever happens. */
enum st gnuplot_end(struct gnuplot *g, const char *figure, struct diag *d);
/* Give up: nothing is left. */
void    gnuplot_abort(struct gnuplot *g);

/* Write `name = 'text'`; a cell of a data block. */
void    gnuplot_text(struct gnuplot *g, const char *name, const char *text);
/* As NAME[i + 1] of an array. */
void    gnuplot_item(struct gnuplot *g, const char *array, size_t i, const char *text);
void    gnuplot_number(struct gnuplot *g, const char *name, double x);
void    gnuplot_cell(struct gnuplot *g, const char *text);     /* without what would end the cell */

#endif
