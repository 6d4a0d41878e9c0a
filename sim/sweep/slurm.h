/*
 * slurm.h -- a sweep on a Slurm cluster, through Slurm's own commands.  Layer: sweep.
 *
 * sbatch sends the missing runs as job arrays whose tasks are this program
 * again (`fairway sweep --list ... --task K`) and leave shards in the shared
 * folder; squeue says which tasks are still about; scancel ends them.  What
 * counts is the shards alone: a run whose task is gone without one is sent
 * again, at most `retries` times.
 */
#ifndef SWEEP_SLURM_H
#define SWEEP_SLURM_H

#include "sweep/results.h"

struct slurm_opts {
    size_t   per_task;          /* runs of one array task */
    int64_t  deadline_us;       /* of a task's running time; 0: none */
    uint32_t retries;
    const char *const *opts; size_t n_opts;     /* for sbatch */
};

/* Results as of local_run.  Interrupted, it cancels its jobs; shards that are whole are merged. */
enum st slurm_run(struct results *results, const struct slurm_opts *o, struct diag *d);

/* Of a sweep that is done, whoever did it: what it had sent and the logs go, unless a run failed. */
void slurm_clean(const struct results *results);

/* What an array task does: the runs of keys number task·per_task and on in the list, a key a line. */
enum st slurm_task(const struct grid *g, const char *dir, const char *list, uint64_t task, size_t per_task, struct diag *d);

#endif
