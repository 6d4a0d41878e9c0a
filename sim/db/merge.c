/*
 * merge.c -- runs of part files into one database.
 *
 * Rows are copied by statements on two connections, not by ATTACH: that cannot
 * be done within a transaction, and no more than ten files at once.
 */
#include "db/merge.h"

#include <string.h>
#include <sqlite3.h>

#include "db/query.h"
#include "db/schema.h"

static enum st prepare_insert(struct store *s, enum schema_table t, sqlite3_stmt **q, struct diag *d)
{
    return schema_prepare_insert(store_db(s), t, q) == SQLITE_OK ? ST_OK : store_failed(s, d);
}

/* Every table but `run` has its run in the first column. */
static enum st copy_table(struct store *out, struct store *part, enum schema_table t, int64_t from, int64_t to, struct diag *d)
{
    sqlite3_stmt *in = NULL, *put = NULL;
    char sql[128];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s WHERE run = ?", schema_table_name(t));
    enum st st = query_begin(part, sql, &in, d);
    if (st == ST_OK) st = prepare_insert(out, t, &put, d);
    if (st == ST_OK && sqlite3_bind_int64(in, 1, from) != SQLITE_OK) st = store_failed(part, d);
    while (st == ST_OK && sqlite3_step(in) == SQLITE_ROW) {
        (void)sqlite3_bind_int64(put, 1, to);
        for (int i = 1; i < sqlite3_column_count(in); i++)
            if (sqlite3_bind_value(put, i + 1, sqlite3_column_value(in, i)) != SQLITE_OK) st = store_failed(out, d);
        if (st == ST_OK && sqlite3_step(put) != SQLITE_DONE) st = store_failed(out, d);
        (void)sqlite3_reset(put);
    }
    (void)query_end(part, in, d);
    return query_end(out, put, d);
}

static bool is_text(sqlite3_stmt *q, int col, const char *text)
{
    return strcmp((const char *)sqlite3_column_text(q, col), text) == 0;
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

/* The row of `run` at which `in` stands, under a new id (-1: the next); col: of its status. */
static enum st copy_run(struct store *out, sqlite3_stmt *in, int col, int64_t id, int64_t *new_id, struct diag *d)
{
    sqlite3_stmt *put = NULL;
    int n = sqlite3_column_count(in);
    TRY(prepare_insert(out, SCHEMA_run, &put, d));
    if (id >= 0) (void)sqlite3_bind_int64(put, 1, id);      /* else NULL: SQLite takes the next */
    for (int i = 1; i < n; i++) (void)sqlite3_bind_value(put, i + 1, sqlite3_column_value(in, i));
    if (is_text(in, col, "running")) (void)sqlite3_bind_text(put, col + 1, "interrupted", -1, SQLITE_STATIC);
    (void)sqlite3_step(put);
    *new_id = sqlite3_last_insert_rowid(store_db(out));
    return query_end(out, put, d);
}

static enum st merge_run(struct store *out, struct store *part, sqlite3_stmt *in, int64_t id, struct merge_tally *t, struct diag *d)
{
    const char *key = (const char *)sqlite3_column_text(in, 1);
    enum have have;
    int col = 0;
    int64_t to;
    while (strcmp(sqlite3_column_name(in, col), "status") != 0) col++;
    bool is_done = is_text(in, col, "done");
    TRY(look_up(out, key, &have, d));
    if (have == HAVE_DONE || (have == HAVE_LEFT && !is_done && id < 0)) {
        t->present++;
        return ST_OK;
    }
    if (have == HAVE_LEFT) TRY(drop(out, key, d));
    TRY(copy_run(out, in, col, id, &to, d));
    for (enum schema_table i = SCHEMA_run + 1; i < SCHEMA_TABLES; i++)
        TRY(copy_table(out, part, i, sqlite3_column_int64(in, 0), to, d));
    t->unfinished += !is_done;
    if (have == HAVE_LEFT) t->replaced++;
    else t->added++;
    return ST_OK;
}

static enum st merge_part(struct store *out, struct store *part, int64_t id, struct merge_tally *t, struct diag *d)
{
    sqlite3_stmt *in = NULL;
    TRY(query_begin(part, "SELECT * FROM run ORDER BY id", &in, d));
    enum st st = ST_OK;
    while (st == ST_OK && sqlite3_step(in) == SQLITE_ROW) st = merge_run(out, part, in, id, t, d);
    return query_end(part, in, d);
}

enum st merge_parts(struct store *out, struct store *const *part, const int64_t *id, size_t n,
                    struct merge_tally *t, struct diag *d)
{
    struct merge_tally sum = { 0 };
    TRY(query_exec(out, "BEGIN IMMEDIATE", d));
    enum st st = ST_OK;
    for (size_t i = 0; i < n && st == ST_OK; i++) st = merge_part(out, part[i], id != NULL ? id[i] : -1, &sum, d);
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
