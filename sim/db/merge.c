/*
 * merge.c -- runs of part files into one database.
 *
 * Rows are copied by statements on two connections, one feeding the other (feed.h), not by ATTACH: that cannot be
 * done within a transaction, and no more than ten files at once.
 */
#include "db/merge.h"

#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/feed.h"
#include "db/query.h"
#include "db/schema.h"

/* A run that is taken in: its row id in the part, and in the output. */
struct taken { int64_t from, to; };

/* The rows of these runs: `in` stands at one of run[at]. */
struct copy { sqlite3_stmt *in; const struct taken *run; size_t n, at; bool is_begun; int failed; };

static int next_row(void *ctx)
{
    struct copy *c = ctx;
    for (; c->at < c->n; c->at++, c->is_begun = false) {
        c->failed = c->is_begun ? SQLITE_OK : sqlite3_bind_int64(c->in, 1, c->run[c->at].from);
        c->is_begun = true;
        if (c->failed != SQLITE_OK) return c->failed;
        int rc = sqlite3_step(c->in);
        if (rc == SQLITE_ROW) return rc;
        c->failed = sqlite3_reset(c->in);
        if (c->failed != SQLITE_OK) return c->failed;
    }
    return SQLITE_DONE;
}

static void give_column(void *ctx, sqlite3_context *to, int i)
{
    const struct copy *c = ctx;
    if (i == 0) sqlite3_result_int64(to, c->run[c->at].to);
    else sqlite3_result_value(to, sqlite3_column_value(c->in, i));
}

/* Files come from others: are its tables what they should be? */
static enum st check_tables(struct store *part, struct diag *d)
{
    char wrong[256];
    for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) {
        if (schema_compare(store_db(part), t, wrong, sizeof wrong) != SQLITE_OK) return store_failed(part, d);
        if (wrong[0] == '\0') continue;
        (void)diag_at(d, ST_EWORLD, store_path(part), 0, 0, "%s", wrong);
        return diag_hint(d, "something else than fairway changed this file");
    }
    return ST_OK;
}

/*
 * Write the rows of a source from this part.  What the schema does not let in is the part's error, but for a run's
 * id or key that another run has.
 */
static enum st feed(struct store *out, struct store *part, enum schema_table t, const struct feed_source *from,
                    struct diag *d)
{
    struct diag error = { 0 };
    if (store_feed(out, (int)t, from, &error) == ST_OK) return ST_OK;
    const int rc = sqlite3_extended_errcode(store_db(out));
    const bool is_key = rc == SQLITE_CONSTRAINT_PRIMARYKEY || rc == SQLITE_CONSTRAINT_ROWID || rc == SQLITE_CONSTRAINT_UNIQUE;
    if ((rc & 0xff) != SQLITE_CONSTRAINT || (is_key && t == SCHEMA_run)) { *d = error; return d->code; }
    (void)diag_at(d, ST_EWORLD, store_path(part), 0, 0, "table '%s' has a row that cannot be: %s", schema_table_name(t),
                  sqlite3_errmsg(store_db(out)));
    return diag_hint(d, "something else than fairway wrote it; run it again");
}

/* Every table but `run` has its run in the first column. */
static enum st copy_table(struct store *out, struct store *part, enum schema_table t, const struct taken *run, size_t n, struct diag *d)
{
    struct copy c = { .run = run, .n = n };
    char sql[128];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE run = ?", schema_table_name(t));
    TRY(query_begin(part, sql, &c.in, d));
    (void)feed(out, part, t, &(struct feed_source){ &c, next_row, give_column }, d);
    if (c.failed != SQLITE_OK) {        /* the error is the part's */
        *d = (struct diag){ .code = ST_OK };
        (void)store_failed(part, d);
    }
    return query_end(part, c.in, d);
}

static bool is_text(sqlite3_stmt *q, int col, const char *text)
{
    return strcmp(query_text(q, col), text) == 0;
}

enum have { HAVE_NONE, HAVE_LEFT, HAVE_DONE };

/* What the output has under this key: nothing, an unfinished run, a done one. */
static enum st look_up(struct store *out, const char *key, enum have *have, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    TRY(query_begin(out, "SELECT status = 'done' FROM run WHERE key = ?", &q, d));
    (void)sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    int rc = sqlite3_step(q);
    *have = rc != SQLITE_ROW ? HAVE_NONE : sqlite3_column_int(q, 0) ? HAVE_DONE : HAVE_LEFT;
    return query_end(out, q, d);
}

static enum st drop(struct store *out, const char *key, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    TRY(query_begin(out, "DELETE FROM run WHERE key = ?", &q, d));
    (void)sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    (void)sqlite3_step(q);
    return query_end(out, q, d);
}

