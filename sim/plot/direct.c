/*
 * direct.c -- where the names of direct.h go, on a grid of cells that says what each place would cover.
 */
#include "plot/direct.h"

#include <math.h>
#include <stdint.h>

#include "base/mem.h"

/* Inches: a cell of the grid; a character and a line of text of 7 points; from a mark to its name; from ring to
 * ring. */
#define CELL 0.025
#define CHAR 0.05
#define LINE 0.125
#define GAP  0.05
#define RING 0.11
enum { ANCHORS = 24, DIRECTIONS = 16, RINGS = 9 };

struct box { double x0, y0, x1, y1; };          /* inches from the lower left */

struct panel {
    const struct direct *l;
    const struct direct_axis *x, *y;
    size_t wide, high;          /* cells */
    uint16_t *cover;            /* [wide * high] marks in a cell, each weighed */
    struct box *taken; size_t n_taken;
};

void direct_add(struct direct *l, size_t series, double x, double y, bool is_joined)
{
    MEM_PUSH(l->at, l->n, l->cap, (struct direct_mark){ x, y, series, is_joined });
}

/* ---- inches ---- */

static double to_inches(const struct direct_axis *a, double value)
{
    double v = value / a->by;
    double part = a->is_log ? log(v / a->from) / log(a->to / a->from) : (v - a->from) / (a->to - a->from);
    return part * a->inches;
}

static double from_inches(const struct direct_axis *a, double inches)
{
    double part = inches / a->inches;
    return a->is_log ? a->from * pow(a->to / a->from, part) : a->from + part * (a->to - a->from);
}

static bool is_inside(const struct panel *p, double x, double y)
{
    return x >= 0 && y >= 0 && x <= p->x->inches && y <= p->y->inches;     /* false for NaN */
}

/* ---- what is drawn ---- */

static void cover(struct panel *p, double x, double y, unsigned weight)
{
    if (!is_inside(p, x, y)) return;
    size_t at = (size_t)(y / CELL) * p->wide + (size_t)(x / CELL);
    p->cover[at] = (uint16_t)(p->cover[at] + weight < 1000 ? p->cover[at] + weight : 1000);
}

static void cover_marks(struct panel *p)
{
    double x0 = 0, y0 = 0;
    for (size_t i = 0; i < p->l->n; i++) {
        const struct direct_mark *m = &p->l->at[i];
        const double x = to_inches(p->x, m->x), y = to_inches(p->y, m->y);
        const unsigned weight = m->series == DIRECT_NOBODY ? 1 : m->is_joined ? 2 : 4;
        const double length = m->is_joined ? hypot(x - x0, y - y0) : 0;
        /* What is out of the panel is not drawn; a line that is longer than both sides comes from there. */
        const size_t steps = length > 0 && length < 4 * (p->x->inches + p->y->inches) ? (size_t)(length / CELL) : 0;
        for (size_t k = 0; k <= steps; k++) {
            double part = steps > 0 ? (double)k / (double)steps : 1;
            cover(p, x - (x - x0) * (1 - part), y - (y - y0) * (1 - part), weight);
        }
        x0 = x;
        y0 = y;
    }
}

/* How much of what is drawn a box covers. */
static double covered(const struct panel *p, const struct box *b)
{
    double sum = 0;
    for (size_t y = (size_t)(b->y0 / CELL); y < p->high && (double)y * CELL < b->y1; y++)
        for (size_t x = (size_t)(b->x0 / CELL); x < p->wide && (double)x * CELL < b->x1; x++)
            sum += p->cover[y * p->wide + x];
    return sum;
}

/* ---- one name ---- */

static bool overlap(const struct box *a, const struct box *b)
{
    return a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1;
}

/* Names that a line from (x, y) to (to_x, to_y) runs through, seen at eight of its points. */
static double crossed(const struct panel *p, double x, double y, double to_x, double to_y)
{
    double n = 0;
    for (int k = 1; k <= 8; k++) {
        const double px = x + (to_x - x) * k / 8, py = y + (to_y - y) * k / 8;
        for (size_t i = 0; i < p->n_taken; i++)
            n += px > p->taken[i].x0 && px < p->taken[i].x1 && py > p->taken[i].y0 && py < p->taken[i].y1;
    }
    return n;
}

