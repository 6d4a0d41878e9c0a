/*
 * timeline_data.c -- what the interactive timeline shows, as JSON in the page.
 *
 * A run may have a million attempts and a page should stay small, so there are
 * two views of different fineness: *nodes*, all of them (in at most ROWS_MAX
 * rows of neighbours), in BINS slots of time, each with the share of its cards
 * held; and *GPUs*, exact, of as many nodes in order as BARS_MAX bars (over all
 * policies) allow.  The page says what it shows of what there is.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"
#include "report/report_priv.h"
#include "explain/timeline.h"

enum { BINS = 360, ROWS_MAX = 96, BARS_MAX = 60000, POINTS_MAX = 400 };

struct rd_node { char *name; uint32_t n_gpu; bool is_shown; };

struct rd_run { const struct compare_policy *policy; int64_t run; };

struct data {
    struct store *store;
    FILE    *to;
    struct rd_node *node; size_t n_nodes, cap_nodes;
    struct rd_run  *run;  size_t n_runs;
    size_t   n_shown, n_bars;           /* nodes with bars */
    uint64_t all_bars;                  /* of all nodes and runs */
    uint32_t per_row;                   /* nodes a row of the nodes view */
    int64_t  end;                       /* of the longest run */
    uint32_t *job_of; size_t cap_job_of;        /* by ordinal: index in the page's list + 1 */
    uint64_t *ordinal; size_t n_jobs, cap_jobs;
};

/* ---- choosing ---- */

static enum st load_nodes(struct data *a, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->store, a->run[0].run, "SELECT name, n_gpu FROM node WHERE run = ? ORDER BY node", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(a->node, a->cap_nodes, a->n_nodes + 1);
        a->node[a->n_nodes++] = (struct rd_node){ .name = mem_strdup((const char *)sqlite3_column_text(q, 0)), .n_gpu = (uint32_t)sqlite3_column_int(q, 1) };
    }
    TRY(query_end(a->store, q, d));
    a->per_row = (uint32_t)(a->n_nodes + ROWS_MAX - 1) / ROWS_MAX;
    return ST_OK;
}

/* Bars a node over all runs; nodes in order while they fit. */
static enum st choose_nodes(struct data *a, struct diag *d)
{
    uint64_t *bars;
    enum st st = ST_OK;
    MEM_ARRAY(bars, a->n_nodes + 1);
    for (size_t i = 0; i < a->n_runs && st == ST_OK; i++) {
        sqlite3_stmt *q;
        st = query_run(a->store, a->run[i].run, "SELECT node, count(*), max(end_us) FROM attempt WHERE run = ? AND cards <> 0 AND end_us > start_us GROUP BY node", &q, d);
        while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) {
            size_t node = (size_t)sqlite3_column_int64(q, 0);
            if (node >= a->n_nodes) continue;
            bars[node] += (uint64_t)sqlite3_column_int64(q, 1);
            a->all_bars += (uint64_t)sqlite3_column_int64(q, 1);
            a->end = i64_max(a->end, sqlite3_column_int64(q, 2));
        }
        st = query_end(a->store, q, d);
    }
    for (size_t i = 0; i < a->n_nodes && st == ST_OK; i++) {
        if (a->node[i].n_gpu == 0) continue;
        if (a->n_bars + bars[i] > BARS_MAX) break;
        a->n_bars += (size_t)bars[i];
        a->node[i].is_shown = true;
        a->n_shown++;
    }
    mem_free(bars);
    return st;
}

/* ---- writing ---- */

static uint32_t job_index(struct data *a, uint64_t ordinal)
{
    MEM_RESERVE(a->job_of, a->cap_job_of, (size_t)ordinal + 1);
    if (a->job_of[ordinal] == 0) {
        MEM_RESERVE(a->ordinal, a->cap_jobs, a->n_jobs + 1);
        a->ordinal[a->n_jobs++] = ordinal;
        a->job_of[ordinal] = (uint32_t)a->n_jobs;
    }
    return a->job_of[ordinal] - 1;
}

