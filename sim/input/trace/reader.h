/*
 * reader.h -- what the readers of trace formats share.  Layer: input.
 */
#ifndef INPUT_TRACE_READER_H
#define INPUT_TRACE_READER_H

#include "input/text/csv.h"
#include "input/trace/option.h"
#include "input/trace/trace.h"

/* Latest submit time on a trace's own clock, which may count from 1970. */
#define TRACE_TIME_MAX (INT64_MAX / 8)

/* The largest node: 0 when the cluster has none. */
struct trace_limits { int64_t cores, gpus; };       /* gpus: opts.gpus_per_task if that is given */
struct trace_limits trace_limits(const struct trace_env *env);

/*
 * `total` units as ceil(total / most) tasks, as even as possible: the first
 * groups[0].n tasks get one unit more.  most 0: one task.  Returns the number
 * of groups, 1 or 2; writes n and size of each.
 */
uint32_t trace_split(int64_t total, int64_t most, uint32_t n[2], int64_t size[2]);

/*
 * A job of `gpus` whole cards (0: CPU work) in a format that knows neither CPU
 * nor memory: split into gang tasks by `lim`, with the scenario's defaults.
 * Fills out->group, n_groups and gang; everything else of *out stays.
 */
void trace_gpu_job(const struct trace_env *env, struct trace_limits lim, int64_t gpus, sim_tick dur,
                   struct job_spec *out, struct task_group group[2]);

/*
 * A job of which the figures are known as a whole, as n_tasks alike (0: as few as `lim` allows): whole cards as evenly as
 * possible, cores and memory in proportion to them, or a share of one card each.  cpu_milli, mem_b -1: unknown, the
 * scenario's defaults.  Fills out->group, n_groups and gang; *error: what is wrong with its cards, else NULL.
 */
struct trace_whole { struct shape shape; sim_tick dur; int64_t n_tasks, gpu_milli, cpu_milli, mem_b, gpu_mem_b; };
enum st trace_divide(const struct trace_env *env, struct trace_limits lim, const struct trace_whole *w,
                     struct job_spec *out, struct task_group group[2], const char **error, struct diag *d);

/* Fold a file's bytes into a hash. */
enum st trace_hash_file(const char *path, uint64_t *h, struct diag *d);

/*
 * "NAME:2;OTHER:1" at field `at`: licences of the cluster, which the trace may be the first to name.
 */
enum st trace_licences(const struct trace_env *env, const struct csv *c, int at, struct shape *s, struct diag *d);

/* A spec that asks for nothing yet: no strings, no limit. */
void trace_blank(struct job_spec *s);

/* Count a row of which a figure was rounded, one way for all formats. */
enum st trace_rounded(const struct trace_env *env, bool was, uint32_t line, struct diag *d);

/* What job `id` waits for: does the text parse, and not name the job itself?  Else false, with error filled. */
bool trace_after(const char *text, const char *id, char *error, size_t cap);

/* The names of a host list, "n[01-04,7]", joined by ','; in *buf, owned by the caller.  NULL, with what is wrong in error. */
const char *trace_nodes(const char *list, char **buf, char *error, size_t cap);

/* How long the job runs with as many machines as it likes: its longest task, or the longest chain
 * of tasks that wait for each other. */
sim_tick trace_alone(const struct job_spec *s);

/*
 * "A&B", "A|B", "A&(B|C)": labels that a node must have, all and any.  Interns
 * them in the cluster.  On failure false, with what is wrong in error.
 */
bool trace_labels(const struct trace_env *env, const char *text, uint64_t *all, uint64_t *any, char *error, size_t cap);
/* GPU types joined by '|' to a mask. */
bool trace_gpu_types(const struct trace_env *env, const char *text, uint64_t *mask, char *error, size_t cap);

#endif
