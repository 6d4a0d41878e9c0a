/*
 * query.h -- a figure of what the user's own query returns.  Layer: plot.
 */
#ifndef PLOT_QUERY_H
#define PLOT_QUERY_H

#include "db/store.h"

struct plot_sql_opts {
    const char *sql;            /* the query, or @FILE */
    const char *with;           /* lines, points, linespoints, steps, bars, boxes; NULL: lines */
    const char *x, *y, *by;     /* columns; NULL: the first, the next that nothing else takes, none */
    const char *lo, *hi;        /* columns: ends of intervals about y; both or neither */
    const char *title, *xlabel, *ylabel;        /* NULL: none, the columns' names */
    const char *log;            /* axes with a logarithmic scale: x, y or xy; NULL: none */
    const char *out;            /* path */
};

/*
 * One SELECT, on a connection that cannot write.  ST_EINPUT for a query that
 * is none, that SQLite refuses (with the place and SQLite's error), that
 * returns nothing, or whose values cannot be drawn so (with row and column).
 * O(rows); refused above PLOT_SQL_ROWS of them.
 */
enum { PLOT_SQL_ROWS = 200000, PLOT_SQL_SERIES = 24, PLOT_SQL_NAMES = 60 };
enum st plot_sql(struct store *s, const struct plot_sql_opts *o, struct diag *d);

#endif
