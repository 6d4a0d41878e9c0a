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

struct calls_reader;

/* Needs opts.times.  The path is borrowed until close. */
enum st calls_open(struct calls_reader **out, const struct trace_env *env, const char *path, struct diag *d);
void    calls_close(struct calls_reader *s);               /* NULL is fine */

/* The job of the next unread row; NULL at the end. */
const char *calls_next(const struct calls_reader *s);

/*
 * The rows of job calls_next, whose tasks are in out->group: sets
 * out->calls and writes the groups anew, each task's time the sum of its calls'
 * best.  Borrowed until the next call.
 */
enum st calls_read(struct calls_reader *s, struct job_spec *out, struct diag *d);

/* No job is left: an error if a row is. */
enum st calls_end(const struct calls_reader *s, struct diag *d);

#endif
