/*
 * round.h -- reader of scheduling rounds (.inst) and of sequences of
 * changes to one (.seq), the forms described in policies/lib/flow/README.md.
 * Layer: input.
 *
 * Sizes are KiB, rates KiB/s, memory MB, costs microseconds.
 */
#ifndef INPUT_FLOW_ROUND_H
#define INPUT_FLOW_ROUND_H

#include "base/diag.h"

struct flow_round {
    int64_t b_rack, b_switch;           /* KiB/s */
    int64_t a1, a2;                     /* thousandths */
    int64_t alpha;                      /* us: the whole cost of leaving a task unscheduled */
    uint32_t n_racks, n_nodes, n_gpus, n_jobs, n_tasks;
    uint32_t *rack;                     /* [n_nodes] */
    int64_t  *disk;                     /* [n_nodes] > 0 */
    uint32_t *gpu_node;                 /* [n_gpus] */
    int64_t  *gpu_mem;                  /* [n_gpus] */
    uint32_t *job_n, *job_share;        /* [n_jobs] N_j and A_j */
    uint32_t *task_job;                 /* [n_tasks] */
    int64_t  *size, *mem;               /* [n_tasks] */
    uint32_t *rep;                      /* replica nodes of task t: rep[rep0[t] .. rep0[t+1]) */
    size_t   *rep0;                     /* [n_tasks + 1] */
};

/* Every id must appear once, in any order, and what it names must be there. */
enum st flow_round_read(struct flow_round *f, const char *path, struct diag *d);
void    flow_round_fini(struct flow_round *f);

/* Costs of a task's transfer; they fit 2^50, which reading has checked. */
int64_t flow_round_local(const struct flow_round *f, uint32_t task, uint32_t node);
int64_t flow_round_rack(const struct flow_round *f, uint32_t task);
int64_t flow_round_cross(const struct flow_round *f, uint32_t task);

enum flow_what { FLOW_TASK_GOES, FLOW_TASK_COMES, FLOW_GPU_GOES, FLOW_GPU_COMES, FLOW_SHARE };
struct flow_change { uint32_t what, id, share; };

/* One round after the other: call flow_seq_next until ST_END. */
struct flow_seq;
struct flow_seq_round {
    uint32_t number, line;              /* line: of 'round' */
    const struct flow_change *change;   /* [n] valid until the next call */
    size_t   n;
    bool     has_opt;
    int64_t  flow, cost;                /* the optimum that the file states */
};
enum st flow_seq_open(struct flow_seq **out, const char *path, const struct flow_round *base, struct diag *d);
enum st flow_seq_next(struct flow_seq *s, struct flow_seq_round *out, struct diag *d);
void    flow_seq_close(struct flow_seq *s);     /* NULL is fine */

#endif
