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
    uint64_t digest, n_done, n_unfinished, n_rejected, n_never_eligible, n_refused, n_events, n_arrived;
    uint64_t n_unlimited;       /* jobs without a limit, under a policy that reads limits */
    bool     is_scoreless;      /* scores were asked for, and the policy tells none */
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

/* Ctrl-C asks the run to stop at the next instant. */
void run_catch_interrupt(void);
bool run_is_interrupted(void);

#endif
