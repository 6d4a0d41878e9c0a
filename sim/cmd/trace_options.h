/*
 * trace_options.h -- the options of trace formats, by their tables, as options of
 * `fairway trace`.  Layer: cmd.
 */
#ifndef CMD_TRACE_OPTIONS_H
#define CMD_TRACE_OPTIONS_H

#include <getopt.h>
#include "base/table.h"
#include "input/trace/trace.h"

enum { TRACE_OPTIONS_MAX = 32, TRACE_OPTIONS_VAL = 4096 };      /* at most so many; the first one's `val` */

/* Write a long option for each that is one word to to [TRACE_OPTIONS_MAX + 1]; the last is zero. */
void trace_options_long(struct option *to);

/* What was given of them, in order; zero-initialise to begin. */
struct trace_options { struct { int val; const char *text; } at[TRACE_OPTIONS_MAX]; size_t n; };
/* ST_EINPUT when there are too many. */
enum st trace_options_take(struct trace_options *g, int val, const char *text, struct diag *d);
/*
 * Into the options of o->format.  On failure ST_EINPUT; is_usage: the mistake is
 * one of the command line, and what stands there is no value of it.
 */
enum st trace_options_apply(const struct trace_options *g, struct trace_opts *o, bool *is_usage, struct diag *d);

/* For the usage text: names of formats that read files, and a line for each option. */
void trace_options_print_formats(FILE *to);
void trace_options_print(FILE *to);

/* A table of everything that is its own: name, default, meaning; of a scenario with the maps in which it stands. */
struct table *trace_options_table(const struct trace_option *x, size_t n);

#endif
