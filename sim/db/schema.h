/*
 * schema.h -- the tables of the file of results, as SQLite gets them.  Layer: db.
 * Columns are in schema.def, the index and the views in views.sql.
 */
#ifndef DB_SCHEMA_H
#define DB_SCHEMA_H

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

/* Goes up when a table or view changes so that an older or newer program would misread the file. */
enum { SCHEMA_VERSION = 14 };

enum schema_table {             /* SCHEMA_run first, then those of a run's rows */
#define TABLE(name, comment, key) SCHEMA_##name,
#include "db/schema.def"
    SCHEMA_TABLES
};

const char *schema_table_name(enum schema_table t);

/* Create every table, the index and the views in a new file.  Returns SQLite's code. */
int schema_create(sqlite3 *db);
int schema_n_columns(enum schema_table t);
/* Is it there as a table of the columns, types and NOT NULL that CREATE gives it?  `wrong` ("" for nothing) says what
 * is not so.  Returns SQLite's code. */
int schema_compare(sqlite3 *db, enum schema_table t, char *wrong, size_t cap);
/* An INSERT of whole rows that temp.feed (feed.h) has: every column, in order, `run` first; but for those whose bit in
 * `varies` is 0: they are parameters, column i number i + 1.  Returns SQLite's code. */
int schema_prepare_insert(sqlite3 *db, enum schema_table t, uint32_t varies, sqlite3_stmt **insert);
/* A SELECT of a row of run ?1, among those of which the SQL `when` holds, that CREATE would not let in, as
 * "COLUMN is VALUE"; no row: there is none. */
int schema_prepare_check(sqlite3 *db, enum schema_table t, const char *when, sqlite3_stmt **check);

#endif
