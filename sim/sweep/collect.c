#include "sweep/collect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "base/mem.h"
#include "db/merge.h"

/* Parts in one transaction: each holds a file and a page cache. */
enum { TAKE_MAX = 64 };

static bool number(struct store *s, int64_t *out, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The first column of a query's one row. */
static bool number(struct store *s, int64_t *out, const char *fmt, ...)
{
    char sql[256];
    sqlite3_stmt *q = NULL;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(sql, sizeof sql, fmt, ap);
    va_end(ap);
    bool ok = sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
    if (ok) *out = sqlite3_column_int64(q, 0);
    return sqlite3_finalize(q) == SQLITE_OK && ok;
}

/* ---- what is there ---- */

/* Row ids are base + place if every run that is there has its id so and no other run is in the way. */
static enum st choose_ids(struct collect *c, struct diag *d)
{
    const size_t n = c->grid->n;
    int64_t base = 0, max = 0, in_range = 0, ours = 0;
    bool fits = true;
    for (size_t i = 0; i < n; i++) {
        if (c->id[i] == 0) continue;
        if (ours++ == 0) base = c->id[i] - (int64_t)i;
        fits = fits && c->id[i] == base + (int64_t)i;
    }
    if (!number(c->store, &max, "SELECT coalesce(max(id), 0) FROM run")) return store_failed(c->store, d);
    if (ours == 0) base = max + 1;
    if (!number(c->store, &in_range, "SELECT count(*) FROM run WHERE id >= %" PRId64 " AND id < %" PRId64, base, base + (int64_t)n))
        return store_failed(c->store, d);
    fits = fits && base > 0 && in_range == ours;
    for (size_t i = 0; i < n; i++)
        if (c->id[i] == 0) c->id[i] = fits ? base + (int64_t)i : ++max;
    return ST_OK;
}

static enum st look_up(struct collect *c, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT id, key, status = 'done' FROM run", -1, &q, NULL) != SQLITE_OK)
        return store_failed(c->store, d);
    int rc;
    while ((rc = sqlite3_step(q)) == SQLITE_ROW) {
        size_t i = grid_find(c->grid, (const char *)sqlite3_column_text(q, 1));
        if (i == c->grid->n) continue;
        c->id[i] = sqlite3_column_int64(q, 0);
        if (sqlite3_column_int(q, 2) == 0) continue;
        c->state[i] = COLLECT_DONE;
        c->n_before++;
    }
    (void)sqlite3_finalize(q);
    return rc == SQLITE_DONE ? ST_OK : store_failed(c->store, d);
}

enum st collect_begin(struct collect *c, const struct grid *g, struct store *s, const char *dir, bool quiet, struct diag *d)
{
    *c = (struct collect){ .grid = g, .store = s, .dir = dir, .quiet = quiet };
    MEM_ARRAY(c->state, g->n);
    MEM_ARRAY(c->id, g->n);
    enum st st = look_up(c, d);
    if (st == ST_OK) st = choose_ids(c, d);
    progress_begin(&c->progress, quiet, (uint32_t)(g->n - c->n_before));
    if (st != ST_OK) collect_fini(c);
    return st;
}

void collect_fini(struct collect *c)
{
    for (size_t i = 0; i < c->n_notes; i++) mem_free(c->note[i]);
    mem_free(c->note);
    mem_free(c->state);
    mem_free(c->id);
    c->note = NULL;
    c->state = NULL;
    c->id = NULL;
    c->n_notes = 0;
}

size_t collect_n_todo(const struct collect *c) { return c->grid->n - c->n_before - c->n_done - c->n_failed; }

/* ---- telling ---- */

/* Many runs have the same to say: is this the first time? */
static bool is_news(struct collect *c, const char *text)
{
    for (size_t i = 0; i < c->n_notes; i++)
        if (strcmp(c->note[i], text) == 0) return false;
    MEM_RESERVE(c->note, c->cap_notes, c->n_notes + 1);
    c->note[c->n_notes++] = mem_strdup(text);
    return true;
}

static void tell_repairs(struct collect *c, size_t run)
{
    sqlite3_stmt *q = NULL;
    char text[512];
    const char *path = c->grid->at[c->grid->run[run].kase].trace_path;
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT what, count, first_line FROM repair WHERE run = ?", -1, &q, NULL) != SQLITE_OK) return;
    (void)sqlite3_bind_int64(q, 1, c->id[run]);
    while (sqlite3_step(q) == SQLITE_ROW) {
        int64_t n = sqlite3_column_int64(q, 1);
        (void)snprintf(text, sizeof text, "note: %s: %s: %" PRId64 " row%s, first at line %" PRId64, path,
                       (const char *)sqlite3_column_text(q, 0), n, n == 1 ? "" : "s", (int64_t)sqlite3_column_int64(q, 2));
        if (is_news(c, text)) (void)fprintf(stderr, "%s\n", text);
    }
    (void)sqlite3_finalize(q);
}

/* A finished run in one line; what is odd about it besides. */
static void tell_done(struct collect *c, size_t run)
{
    char label[256], digest[17] = "";
    int64_t done = 0, unfinished = 0, rejected = 0;
    static const char metric[] = "SELECT coalesce(sum(value), 0) FROM metric WHERE run = %" PRId64 " AND scope = 'all' AND name IN (%s)";
    (void)number(c->store, &done, metric, c->id[run], "'jobs_done', 'jobs_timeout'");
    (void)number(c->store, &unfinished, metric, c->id[run], "'jobs_unfinished'");
    (void)number(c->store, &rejected, metric, c->id[run], "'jobs_rejected'");
    sqlite3_stmt *q = NULL;
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT digest FROM run WHERE id = ?", -1, &q, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, c->id[run]);
        if (sqlite3_step(q) == SQLITE_ROW) (void)snprintf(digest, sizeof digest, "%s", (const char *)sqlite3_column_text(q, 0));
    }
    (void)sqlite3_finalize(q);
    (void)grid_label(c->grid, run, label, sizeof label);
    if (!c->quiet) (void)printf("run %" PRId64 "  %-32s %8" PRId64 " jobs done  digest %s\n", c->id[run], label, done, digest);
    tell_repairs(c, run);
    if (unfinished > 0 && !c->grid->at[c->grid->run[run].kase].has_horizon) {
        c->left_unfinished = true;
        (void)fprintf(stderr, "warning: %s: %" PRId64 " jobs were left unfinished\n", label, unfinished);
    }
    if (rejected > 0)
        (void)fprintf(stderr, "note: %s: %" PRId64 " jobs can never run on this cluster and were rejected\n", label, rejected);
}

