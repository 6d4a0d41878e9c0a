/*
 * gantt.c -- gantt: which user held which card when.
 *
 * A cluster has more cards and a run more jobs than a page has room, so the
 * figure chooses nodes (those with the most starts: one job that holds a node
 * for a week shows nothing) and a window (the busiest in which bars can still be
 * told apart), and its title says which.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "plot/figure.h"

enum { ROWS_DEFAULT = 16, ROWS_MAX = 64, BARS_DEFAULT = 160, USERS_MAX = 6 };

struct bar { int64_t from, to; uint32_t row, user; int32_t milli, bottom; uint64_t ordinal; char *job; };
struct gantt_node { int64_t node; char *name; uint32_t n_gpu, row0; };
struct gantt_user { char *name; double card_us; };

struct gantt {
    const struct compare *c;
    int64_t  run;
    struct gantt_node *node; size_t n_nodes, cap_nodes; uint32_t n_rows, n_all;
    struct bar *bar;         size_t n_bars, cap_bars;
    struct gantt_user *user; size_t n_users, cap_users;
    int64_t  from, to;
    const char *window;         /* how it was chosen, for the title */
};

static void fini(struct gantt *a)
{
    for (size_t i = 0; i < a->n_nodes; i++) mem_free(a->node[i].name);
    for (size_t i = 0; i < a->n_bars; i++) mem_free(a->bar[i].job);
    for (size_t i = 0; i < a->n_users; i++) mem_free(a->user[i].name);
    MEM_FREE(a->node, a->bar, a->user);
}

/* ---- which nodes ---- */

/* Is the name one of the comma-separated list? */
static bool is_listed(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += len)
        if ((at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0')) return true;
    return false;
}

static int by_number(const void *x, const void *y)
{
    const struct gantt_node *a = x, *b = y;
    return (a->node > b->node) - (a->node < b->node);
}

/* Those with the most bars first; those named, or as many as asked for, or as fit in some rows. */
static enum st choose_nodes(struct gantt *a, const char *wanted, struct diag *d)
{
    int64_t limit = -1;
    bool by_count = wanted != NULL && text_int(wanted, &limit);
    if (by_count && limit < 1) return diag_set(d, ST_EINPUT, "--nodes is '%s'; expected how many, or names separated by commas", wanted);
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run, "SELECT node, node_name, max(n_gpu), count(*) AS bars"
                     " FROM v_card JOIN node USING (run, node) WHERE run = ?1 GROUP BY node ORDER BY bars DESC, node", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(q, 1);
        uint32_t n_gpu = (uint32_t)sqlite3_column_int(q, 2);
        a->n_all++;
        if (by_count ? a->n_nodes >= (size_t)limit : wanted != NULL ? !is_listed(wanted, name)
            : a->n_nodes > 0 && a->n_rows + n_gpu > ROWS_DEFAULT) continue;
        MEM_PUSH(a->node, a->n_nodes, a->cap_nodes,
                 (struct gantt_node){ .node = sqlite3_column_int64(q, 0), .name = mem_strdup(name), .n_gpu = n_gpu });
        a->n_rows += n_gpu;
    }
    TRY(query_end(a->c->store, q, d));
    if (a->n_all == 0) {
        (void)diag_set(d, ST_EINPUT, "run %lld has no record of who held which GPU", (long long)a->run);
        return diag_hint(d, "say `output: {attempts: true}` in the scenario, or --set output.attempts=true, and run "
                         "it again");
    }
    if (a->n_nodes == 0) return diag_set(d, ST_EINPUT, "none of the nodes '%s' was used by a GPU job", wanted);
    if (a->n_rows > ROWS_MAX) return diag_set(d, ST_EINPUT, "%u GPUs are too many to tell apart; choose nodes with at most %d", a->n_rows, ROWS_MAX);
    qsort(a->node, a->n_nodes, sizeof *a->node, by_number);
    for (size_t i = 1; i < a->n_nodes; i++) a->node[i].row0 = a->node[i - 1].row0 + a->node[i - 1].n_gpu;
    return ST_OK;
}

/* ---- what they did ---- */

static uint32_t user_id(struct gantt *a, const char *name)
{
    for (uint32_t i = 0; i < a->n_users; i++)
        if (strcmp(a->user[i].name, name) == 0) return i;
    MEM_PUSH(a->user, a->n_users, a->cap_users, (struct gantt_user){ .name = mem_strdup(name) });
    return (uint32_t)a->n_users - 1;
}

