/*
 * feed.h -- rows into a table by one statement: a virtual table, temp.feed, that SQLite reads while it inserts.
 * Layer: db.
 *
 * Two thirds of what it costs to bind each row to an INSERT of its own, and to step and reset that.  The table is this
 * connection's alone, is empty but while feed_run is at work, and no view or trigger of a file may name it; nothing
 * of that name in a file stands before it, as INSERTs say temp.feed.
 */
#ifndef DB_FEED_H
#define DB_FEED_H

#include <sqlite3.h>

enum { FEED_COLUMNS = 32 };     /* c0, c1 ...: as many as the widest table has, or more */

struct feed_source {
    void *ctx;
    int  (*next)(void *ctx);    /* go to the first row, to the next: SQLITE_ROW, SQLITE_DONE or an error */
    void (*column)(void *ctx, sqlite3_context *to, int i);
};

/* Zero-initialise; stays where it is while the connection is open.  n_rows: that the last feed_run gave. */
struct feed { const struct feed_source *from; sqlite3_int64 n_rows; };

int feed_open(sqlite3 *db, struct feed *f);
/* Run an INSERT that selects from temp.feed.  SQLITE_OK, or the error of the statement or of next(). */
int feed_run(struct feed *f, sqlite3_stmt *insert, const struct feed_source *from);

#endif
