/*
 * engines.c -- engines: which call was on which engine when.
 *
 * The record has the type of engine on a node, not its number: calls are put on
 * the first line of their type that is free, in order of time, so a type has as
 * many lines as it had calls at once.
 */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "plot/figure.h"

enum { LINES_MAX = 64, COLOURS = 6, BARS_MAX = 20000 };

struct line { char *name; int64_t node; char *type; int64_t busy_to; };
struct bar { double from, to, way_to; uint32_t line, colour; };
struct picture {
    struct line line[LINES_MAX]; uint32_t n_lines;
    struct bar *bar; size_t n_bars, cap_bars;
    char *api[COLOURS + 1]; uint32_t n_apis;    /* by colour */
    double end;                                 /* s */
};

/* The line for a call of this node and type that begins then; a new one when all are busy.  NONE: the page is full. */
static uint32_t find_line(struct picture *e, int64_t node, const char *name, const char *type, int64_t start)
{
    for (uint32_t i = 0; i < e->n_lines; i++)
        if (e->line[i].node == node && strcmp(e->line[i].type, type) == 0 && e->line[i].busy_to <= start) return i;
    if (e->n_lines == LINES_MAX) return NONE;
    e->line[e->n_lines] = (struct line){ .name = mem_strdup(name), .node = node, .type = mem_strdup(type) };
    return e->n_lines++;
}

/* Colours go to APIs in order of their first call; those beyond the palette share the last. */
static uint32_t colour_of(struct picture *e, const char *api)
{
    for (uint32_t i = 0; i < e->n_apis; i++) if (strcmp(e->api[i], api) == 0) return i + 1;
    if (e->n_apis > COLOURS) return COLOURS + 1;
    e->api[e->n_apis] = mem_strdup(e->n_apis < COLOURS ? api : "others");
    return ++e->n_apis;
}

static enum st load(struct picture *e, const struct compare *c, int64_t run, const struct plot_opts *o, struct diag *d)
{
    sqlite3_stmt *q;
    enum st st = ST_OK;
    TRY(query_run(c->store, run, "SELECT node, node_name, engine, start_us, end_us, way_us, api FROM v_call WHERE run = ?1"
                     " AND start_us >= ?2 AND start_us < ?3 ORDER BY node, engine, start_us, ordinal, task", &q, d));
    (void)sqlite3_bind_int64(q, 2, o->from > 0 ? o->from : 0);
    (void)sqlite3_bind_int64(q, 3, o->to > 0 ? o->to : INT64_MAX);
    while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) {
        int64_t from = sqlite3_column_int64(q, 3), to = sqlite3_column_int64(q, 4), way = sqlite3_column_int64(q, 5);
        uint32_t line = find_line(e, sqlite3_column_int64(q, 0), (const char *)sqlite3_column_text(q, 1), (const char *)sqlite3_column_text(q, 2), from);
        if (line == NONE || e->n_bars == BARS_MAX) {
            st = diag_set(d, ST_EINPUT, "more than %d engines, or %d calls, are too many to tell apart; choose a window with --from and --to", LINES_MAX, BARS_MAX);
            break;
        }
        e->line[line].busy_to = to;
        MEM_RESERVE(e->bar, e->cap_bars, e->n_bars + 1);
        e->bar[e->n_bars++] = (struct bar){ .from = (double)from / 1e6, .to = (double)to / 1e6, .way_to = (double)i64_min(from + way, to) / 1e6,
                                            .line = line, .colour = colour_of(e, (const char *)sqlite3_column_text(q, 6)) };
        e->end = fmax(e->end, (double)to / 1e6);
    }
    TRY(query_end(c->store, q, d));
    if (st != ST_OK || e->n_bars > 0) return st;
    (void)diag_set(d, ST_EINPUT, "run %lld has no record of calls on engines", (long long)run);
    return diag_hint(d, "say `output: {attempts: true}` in a scenario with engines, or --set output.attempts=true, "
                     "and run it again");
}

static void write_script(const struct picture *e, struct gnuplot *g, const struct figure_run *r, double from)
{
    char text[256];
    (void)fprintf(g->to, "$bars << EOD\n");
    for (size_t i = 0; i < e->n_bars; i++) {
        const struct bar *b = &e->bar[i];
        (void)fprintf(g->to, "%.6f\t%.6f\t%.6f\t%u\t%u\n", b->from, b->way_to, b->to, b->line, b->colour);
    }
    (void)fprintf(g->to, "EOD\n$rows << EOD\n");
    for (uint32_t i = 0; i < e->n_lines; i++) {
        (void)snprintf(text, sizeof text, "%s %s", e->line[i].name, e->line[i].type);
        (void)fprintf(g->to, "%u\t", i);
        gnuplot_cell(g, text);
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\nN = %u\narray NAME[%u]\n", e->n_apis, e->n_apis);
    for (uint32_t i = 0; i < e->n_apis; i++) gnuplot_item(g, "NAME", i, e->api[i]);
    gnuplot_number(g, "ROWS", e->n_lines);
    figure_time_axis(g, from, e->end);
    (void)snprintf(text, sizeof text, "%s, seed %llu; hatched: on the way", r->p->label, (unsigned long long)r->p->seed[r->index]);
    gnuplot_text(g, "TITLE", text);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n", fmin(7, 1.1 + 0.15 * fmax(e->n_lines, 6)));
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct picture e = { .n_lines = 0 };
    struct figure_run run;
    TRY(figure_run_find(&run, k, o->run, d));
    enum st st = load(&e, c, run.id, o, d);
    if (st == ST_OK) write_script(&e, g, &run, o->from > 0 ? (double)o->from / 1e6 : 0);
    for (uint32_t i = 0; i < e.n_lines; i++) { mem_free(e.line[i].name); mem_free(e.line[i].type); }
    for (uint32_t i = 0; i < e.n_apis; i++) mem_free(e.api[i]);
    mem_free(e.bar);
    return st;
}

const struct plot_figure plot_engines = {
    .name = "engines", .summary = "which call was on which engine when", .options = "[--run N] [--from T] [--to T]", .draw = draw,
    .about = "On which node, and its way to another node; of one run. From view v_call.",
    .chart = { { "Which API call was on which engine when, in the first run.", NULL, false, true } },
};
