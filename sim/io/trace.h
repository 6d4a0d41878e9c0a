/*
 * trace.h -- traces of any format as a stream of jobs.  Layer: io.
 *
 * A reader (one file per format, trace_NAME.c) turns a file into job specs in
 * file order, with the file's own clock.  trace_prepare reads the whole file
 * once, checks every row, counts every repair, and finds what the stream needs
 * (order, span, offered load); trace_source_open then streams it sorted,
 * windowed, scaled and starting at time 0.  Memory: one job ahead, plus 16
 * bytes a job and a temporary file only where the file is not sorted; while it
 * prepares, 32 to 64 bytes a job more, to find repeated ids.
 *
 * Nothing is dropped, clamped or guessed in silence: each deviation is a
 * repair, counted by kind; `strict` makes it an error at its line.
 */
#ifndef SIM_TRACE_H
#define SIM_TRACE_H

#include "base/diag.h"
#include "model/cluster.h"
#include "model/perf.h"
#include "model/source.h"

/* One kind of repair.  `what` says what was found and what was made of it. */
struct repair { const char *what; uint64_t count; uint32_t first_line; };
struct repairs { struct repair *at; size_t n, cap; };

/* The scenario's trace section. */
struct trace_opts {
    const char *format;         /* a trace_format's name */
    const char *path;
    bool        strict;
    /* What a format does not tell (see scenarios/README.md). */
    struct {
        int64_t  cpu_milli_per_gpu, cpu_milli, mem_b_per_gpu, mem_b;   /* for formats without CPU or memory columns */
        const char *model, *user, *queue;
        sim_tick limit;         /* -1: none */
        double   limit_factor;  /* 0: none; else limit = factor x true duration, where the trace has none */
    } dflt;
    uint32_t    gpus_per_task;  /* split a job of more GPUs into gang tasks of at most this many; 0: the largest node's */
    const char *throughputs;    /* gavel: path of the throughput table */
    const char *reference_gpu;  /* gavel: the type whose speed is nominal */
    const char *pending;        /* openb: what to do with pods that never ran: "replay" (deletion - creation) or "skip" */
    /* The stream's shape. */
    sim_tick    window_from, window_to;     /* on the trace's clock from its first arrival; to TICK_NEVER: all */
    uint64_t    max_jobs;       /* 0: all */
    double      speedup;        /* > 0: divide the gaps between arrivals */
    double      load;           /* 0: as it is; else scale the gaps so that the offered load is this; excludes speedup != 1 */
    /* generate: the seeded generator's parameters, see gen.h; used when format is "generate" */
    struct gen_opts *gen;
    uint64_t    seed;
};

/*
 * A reader over one file.  next(): ST_OK with *out valid until the next call,
 * ST_END, or an error with d filled.  A repair is reported through
 * trace_repair (below).
 */
struct trace_reader {
    void *ctx;
    enum st (*next)(void *ctx, struct job_spec *out, struct diag *d);
    void (*close)(void *ctx);
};

struct trace_env {              /* what a reader may use; all borrowed until close */
    const struct trace_opts *opts;
    struct cluster *cluster;    /* interns GPU types and labels; sizes of nodes */
    struct perf    *perf;
    struct repairs *repairs;    /* NULL: do not count (a later pass) */
};

struct trace_format {
    const char *name, *summary;
    bool no_file;               /* makes its jobs itself: opts.path is not used */
    enum st (*open)(const struct trace_env *env, struct trace_reader *out, struct diag *d);
};
extern const struct trace_format *const trace_formats[];    /* NULL-terminated */

/* Count a repair of this row, or make it an error when opts->strict.  `what` is a static string. */
enum st trace_repair(const struct trace_env *env, const char *what, uint32_t line, struct diag *d);

/* What one pass over the whole file found, in the window and before scaling. */
struct trace_facts {
    uint64_t n_jobs, n_tasks;           /* in the window */
    uint64_t n_file;                    /* jobs in the file */
    sim_tick first, last;               /* submit, on the trace's clock */
    sim_tick origin;                    /* first arrival in the whole file: where windows count from */
    bool     sorted;
    uint64_t n_past_limit;              /* jobs whose true duration is longer than their limit; kept as they are */
    double   gpu_us, cpu_us, mem_us;    /* demand: milli-GPU x us, milli-CPU x us, bytes x us at nominal speed */
    /* Offered load: demand / (capacity x span), 0 without capacity; a card's capacity is its type's
     * general speed, so that 1 is what the cluster can sustain. */
    double   load_gpu, load_cpu, load_mem;
    double   stretch;                   /* what gaps are multiplied by, from speedup or load */
    uint64_t content_hash;              /* of the file's bytes */
};

struct trace {
    struct trace_opts  opts;            /* borrowed strings */
    struct trace_facts facts;
    struct repairs     repairs;
    struct cluster    *cluster;
    struct perf       *perf;
    struct trace_index *index;          /* order of an unsorted file; NULL when sorted */
};

enum st trace_prepare(struct trace *t, const struct trace_opts *o, struct cluster *c, struct perf *p, struct diag *d);
void    trace_fini(struct trace *t);

/* A stream of the prepared trace from its beginning; several may be open at once. */
enum st trace_source_open(const struct trace *t, struct source *out, struct diag *d);
void    trace_source_close(struct source *s);

/* The raw reader of a format, for `trace stats` and `trace convert`. */
enum st trace_reader_open(const struct trace_env *env, struct trace_reader *out, struct diag *d);

/* Write a job as one row of the native format; header first.  Figures that differ
 * between a job's groups of tasks are joined by '+'. */
void trace_native_header(FILE *f);
void trace_native_write(FILE *f, const struct job_spec *s, const struct cluster *c);

#endif