struct place { struct box box; double x, y, cost; const struct direct_mark *mark; };

/* The best place for a name of this width beside the mark, if it is better than *best. */
static void try_mark(const struct panel *p, const struct direct_mark *m, double width, struct place *best)
{
    const double pi = acos(-1), x = to_inches(p->x, m->x), y = to_inches(p->y, m->y), reach = 3 * CELL;
    if (!is_inside(p, x, y)) return;
    const struct box near = { fmax(0, x - reach), fmax(0, y - reach), x + reach, y + reach };
    const double crowd = 0.6 * covered(p, &near);
    for (int ring = 0; ring < RINGS; ring++)
        for (int k = 0; k < DIRECTIONS; k++) {
            const double dx = cos(2 * pi * k / DIRECTIONS), dy = sin(2 * pi * k / DIRECTIONS);
            const double edge =
                fmin(fabs(dx) > 1e-9 ? width / 2 / fabs(dx) : 9, fabs(dy) > 1e-9 ? LINE / 2 / fabs(dy) : 9);
            const double away = edge + GAP + ring * RING, cx = x + dx * away, cy = y + dy * away;
            const struct box b = { cx - width / 2, cy - LINE / 2, cx + width / 2, cy + LINE / 2 };
            if (!is_inside(p, b.x0, b.y0) || !is_inside(p, b.x1, b.y1)) continue;
            double cost = crowd + 3 * ring + covered(p, &b) + 50 * crossed(p, x, y, cx, cy);
            for (size_t i = 0; i < p->n_taken; i++) cost += overlap(&p->taken[i], &b) ? 1e4 : 0;
            if (cost < best->cost) *best = (struct place){ b, x + dx * (away - edge), y + dy * (away - edge), cost, m };
        }
}

static size_t characters(const char *s)
{
    size_t n = 0;
    for (; *s != '\0'; s++) n += ((unsigned char)*s & 0xC0) != 0x80;      /* of UTF-8 */
    return n;
}

static void place_name(struct panel *p, struct gnuplot *g, const char *name, size_t series)
{
    struct place best = { .cost = INFINITY };
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < p->l->n; i++) n += p->l->at[i].series == series;
    const size_t every = n > ANCHORS ? n / ANCHORS : 1;
    for (size_t i = 0; i < p->l->n; i++)
        if (p->l->at[i].series == series && seen++ % every == 0)
            try_mark(p, &p->l->at[i], CHAR * (double)characters(name) + 0.04, &best);
    if (best.mark == NULL) return;
    p->taken[p->n_taken++] = best.box;
    (void)fprintf(g->to, "%.9g\t%.9g\t%.9g\t%.9g\t%zu\t%.9g\t%.9g\t", best.mark->x / p->x->by,
                  best.mark->y / p->y->by, from_inches(p->x, best.x), from_inches(p->y, best.y), series + 1,
                  from_inches(p->x, (best.box.x0 + best.box.x1) / 2),
                  from_inches(p->y, (best.box.y0 + best.box.y1) / 2));
    gnuplot_cell(g, name);
    (void)fputc('\n', g->to);
}

void direct_begin(struct gnuplot *g) { (void)fprintf(g->to, "$names << EOD\n"); }

void direct_write(const struct direct *l, struct gnuplot *g, const char *const *name, size_t n_series,
                  const struct direct_axis *x, const struct direct_axis *y)
{
    struct panel p = { .l = l, .x = x, .y = y };
    if (n_series <= DIRECT_ABOVE) return;
    p.wide = (size_t)(x->inches / CELL) + 1;
    p.high = (size_t)(y->inches / CELL) + 1;
    MEM_ARRAY(p.cover, p.wide * p.high);
    MEM_ARRAY(p.taken, n_series);
    cover_marks(&p);
    for (size_t s = 0; s < n_series; s++) place_name(&p, g, name[s], s);
    (void)fprintf(g->to, "\n\n");
    mem_free(p.cover);
    mem_free(p.taken);
}

void direct_end(struct gnuplot *g, size_t n_series)
{
    (void)fprintf(g->to, "EOD\nDIRECT = %d\n", n_series > DIRECT_ABOVE);
}
