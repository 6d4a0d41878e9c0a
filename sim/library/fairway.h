/*
 * fairway.h -- the simulator as a library: scenarios are opened and run, and what their databases hold is compared,
 * explained and drawn, in the process that asks.  The program `fairway` runs scenarios through it.  Layer: library.
 *
 *     struct fairway_error e;
 *     struct fairway *f = fairway_open("demo.yaml", NULL, NULL, 0, &e);
 *     if (f == NULL || fairway_run(f, &(struct fairway_options){ .size = sizeof(struct fairway_options),
 *                                                                .database = "demo.db" }, &e) != FAIRWAY_OK)
 *         fprintf(stderr, "%s:%u:%u: %s\n", e.file, e.line, e.column, e.message);
 *     fairway_close(f);
 *
 * Nothing is shared between two scenarios: each may be opened, run and closed in a thread of its own.  A scenario
 * itself is one thread's at a time, and two runs at once need two databases.  Three things are the process's own: the
 * environment, which is read (and, while a trace gives times of a named time zone, TZ set and put back); the error
 * handler of GSL, which policies that fit models switch off; and memory:
 * when there is no more of it, and when an invariant of the simulator is broken, the process ends with a message on
 * standard error.  A policy of a shared object runs in a process of its own, by fork(): what callbacks do to memory
 * during such a run is not seen outside of it, but for `begin`, `note` and `run`.
 *
 * Versions: FAIRWAY_API is the number in libfairway.so.0's name and grows when a client must be built again.  Structs
 * that begin with `size` may grow at their end: put sizeof there, and 0 in what you do not use.
 */
#ifndef FAIRWAY_H
#define FAIRWAY_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FAIRWAY_API    0
#define FAIRWAY_PUBLIC __attribute__((visibility("default")))

/* What came of a call: the exit status that the program would have. */
enum fairway_status {
    FAIRWAY_OK,
    FAIRWAY_EINPUT = 2,  /* the scenario, the trace or an argument is wrong */
    FAIRWAY_EWORLD = 3,  /* the disk, the database, a missing gnuplot */
    FAIRWAY_EPOLICY = 4, /* a policy broke its contract: its run is kept as failed */
    FAIRWAY_EINTR = 130  /* stopped: see `stop` */
};

/* Filled by every call that fails; NULL where nobody wants it.  line, column: from 1; 0: not known. */
struct fairway_error {
    int32_t status; /* enum fairway_status */
    uint32_t line, column;
    char file[512]; /* "" when the error has no file */
    char message[1024];
    char hint[256]; /* "did you mean ...", or what to do; may be "" */
};

FAIRWAY_PUBLIC uint32_t fairway_api(void); /* FAIRWAY_API of the library that is loaded */
FAIRWAY_PUBLIC const char *fairway_version(void);
FAIRWAY_PUBLIC void fairway_free(void *text); /* what a call says that the caller frees */

/* ---- scenarios ---- */

struct fairway;

/*
 * Read and check a scenario; NULL with e filled if there is a mistake.
 *   path  the file; with `text` what messages call it, and beside which other files are looked for
 *   text  the scenario itself, YAML or JSON; NULL: it is in the file
 *   set   [n_set] "path=value", as --set
 */
FAIRWAY_PUBLIC struct fairway *fairway_open(const char *path, const char *text, const char *const *set, size_t n_set,
                                            struct fairway_error *e);
FAIRWAY_PUBLIC void fairway_close(struct fairway *f); /* NULL is fine */

/* In place of the scenario's own policies and seeds, from the first call on.  spec: as -p; label: NULL as it names
 * itself. */
FAIRWAY_PUBLIC int fairway_add_policy(struct fairway *f, const char *spec, const char *label, struct fairway_error *e);
FAIRWAY_PUBLIC int fairway_add_seeds(struct fairway *f, uint64_t first, uint64_t last, struct fairway_error *e);