/* The row of `run` at which `in` stands, under id (0: the next); `status`: that column. */
struct row { sqlite3_stmt *in; int64_t id; int status; bool is_given; };

static int next_run(void *ctx)
{
    struct row *r = ctx;
    int rc = r->is_given ? SQLITE_DONE : SQLITE_ROW;
    r->is_given = true;
    return rc;
}

static void give_run(void *ctx, sqlite3_context *to, int i)
{
    const struct row *r = ctx;
    if (i == 0) {
        if (r->id > 0) sqlite3_result_int64(to, r->id);         /* else NULL: SQLite takes the next */
    } else if (i == r->status && is_text(r->in, i, "running")) {
        sqlite3_result_text(to, "interrupted", -1, SQLITE_STATIC);
    } else sqlite3_result_value(to, sqlite3_column_value(r->in, i));
}

static enum st copy_run(struct store *out, struct store *part, sqlite3_stmt *in, int col, int64_t id, int64_t *new_id,
                        struct diag *d)
{
    struct row r = { in, id, col, false };
    TRY(feed(out, part, SCHEMA_run, &(struct feed_source){ &r, next_run, give_run }, d));
    *new_id = sqlite3_last_insert_rowid(store_db(out));
    return ST_OK;
}

/* The row alone of the run at which `in` stands; *to: its new id, 0 when it is left out. */
static enum st merge_run(struct store *out, struct store *part, sqlite3_stmt *in, const struct merge_ids *ids, int64_t *to,
                         struct merge_tally *t, struct diag *d)
{
    const char *key = query_text(in, 1);
    const int64_t id = ids != NULL ? ids->of(ids->ctx, key) : 0;
    enum have have;
    int col = 0;
    *to = 0;
    if (id < 0) return ST_OK;
    while (strcmp(sqlite3_column_name(in, col), "status") != 0) col++;
    bool is_done = is_text(in, col, "done");
    TRY(look_up(out, key, &have, d));
    if (have == HAVE_DONE || (have == HAVE_LEFT && !is_done && id == 0)) {
        t->present++;
        return ST_OK;
    }
    if (have == HAVE_LEFT) TRY(drop(out, key, d));
    TRY(copy_run(out, part, in, col, id, to, d));
    t->unfinished += !is_done;
    if (have == HAVE_LEFT) t->replaced++;
    else t->added++;
    return ST_OK;
}

static enum st merge_runs(struct store *out, struct store *part, const struct merge_ids *ids, struct merge_tally *t,
                          struct diag *d)
{
    sqlite3_stmt *in = NULL;
    struct taken *run = NULL;
    size_t n = 0, cap = 0;
    TRY(query_begin(part, "SELECT * FROM run ORDER BY id", &in, d));
    enum st st = ST_OK;
    while (st == ST_OK && sqlite3_step(in) == SQLITE_ROW) {
        int64_t to;
        st = merge_run(out, part, in, ids, &to, t, d);
        if (st == ST_OK && to > 0) MEM_PUSH(run, n, cap, (struct taken){ sqlite3_column_int64(in, 0), to });
    }
    st = query_end(part, in, d);
    for (enum schema_table i = SCHEMA_run + 1; i < SCHEMA_TABLES && n > 0 && st == ST_OK; i++)
        st = copy_table(out, part, i, run, n, d);
    mem_free(run);
    return st;
}

/* In one transaction of the part, too: whoever writes it may not change its rows between a run's and its tables'. */
static enum st merge_part(struct store *out, struct store *part, const struct merge_ids *ids, struct merge_tally *t,
                          struct diag *d)
{
    TRY(query_exec(part, "BEGIN", d));
    enum st st = check_tables(part, d);
    if (st == ST_OK) st = merge_runs(out, part, ids, t, d);
    (void)sqlite3_exec(store_db(part), "ROLLBACK", NULL, NULL, NULL);
    return st;
}

enum st merge_parts(struct store *out, struct store *const *part, size_t n, const struct merge_ids *ids,
                    struct merge_tally *t, struct diag *d)
{
    struct merge_tally sum = { 0 };
    TRY(query_exec(out, "BEGIN IMMEDIATE", d));
    enum st st = ST_OK;
    for (size_t i = 0; i < n && st == ST_OK; i++) st = merge_part(out, part[i], ids, &sum, d);
    if (st == ST_OK) st = query_exec(out, "COMMIT", d);
    if (st != ST_OK) {
        if (sqlite3_get_autocommit(store_db(out)) == 0) (void)sqlite3_exec(store_db(out), "ROLLBACK", NULL, NULL, NULL);
        return st;
    }
    t->added += sum.added;
    t->replaced += sum.replaced;
    t->present += sum.present;
    t->unfinished += sum.unfinished;
    return ST_OK;
}