/* A bar: start after the bar before, length (ms), node, first card, cards, thousandths of each, job, how it ended. */
static void write_bar(struct data *a, sqlite3_stmt *q, int64_t *before, bool *first)
{
    static const char *const outcomes[] = { "done", "preempted", "failed", "timeout", "horizon", "mismatch" };
    int64_t start = sqlite3_column_int64(q, 0) / 1000, end = (sqlite3_column_int64(q, 1) + 999) / 1000;
    uint64_t cards = (uint64_t)sqlite3_column_int64(q, 3);
    const char *outcome = (const char *)sqlite3_column_text(q, 6);
    uint32_t job = job_index(a, (uint64_t)sqlite3_column_int64(q, 4));
    size_t how = 0;
    while (how + 1 < ARRAY_LEN(outcomes) && strcmp(outcomes[how], outcome) != 0) how++;
    while (cards != 0) {
        int at = __builtin_ctzll(cards), n = 0;
        while (at + n < 64 && cards >> (at + n) & 1) n++;
        (void)fprintf(a->to, "%s%" PRId64 ",%" PRId64 ",%" PRId64 ",%d,%d,%d,%" PRIu32 ",%zu", *first ? "" : ",", start - *before, end - start,
                      (int64_t)sqlite3_column_int64(q, 2), at, n, sqlite3_column_int(q, 5), job, how);
        *before = start;
        *first = false;
        cards &= n + at >= 64 ? 0 : UINT64_MAX << (at + n);
    }
}

/* Add the stretch's cards to each slot it touches, in part where it covers a part. */
static void add_heat(const struct data *a, double *heat, int64_t from, int64_t to, double cards)
{
    double slot = (double)a->end / BINS;
    for (size_t b = (size_t)((double)from / slot); b < BINS; b++) {
        double lo = fmax((double)from, (double)b * slot), hi = fmin((double)to, (double)(b + 1) * slot);
        if (hi <= lo) break;
        heat[b] += (hi - lo) / slot * cards;
    }
}

/* Shares of each row's cards, in 35ths, a character 0-9a-z a slot; '-': a row without GPUs. */
static void write_heat(const struct data *a, const double *heat)
{
    size_t rows = (a->n_nodes + a->per_row - 1) / a->per_row;
    (void)fputs("],\"heat\":[", a->to);
    for (size_t r = 0; r < rows; r++) {
        uint32_t cards = 0;
        for (size_t i = r * a->per_row; i < (r + 1) * a->per_row && i < a->n_nodes; i++) cards += a->node[i].n_gpu;
        (void)fputs(r > 0 ? ",\"" : "\"", a->to);
        for (size_t b = 0; b < BINS && cards > 0; b++) {
            long x = lround(35 * fmin(1, heat[r * BINS + b] / cards));
            (void)fputc("0123456789abcdefghijklmnopqrstuvwxyz"[x], a->to);
        }
        (void)fputs(cards == 0 ? "-\"" : "\"", a->to);
    }
}

