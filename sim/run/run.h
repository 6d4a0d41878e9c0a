/*
 * run.h -- one run: scenario x policy x seed, from trace to database.  Layer: run.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <signal.h>
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
    struct sandbox_limits limits;      /* on policies that are not of this program */
    const volatile sig_atomic_t *stop; /* once it is not 0 the run ends as interrupted; NULL: nobody asks */
    /* Told of every decision, as host_hooks.decision is, whether the scenario has them recorded or not; or NULL. */
    void (*decision)(void *ctx, sim_tick at, const char *verb, uint64_t job, int64_t task, int64_t node, const char *reason);
    void *decision_ctx;
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

/* For a program: from now on Ctrl-C sets the flag, the process's own, that run_env.stop can be. */
void run_catch_interrupt(void);
const volatile sig_atomic_t *run_interrupt(void);
bool run_is_interrupted(void);

#endif
