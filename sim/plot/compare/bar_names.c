/* bar_names.c -- the layout of bar_names.h, in inches. */
#include <math.h>
#include <string.h>

#include "plot/compare/bar_names.h"

/* Inches, at the 7 or 8 points of names: a character, a line; and what leans without leaving the figure. */
#define CHAR 0.065
#define LINE 0.125
enum { LEAN_CHARS = 16, LEAN = 30, UPRIGHT = 90 };

void bar_names_add(struct bar_names *b, const char *name)
{
    size_t len = strlen(name), lines = 1;
    b->n++;
    if (len > b->longest) b->longest = len;
    while (len > 0) {
        size_t piece = strcspn(name, ":,") + 1;
        if (piece >= len) piece = len;
        if (piece > b->longest_piece) b->longest_piece = piece;
        name += piece;
        len -= piece;
        lines += len > 0;
    }
    if (lines > b->lines) b->lines = lines;
}

void bar_names_end(struct gnuplot *g, const struct bar_names *b, double room, double h, double below)
{
    double each = room / (double)b->n;
    bool flat = CHAR * (double)b->longest + 0.06 <= each, leans = !flat && b->longest <= LEAN_CHARS;
    bool splits = !flat && !leans && LINE * (double)b->lines <= each;
    double need = below;
    if (leans) need = fmax(below + 0.18, 0.2 + CHAR * (double)b->longest * 0.5);
    if (!flat && !leans) need = 0.1 + CHAR * (double)(splits ? b->longest_piece : b->longest);
    (void)fprintf(g->to, "if (!exists(\"H\")) H = %.2f\nROTATE = %d\nSPLIT = %d\nBELOW = %.3f\n",
                  h + need - below, flat ? 0 : leans ? LEAN : UPRIGHT, splits, need);
}