static enum st write_series(const struct data *a, int64_t run, const char *name, struct diag *d)
{
    sqlite3_stmt *q;
    bool first = true;
    TRY(query_run(a->store, run, "SELECT CAST(avg(at_us) / 1000 AS INTEGER), avg(value) FROM series WHERE run = ?1 AND name = ?2"
              " GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1", &q, d));
    (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(q, 3, fmax(1, (double)a->end / POINTS_MAX));
    (void)fprintf(a->to, ",\"%s\":[", name);
    while (sqlite3_step(q) == SQLITE_ROW) {
        (void)fprintf(a->to, "%s%" PRId64 ",%.4g", first ? "" : ",", (int64_t)sqlite3_column_int64(q, 0), sqlite3_column_double(q, 1));
        first = false;
    }
    (void)fputc(']', a->to);
    return query_end(a->store, q, d);
}

static enum st write_down(const struct data *a, int64_t run, struct diag *d)
{
    sqlite3_stmt *q;
    bool first = true;
    TRY(query_run(a->store, run, "SELECT node, down_us / 1000, CASE WHEN up_us < 0 THEN ?2 ELSE up_us END / 1000 FROM outage WHERE run = ?1 ORDER BY down_us, node", &q, d));
    (void)sqlite3_bind_int64(q, 2, a->end);
    (void)fputs(",\"down\":[", a->to);
    while (sqlite3_step(q) == SQLITE_ROW) {
        (void)fprintf(a->to, "%s%d,%" PRId64 ",%" PRId64, first ? "" : ",", sqlite3_column_int(q, 0), (int64_t)sqlite3_column_int64(q, 1), (int64_t)sqlite3_column_int64(q, 2));
        first = false;
    }
    (void)fputc(']', a->to);
    return query_end(a->store, q, d);
}

static enum st write_run(struct data *a, const struct rd_run *r, struct diag *d)
{
    sqlite3_stmt *q;
    double *heat;
    int64_t before = 0;
    bool first = true;
    TRY(query_run(a->store, r->run, "SELECT a.start_us, a.end_us, node, cards, a.ordinal, j.gpu_milli / max(1, j.n_gpu), outcome FROM attempt a JOIN job j"
              " ON j.run = a.run AND j.ordinal = a.ordinal WHERE a.run = ? AND cards <> 0 AND a.end_us > a.start_us ORDER BY a.start_us, a.ordinal, task", &q, d));
    MEM_ARRAY(heat, (a->n_nodes + 1) * BINS);
    (void)fprintf(a->to, "{\"run\":%" PRId64 ",\"policy\":", r->run);
    timeline_json_text(r->policy->label, a->to);
    (void)fputs(",\"bars\":[", a->to);
    while (sqlite3_step(q) == SQLITE_ROW) {
        size_t node = (size_t)sqlite3_column_int64(q, 2);
        if (node >= a->n_nodes) continue;
        add_heat(a, heat + node / a->per_row * BINS, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
                 __builtin_popcountll((unsigned long long)sqlite3_column_int64(q, 3)) * sqlite3_column_int(q, 5) / 1000.0);
        if (a->node[node].is_shown) write_bar(a, q, &before, &first);
    }
    write_heat(a, heat);
    (void)fputc(']', a->to);
    mem_free(heat);
    TRY(query_end(a->store, q, d));
    TRY(write_down(a, r->run, d));
    TRY(write_series(a, r->run, "gpu_util", d));
    TRY(write_series(a, r->run, "tasks_waiting", d));
    (void)fputc('}', a->to);
    return ST_OK;
}

/* Ids and users of the jobs met, in the order in which they were. */
static enum st write_jobs(struct data *a, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->store, a->run[0].run, "SELECT id, user FROM job WHERE run = ?1 AND ordinal = ?2", &q, d));
    (void)fputs("],\"jobs\":[", a->to);
    for (size_t i = 0; i < a->n_jobs; i++) {
        (void)sqlite3_bind_int64(q, 2, (int64_t)a->ordinal[i]);
        bool there = sqlite3_step(q) == SQLITE_ROW;
        for (int c = 0; c < 2; c++) {
            if (i > 0 || c > 0) (void)fputc(',', a->to);
            timeline_json_text(there ? (const char *)sqlite3_column_text(q, c) : "?", a->to);
        }
        (void)sqlite3_reset(q);
    }
    (void)fputc(']', a->to);
    return query_end(a->store, q, d);
}

static enum st write_data(struct data *a, struct diag *d)
{
    (void)fprintf(a->to, "{\"end\":%" PRId64 ",\"bins\":%d,\"perRow\":%" PRIu32 ",\"nodes\":[", a->end / 1000, BINS, a->per_row);
    for (size_t i = 0; i < a->n_nodes; i++) {
        (void)fputs(i > 0 ? ",[" : "[", a->to);
        timeline_json_text(a->node[i].name, a->to);
        (void)fprintf(a->to, ",%" PRIu32 ",%d]", a->node[i].n_gpu, a->node[i].is_shown);
    }
    (void)fputs("],\"runs\":[", a->to);
    for (size_t i = 0; i < a->n_runs; i++) {
        if (i > 0) (void)fputs(",\n", a->to);
        TRY(write_run(a, &a->run[i], d));
    }
    TRY(write_jobs(a, d));
    (void)fputc('}', a->to);
    return ST_OK;
}

