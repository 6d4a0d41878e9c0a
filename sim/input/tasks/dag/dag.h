/*
 * dag.h -- a workflow read from a file of its own: tasks, what each asks, who
 * waits for whom.  Layer: input.  traces/README.md describes the formats.
 *
 * A reader for each format fills the same struct; dag_spec makes of it the
 * groups and the graph of a job.  What a file measured on several engines is
 * kept as it is (dur), and becomes times of calls where a trace is `measured`.
 */
#ifndef INPUT_TASKS_DAG_H
#define INPUT_TASKS_DAG_H

#include "base/diag.h"
#include "base/intern.h"
#include "input/trace/measured.h"
#include "input/trace/trace.h"

enum dag_engine { DAG_CPU, DAG_GPU, DAG_GPU2, DAG_ENGINES };

struct dag_task {
    uint32_t line;              /* where it is described */
    sim_tick dur[DAG_ENGINES];  /* on a core, a GPU, a second GPU type; -1: it cannot run there, or was not measured */
    int64_t  cpu_milli, mem_b;  /* -1: the file does not say */
    int32_t  gpus, licences;
    uint32_t machine;           /* on which it ran, an id of machines; NONE: the file does not say, or several */
};

/* parent: an id of names.  size: bytes that it writes for the task; several edges between two add up. */
struct dag_edge { uint32_t task, parent, line; int64_t size; };

/* One that a task writes, or (writer NONE) none: then it is a block of the run, once dag_file_blocks made it. */
struct dag_file { int64_t size; uint32_t writer, block; };
struct dag_read { uint32_t task, file; };           /* by task */

/* What a scenario says of workflows. */
struct dag_opts {
    struct trace_measured measured;
    bool    files;              /* sizes of files count */
    bool    machines;           /* a task asks for a node with the label of the machine on which it ran */
    double  machine_mhz;        /* > 0: times are scaled to this clock from that of the machine on which a task ran */
};

struct dag {
    char    *path;              /* owned */
    struct intern names;        /* of tasks, and of parents not (yet) described */
    struct dag_task *task;  size_t cap_task;  uint32_t n;      /* tasks, in the order of the file */
    uint32_t *of_name;      size_t cap_of_name;     /* task of a name; NONE: not described */
    struct dag_edge *edge;  size_t cap_edge;  uint32_t n_edges;
    char    *licence;           /* what `licences` counts; NULL: none */
    sim_tick recorded;          /* makespan of the run that the file tells of; 0: it does not say */
    uint64_t n_rounded;         /* times finer than a microsecond, rounded */
    bool     is_measured;       /* the file has times on several engines */
    bool     reads_files;       /* files were asked for, and the format has them */
    struct intern files;    struct dag_file *file;  size_t cap_file;
    struct dag_read *read;  size_t cap_read; uint32_t n_reads;     /* after dag_load: of files that no task writes */
    struct intern machines; int64_t *machine_khz;   size_t cap_machine;    /* 0: its clock is not known */
    uint32_t *api;              /* made by dag_measure: of each task; NULL: not measured */
    /* made by dag_load: of task k, after[after_start[k] .. after_start[k+1]), increasing, none twice */
    uint32_t *after_start, *after;
    int64_t *after_b;           /* and the bytes that each of them writes for it */
};

/*
 * Read the file; its format is told by its name: .json WfFormat 1.4 or 1.5, .dax
 * or .xml Pegasus DAX, .txt measured DAGs, .steps stages in the notations of
 * S1-20.  files: those that tasks read and write, too, which WfFormat alone has.
 * Unknown parents and files, a task that waits for itself and circles are errors
 * with their place.  On error *g is empty again.
 */
enum st dag_load(struct dag *g, const char *path, bool files, struct diag *d);
void    dag_fini(struct dag *g);

