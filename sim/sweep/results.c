/*
 * results.c -- the rows of a sweep: their ids, what is merged, what failed.
 *
 * Row ids are chosen before anything runs (first id + place in the grid) where no
 * other run is in the way.
 */
#include "sweep/results.h"

#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/text.h"
#include "db/merge.h"
#include "db/query.h"
#include "run/lines.h"

/* Shards in one transaction: each holds a file and a page cache open. */
enum { MERGE_MAX = 64 };

/* ---- what is there ---- */

/* Row ids are base + place if every run that is there has its id so and no other run is in the way. */
static enum st choose_ids(struct results *r, struct diag *d)
{
    const size_t n = r->grid->n;
    int64_t base = 0, max = 0, in_range = 0, ours = 0;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        if (r->id[i] == 0) continue;
        if (ours++ == 0) base = r->id[i] - (int64_t)i;
        fits = fits && r->id[i] == base + (int64_t)i;
    }
    TRY(query_int(r->store, &max, d, "SELECT coalesce(max(id), 0) FROM run"));
    if (ours == 0) base = max + 1;
    TRY(query_int(r->store, &in_range, d, "SELECT count(*) FROM run WHERE id >= %" PRId64 " AND id < %" PRId64, base, base + (int64_t)n));
    fits = fits && base > 0 && in_range == ours;
    for (size_t i = 0; i < n; i++)
        if (r->id[i] == 0) r->id[i] = fits ? base + (int64_t)i : ++max;
    return ST_OK;
}

static enum st look_up(struct results *r, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(r->store, "SELECT id, key, status = 'done' FROM run", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        size_t i = grid_find(r->grid, query_text(q, 1));
        if (i == r->grid->n) continue;
        r->id[i] = sqlite3_column_int64(q, 0);
        if (sqlite3_column_int(q, 2) == 0) continue;
        r->state[i] = RESULTS_DONE;
        r->n_before++;
    }
    return query_end(r->store, q, d);
}

enum st results_begin(struct results *r, const struct grid *g, struct store *s, const char *dir, bool quiet, struct diag *d)
{
    *r = (struct results){ .grid = g, .store = s, .dir = dir, .quiet = quiet };
    MEM_ARRAY(r->state, g->n);
    MEM_ARRAY(r->id, g->n);
    MEM_ARRAY(r->dropped, g->n);
    enum st st = look_up(r, d);
    if (st == ST_OK) st = choose_ids(r, d);
    progress_begin(&r->progress, quiet);
    if (st != ST_OK) results_fini(r);
    return st;
}

void results_fini(struct results *r)
{
    for (size_t i = 0; i < r->n_notes; i++) mem_free(r->note[i]);
    mem_free(r->note);
    mem_free(r->state);
    mem_free(r->id);
    mem_free(r->dropped);
    r->note = NULL;
    r->state = NULL;
    r->id = NULL;
    r->dropped = NULL;
    r->n_notes = 0;
}

size_t results_n_todo(const struct results *r) { return r->grid->n - r->n_before - r->n_done - r->n_failed; }

size_t results_next(struct results *r)
{
    while (r->first_wanted < r->grid->n && r->state[r->first_wanted] != RESULTS_WANTED) r->first_wanted++;
    return r->first_wanted;
}

static void want_again(struct results *r, size_t run)
{
    r->state[run] = RESULTS_WANTED;
    if (run < r->first_wanted) r->first_wanted = run;
}

void results_want(struct results *r, size_t run)
{
    if (r->state[run] == RESULTS_GIVEN) want_again(r, run);
}

/* ---- printing ---- */

/* Many runs have the same repairs and failures: is this text new? */
static bool is_first(struct results *r, const char *text)
{
    for (size_t i = 0; i < r->n_notes; i++)
        if (strcmp(r->note[i], text) == 0) return false;
    MEM_RESERVE(r->note, r->cap_notes, r->n_notes + 1);
    r->note[r->n_notes++] = mem_strdup(text);
    return true;
}