static void say_what_is_shown(const struct data *a, const struct compare_case *k)
{
    size_t gpu_nodes = 0;
    for (size_t i = 0; i < a->n_nodes; i++) gpu_nodes += a->node[i].n_gpu > 0;
    (void)fprintf(a->to, "<p class=\"quiet\" id=\"shown\">Shown: seed %" PRIu64 " of %zu of %zu policies. ", (uint64_t)k->policy[0].seed[0], a->n_runs, k->n_policies);
    (void)fprintf(a->to, "<i>GPUs</i> has every attempt on %zu of %zu nodes with GPUs (%zu of %" PRIu64 " attempts)%s. ", a->n_shown, gpu_nodes, a->n_bars, a->all_bars,
                  a->n_shown < gpu_nodes ? ", as many as a page can hold; <code>fairway timeline</code> has them all" : "");
    (void)fprintf(a->to, "<i>Nodes</i> has all %zu nodes, the share of GPUs held in each of %d slots of time%s.</p>\n", a->n_nodes, BINS,
                  a->per_row > 1 ? ", neighbours together in a row" : "");
}

static void write_controls(const struct data *a, const struct compare_case *k, size_t index)
{
    (void)fprintf(a->to, "<div class=\"timeline\" id=\"timeline%zu\"><div class=\"bar\" role=\"group\" aria-label=\"Timeline controls\">"
                  "<label>Policy <select class=\"tl-run\">", index);
    for (size_t i = 0; i < a->n_runs; i++) {
        (void)fprintf(a->to, "<option value=\"%zu\">", i);
        report_text(a->run[i].policy->label, a->to);
        (void)fputs("</option>", a->to);
    }
    (void)fputs("</select></label> <label>View <select class=\"tl-view\"><option value=\"gpus\">GPUs</option><option value=\"nodes\">Nodes</option></select></label>"
                " <label>Colour <select class=\"tl-colour\"><option value=\"user\">by user</option><option value=\"outcome\">by how it ended</option></select></label>"
                " <label>Job <input class=\"tl-find\" size=\"14\" placeholder=\"id\"></label>"
                "<span class=\"buttons\"><button type=\"button\" class=\"tl-in\" title=\"zoom in (+)\">+</button><button type=\"button\" class=\"tl-out\" title=\"zoom out (-)\">&minus;</button>"
                "<button type=\"button\" class=\"tl-left\" title=\"earlier\">&larr;</button><button type=\"button\" class=\"tl-right\" title=\"later\">&rarr;</button>"
                "<button type=\"button\" class=\"tl-all\" title=\"whole run (0)\">all</button></span></div>\n"
                "<canvas class=\"tl-canvas\" tabindex=\"0\" role=\"img\" aria-label=\"Timeline of the chosen policy. Arrow keys move, plus and minus zoom, n and p step through jobs; what is selected is told below.\"></canvas>\n"
                "<p class=\"tl-window\" aria-live=\"polite\"></p><p class=\"tl-detail\" aria-live=\"polite\">Select a bar to see its job.</p></div>\n", a->to);
    say_what_is_shown(a, k);
}

static void fini(struct data *a)
{
    for (size_t i = 0; i < a->n_nodes; i++) mem_free(a->node[i].name);
    mem_free(a->node);
    mem_free(a->run);
    mem_free(a->job_of);
    mem_free(a->ordinal);
}

enum st report_timeline(const struct compare *c, const struct compare_case *k, size_t index, FILE *to, struct diag *d)
{
    struct data a = { .store = c->store, .to = to };
    MEM_ARRAY(a.run, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++)
            if (k->policy[i].seed[j] == k->policy[0].seed[0]) { a.run[a.n_runs++] = (struct rd_run){ &k->policy[i], k->policy[i].run[j] }; break; }
    enum st st = load_nodes(&a, d);
    if (st == ST_OK) st = choose_nodes(&a, d);
    if (st == ST_OK && a.all_bars == 0) {
        (void)fputs("<p class=\"quiet\">No timeline: these runs have no record of who held which GPU. It is kept with <code>output: {attempts: true}</code>.</p>\n", to);
    } else if (st == ST_OK) {
        write_controls(&a, k, index);
        (void)fprintf(to, "<script type=\"application/json\" id=\"data%zu\">", index);
        st = write_data(&a, d);
        (void)fputs("</script>\n", to);
    }
    fini(&a);
    return st;
}