/*
 * A policy in C, of this process: a table of fairway/policy.h.
 *   spec    "name:key=value,..." with the table's own name and parameters
 *   client  what host->extension(ctx, "client/1") gives it (fairway/extensions.h)
 * table and client are borrowed until fairway_close.
 */
struct pol_ops;
FAIRWAY_PUBLIC int fairway_add_table(struct fairway *f, const struct pol_ops *table, const void *client,
    const char *spec,
                                     const char *label, struct fairway_error *e);

/* ---- policies in another language, in this process ---- */

/*
 * A policy that names jobs and tasks by number, as one in a process of its own does: policies/PROTOCOL.md is the
 * specification, and its lines `hello`, `cluster` and `decide` are what it is told.  What is frequent comes, and goes,
 * as numbers instead: a round costs one call, and a start one.
 *
 * Words of a round, at block.words: now; whether anything became free; how many nodes changed; then events, each an
 * operation of enum fairway_event and what is said of it there.  A decision, in block.out, is an enum fairway_decided
 * and what is said of it.  All functions below are for the time of create and round alone.
 */
struct fairway_code; /* one instance, of one run */

enum fairway_event {
    FAIRWAY_RARE,      /* the next of `events` in the text of the round */
    FAIRWAY_ARRIVED,   /* job, submit, priority, is_gang, limit, duration (-1: not told), user, queue (-1: none),
                             * length of its id in block.names, n, then n times: shape, tasks, duration of each */
    FAIRWAY_READY,     /* job, task, attained, left (-1: not told) */
    FAIRWAY_ENDED,     /* job, task */
    FAIRWAY_JOB_ENDED, /* job */
    FAIRWAY_LAST_ENDED, /* job, task: the task ended, and its job with it */
    FAIRWAY_NODE,      /* node: it went down or came up */
    FAIRWAY_TIMER,
    FAIRWAY_SHAPE /* the next shape, before what asks for it: cpu, mem, gpus, gpu_milli, gpu_mem, gpu_cores,
        is_exclusive */
};
/* cards: bits; cpu, mem 0: what it asks; reason: of fairway_code_reason, 0: none. */
enum fairway_decided {
    FAIRWAY_OTHER,      /* the next of what fairway_code_decisions was given */
    FAIRWAY_START,      /* job, task, node, cards, cpu, mem, reason */
    FAIRWAY_START_GANG, /* job, reason, n, then n times: node, cards, cpu, mem */
    FAIRWAY_PREEMPT,    /* job, task, reason */
    FAIRWAY_HOLD,       /* job, task, is_head, reason */
    FAIRWAY_WAKE        /* at */
};

/* Where a task goes of those nodes on which it fits. */
enum fairway_rule {
    FAIRWAY_FIRST, /* the first */
    FAIRWAY_BEST   /* that which it leaves fullest: policies/README.md, "best" */
};

/* Where things are; `round` says when they are elsewhere. */
struct fairway_block {
    const char *text; /* what the words of this round leave out: a line; NULL: nothing */
    const int64_t *words;
    int64_t n_words; /* of rounds */
    const char *names;
    int64_t n_names;
    int64_t *out;
    int64_t n_out; /* of decisions */
    const int64_t *place;
    int64_t n_place; /* [2 * n_place] node and cards: of those functions that return how many */
    const void *node;
    int64_t n_nodes; /* struct pol_node of fairway/policy.h, as they are planned */
    const void *card;
    int64_t n_cards; /* struct pol_card */
};

struct fairway_code_ops {
    uint32_t size, reserved;
    void *ctx;
    /* A new instance, told `hello`; what it answers in *answer, until the next call.  NULL: it cannot be made. */
    void *(*create)(void *ctx, struct fairway_code *code, const char *hello, const char **answer);
    /*
     * n_words: of block.words; below 0: so many, look for the block again and at its text, a line `decide`; 0: the
     * cluster, in the line of the block's text.  Returns how many words of decisions there are, -1: it failed, see
     * fairway_code_fail.
     */
    int64_t (*round)(void *self, int64_t n_words);
    void (*destroy)(void *self);
};

