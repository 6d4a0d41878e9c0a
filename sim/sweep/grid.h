/*
 * grid.h -- the runs of a sweep, each with its key, before any of them runs.  Layer: sweep.
 *
 * A run has its place, (case · n_seeds + seed) · n_policies + policy: the order in
 * which `fairway run` would do them one case after another.  Cases that are listed
 * one by one may have runs in common, as when they differ in a parameter of one
 * policy: such a run is there once, in its first place.  The key needs no look
 * at the trace but its hash, so a plan costs a read of each trace file and a
 * read of each case.
 */
#ifndef SWEEP_GRID_H
#define SWEEP_GRID_H

#include "run/run.h"
#include "run/run_policy.h"
#include "input/scenario/sweep.h"

struct grid_opts { const char *scenario; const char *const *set; size_t n_set; bool strict, audit, is_plan; struct sandbox_limits limits; };       /* is_plan: start no command of a policy */

struct grid_policy { char *label; struct run_policy who; };
struct grid_case {
    char *name, *title, *variant, *text, *trace_path;
    struct grid_policy *policy;     /* [n_policies] */
    bool has_horizon, is_drawn;     /* stops at a time; something hangs on the seed */
    uint32_t multi_from;
};
/* group: of the runs of one case and seed, case · n_seeds + seed. */
struct grid_run { uint32_t kase, policy, group; uint64_t seed; char key[HASH_HEX], trace_hash[17]; };

struct grid {
    struct grid_opts opts;          /* borrowed */
    struct sweep sweep;
    struct grid_case *at;           /* [sweep.n_cases] */
    struct grid_run  *run; size_t n;
    uint32_t *by_key;               /* [n] runs in the order of their keys */
    uint32_t *run_at;               /* [n_groups · n_policies] the run of each place */
    size_t *group_at, n_groups;     /* [n_groups + 1] the first run of each group, then n */
    size_t n_policies, n_seeds;     /* the same in every case */
};

enum { GRID_RUNS_MAX = 1000000 };

/* Read and check every case, find every key.  ST_EINPUT for a mistake anywhere, and for two runs that are the same. */
enum st grid_load(struct grid *g, const struct grid_opts *o, struct diag *d);
void    grid_fini(struct grid *g);

/* A case as a scenario, with the options of the sweep. */
enum st grid_scenario(const struct grid *g, uint32_t kase, struct scenario *out, struct diag *d);
/* The run's row in a database; borrowed from the grid. */
void    grid_row(const struct grid *g, size_t i, struct store_run *row);
/* "CASE  POLICY seed N", for people. */
const char *grid_label(const struct grid *g, size_t i, char *buf, size_t cap);
/* The run with this key; g->n when there is none.  O(log n). */
size_t  grid_find(const struct grid *g, const char *key);

#endif
