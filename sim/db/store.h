/*
 * store.h -- the SQLite file of results.  Layer: db.
 *
 * A run is written under status 'running' in batches of one transaction each
 * and becomes 'done' or 'failed' in the last one, so that killing the program
 * at any moment leaves a readable file in which every finished run is whole.
 * The schema is sim/db/schema.sql; its words are explained in
 * results/README.md.
 *
 * A run ends up 'done' only if every row of it was written: after the first
 * failure each further call returns that failure again, until the next
 * store_run_begin.  One run is written at a time.
 *
 * Every function returns ST_EWORLD with d filled when SQLite fails (disk full,
 * locked, not a Fairway file...).  Strings are borrowed for the call.  A row
 * costs about a microsecond and a half.
 *
 * Rollback journal, not WAL: between runs the file is one file, to be copied
 * as it is; rows are appended, so the journal stays small and each page is
 * written once, where WAL writes it twice.
 */
#ifndef DB_STORE_H
#define DB_STORE_H

#include "base/diag.h"
#include "model/cluster/shape.h"

struct store;

/* Create or open for writing; refuses another program's database (application_id) and other schema versions. */
enum st store_open(struct store **out, const char *path, struct diag *d);
/*
 * Create a part: a new file for one run, to be renamed when it is whole and
 * merged (merge.h).  Nothing waits for the disk: before the renaming the
 * caller does.
 */
enum st store_open_part(struct store **out, const char *path, struct diag *d);
/* Open for reading only. */
enum st store_open_read(struct store **out, const char *path, struct diag *d);
void    store_close(struct store *s);
struct sqlite3 *store_db(struct store *s);      /* borrowed, for queries */
/*
 * A connection must not be carried across a fork.  Leave the file before it,
 * outside of a run, and return to it on either side; nothing but these and
 * store_close may be called in between.  A run begun by another process is
 * ended here with store_run_end, as one's own is.
 */
void    store_leave(struct store *s);
enum st store_return(struct store *s, struct diag *d);
/* What SQLite last said of this file, as an error in words. */
enum st store_failed(struct store *s, struct diag *d);

struct store_run {
    const char *key;            /* 32 hex digits: hash of scenario, trace, policy, seed, version */
    const char *scenario, *title, *scenario_text, *trace_path, *trace_hash;
    const char *variant;        /* what was set in the scenario; NULL: nothing */
    const char *policy;         /* label */
    const char *policy_spec;    /* name with every parameter, defaults included */
    const char *policy_source;
    uint64_t    seed;
    int64_t     id;             /* the row's; 0: the next free one */
    bool        clairvoyant;
    bool        by_count;       /* the policy counts cards (POL_BY_COUNT) */
};

enum store_status { STORE_DONE, STORE_FAILED, STORE_INTERRUPTED };

/* Is there a finished run with this key? */
enum st store_has_run(struct store *s, const char *key, bool *yes, struct diag *d);
/* Begin: removes an unfinished or finished run of the same key. */
enum st store_run_begin(struct store *s, const struct store_run *r, int64_t *run_id, struct diag *d);
enum st store_run_end(struct store *s, int64_t run, enum store_status st, uint64_t digest,
                      const char *message, double wall_s, struct diag *d);

struct store_job {
    uint64_t ordinal;
    const char *id, *user, *queue, *klass, *model, *status;     /* queue, model may be NULL */
    int64_t submit_us, start_us, end_us;        /* start, end: -1 never */
    int64_t nominal_us, limit_us, lost_us;
    int64_t cpu_milli, gpu_milli;
    uint32_t n_tasks, n_gpu, n_preempted, n_failed;
    int64_t ideal_whole_us, ideal_share_us;     /* run alone on all GPUs, on 1/m of them; -1: unknown */
    double  rho;                /* finish-time fairness; NaN when not defined */
    int64_t stage_wait_us;      /* between its stages; -1: it has none */
    bool    counted;            /* neither warm-up nor cool-down: job metrics include it */
};
enum st store_job(struct store *s, int64_t run, const struct store_job *j, struct diag *d);

struct store_attempt {          /* one stay of a task on a node */
    uint64_t job_ordinal; uint32_t task, attempt, node; uint64_t cards;
    int64_t start_us, end_us; const char *outcome; bool is_short;
    int64_t lender;             /* ordinal of the job in whose reservation it began as a borrower; -1: none */
};
enum st store_attempt(struct store *s, int64_t run, const struct store_attempt *a, struct diag *d);
/* One call of a task; home, node: indices. */
struct store_call {
    uint64_t job_ordinal; uint32_t task, call, home, node;
    const char *engine, *api;
    int64_t start_us, end_us, exec_us, way_us;
    bool done;
};
enum st store_call(struct store *s, int64_t run, const struct store_call *c, struct diag *d);
/* Bytes that a job's tasks read, and those moved in vain, at a level (local, rack, cross). */
enum st store_transfer(struct store *s, int64_t run, uint64_t job_ordinal, const char *level, int64_t read_b, int64_t vain_b,
                       struct diag *d);
/* A workflow's reservation of one resource when it enters a stage (from 1). */
struct store_stage { const char *resource; uint64_t job_ordinal; uint32_t stage; int64_t at_us; double reserved, need, lendable, usable, reclaimed; };
enum st store_stage(struct store *s, int64_t run, const struct store_stage *x, struct diag *d);
enum st store_series(struct store *s, int64_t run, int64_t at_us, const char *name, double value, struct diag *d);
enum st store_metric(struct store *s, int64_t run, const char *name, const char *scope, double value, const char *unit, struct diag *d);
/* A number of the machine and the day (seconds this run took...), kept apart from what is deterministic. */
enum st store_wall(struct store *s, int64_t run, const char *name, double value, const char *unit, struct diag *d);
enum st store_note(struct store *s, int64_t run, int64_t at_us, const char *name, double value, struct diag *d);
enum st store_decision(struct store *s, int64_t run, int64_t at_us, const char *verb, uint64_t job_ordinal,
                       int64_t task, int64_t node, const char *why, struct diag *d);   /* task, node: -1 none */
enum st store_repair(struct store *s, int64_t run, const char *what, uint64_t count, uint32_t first_line, struct diag *d);
/* Names of nodes, for charts: once a run. */
enum st store_node(struct store *s, int64_t run, uint32_t node, const char *name, const char *rack,
                   const char *gpu_type, uint32_t n_gpu, int64_t cpu_milli, int64_t mem_b, struct diag *d);
struct node;
struct card;
/* What a later replay of the ledger needs; see schema.sql.  card: the node's first. */
enum st store_request(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task0, bool is_gang, const struct shape *q,
                      struct diag *d);
enum st store_cores(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task, uint32_t attempt, uint64_t seq, int64_t at_us,
                    int64_t cpu_milli, struct diag *d);
enum st store_capability(struct store *s, int64_t run, uint32_t node, const struct node *n, const struct card *card, struct diag *d);
enum st store_word(struct store *s, int64_t run, const char *kind, uint32_t bit, const char *name, struct diag *d);
enum st store_outage(struct store *s, int64_t run, uint32_t node, int64_t down_us, int64_t up_us, struct diag *d);
enum st store_phase(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task, uint64_t seq, int64_t at_us, const char *phase,
                    struct diag *d);

#endif
