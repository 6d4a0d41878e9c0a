/*
 * timeline_data.c -- what the interactive timeline shows.
 *
 * A run may have a million attempts and a page should stay small, so there are
 * two views of different fineness: *nodes*, all of them (in at most ROWS_MAX
 * rows of neighbours), in BINS slots of time, each with the share of its cards
 * held; and *GPUs*, exact, of as many nodes in order as BARS_MAX bars (over all
 * policies) allow.  The page says what it shows of what there is.
 */
#include <math.h>
#include <string.h>
#include <sqlite3.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "db/query.h"
#include "report/report_priv.h"

enum { BINS = 360, ROWS_MAX = 96, BARS_MAX = 60000, POINTS_MAX = 400 };

struct rd_node { char *name; uint32_t n_gpu; bool is_shown; };

struct rd_run { const struct compare_policy *policy; int64_t run; };

struct data {
    struct store *store;
    struct rd_node *node; size_t n_nodes, cap_nodes;
    struct rd_run  *run;  size_t n_runs;
    size_t   n_bars;                    /* of the nodes shown */
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
        a->node[a->n_nodes++] =
            (struct rd_node){ .name = query_text_dup(q, 0), .n_gpu = (uint32_t)sqlite3_column_int(q, 1) };
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
        st = query_run(a->store, a->run[i].run, "SELECT node, count(*), max(end_us) FROM attempt"
                       " WHERE run = ? AND cards <> 0 AND end_us > start_us GROUP BY node", &q, d);
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
    }
    mem_free(bars);
    return st;
}

/* ---- writing ---- */

static uint32_t job_index(struct data *a, uint64_t ordinal)
{
    MEM_RESERVE(a->job_of, a->cap_job_of, (size_t)ordinal + 1);
    if (a->job_of[ordinal] == 0) {
        MEM_PUSH(a->ordinal, a->n_jobs, a->cap_jobs, ordinal);
        a->job_of[ordinal] = (uint32_t)a->n_jobs;
    }
    return a->job_of[ordinal] - 1;
}

static void add(json_t *to, int64_t x) { (void)json_array_append_new(to, json_integer(x)); }

