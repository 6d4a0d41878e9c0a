/*
 * How names stand under the bars of a figure, and how much room they take there:
 * flat while they fit beside one another, else leaning, and when they are long
 * upright, each parameter of a policy on a line of its own if the lines fit
 * (plots/style.gp splits where this counts).
 */
#include <math.h>
#include <string.h>

#include "plot/plot.h"

/* Inches, at the 7 or 8 points of names: a character, a line; and what leans without leaving the figure. */
#define CHAR 0.065
#define LINE 0.125
enum { LEAN_CHARS = 16, LEAN = 30, UPRIGHT = 90 };

void plot_names_add(struct plot_names *a, const char *name)
{
    size_t len = strlen(name), lines = 1;
    a->n++;
    if (len > a->longest) a->longest = len;
    while (len > 0) {
        size_t piece = strcspn(name, ":,") + 1;
        if (piece >= len) piece = len;
        if (piece > a->longest_piece) a->longest_piece = piece;
        name += piece;
        len -= piece;
        lines += len > 0;
    }
    if (lines > a->lines) a->lines = lines;
}

/* Figures are `h` inches high with flat names, of which `below` lie under the axis. */
void plot_names_end(struct gnuplot *g, const struct plot_names *a, double room, double h, double below)
{
    double each = room / (double)a->n;
    bool flat = CHAR * (double)a->longest + 0.06 <= each, leans = !flat && a->longest <= LEAN_CHARS;
    bool splits = !flat && !leans && LINE * (double)a->lines <= each;
    double need = below;
    if (leans) need = fmax(below + 0.18, 0.2 + CHAR * (double)a->longest * 0.5);
    if (!flat && !leans) need = 0.1 + CHAR * (double)(splits ? a->longest_piece : a->longest);
    (void)fprintf(g->to, "if (!exists(\"H\")) H = %.2f\nROTATE = %d\nSPLIT = %d\nBELOW = %.3f\n",
                  h + need - below, flat ? 0 : leans ? LEAN : UPRIGHT, splits, need);
}