/* The same reason once: all failed runs are in the database with theirs, and counted. */
static void tell_failed(struct collect *c, size_t run, const char *why)
{
    char label[256];
    if (!is_news(c, why)) return;
    (void)fprintf(stderr, "error: run %" PRId64 "  %s: %s\n", c->id[run], grid_label(c->grid, run, label, sizeof label), why);
}

static void count_failed(struct collect *c, size_t run, int status)
{
    static const int rank[] = { [2] = 1, [4] = 2, [3] = 3 };
    c->state[run] = COLLECT_FAILED;
    c->n_failed++;
    if (c->worst == 0 || rank[status] > rank[c->worst]) c->worst = status;
}

/* ---- taking in ---- */

static void taken(struct collect *c, const struct part *p)
{
    sqlite3_stmt *q = NULL;
    if (c->state[p->run] == COLLECT_DONE) return;       /* a second part of it */
    if (p->status == 0) {
        if (c->state[p->run] == COLLECT_FAILED && --c->n_failed == 0) c->worst = 0;     /* given up, and here after all */
        c->state[p->run] = COLLECT_DONE;
        c->n_done++;
        tell_done(c, p->run);
        return;
    }
    if (c->state[p->run] == COLLECT_FAILED) return;
    count_failed(c, p->run, p->status == 4 ? 4 : 2);
    if (sqlite3_prepare_v2(store_db(c->store), "SELECT message FROM run WHERE key = ?", -1, &q, NULL) == SQLITE_OK) {
        (void)sqlite3_bind_text(q, 1, c->grid->run[p->run].key, -1, SQLITE_STATIC);
        if (sqlite3_step(q) == SQLITE_ROW) tell_failed(c, p->run, (const char *)sqlite3_column_text(q, 0));
    }
    (void)sqlite3_finalize(q);
}

/* A part that is damaged is no part: say so, remove it, and the run is done again. */
static enum st open_part(const struct part *p, struct store **out)
{
    struct diag bad = { 0 };
    enum st st = store_open_read(out, p->path, &bad);
    if (st == ST_OK) return ST_OK;
    (void)fprintf(stderr, "warning: %s: %s; its run will be done again\n", p->path, bad.msg);
    (void)unlink(p->path);
    return st;
}

static enum st take_some(struct collect *c, const struct part *p, size_t n, struct diag *d)
{
    struct store *part[TAKE_MAX] = { NULL };
    int64_t id[TAKE_MAX] = { 0 };
    size_t which[TAKE_MAX], n_open = 0;
    struct merge_tally tally = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (open_part(&p[i], &part[n_open]) != ST_OK) continue;
        id[n_open] = c->id[p[i].run];
        which[n_open++] = i;
    }
    enum st st = merge_parts(c->store, part, id, n_open, &tally, d);
    for (size_t i = 0; i < n_open; i++) store_close(part[i]);
    progress_clear(&c->progress);
    for (size_t i = 0; i < n_open && st == ST_OK; i++) {
        taken(c, &p[which[i]]);
        (void)unlink(p[which[i]].path);
    }
    return st;
}

enum st collect_take(struct collect *c, size_t *n, struct diag *d)
{
    struct shards p;
    TRY(shards_scan(&p, c->dir, c->grid, d));
    enum st st = ST_OK;
    for (size_t i = 0; i < p.n && st == ST_OK; i += TAKE_MAX)
        st = take_some(c, &p.at[i], p.n - i < TAKE_MAX ? p.n - i : TAKE_MAX, d);
    if (p.n > 0) (void)fflush(stdout);
    if (n != NULL) *n = p.n;
    shards_fini(&p);
    return st;
}

enum st collect_mark(struct collect *c, size_t run, enum store_status status, const char *why, struct diag *d)
{
    struct store_run row;
    grid_row(c->grid, run, &row);
    row.id = c->id[run];
    int64_t id;
    TRY(store_run_begin(c->store, &row, &id, d));
    TRY(store_run_end(c->store, id, status, 0, why, 0, d));
    if (status != STORE_FAILED) { c->state[run] = COLLECT_WANTED; return ST_OK; }
    progress_clear(&c->progress);
    count_failed(c, run, 3);
    tell_failed(c, run, why);
    return ST_OK;
}

void collect_show(struct collect *c, size_t n_under_way, double parts, const char *more)
{
    char text[256];
    size_t n = c->grid->n - c->n_before, ended = c->n_done + c->n_failed;
    int at = snprintf(text, sizeof text, "%zu/%zu runs, %zu under way", ended, n, n_under_way);
    if (c->n_failed > 0) at += snprintf(text + at, sizeof text - (size_t)at, ", %zu failed", c->n_failed);
    (void)snprintf(text + at, sizeof text - (size_t)at, "%s", more);
    progress_show(&c->progress, n > 0 ? ((double)ended + parts) / (double)n : 1, text);
}
