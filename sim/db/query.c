/* query.c -- the statements of query.h. */
#include "db/query.h"

#include <stdarg.h>
#include <sqlite3.h>

#include "base/mem.h"

enum st query_begin(struct store *s, const char *sql, sqlite3_stmt **q, struct diag *d)
{
    *q = NULL;
    return sqlite3_prepare_v2(store_db(s), sql, -1, q, NULL) == SQLITE_OK ? ST_OK : store_failed(s, d);
}

enum st query_run(struct store *s, int64_t run, const char *sql, sqlite3_stmt **q, struct diag *d)
{
    TRY(query_begin(s, sql, q, d));
    return sqlite3_bind_int64(*q, 1, run) == SQLITE_OK ? ST_OK : store_failed(s, d);
}

__attribute__((format(printf, 4, 0)))
static enum st begin_format(struct store *s, sqlite3_stmt **q, struct diag *d, const char *fmt, va_list ap)
{
    char *sql = mem_vprintf(fmt, ap);
    enum st st = query_begin(s, sql, q, d);
    mem_free(sql);
    return st;
}

enum st query_format(struct store *s, sqlite3_stmt **q, struct diag *d, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    enum st st = begin_format(s, q, d, fmt, ap);
    va_end(ap);
    return st;
}

enum st query_int(struct store *s, int64_t *x, struct diag *d, const char *fmt, ...)
{
    sqlite3_stmt *q;
    va_list ap;
    va_start(ap, fmt);
    enum st st = begin_format(s, &q, d, fmt, ap);
    va_end(ap);
    if (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) *x = sqlite3_column_int64(q, 0);
    return query_end(s, q, d);
}

enum st query_exec(struct store *s, const char *sql, struct diag *d)
{
    return sqlite3_exec(store_db(s), sql, NULL, NULL, NULL) == SQLITE_OK ? ST_OK : store_failed(s, d);
}

enum st query_end(struct store *s, sqlite3_stmt *q, struct diag *d)
{
    return sqlite3_finalize(q) == SQLITE_OK ? d->code : store_failed(s, d);
}

const char *query_text(sqlite3_stmt *q, int col)
{
    const char *s = (const char *)sqlite3_column_text(q, col);
    return s != NULL ? s : "";
}

char *query_text_dup(sqlite3_stmt *q, int col) { return mem_strdup(query_text(q, col)); }