static enum st load_bars(struct gantt *a, const struct gantt_node *n, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->c->store, a->run, "SELECT start_us, end_us, card, milli, user, job, ordinal FROM v_card"
                     " WHERE run = ?1 AND node = ?2 AND end_us > start_us ORDER BY start_us, ordinal, task, card", &q, d));
    (void)sqlite3_bind_int64(q, 2, n->node);
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(a->bar, a->cap_bars, a->n_bars + 1);
        a->bar[a->n_bars++] = (struct bar){
            .from = sqlite3_column_int64(q, 0), .to = sqlite3_column_int64(q, 1),
            .row = n->row0 + (uint32_t)sqlite3_column_int(q, 2), .milli = sqlite3_column_int(q, 3),
            .user = user_id(a, (const char *)sqlite3_column_text(q, 4)),
            .job = mem_strdup((const char *)sqlite3_column_text(q, 5)), .ordinal = (uint64_t)sqlite3_column_int64(q, 6) };
    }
    return query_end(a->c->store, q, d);
}

/* Stack what shares a card: each bar goes to the lowest gap that is free when it
 * starts.  Bars of a row come in order of start. */
static void stack(struct gantt *a)
{
    for (size_t i = 0; i < a->n_bars; i++) {
        struct bar *b = &a->bar[i];
        bool moved = true;
        while (moved) {
            moved = false;
            for (size_t j = i; j-- > 0 && a->bar[j].row / 64 == b->row / 64 && !moved;) {
                const struct bar *o = &a->bar[j];
                if (o->row != b->row || o->to <= b->from) continue;
                if (o->bottom < b->bottom + b->milli && b->bottom < o->bottom + o->milli) { b->bottom = o->bottom + o->milli; moved = true; }
            }
        }
        if (b->bottom + b->milli > 1000) b->bottom = 0;     /* free, but not in one piece */
    }
}

/* ---- which window ---- */

/* How much there is to see: card time held, times bars. */
static double interest(const struct gantt *a, int64_t from, int64_t to)
{
    double held = 0, bars = 0;
    for (size_t i = 0; i < a->n_bars; i++) {
        int64_t cut = i64_min(a->bar[i].to, to) - i64_max(a->bar[i].from, from);
        if (cut <= 0) continue;
        held += (double)cut * a->bar[i].milli;
        bars++;
    }
    return held * bars;
}

static void choose_window(struct gantt *a, const struct plot_opts *o)
{
    int64_t end = 0;
    for (size_t i = 0; i < a->n_bars; i++) end = i64_max(end, a->bar[i].to);
    a->from = o->from >= 0 ? o->from : 0;
    a->to = o->to >= 0 ? o->to : end;
    a->window = "";
    if (o->from >= 0 || o->to >= 0) return;
    a->window = ", whole run";
    if (a->n_bars <= BARS_DEFAULT) return;
    a->window = ", at their busiest";
    int64_t width = i64_max(1, (int64_t)((double)end / (double)a->n_bars * BARS_DEFAULT)), step = i64_max(1, width / 4);
    step = i64_max(step, end / 2000);
    double best = -1;
    for (int64_t at = 0; at + width <= end; at += step) {
        double t = interest(a, at, at + width);
        if (t > best) { best = t; a->from = at; }
    }
    a->to = a->from + width;
}

/* ---- the script ---- */

static int by_card_time(const void *x, const void *y)
{
    const struct gantt_user *const *a = x, *const *b = y;
    if ((*a)->card_us != (*b)->card_us) return (*a)->card_us < (*b)->card_us ? 1 : -1;
    return strcmp((*a)->name, (*b)->name);
}

/* colour [n_users] out: from 1, the heaviest first; what is beyond the palette shares the last. */
static size_t write_users(struct gantt *a, struct gnuplot *g, uint32_t *colour)
{
    struct gantt_user **order;
    MEM_ARRAY(order, a->n_users);
    for (size_t i = 0; i < a->n_bars; i++) {
        const struct bar *b = &a->bar[i];
        int64_t cut = i64_min(b->to, a->to) - i64_max(b->from, a->from);
        if (cut > 0) a->user[b->user].card_us += (double)cut * b->milli;
    }
    size_t n = 0;
    for (size_t i = 0; i < a->n_users; i++) if (a->user[i].card_us > 0) order[n++] = &a->user[i];
    qsort(order, n, sizeof *order, by_card_time);
    size_t shown = n > USERS_MAX ? USERS_MAX + 1 : n;
    (void)fprintf(g->to, "N = %zu\narray NAME[%zu]\n", shown, shown > 0 ? shown : 1);
    for (size_t i = 0; i < n; i++) {
        size_t k = i < USERS_MAX ? i : USERS_MAX;
        colour[order[i] - a->user] = (uint32_t)k + 1;
        if (i > USERS_MAX) continue;
        gnuplot_item(g, "NAME", k, k < USERS_MAX ? order[i]->name : n == USERS_MAX + 1 ? order[i]->name : "others");
    }
    mem_free(order);
    return shown;
}

