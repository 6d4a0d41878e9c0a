/*
 * csv.h -- CSV rows one at a time, and where each field stood.  Layer: input.
 *
 * libcsv splits the fields; this adds places, a header with "did you mean",
 * typed fields, and limits.  Survives CRLF, a byte-order mark, quoted commas
 * and line breaks, blank lines and a missing last newline.  Refuses NUL bytes,
 * text that is not UTF-8 (names go into JSON and SVG as they are), a stray or
 * unclosed quote, rows of another width than the header's, and rows
 * above CSV_ROW_MAX bytes.  Memory: one row and one 64 KiB block.
 *
 * Call order: csv_open, csv_columns, then csv_next until ST_END, csv_close.
 */
#ifndef INPUT_TEXT_CSV_H
#define INPUT_TEXT_CSV_H

#include "base/diag.h"
#include "input/text/value.h"

enum { CSV_ROW_MAX = 1 << 20, CSV_ABSENT = -1 };

struct csv;

/* Between pipes, '|', a quote is a character like any other. */
enum st csv_open(struct csv **out, const char *path, char delim, struct diag *d);
void    csv_close(struct csv *c);               /* NULL is fine */

/*
 * Read the header row and find the columns by name.
 *   name [n]  what the reader knows; borrowed until close
 *   need [n]  the file must have it
 *   at   [n]  out: index in each row, or CSV_ABSENT
 * An unknown column is an error unless `others` says that files may have more;
 * a repeated one always is.  `advice` (may be NULL) is the hint for a missing column.
 */
enum st csv_columns(struct csv *c, const char *const *name, const bool *need, int *at, size_t n,
                    bool others, const char *advice, struct diag *d);
/*
 * A whole file: open, find the columns as csv_columns with no others, and call
 * `row` for each row with their places, until one fails.
 */
enum st csv_read_file(const char *path, const char *const *name, const bool *need, size_t n, const char *advice,
                      enum st (*row)(void *ctx, struct csv *c, const int *at, struct diag *d), void *ctx, struct diag *d);
/* Any column of the header by name, CSV_ABSENT; all of them. */
int     csv_find(const struct csv *c, const char *name);
const char *const *csv_header(const struct csv *c, size_t *n);
/* For files without a header: rows must have n fields. */
void    csv_no_header(struct csv *c, const char *const *name, size_t n);

/* Next row.  Its fields are valid until the following call. */
enum st csv_next(struct csv *c, struct diag *d);

/* Field `i` of the row, "" when empty or CSV_ABSENT; all of them, as many as the header has. */
const char *csv_field(const struct csv *c, int i);
const char *const *csv_fields(const struct csv *c);
uint32_t    csv_line(const struct csv *c);      /* where the row begins */

/* An error at field i of the row (-1: the row); the message starts with the column's name. */
enum st csv_fail(const struct csv *c, int i, struct diag *d, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Typed fields.  An empty or absent field leaves *out alone and sets nothing: the default stays. */
enum st csv_int(const struct csv *c, int i, int64_t min, int64_t max, int64_t *out, struct diag *d);
/* A span of time >= 0 in microseconds: seconds as a decimal, or as value_span (value.h) has it; one form a column. */
enum st csv_seconds(const struct csv *c, int i, int64_t *out, struct diag *d);
/* A time on the file's clock: decimal seconds or an ISO date, one of them in a column. */
enum st csv_instant(const struct csv *c, int i, int64_t max, int64_t *out, struct diag *d);
/* A decimal >= 0 times `unit`, rounded to nearest: milli-cores from cores with unit 1000. */
enum st csv_scaled(const struct csv *c, int i, int64_t unit, int64_t max, int64_t *out, struct diag *d);
/* The field must not be empty. */
enum st csv_need(const struct csv *c, int i, struct diag *d);

/* A time at field i is written so: an error where another above it in the column is not. */
enum st csv_form(const struct csv *c, int i, enum value_form form, struct diag *d);
/* Was a time, or a number with a unit of 10^6 or less, rounded since this was last asked? */
bool csv_rounded(struct csv *c);

/* The same for text outside a CSV: a number of value.h times unit, rounded to nearest. */
bool csv_decimal(const char *s, int64_t unit, int64_t *out);

#endif