/* What a job of this workflow is made of; owned. */
struct dag_job {
    struct task_group *group; uint32_t n;
    struct task_graph graph;
    struct task_calls calls;    /* made by dag_spec_calls alone */
    uint32_t *in_start, *after_start, *after, *first, *n_calls; struct task_input *in; struct call *call;
};
/*
 * Each task is one group, with `common` where the file says nothing.  A task
 * measured on several engines gets the fastest of a core and a GPU.
 */
enum st dag_spec(const struct dag *g, const struct trace_env *env, const struct dag_opts *o, const struct shape *common,
                 struct dag_job *out, struct diag *d);
void    dag_job_fini(struct dag_job *j);
/* Its graph alone: who carries data is read from, the others are waited for. */
void    dag_job_graph(const struct dag *g, struct dag_job *out);

/*
 * The same for a measured trace, dag_calls.c: each task is one call of an API of
 * its own.  dag_measure puts the file's times into the table, once;
 * dag_spec_calls makes the job.
 */
enum st dag_measure(struct dag *g, const struct trace_measured *m, struct calltime *times, struct diag *d);
enum st dag_spec_calls(const struct dag *g, const struct trace_env *env, const struct shape *common, struct dag_job *out, struct diag *d);

/* Load, put its files into env->data and its times into the table, as the scenario asks.  On error *g is empty. */
enum st dag_open(struct dag *g, const char *path, const struct trace_env *env, const struct dag_opts *o,
                 struct diag *d);
/* The job of one workflow at a line of the trace: dag_spec, or of calls where it was measured; repairs are counted. */
enum st dag_fill(const struct dag *g, const struct trace_env *env, const struct dag_opts *o, const struct shape *common,
                 struct dag_job *job, struct job_spec *out, struct diag *d);

/* ---- for the readers of formats ---- */

/* A task of this name; ST_EINPUT if there is one already.  *at: its index. */
enum st dag_add(struct dag *g, const char *name, uint32_t line, uint32_t *at, struct diag *d);
void    dag_wait(struct dag *g, uint32_t task, const char *parent, uint32_t line, int64_t size);
/* Seconds, or whatever `unit` microseconds are, rounded to one; DUR_MAX at most, -1 beyond. */
sim_tick dag_time(struct dag *g, double v, double unit);
/* Files, dag_files.c: one with its size (twice the same is one), who writes and who reads it, in the order of tasks. */
enum st dag_file_add(struct dag *g, const char *name, int64_t size, uint32_t line, uint32_t *file, struct diag *d);
enum st dag_file_write(struct dag *g, uint32_t task, uint32_t file, struct diag *d);
void    dag_file_read(struct dag *g, uint32_t task, uint32_t file);
/* When all are known: those of writers become edges; then, into the run's data, blocks of the others. */
void    dag_file_edges(struct dag *g);
enum st dag_file_blocks(struct dag *g, struct data *data, struct diag *d);
enum st dag_read_json(struct dag *g, struct diag *d);
enum st dag_read_dax(struct dag *g, struct diag *d);
enum st dag_read_measured(struct dag *g, struct diag *d);
enum st dag_read_steps(struct dag *g, struct diag *d);

/* Entries of a format's table for `member` of its struct `of`, which is a struct dag_opts. */
#define DAG_OPTIONS(of, member) \
    TRACE_MEASURED(offsetof(of, member.measured), DAG_ENGINES), \
    { .key = "files", .type = TRACE_BOOL, .offset = offsetof(of, member.files), .needs_scenario = true, \
      .help = "sizes of a WfFormat workflow's files count: along edges, and as blocks where no task writes them" }, \
    { .key = "machines", .type = TRACE_BOOL, .offset = offsetof(of, member.machines), .needs_scenario = true, \
      .help = "a task asks for a node with the label of the machine on which it ran" }, \
    { .key = "machine_mhz", .type = TRACE_NUMBER, .offset = offsetof(of, member.machine_mhz), .min = 1, .max = 1e6, \
      .needs_scenario = true, \
      .help = "recorded times are scaled from the clock of the machine on which a task ran to this one" }

#endif