/* spec: "name:key=value,...", by which runs know it. */
FAIRWAY_PUBLIC int fairway_add_code(struct fairway *f, const struct fairway_code_ops *ops, const char *spec,
    const char *label,
                                    struct fairway_error *e);
FAIRWAY_PUBLIC void fairway_code_block(struct fairway_code *c, struct fairway_block *out);
FAIRWAY_PUBLIC void fairway_code_fail(struct fairway_code *c, const char *message);
/* Room for so many words of decisions, and places; look for the block again. */
FAIRWAY_PUBLIC void fairway_code_room(struct fairway_code *c, int64_t n_out, int64_t n_place);
/* Of 32 bits is what is frequent, and is then passed with the least ado by languages that call at run time. */
/* The first places of n tasks of a shape; n 0: a place on each node.  is_empty: as if nothing ran.  Returns how
 * many. */
FAIRWAY_PUBLIC int32_t fairway_code_places(struct fairway_code *c, int32_t shape, int32_t n, int32_t is_empty);
/* Places of n tasks by a rule, of enum fairway_rule, each seeing those before; they are taken if there are so many. */
FAIRWAY_PUBLIC int32_t fairway_code_take(struct fairway_code *c, int32_t shape, int32_t n, int32_t rule);
/* A waiting task starts, or the n tasks of a gang that ask for the same: the places are taken as above, and it is
 * decided.  Returns how many places there are. */
FAIRWAY_PUBLIC int32_t fairway_code_start(struct fairway_code *c, int32_t job, int32_t task, int32_t rule,
    int32_t reason);
FAIRWAY_PUBLIC int32_t fairway_code_start_gang(struct fairway_code *c, int32_t job, int32_t n, int32_t rule,
    int32_t reason);
/* The node on which a task of the shape goes by FAIRWAY_BEST; -1: it fits on none. */
FAIRWAY_PUBLIC int32_t fairway_code_best(struct fairway_code *c, int32_t shape);
/* In the first place, the cards of one on this node; 1 or 0. */
FAIRWAY_PUBLIC int32_t fairway_code_fits(struct fairway_code *c, int32_t shape, int32_t node);
/* What is planned on a node changes: a task comes to hold what it asks (sign -1) or no longer (+1); cores and memory,
 * or engines, are taken or given back. */
FAIRWAY_PUBLIC void fairway_code_move(struct fairway_code *c, int64_t node, int64_t shape, int64_t cards,
    int64_t sign);
FAIRWAY_PUBLIC void fairway_code_free(struct fairway_code *c, int64_t node, int64_t cpu, int64_t mem);
FAIRWAY_PUBLIC void fairway_code_free_engine(struct fairway_code *c, int64_t node, int64_t engine, int64_t n);
FAIRWAY_PUBLIC int64_t fairway_code_reason(struct fairway_code *c, const char *text);
/* The name of a user (type 5) or queue (6) by its number: enum pol_name_type. */
FAIRWAY_PUBLIC const char *fairway_code_name(struct fairway_code *c, int64_t type, int64_t id);
/* A `query` of the protocol and its answer, until the next call; NULL: fairway_code_fail was called. */
FAIRWAY_PUBLIC const char *fairway_code_query(struct fairway_code *c, const char *line);
/* The first n words of block.out are decisions, before those that follow in the round. */
FAIRWAY_PUBLIC void fairway_code_say(struct fairway_code *c, int64_t n);
/* A line `decisions` of the protocol, from which FAIRWAY_OTHER takes one after the other. */
FAIRWAY_PUBLIC int fairway_code_decisions(struct fairway_code *c, const char *line);

/* ---- running ---- */

