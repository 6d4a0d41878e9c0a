/*
 * query.h -- reading a database: a query begun and ended, each with its error.  Layer: db.
 *
 *   TRY(query_run(s, run, "SELECT ... WHERE run = ?1", &q, d));
 *   while (sqlite3_step(q) == SQLITE_ROW) ...
 *   return query_end(s, q, d);
 *
 * What d holds already stays, and query_end returns it: a loop that may itself fail needs no second test.
 */
#ifndef DB_QUERY_H
#define DB_QUERY_H

#include "db/store.h"

struct sqlite3_stmt;

/* ST_EWORLD with d filled, and *q NULL, when the database fails. */
enum st query_begin(struct store *s, const char *sql, struct sqlite3_stmt **q, struct diag *d);
/* With the run bound to ?1. */
enum st query_run(struct store *s, int64_t run, const char *sql, struct sqlite3_stmt **q, struct diag *d);
/* With a text that is made as by printf. */
enum st query_format(struct store *s, struct sqlite3_stmt **q, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Also tells whether a step failed, or anything before it (d->code); q NULL is fine. */
enum st query_end(struct store *s, struct sqlite3_stmt *q, struct diag *d);

/* The first column of the first row of a query made as by printf; *x stays where there is no row. */
enum st query_int(struct store *s, int64_t *x, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Statements that return nothing. */
enum st query_exec(struct store *s, const char *sql, struct diag *d);

/* A column as text, "" where it is NULL: borrowed until the next step; owned by the caller. */
const char *query_text(struct sqlite3_stmt *q, int col);
char *query_text_dup(struct sqlite3_stmt *q, int col);

#endif
