/*
 * trace.h -- traces of any format as a stream of jobs.  Layer: input.
 *
 * A reader (one file for each format, NAME.c) turns a file into job specs in
 * file order, with the file's own clock.  trace_prepare reads the whole file
 * once, checks every row, counts every repair, and finds what the stream needs
 * (order, span, offered load); trace_source_open then streams it sorted,
 * windowed, scaled and starting at time 0.  Memory: the jobs, where they take at most 32 MiB; else
 * one job ahead, plus 16 bytes a job and a temporary file where the file is not sorted; while it
 * prepares, 32 to 64 bytes a job more, to find repeated ids; and the ids that jobs wait for, where there are
 * any: such a trace is gone through once more.
 *
 * Nothing is dropped, clamped or guessed in silence: each deviation is a
 * repair, counted by what it is; `strict` makes it an error at its line.
 */
#ifndef INPUT_TRACE_TRACE_H
#define INPUT_TRACE_TRACE_H

#include "base/diag.h"
#include "base/intern.h"
#include "model/cluster/cluster.h"
#include "model/data/blocks.h"
#include "model/speed/throughput.h"
#include "model/source.h"

/* `what` says what was found and what was made of it. */
struct trace_repair { const char *what; uint64_t count; uint32_t first_line; };
struct trace_repairs { struct trace_repair *at; size_t n, cap; };

struct calltime;
struct relation;
struct kube_nodes;
struct scaling;
struct trace_format;
struct trace_option;
struct ydoc_node;

/* What a format does not tell; scenarios/REFERENCE.md, `defaults`. */
struct trace_defaults {
    int64_t  cpu_milli_per_gpu, cpu_milli, mem_b_per_gpu, mem_b;   /* for formats without CPU or memory columns */
    const char *model, *user, *queue;
    const char *const *models; size_t n_models;     /* one of them, drawn from the seed, for each job with GPUs;
                                                     * excludes model */
    uint32_t elastic_gpus;      /* jobs whose model is called as a scaling may run on up to so many; 0: none */
    sim_tick limit;             /* -1: none */
    double   limit_factor;      /* 0: none; else limit = factor x true duration, where the trace has none */
};

/* What is asked of a trace of any format.  Text and arrays are borrowed. */
struct trace_opts {
    const struct trace_format *format;
    void       *own;            /* the format's own options, a struct that it alone knows */
    const char *path;
    const char *const *instance; size_t n_instances;    /* files that take path's place, seed 1 the first; 0: none */
    bool        strict;
    struct trace_defaults dflt;
    uint32_t    gpus_per_task;  /* jobs of more GPUs become gangs of tasks of at most so many; 0: the largest node's */
    /* The stream's shape. */
    sim_tick    window_from, window_to;     /* on the trace's clock from its first arrival; to TICK_NEVER: all */
    uint64_t    max_jobs;       /* 0: all */
    double      speedup;        /* > 0: divide the gaps between arrivals */
    double      load;           /* 0: as it is; else scale the gaps to this offered load; excludes speedup != 1 */
    uint64_t    seed;
    uint64_t    tie_seed;       /* > 0: jobs that arrive together do so in an order drawn from it */
    /* What the trace is read into or for, beside cluster and speeds. */
    struct data *data;          /* where readers put the blocks that jobs name; NULL: formats with data are refused */
    const struct scaling *scaling;      /* what elastic jobs name; NULL: they are refused */
    struct calltime *times;     /* how long calls take */
    bool        has_times;      /* the scenario says, or with reads_times the trace does; else calls are refused */
    bool        reads_times;    /* the reader puts them there */
    /* > 0: tasks of workflows that make no calls are one each, and engines of the type run them at so many
     * thousandths of nominal speed; see as_calls.h. */
    int64_t     as_calls[ENGINE_TYPES_MAX];
    const struct relation *relation;        /* of tasks to engines, each of which must be of the trace; NULL: none */
    const struct kube_nodes *kube_nodes;    /* the nodes' labels and taints; NULL: the cluster is not from kubectl */
};

/* Of a format, by name, with every default; ST_EINPUT when there is no such format, and then nothing is to fini. */
enum st trace_opts_init(struct trace_opts *o, const char *format, struct diag *d);
void    trace_opts_fini(struct trace_opts *o);

/*
 * A reader over one file.  next(): ST_OK with *out valid until the next call,
 * ST_END, or an error with d filled.  A repair is reported through
 * trace_repair (below).
 */
struct trace_reader {
    void *ctx;
    enum st (*next)(void *ctx, struct job_spec *out, struct diag *d);
    void (*close)(void *ctx);
    const char *in_order;       /* what to do about jobs out of order in a file that cannot be sorted; NULL: it can */
    bool ids_differ;            /* whatever the file says: they are numbered */
};

struct trace_env {              /* what a reader may use; all borrowed until close */
    const struct trace_opts *opts;
    struct cluster *cluster;    /* interns GPU types and labels; sizes of nodes */
    struct throughput    *perf;
    struct data    *data;       /* NULL: none */
    struct trace_repairs *repairs;    /* NULL: do not count (a later pass) */
};

