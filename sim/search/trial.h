/*
 * trial.h -- sets of values tried: their runs, made by the sweep's machinery, and what
 * came of them.  Layer: search.
 *
 * A batch of sets is, for each scenario, a sweep with a case a set
 * (`sweep: {cases: ...}`), of the policies that are asked for alone, with the same
 * seeds for every set.  So runs that the database holds are not made again, and those
 * that sets have in common are made once.
 */
#ifndef SEARCH_TRIAL_H
#define SEARCH_TRIAL_H

#include "search/target.h"
#include "sweep/slurm.h"

enum trial_phase { TRIAL_MIDDLE, TRIAL_END, TRIAL_SAMPLE, TRIAL_SIMPLEX, TRIAL_FRESH };
extern const char *const trial_phase_name[];

struct trial_set {
    size_t  number, of;         /* from 1; of a fresh one, the set that it judges again, else 0 */
    enum trial_phase phase;
    double *at;                 /* [n_variables] in the unit cube */
    char  **value;              /* [n_variables] */
    double *ours;               /* [targets->n] */
    double  objective, excess;
    uint64_t digest;            /* of every event of its runs */
    struct compare_run *run; size_t n_runs, cap_runs;   /* names borrowed from the targets */
    char   *error;              /* why it has no objective; NULL: it has */
};

struct trial_opts {
    struct grid_opts grid;      /* scenario and set of the search's; the rest is for all runs */
    uint32_t n_workers;
    const struct slurm_opts *slurm;     /* NULL: on this machine */
    bool quiet;
};

struct trial {
    const struct search_spec *spec;
    const struct targets *targets;
    const struct trial_opts *opts;
    struct store *store;
    const char *shards;
};

struct trial_set *trial_set_create(const struct trial *t, enum trial_phase phase, const double *at);
void   trial_set_destroy(const struct trial *t, struct trial_set *x);

/* Runs of one set. */
size_t trial_n_runs(const struct trial *t, size_t n_seeds);
/* Make the runs of these sets with these seeds, and fill in what came of them.  A set whose run fails has an error. */
enum st trial_do(const struct trial *t, struct trial_set *const *set, size_t n, const uint64_t *seed, size_t n_seeds,
                 struct diag *d);
/* Does every variable that is a parameter have a policy that is run? */
enum st trial_check_params(const struct trial *t, struct diag *d);
/* Only read and check the scenarios of a set.  An error is told at the variable without which there would be none. */
enum st trial_check(const struct trial *t, struct trial_set *x, struct diag *d);

#endif