static void write_bars(const struct gantt *a, struct gnuplot *g, const uint32_t *colour)
{
    double width = (double)(a->to - a->from);
    (void)fprintf(g->to, "$gantt << EOD\n");
    for (size_t i = 0; i < a->n_bars; i++) {
        const struct bar *b = &a->bar[i];
        int64_t from = i64_max(b->from, a->from), to = i64_min(b->to, a->to);
        if (from >= to) continue;
        double top = b->row + 0.92 - 0.84 * b->bottom / 1000.0, height = 0.84 * b->milli / 1000.0;
        bool fits = (double)(to - from) > width * 0.016 * (double)(strlen(b->job) + 1) && b->milli >= 700;
        (void)fprintf(g->to, "%.6f\t%.6f\t%.4f\t%.4f\t%u\t", (double)from / 1e6, (double)to / 1e6, top - height, top, colour[b->user]);
        gnuplot_cell(g, fits ? b->job : "");
        (void)fputc('\n', g->to);
    }
    (void)fprintf(g->to, "EOD\n");
}

static void write_rows(const struct gantt *a, struct gnuplot *g)
{
    bool every = a->n_rows <= 24;
    (void)fprintf(g->to, "$rows << EOD\n");
    for (size_t i = 0; i < a->n_nodes; i++)
        for (uint32_t k = 0; k < a->node[i].n_gpu; k++) {
            if (!every && k > 0) continue;
            (void)fprintf(g->to, "%u\t", a->node[i].row0 + k);
            gnuplot_cell(g, a->node[i].name);
            (void)fprintf(g->to, every ? " / %u\n" : "\n", k);
        }
    (void)fprintf(g->to, "EOD\n$lines << EOD\n");
    for (size_t i = 0; i <= a->n_nodes; i++) (void)fprintf(g->to, "%u\n", i < a->n_nodes ? a->node[i].row0 : a->n_rows);
    (void)fprintf(g->to, "EOD\n");
}

static void write_script(struct gantt *a, struct gnuplot *g, const struct figure_run *r)
{
    uint32_t *colour;
    char text[256];
    MEM_ARRAY(colour, a->n_users);
    (void)write_users(a, g, colour);
    write_bars(a, g, colour);
    write_rows(a, g);
    mem_free(colour);
    gnuplot_number(g, "ROWS", a->n_rows);
    figure_time_axis(g, (double)a->from / 1e6, (double)a->to / 1e6);
    (void)snprintf(text, sizeof text, "run %lld: %s, seed %llu; %zu of %u nodes with GPU work%s", (long long)a->run, r->p->label,
                   (unsigned long long)r->p->seed[r->index], a->n_nodes, a->n_all, a->window);
    gnuplot_text(g, "TITLE", text);
    (void)fprintf(g->to, "if (!exists(\"W\")) W = 5.0\nif (!exists(\"H\")) H = %.2f\n", fmin(6.5, 0.9 + 0.15 * fmax(a->n_rows, 6)));
}

static enum st draw(struct gnuplot *g, const struct compare *c, const struct compare_case *k, const struct plot_opts *o, struct diag *d)
{
    struct figure_run run;
    TRY(figure_run_find(&run, k, o->run, d));
    struct gantt a = { .c = c, .run = run.id };
    enum st st = choose_nodes(&a, o->nodes, d);
    for (size_t i = 0; i < a.n_nodes && st == ST_OK; i++) st = load_bars(&a, &a.node[i], d);
    if (st == ST_OK) {
        stack(&a);
        choose_window(&a, o);
        if (a.from >= a.to) st = diag_set(d, ST_EINPUT, "the window to draw is empty: it ends at %.6g s, where nothing has begun", (double)a.to / 1e6);
    }
    if (st == ST_OK) write_script(&a, g, &run);
    fini(&a);
    return st;
}

const struct plot_figure plot_gantt = {
    .name = "gantt", .summary = "which user held which GPU when", .options = "[--run N] [--nodes N|NAME,...] [--from T] [--to T]", .draw = draw,
    .about = "Stacked where jobs share a card. From view v_card.",
    .chart = { { "Who held which GPU when, on the busiest nodes of the first run.", NULL, false, false } },
};
