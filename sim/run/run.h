/*
 * run.h -- one run: scenario x policy x seed, from trace to database.  Layer: run.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdio.h>
#include "host/sandbox.h"
#include "run/isolated.h"
#include "run/progress.h"
#include "base/hash.h"
#include "input/scenario/scenario.h"
#include "db/store.h"

struct run_env {
    struct scenario *scn;
    struct trace    *trace;         /* prepared for this seed */
    const struct isolated_times *isolated;      /* times of this seed's jobs alone; NULL: not asked for */
    struct store    *store;
    FILE            *log;           /* event log; NULL: none */
    struct progress *progress;
    bool             quiet;
    struct sandbox_limits limits;      /* on policies that are not of this program */
};

struct run_result {
    int64_t  id;
    char     key[HASH_HEX];
    uint64_t digest, n_done, n_unfinished, n_rejected, n_events;
    double   wall_s;
};

/*
 * Run it and write it.  ST_OK: done; ST_EPOLICY and ST_EWORLD: the run is in
 * the database as failed; ST_EINTR: as interrupted; ST_EINPUT: a mistake in
 * the input, nothing is left of the run.  A policy of a shared object runs,
 * with all of its run, in a process of its own (host/sandbox.h); the store's connection
 * is closed and opened again.
 */
enum st run_one(const struct run_env *env, const struct scn_policy *policy, uint64_t seed,
                struct run_result *out, struct diag *d);

/* Who a policy is, in a run's row and key. */
struct run_policy {
    char *spec;                 /* with every parameter */
    char *source;               /* and the digest of its file, if it is from one */
    char  identity[HASH_HEX];   /* a policy of a file: its bytes and parameters, wherever the file lies */
    bool  is_clairvoyant, by_count;
};
/* Found by creating it with the scenario's weights, once, in a sandbox if it is not of this program.  p is one
 * of s; where it was given no label it takes the name that it gives itself. */
enum st run_policy_find(struct run_policy *out, struct scenario *s, struct scn_policy *p,
                        const struct sandbox_limits *limits, struct diag *d);
void    run_policy_fini(struct run_policy *p);

/* The row of a run; it borrows from the members here, from the scenario and from the policy. */
struct run_row { struct store_run row; char key[HASH_HEX], trace_hash[17]; };
void run_describe(struct run_row *out, const struct scenario *s, uint64_t content_hash, const struct run_policy *who,
                  const char *label, uint64_t seed);

/* Check every policy spec of the scenario before anything runs, and that no two are the same: ST_EINPUT, or ST_EPOLICY when one
 * cannot even be created.  A policy that names itself gives its label. */
enum st run_check_policies(struct scenario *s, const struct sandbox_limits *limits, struct diag *d);

/* Ctrl-C asks the run to stop at the next instant. */
void run_catch_interrupt(void);
bool run_is_interrupted(void);

#endif