/* What will be run, known once all input is read. */
struct fairway_plan {
    const char *name, *database;
    uint64_t n_policies, n_seeds;
    uint32_t is_drawn;           /* something hangs on the seed; 0: all seeds give equal runs */
    uint32_t has_sweep;          /* the scenario has a sweep, which this does not run */
    uint32_t may_end_unfinished; /* it has a horizon, or jobs without end */
    uint32_t reserved;
};

struct fairway_progress {
    uint32_t run, n_runs; /* from 1 */
    const char *label;    /* "POLICY seed N" */
    uint64_t n_ended, n_jobs;
    int64_t now_us; /* simulated */
};

/* What a reader repaired or left out of a file, or what is not modelled of a policy's own. */
struct fairway_note {
    const char *of, *what;      /* of: the file's path, or the policy's label */
    uint64_t count, first_line; /* first_line 0: it is of no line */
};

/* A run that ended.  error NULL: done. */
struct fairway_result {
    const char *policy, *label;        /* label: "POLICY seed N" */
    const struct fairway_error *error; /* why it failed; what follows is 0 then */
    uint64_t seed, digest, n_done, n_unfinished, n_rejected, n_never_eligible, n_refused, n_arrived;
    uint64_t n_unlimited; /* jobs without a limit, under a policy that reads limits */
    uint64_t n_events;
    int64_t id; /* in the database */
    double wall_s;
    uint32_t is_scoreless, reserved; /* scores were asked for, and the policy tells none */
};

/* A decision that was applied, or what a policy says that it holds back; task, node: -1 where there is none. */
struct fairway_decision {
    int64_t at_us;
    const char *verb;
    uint64_t job;
    int64_t task, node;
    const char *reason;
};

/* All but size may be 0.  Callbacks come in the thread that runs, and their structs are theirs until they return. */
struct fairway_options {
    uint32_t size;
    uint32_t audit, strict, no_exec; /* as the options of `fairway run` */
    const char *database;            /* NULL: NAME.db after the scenario's name */
    const char *log;                 /* every event as a line of text, to this file */
    int64_t decide_timeout_us, policy_memory_b;
    const volatile sig_atomic_t *stop; /* once it is not 0 the run comes to an end: FAIRWAY_EINTR */
    void *ctx;
    void (*begin)(void *ctx, const struct fairway_plan *p);
    void (*progress)(void *ctx, const struct fairway_progress *p); /* some ten times a second */
    void (*note)(void *ctx, const struct fairway_note *n);
    void (*run)(void *ctx, const struct fairway_result *r);
    void (*decision)(void *ctx, const struct fairway_decision *d);
};

/*
 * Every policy under every seed, into the database.  A run with the key of one that is there replaces it.
 * FAIRWAY_EPOLICY: some failed, e tells of the first; the others are done.
 */
FAIRWAY_PUBLIC int fairway_run(struct fairway *f, const struct fairway_options *o, struct fairway_error *e);

/* ---- results: what is returned is freed with fairway_free; NULL with e filled ---- */

/*
 * `fairway compare`: format text, markdown, latex, csv or json; against: a policy, NULL the first; scope: NULL all;
 * metric [n_metrics]: 0 the usual ones.
 */
FAIRWAY_PUBLIC char *fairway_compare(const char *database, const char *format, const char *against, const char *scope,
                                     const char *const *metric, size_t n_metrics, struct fairway_error *e);
/* `fairway explain`: run is a number, or a label with /SEED; as_json 0: text. */
FAIRWAY_PUBLIC char *fairway_explain(const char *database, const char *run, const char *job, int as_json,
                                     struct fairway_error *e);

/* `fairway plot`, into a file of the kind that its name ends in.  run, from_us, to_us: -1, and others NULL: not
 * told. */
struct fairway_plot {
    uint32_t size, reserved;
    const char *metric, *scope, *base, *nodes, *scenario;
    int64_t run, from_us, to_us;
};
FAIRWAY_PUBLIC int fairway_plot(const char *database, const char *figure, const char *out, const struct fairway_plot *o,
                                struct fairway_error *e);

#ifdef __cplusplus
}
#endif
#endif
