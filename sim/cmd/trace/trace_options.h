/*
 * trace_options.h -- the options of trace formats, by their tables, as options of
 * `fairway trace`.  Layer: cmd.
 */
#ifndef CMD_TRACE_OPTIONS_H
#define CMD_TRACE_OPTIONS_H

#include "base/table.h"
#include "cmd/line/option.h"
#include "input/trace/trace.h"

enum { TRACE_OPTIONS_MAX = 32 };        /* at most so many */

/* What was given of them, in order. */
struct trace_options { const char *format; struct { size_t word; const char *text; } at[TRACE_OPTIONS_MAX]; size_t n; };
/*
 * --format and an option for each that is one word, for a command's table;
 *   offset  of a struct trace_options in the command's struct
 */
const struct cmd_option *trace_options_all(size_t offset, unsigned verbs, const char *not_with);
/*
 * Into the options of o->format.  On failure ST_EINPUT; is_usage: the mistake is
 * one of the command line, and what stands there is no value of it.
 */
enum st trace_options_apply(const struct trace_options *g, struct trace_opts *o, bool *is_usage, struct diag *d);

/* A table of everything that is its own: name, default, meaning; of a scenario with the maps in which it stands. */
struct table *trace_options_table(const struct trace_option *x, size_t n);

#endif
