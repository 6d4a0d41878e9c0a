/*
 * slurm_cmd.h -- Slurm's commands, as a sweep uses them.  Layer: sweep.
 *
 * Every call is given a minute and then killed.  Jobs are known by their name,
 * a hash of the folder of shards: so a sweep finds the jobs that an earlier one,
 * killed, left behind, and no other job of the user.
 */
#ifndef SWEEP_SLURM_CMD_H
#define SWEEP_SLURM_CMD_H

#include "sweep/slurm.h"

struct slurm_cmd {
    const struct grid *grid;            /* borrowed */
    const struct slurm_opts *opts;      /* borrowed */
    char  *dir, *cwd;                   /* the folder of shards, and where tasks start: absolute */
    char   name[32];                    /* of the jobs */
    size_t array_max;                   /* tasks of one array */
    uint32_t n_lists;
};

/* Find out what the cluster allows; cancel what an earlier sweep left. */
enum st slurm_cmd_begin(struct slurm_cmd *s, const struct grid *g, const struct slurm_opts *o, const char *dir, struct diag *d);
void    slurm_cmd_fini(struct slurm_cmd *s);

/* Write the keys of these runs into a new list in the folder. */
enum st slurm_cmd_list(struct slurm_cmd *s, const struct grid *g, const size_t *run, size_t n, struct diag *d);
/* An array of n tasks, 0..n-1, that do tasks first.. of the last list. */
enum st slurm_cmd_send(struct slurm_cmd *s, size_t first, size_t n, uint64_t *job, struct diag *d);

/* The tasks of this sweep that the queue holds.  is_ending: its script is over. */
struct slurm_queue { struct { uint64_t job, index; bool is_running, is_ending; } *at; size_t n, cap; };
enum st slurm_cmd_queue(const struct slurm_cmd *s, struct slurm_queue *q, struct diag *d);
void    slurm_cmd_queue_fini(struct slurm_queue *q);

/* All of the sweep's jobs; one task.  Failing to is no error: what counts is the shards. */
void    slurm_cmd_cancel(const struct slurm_cmd *s);
void    slurm_cmd_cancel_task(uint64_t job, uint64_t index);
/* Remove lists, scripts and logs from the folder. */
void    slurm_cmd_clean(const char *dir);

#endif