static enum st print_repairs(struct results *r, size_t run, struct diag *d)
{
    sqlite3_stmt *q;
    char text[512];
    const struct grid_run *at = &r->grid->run[run];
    const char *path = r->grid->at[at->kase].trace_path, *label = r->grid->at[at->kase].policy[at->policy].label;
    TRY(query_run(r->store, r->id[run], "SELECT what, count, first_line FROM repair WHERE run = ?", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        (void)lines_repair(text, sizeof text, path, label, query_text(q, 0),
                           (uint64_t)sqlite3_column_int64(q, 1), (uint64_t)sqlite3_column_int64(q, 2));
        if (is_first(r, text)) text_line(stderr, "%s", text);
    }
    return query_end(r->store, q, d);
}

/* Runs of one policy on the same jobs have the same number: it is told once. */
static void print_unlimited(struct results *r, size_t run, const char *label, uint64_t n_unlimited, uint64_t n)
{
    const struct grid_run *at = &r->grid->run[run];
    const char *policy = r->grid->at[at->kase].policy[at->policy].label;
    char text[320];
    (void)snprintf(text, sizeof text, "%.256s: %" PRIu64 " of %" PRIu64, policy, n_unlimited, n);
    if (is_first(r, text)) lines_unlimited(label, policy, n_unlimited, n);
}

/* A finished run in one line, then its notes and warnings. */
static enum st print_done(struct results *r, size_t run, struct diag *d)
{
    char label[256], digest[17] = "";
    int64_t done = 0, unfinished = 0, rejected = 0, refused = 0, unlimited = 0, arrived = 0;
    if (r->is_silent) return ST_OK;
    static const char metric[] = "SELECT coalesce(sum(value), 0) FROM metric WHERE run = %" PRId64 " AND scope = 'all' AND name IN (%s)";
    TRY(query_int(r->store, &done, d, metric, r->id[run], "'jobs_done', 'jobs_timeout'"));
    TRY(query_int(r->store, &unfinished, d, metric, r->id[run], "'jobs_unfinished'"));
    TRY(query_int(r->store, &rejected, d, metric, r->id[run], "'jobs_rejected'"));
    TRY(query_int(r->store, &refused, d, metric, r->id[run], "'refusals'"));
    TRY(query_int(r->store, &unlimited, d, metric, r->id[run], "'jobs_unlimited'"));
    TRY(query_int(r->store, &arrived, d, metric, r->id[run], "'jobs_arrived'"));
    sqlite3_stmt *q;
    TRY(query_run(r->store, r->id[run], "SELECT digest FROM run WHERE id = ?", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) (void)snprintf(digest, sizeof digest, "%s", query_text(q, 0));
    TRY(query_end(r->store, q, d));
    (void)grid_label(r->grid, run, label, sizeof label);
    if (!r->quiet) lines_run(r->id[run], label, (uint64_t)done, digest);
    TRY(print_repairs(r, run, d));
    if (unfinished > 0 && !r->grid->at[r->grid->run[run].kase].has_horizon) {
        r->left_unfinished = true;
        lines_unfinished(label, (uint64_t)unfinished);
    }
    if (unlimited > 0 && !r->quiet) print_unlimited(r, run, label, (uint64_t)unlimited, (uint64_t)arrived);
    if (rejected > 0) lines_rejected(label, (uint64_t)rejected);
    if (refused > 0) lines_refused(label, (uint64_t)refused);
    return ST_OK;
}

/* A reason is printed once: the database has every run that failed, with its own. */
static void print_failed(struct results *r, size_t run, const char *reason)
{
    char label[256];
    if (r->is_silent || !is_first(r, reason)) return;
    text_line(stderr, "error: run %" PRId64 "  %s: %s", r->id[run], grid_label(r->grid, run, label, sizeof label), reason);
}

static void count_failed(struct results *r, size_t run, int status)
{
    static const int rank[] = { [2] = 1, [4] = 2, [3] = 3 };
    r->state[run] = RESULTS_FAILED;
    r->n_failed++;
    if (r->worst == 0 || rank[status] > rank[r->worst]) r->worst = status;
}

/* ---- merging ---- */

/* The run is in the database, from a shard; status: its exit status. */
static enum st count_merged(struct results *r, size_t run, int status, struct diag *d)
{
    sqlite3_stmt *q;
    if (r->state[run] == RESULTS_DONE) return ST_OK;        /* a second shard of it */
    if (status == 0) {
        if (r->state[run] == RESULTS_FAILED && --r->n_failed == 0) r->worst = 0;    /* given up, but here */
        r->state[run] = RESULTS_DONE;
        r->n_done++;
        return print_done(r, run, d);
    }
    if (r->state[run] == RESULTS_FAILED) return ST_OK;
    count_failed(r, run, status == 4 ? 4 : 2);
    TRY(query_begin(r->store, "SELECT message FROM run WHERE key = ?", &q, d));
    (void)sqlite3_bind_text(q, 1, r->grid->run[run].key, -1, SQLITE_STATIC);
    if (sqlite3_step(q) == SQLITE_ROW) print_failed(r, run, query_text(q, 0));
    return query_end(r->store, q, d);
}

/* Every run of a shard.  One that failed beside others was stopped by its policy. */
static enum st count_shard(struct results *r, struct store *shard, const struct shard *p, struct diag *d)
{
    sqlite3_stmt *q;
    enum st st = ST_OK;
    TRY(query_begin(shard, "SELECT key, status FROM run ORDER BY id", &q, d));
    while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) {
        const size_t run = grid_find(r->grid, query_text(q, 0));
        if (run == r->grid->n) continue;
        const bool is_done = strcmp(query_text(q, 1), "done") == 0;
        st = count_merged(r, run, is_done ? 0 : p->status != 0 ? p->status : 4, d);
    }
    return query_end(shard, q, d);
}

enum st results_lost(struct results *r, size_t run, struct diag *d)
{
    char reason[sizeof r->bad + 64];
    if (r->state[run] != RESULTS_GIVEN && r->state[run] != RESULTS_WANTED) return ST_OK;
    if (++r->dropped[run] < RESULTS_TRIES) { want_again(r, run); return ST_OK; }
    (void)snprintf(reason, sizeof reason, "no part of it could be read, of %d: %s", RESULTS_TRIES, r->bad);
    return results_mark(r, run, STORE_FAILED, reason, d);
}

/* A shard that cannot be read is removed, and its runs done again: a few times, as the next may be no better. */
static enum st drop_shard(struct results *r, const struct shard *p, const struct diag *why, struct diag *d)
{
    (void)unlink(p->path);
    if (r->state[p->run] == RESULTS_DONE || r->state[p->run] == RESULTS_FAILED) return ST_OK;
    (void)snprintf(r->bad, sizeof r->bad, "%.500s", why->msg);
    if (r->dropped[p->run] + 1 < RESULTS_TRIES) {
        progress_clear(&r->progress);
        text_line(stderr, "warning: %s: %s; its runs will be done again", p->path, why->msg);
    }
    return results_lost(r, p->run, d);
}

/* merge_ids: those of the grid. */
static int64_t id_of(void *ctx, const char *key)
{
    const struct results *r = ctx;
    const size_t run = grid_find(r->grid, key);
    return run < r->grid->n ? r->id[run] : -1;
}

/* The shard that the error is about; n: the error is of the database. */
static size_t find_bad(const struct diag *error, const struct shard *p, const size_t *which, size_t n)
{
    size_t i = 0;
    while (i < n && strncmp(error->file, p[which[i]].path, sizeof error->file - 1) != 0) i++;
    return i;
}

static enum st merge_some(struct results *r, const struct shard *p, size_t n, struct diag *d)
{
    struct store *shard[MERGE_MAX] = { NULL };
    const struct merge_ids ids = { id_of, r };
    size_t which[MERGE_MAX], n_open = 0, bad;
    struct merge_tally tally = { 0 };
    enum st st = ST_OK;
    for (size_t i = 0; i < n && st == ST_OK; i++) {
        struct diag error = { 0 };
        which[n_open] = i;
        if (store_open_read(&shard[n_open], p[i].path, &error) == ST_OK) n_open++;
        else st = drop_shard(r, &p[i], &error, d);
    }
    while (st == ST_OK) {
        struct diag error = { 0 };
        if (merge_parts(r->store, shard, n_open, &ids, &tally, &error) == ST_OK) break;
        if ((bad = find_bad(&error, p, which, n_open)) == n_open) { *d = error; st = error.code; break; }
        store_close(shard[bad]);
        st = drop_shard(r, &p[which[bad]], &error, d);
        n_open--;
        memmove(&shard[bad], &shard[bad + 1], (n_open - bad) * sizeof *shard);
        memmove(&which[bad], &which[bad + 1], (n_open - bad) * sizeof *which);
    }
    progress_clear(&r->progress);
    for (size_t i = 0; i < n_open; i++) {
        if (st == ST_OK) st = count_shard(r, shard[i], &p[which[i]], d);
        store_close(shard[i]);
        if (st == ST_OK) (void)unlink(p[which[i]].path);
    }
    return st;
}

enum st results_merge(struct results *r, size_t *n, struct diag *d)
{
    struct shards p;
    TRY(shards_scan(&p, r->dir, r->grid, d));
    enum st st = ST_OK;
    for (size_t i = 0; i < p.n && st == ST_OK; i += MERGE_MAX)
        st = merge_some(r, &p.at[i], p.n - i < MERGE_MAX ? p.n - i : MERGE_MAX, d);
    if (p.n > 0) (void)fflush(stdout);
    if (n != NULL) *n = p.n;
    shards_fini(&p);
    return st;
}

enum st results_mark(struct results *r, size_t run, enum store_status status, const char *reason, struct diag *d)
{
    struct store_run row;
    grid_row(r->grid, run, &row);
    row.id = r->id[run];
    int64_t id;
    TRY(store_run_begin(r->store, &row, &id, d));
    TRY(store_run_end(r->store, id, status, 0, reason, 0, d));
    if (status != STORE_FAILED) { want_again(r, run); return ST_OK; }
    progress_clear(&r->progress);
    count_failed(r, run, 3);
    print_failed(r, run, reason);
    return ST_OK;
}

void results_show_progress(struct results *r, size_t n_under_way, double fractions, const char *more)
{
    char text[256];
    size_t n = r->grid->n - r->n_before, ended = r->n_done + r->n_failed;
    int at = snprintf(text, sizeof text, "%zu/%zu runs, %zu under way", ended, n, n_under_way);
    if (r->n_failed > 0) at += snprintf(text + at, sizeof text - (size_t)at, ", %zu failed", r->n_failed);
    (void)snprintf(text + at, sizeof text - (size_t)at, "%s", more);
    progress_show(&r->progress, n > 0 ? ((double)ended + fractions) / (double)n : 1, text);
}