/* A bar: start after the bar before, length (ms), node, first card, cards, thousandths of each, job, how it ended. */
static void add_bar(struct data *a, sqlite3_stmt *q, int64_t *before, json_t *to)
{
    static const char *const outcomes[] = { "done", "preempted", "failed", "timeout", "horizon", "scaled", "mismatch" };
    int64_t start = sqlite3_column_int64(q, 0) / 1000, end = (sqlite3_column_int64(q, 1) + 999) / 1000;
    uint64_t cards = (uint64_t)sqlite3_column_int64(q, 3);
    const char *outcome = query_text(q, 6);
    uint32_t job = job_index(a, (uint64_t)sqlite3_column_int64(q, 4));
    size_t how = 0;
    while (how + 1 < ARRAY_LEN(outcomes) && strcmp(outcomes[how], outcome) != 0) how++;
    while (cards != 0) {
        int at = __builtin_ctzll(cards), n = 0;
        while (at + n < 64 && cards >> (at + n) & 1) n++;
        const int64_t bar[] = {
            start - *before, end - start, sqlite3_column_int64(q, 2), at, n, sqlite3_column_int64(q, 5), job, (int64_t)how
        };
        for (size_t i = 0; i < ARRAY_LEN(bar); i++) add(to, bar[i]);
        *before = start;
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
static json_t *heat_rows(const struct data *a, const double *heat)
{
    json_t *rows = json_array();
    for (size_t r = 0; r * a->per_row < a->n_nodes; r++) {
        char row[BINS + 1] = "-";
        uint32_t cards = 0;
        for (size_t i = r * a->per_row; i < (r + 1) * a->per_row && i < a->n_nodes; i++) cards += a->node[i].n_gpu;
        for (size_t b = 0; b < BINS && cards > 0; b++)
            row[b] = "0123456789abcdefghijklmnopqrstuvwxyz"[lround(35 * fmin(1, fmax(0, heat[r * BINS + b] / cards)))];
        (void)json_array_append_new(rows, json_string(row));
    }
    return rows;
}

/* Time (ms) and value, to four digits, by turns. */
static enum st add_series(const struct data *a, int64_t run, const char *name, json_t *to, struct diag *d)
{
    sqlite3_stmt *q;
    json_t *points = json_array();
    (void)json_object_set_new(to, name, points);
    TRY(query_run(a->store, run,
                  "SELECT CAST(avg(at_us) / 1000 AS INTEGER), CAST(printf('%.4g', avg(value)) AS REAL) FROM series"
                  " WHERE run = ?1 AND name = ?2 GROUP BY CAST(at_us / ?3 AS INTEGER) ORDER BY 1",
                  &q, d));
    (void)sqlite3_bind_text(q, 2, name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_double(q, 3, fmax(1, (double)a->end / POINTS_MAX));
    while (sqlite3_step(q) == SQLITE_ROW) {
        add(points, sqlite3_column_int64(q, 0));
        (void)json_array_append_new(points, jsonout_number(sqlite3_column_double(q, 1)));
    }
    return query_end(a->store, q, d);
}

/* Node, from, to (ms) of each outage, by turns. */
static enum st add_down(const struct data *a, int64_t run, json_t *to, struct diag *d)
{
    sqlite3_stmt *q;
    json_t *down = json_array();
    (void)json_object_set_new(to, "down", down);
    TRY(query_run(a->store, run, "SELECT node, down_us / 1000, CASE WHEN up_us < 0 THEN ?2 ELSE up_us END / 1000"
                  " FROM outage WHERE run = ?1 ORDER BY down_us, node", &q, d));
    (void)sqlite3_bind_int64(q, 2, a->end);
    while (sqlite3_step(q) == SQLITE_ROW)
        for (int i = 0; i < 3; i++) add(down, sqlite3_column_int64(q, i));
    return query_end(a->store, q, d);
}

static enum st add_run(struct data *a, const struct rd_run *r, json_t *to, struct diag *d)
{
    sqlite3_stmt *q;
    double *heat;
    int64_t before = 0;
    json_t *bars = json_array();
    (void)json_object_set_new(to, "policy", jsonout_text(r->policy->label));
    (void)json_object_set_new(to, "bars", bars);
    TRY(query_run(a->store, r->run,
                  "SELECT a.start_us, a.end_us, node, cards, a.ordinal, j.gpu_milli / max(1, j.n_gpu), outcome"
                  " FROM attempt a JOIN job j ON j.run = a.run AND j.ordinal = a.ordinal"
                  " WHERE a.run = ? AND cards <> 0 AND a.end_us > a.start_us"
                  " ORDER BY a.start_us, a.ordinal, task", &q, d));
    MEM_ARRAY(heat, (a->n_nodes + 1) * BINS);
    while (sqlite3_step(q) == SQLITE_ROW) {
        size_t node = (size_t)sqlite3_column_int64(q, 2);
        if (node >= a->n_nodes) continue;
        double held = __builtin_popcountll((uint64_t)sqlite3_column_int64(q, 3)) * sqlite3_column_double(q, 5) / 1000;
        add_heat(a, heat + node / a->per_row * BINS, sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1), held);
        if (a->node[node].is_shown) add_bar(a, q, &before, bars);
    }
    (void)json_object_set_new(to, "heat", heat_rows(a, heat));
    mem_free(heat);
    TRY(query_end(a->store, q, d));
    TRY(add_down(a, r->run, to, d));
    TRY(add_series(a, r->run, "gpu_util", to, d));
    return add_series(a, r->run, "tasks_waiting", to, d);
}

/* Id and user by turns, of the jobs met, in the order in which they were. */
static enum st add_jobs(const struct data *a, json_t *to, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(a->store, a->run[0].run, "SELECT id, user FROM job WHERE run = ?1 AND ordinal = ?2", &q, d));
    for (size_t i = 0; i < a->n_jobs; i++) {
        (void)sqlite3_bind_int64(q, 2, (int64_t)a->ordinal[i]);
        bool there = sqlite3_step(q) == SQLITE_ROW;
        for (int c = 0; c < 2; c++) (void)json_array_append_new(to, jsonout_text(there ? query_text(q, c) : "?"));
        (void)sqlite3_reset(q);
    }
    return query_end(a->store, q, d);
}

static enum st add_data(struct data *a, json_t *to, struct diag *d)
{
    json_t *nodes = json_array(), *runs = json_array(), *jobs = json_array();
    (void)json_object_set_new(to, "nodes", nodes);
    (void)json_object_set_new(to, "runs", runs);
    (void)json_object_set_new(to, "jobs", jobs);
    for (size_t i = 0; i < a->n_nodes; i++)
        (void)json_array_append_new(nodes, json_pack("[o, i, i]", jsonout_text(a->node[i].name), (int)a->node[i].n_gpu,
                                                     (int)a->node[i].is_shown));
    for (size_t i = 0; i < a->n_runs; i++) {
        json_t *run = json_object();
        (void)json_array_append_new(runs, run);
        TRY(add_run(a, &a->run[i], run, d));
    }
    return add_jobs(a, jobs, d);
}

static void fini(struct data *a)
{
    for (size_t i = 0; i < a->n_nodes; i++) mem_free(a->node[i].name);
    MEM_FREE(a->node, a->run, a->job_of, a->ordinal);
}

enum st report_timeline(const struct compare *c, const struct compare_case *k, json_t *to, struct diag *d)
{
    struct data a = { .store = c->store };
    MEM_ARRAY(a.run, k->n_policies);
    for (size_t i = 0; i < k->n_policies; i++)
        for (size_t j = 0; j < k->policy[i].n_runs; j++) {
            if (k->policy[i].seed[j] != k->policy[0].seed[0]) continue;
            a.run[a.n_runs++] = (struct rd_run){ &k->policy[i], k->policy[i].run[j] };
            break;
        }
    enum st st = load_nodes(&a, d);
    if (st == ST_OK) st = choose_nodes(&a, d);
    if (st == ST_OK && a.all_bars > 0) {
        json_t *o =
            json_pack("{s:I, s:i, s:i, s:I, s:I}", "end", (json_int_t)(a.end / 1000), "bins", (int)BINS, "perRow",
                      (int)a.per_row, "shown", (json_int_t)a.n_bars, "attempts", (json_int_t)a.all_bars);
        (void)json_object_set_new(to, "timeline", o);
        st = add_data(&a, o, d);
    }
    fini(&a);
    return st;
}
