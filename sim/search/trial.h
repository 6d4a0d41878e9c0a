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

enum trial_phase { TRIAL_MIDDLE, TRIAL_END, TRIAL_SAMPLE, TRIAL_SIMPLEX, TRIAL_FRESH, TRIAL_SIZE, TRIAL_RACE };
enum { TRIAL_PHASES = TRIAL_RACE + 1 };
extern const char *const trial_phase_name[];

/* Does a size keep its promises; how a race went for a set.  OPEN: it cannot be told. */
enum trial_verdict { TRIAL_OPEN, TRIAL_KEPT, TRIAL_BROKEN, TRIAL_BEST, TRIAL_BEATEN };
extern const char *const trial_verdict_name[];

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

    /* Of sizes and races, whose sets are judged by intervals. */
    size_t   n_met;             /* seeds */
    double **by_seed;           /* [targets->n][n_met] */
    struct stats_ci *ci; /* [targets->n] at `level`, by seeds, or by batches of the one run where no seed counts */
    double   level;
    enum trial_verdict verdict;
    const struct trial_set *by; /* of a beaten one: the set that is better, and by how much: its own less that one's */
    struct stats_ci diff;       /* by seeds paired, of the first objective */
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
/* Its intervals at this level: by Student's t, of tails by stats_skew. */
void trial_intervals(const struct trial *t, struct trial_set *x, double level);
/* Does every variable that is a parameter have a policy that is run? */
enum st trial_check_params(const struct trial *t, struct diag *d);
/* Only read and check the scenarios of a set.  An error is told at the variable without which there would be none. */
enum st trial_check(const struct trial *t, struct trial_set *x, struct diag *d);

#endif
