/*
 * rows.h -- a table of any kind as rows with named fields: CSV, TSV, pipe-separated, JSON lines or a JSON list.
 * Layer: input.
 *
 * Text tables are read by csv.h; between pipes a quote is a character like any other, as sacct -P prints it.  JSON is
 * read by jansson one object at a time, from lines or from the elements of one list.  A JSON field is a path of keys,
 * positions (from 0; from the end -1, -2...) and '*' (each), joined by '.': `attempts.-1.end_time`; of '*' the values
 * joined by ','; a last '#' counts them: `detail.*.gpus.#`.  Memory: one row.
 */
#ifndef INPUT_TEXT_ROWS_H
#define INPUT_TEXT_ROWS_H

#include "base/diag.h"
#include "base/intern.h"

struct rows;

#define ROWS_JSON 'j'
/* ',' '\t' '|' ';' or ROWS_JSON, by the end of the file's name; 0: that does not tell. */
char rows_kind(const char *path);

/* header [n]: names of the columns where the file has none, borrowed; n 0: its first row has them. */
enum st rows_open(struct rows **out, const char *path, char kind, const char *const *header, size_t n, struct diag *d);
void    rows_close(struct rows *r);             /* NULL is fine */
bool    rows_is_json(const struct rows *r);

/* What rows_field takes; -1: the table has no such column.  JSON objects differ: any path that is none is a mistake. */
int     rows_column(struct rows *r, const char *name);
/* Of a text table; of JSON none. */
const char *const *rows_header(const struct rows *r, size_t *n);
/* Every column, or path to a value in the row at hand of JSON, that is not in *names yet; lists as their lengths. */
void    rows_names(const struct rows *r, struct intern *names);
enum st rows_next(struct rows *r, struct diag *d);              /* ST_OK, ST_END or an error */
const char *rows_field(struct rows *r, int at);                 /* "" where there is nothing; until the next row */
/* All of a row of a text table, by column; NULL: the rows are JSON. */
const char *const *rows_fields(const struct rows *r);
uint32_t rows_line(const struct rows *r);
/* An error at a field of the row (-1: at the row). */
enum st rows_fail(const struct rows *r, int at, struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
