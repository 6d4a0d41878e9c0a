/*
 * table.h -- one table, printed for people (aligned, Markdown, LaTeX), as CSV or as JSON.  Layer: base.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdio.h>
#include "base/base.h"

enum table_format { TABLE_TEXT, TABLE_MARKDOWN, TABLE_LATEX, TABLE_CSV, TABLE_JSON };

struct table;

struct table *table_create(void);
/* With columns of these headings, joined by '|'; those of numbers begin with '#'. */
struct table *table_of(const char *headings);
void table_destroy(struct table *t);
/* A column: its heading, and whether its cells are numbers (right-aligned; bare in JSON). */
void table_column(struct table *t, const char *heading, bool is_number);
/* Append a cell, row by row, left to right; printf-like.  An empty cell is null in JSON. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * LaTeX: a plain tabular, which needs no package.  Cells and headings are
 * escaped for the format they are printed in, CSV only where a terminal shows it.
 */
void table_print(const struct table *t, enum table_format f, FILE *to);
void table_end(struct table *t, enum table_format f, FILE *to);         /* printed, then destroyed */
/* Plain text so that it shows as it stands in this format; owned by the caller. */
char *table_escape(const char *s, enum table_format f);
/* A line of text beside tables, escaped for the format, wrapped for people. */
void table_sentence(const char *s, enum table_format f, FILE *to);

#endif