/*
 * A format: one of these in a file of its own, one line of the list in formats.c,
 * a section of traces/README.md.
 */
struct trace_format {
    const char *name, *summary;
    bool no_file;               /* makes its jobs itself: opts.path is not used */
    bool needs_scenario;        /* is refused by `fairway trace` on a file */
    bool binds_nodes;           /* its jobs may be bound to nodes and ask for cores of cards */
    const char *const *unused;  /* keys of the trace section that mean nothing to it, up to NULL; NULL: none */
    /* Its own options; the struct begins as zeroes and its defaults.  0: none. */
    size_t own_size;
    const struct trace_option *option; size_t n_options;
    /* Do they agree, once the trace section was read?  NULL: they always do. */
    enum st (*check)(struct trace_opts *o, const struct cluster *c, const struct ydoc_node *section, struct diag *d);
    /* Fold into *h what its jobs hang on besides the bytes of opts.path and the scenario's text.  NULL: nothing. */
    enum st (*hash)(const struct trace_opts *o, uint64_t *h, struct diag *d);
    /* *out is empty, and closed by the caller, on failure too: set it before anything can fail that needs it. */
    enum st (*open)(const struct trace_env *env, struct trace_reader *out, struct diag *d);
};
extern const struct trace_format *const trace_formats[];    /* NULL-terminated */
/* By name; NULL with d filled. */
const struct trace_format *trace_format_find(const char *name, struct diag *d);

/* What the seed decides: how jobs are made or drawn, and which of the instances is read.  ST_EINPUT when it has none. */
enum st trace_seed(struct trace_opts *o, uint64_t seed, struct diag *d);
/* The format's jobs are made anew from each seed, and no file is read. */
bool trace_is_made(const struct trace_opts *o);
/* So, or something of them is drawn from the seed: prepare again for each. */
bool trace_is_drawn(const struct trace_opts *o);

/* Count a repair of this row, or make it an error when opts->strict.  `what` is a static string. */
enum st trace_repair(const struct trace_env *env, const char *what, uint32_t line, struct diag *d);

/* Count what was asked for, which `strict` has nothing against. */
void trace_count(const struct trace_env *env, const char *what, uint32_t line);

/* What one pass over the whole file found, in the window and before scaling. */
struct trace_facts {
    uint64_t n_jobs, n_tasks;           /* in the window */
    uint64_t n_file;                    /* jobs in the file */
    sim_tick first, last;               /* submit, on the trace's clock */
    sim_tick origin;                    /* first arrival in the whole file: where windows count from */
    bool     sorted;
    uint64_t n_past_limit;              /* jobs whose true duration is longer than their limit; kept as they are */
    uint64_t n_dependent;               /* jobs that wait for others */
    bool     has_restores;              /* some job says what it costs to interrupt it */
    uint64_t n_recorded;                /* jobs of which the trace says when they started */
    double   recorded_wait_us;          /* how long these waited, together */
    double   gpu_us, cpu_us, mem_us;    /* demand: milli-GPU x us, milli-CPU x us, bytes x us at nominal speed */
    /* Offered load: demand / (capacity x span), 0 without capacity; a card's capacity is its type's
     * general speed, so that 1 is what the cluster can sustain. */
    double   load_gpu, load_cpu, load_mem;
    double   stretch;                   /* what gaps are multiplied by, from speedup or load */
    uint64_t content_hash;              /* of the file's bytes */
};

/* What names its jobs have, in the window or not. */
struct trace_names {
    struct intern users, queues, named;
    uint64_t *graph;
    size_t n_graphs, cap_graph;
}; /* graph: hashes of the ids of jobs with one; named: ids that jobs wait for */

struct trace {
    struct trace_names names;
    struct trace_opts  opts;            /* borrowed strings */
    struct trace_facts facts;
    struct trace_repairs     repairs;
    struct cluster    *cluster;
    struct throughput       *perf;
    struct spill      *spill;           /* its jobs; NULL: the stream reads them anew */
};

/* The content hash alone: of the files' bytes, or of what a generator is given. */
enum st trace_content_hash(const struct trace_opts *o, uint64_t *out, struct diag *d);
/* The format and every file that the options name, a line each: where these are the same, so is the content
 * hash of a trace that is read.  Owned by the caller. */
char   *trace_sources(const struct trace_opts *o);
enum st trace_prepare(struct trace *t, const struct trace_opts *o, struct cluster *c, struct throughput *p, struct diag *d);
void    trace_fini(struct trace *t);

/* Is there a job of that id whose tasks have an order or data?  O(such jobs). */
bool    trace_has_graph(const struct trace *t, const char *id);

/* A stream of the prepared trace from its beginning; several may be open at once. */
enum st trace_source_open(const struct trace *t, struct source *out, struct diag *d);
void    trace_source_close(struct source *s);

/* The raw reader of a format, for `trace stats` and `trace convert`. */
enum st trace_reader_open(const struct trace_env *env, struct trace_reader *out, struct diag *d);

#endif
