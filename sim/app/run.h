/*
 * run.h -- one run: scenario x policy x seed, from trace to database.  Layer: app.
 */
#ifndef SIM_RUN_H
#define SIM_RUN_H

#include <stdio.h>
#include "app/cage.h"
#include "app/ideal.h"
#include "app/progress.h"
#include "io/scn.h"
#include "out/store.h"

struct run_env {
    struct scenario *scn;
    struct trace    *trace;         /* prepared for this seed */
    const struct ideal *ideal;      /* of this seed's jobs; NULL: not asked for */
    struct store    *store;
    FILE            *log;           /* event log; NULL: none */
    struct progress *progress;
    bool             quiet;
    struct cage_limits limits;      /* on policies that are not of this program */
};

struct run_result {
    int64_t  id;
    uint64_t digest, n_done, n_unfinished, n_rejected, n_events;
    double   wall_s;
};

/*
 * Run it and write it.  ST_OK: done; ST_EPOLICY and ST_EWORLD: the run is in
 * the database as failed; ST_EINTR: as interrupted; ST_EINPUT: a mistake in
 * the input, nothing is left of the run.  A policy of a shared object runs,
 * with all of its run, in a process of its own (cage.h); the store's connection
 * is closed and opened again.
 */
enum st run_one(const struct run_env *env, const struct scn_policy *policy, uint64_t seed,
                struct run_result *out, struct diag *d);

/* Check every policy spec of the scenario before anything runs: ST_EINPUT, or ST_EPOLICY when one
 * cannot even be created.  A policy that names itself gives its label. */
enum st run_check_policies(struct scenario *s, const struct cage_limits *limits, struct diag *d);

/* Ctrl-C asks the run to stop at the next instant. */
void run_catch_interrupt(void);

#endif
