/*
 * trace_fit.h -- `fairway trace fit`: a model learnt, written, read again, drawn from and judged.  Layer: cmd.
 */
#ifndef CMD_TRACE_FIT_H
#define CMD_TRACE_FIT_H

#include "base/table.h"
#include "input/trace/trace.h"

struct trace_fit_opts { const char *output, *db; size_t draws; enum table_format table; };      /* db NULL: none */

/* Prints the table, and as text what it says in words. */
enum st trace_fit(const struct trace *t, const struct trace_fit_opts *o, struct diag *d);

#endif
