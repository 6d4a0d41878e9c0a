/*
 * calls.h -- calls.csv, read beside the jobs.csv of a native trace: the
 * API calls that tasks are made of.  Layer: input.
 *
 * As with stages (stages.h), a job has calls when the next unread row
 * names it, so the file is in the order of jobs.csv.  traces/README.md is the
 * reference of its columns.
 */
#ifndef INPUT_TASKS_CALLS_H
#define INPUT_TASKS_CALLS_H

#include "input/trace/trace.h"

struct trace_calls;

/* opts.calls_path; needs opts.calltime. */
enum st trace_calls_open(struct trace_calls **out, const struct trace_env *env, struct diag *d);
void    trace_calls_close(struct trace_calls *s);               /* NULL is fine */

/* The job of the next unread row; NULL at the end. */
const char *trace_calls_next(const struct trace_calls *s);

/*
 * The rows of job trace_calls_next, whose tasks are in out->group: sets
 * out->calls and writes the groups anew, each task's time the sum of its calls'
 * best.  Borrowed until the next call.
 */
enum st trace_calls_read(struct trace_calls *s, struct job_spec *out, struct diag *d);

/* No job is left: an error if a row is. */
enum st trace_calls_end(const struct trace_calls *s, struct diag *d);

#endif
