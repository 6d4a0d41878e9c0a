/*
 * elastic.h -- elastic jobs to whom a policy gives places all at once, at multiples of a time.
 *
 *   create:  elastic_open(&e, host, every)
 *   decide:  if (!elastic_look(&e, v, ev, n_ev)) return;         nothing to decide now
 *            for each e.job [e.n_jobs], in order of arrival: want and to [want], elastic_place or by itself
 *            elastic_apply(&e, reason)
 *
 * Between the two the plan is the policy's: outside them it equals the view, with what the jobs hold taken.
 * A job that is not elastic fails the run, and names what it lacks.
 */
#ifndef POL_LIB_SCHED_ELASTIC_H
#define POL_LIB_SCHED_ELASTIC_H

#include "lib/elastic/types.h"
#include "lib/util.h"

struct elastic_job {
    pol_job  job;
    pol_task task;                      /* its first */
    uint64_t ordinal;
    int64_t  submit_us;
    uint32_t shape, gpus;               /* of each task */
    uint32_t min, max;                  /* tasks */
    uint32_t gpu_type;                  /* where its first task runs; POL_NONE */
    struct pol_place *at; size_t cap_at;        /* [has] where its tasks run */
    struct pol_place *to; size_t cap_to;        /* [want] where they shall */
    uint32_t has, want;
    uint32_t n_changes;                 /* allocations that it was given */
    int64_t  service;                   /* us x GPUs, so far */
    int64_t  left;                      /* us at nominal speed; -1: the policy is not clairvoyant */
    void    *own;                       /* the policy's; NULL at first, freed with the job by `forget` */
};

struct elastic {
    const struct pol_host *host;
    const struct pol_elastic *ext;
    struct plan plan;
    struct elastic_job *job; size_t n_jobs, cap_jobs;
    int64_t  every, now, seen, asked;   /* us; asked: the wake */
    struct elastic_types types;         /* as the view is */
    uint32_t n_gpus;                    /* of all nodes that are up */
    void   (*forget)(void *own);        /* NULL: free */
};

/* every: decisions are at its multiples alone, above 0. */
void elastic_open(struct elastic *e, const struct pol_host *host, int64_t every);
void elastic_close(struct elastic *e);
/* Take in what happened.  True: it is time to decide, and there are jobs.  want is what a job has, to where it is. */
bool elastic_look(struct elastic *e, const struct pol_view *v, const struct pol_event *ev, size_t n_ev);

/* Of types.h, for a job here. */
struct elastic_sized elastic_sized(const struct elastic *e, const struct elastic_job *j);
/* Time that a start of it takes where it runs; of a job that waits, on the first of the types. */
int64_t elastic_restart_us(const struct elastic *e, const struct elastic_job *j);

/* In the plan: what the job holds is free; what it shall hold is taken. */
void elastic_release(struct elastic *e, const struct elastic_job *j);
/*
 * Places for `want` tasks on GPUs of the type, filled into j->to and taken in the plan: always on the node with most
 * free GPUs, as many as go there (first of equals).  False: there is no room, and the plan is as it was.
 */
bool elastic_place(struct elastic *e, struct elastic_job *j, uint32_t gpu_type);
/* It shall stay where it is, which elastic_release has freed; taken in the plan.  False: not so. */
bool elastic_stay(struct elastic *e, struct elastic_job *j);

/*
 * Make it so: who shall have nothing stops, then whoever can moves, until all did; of those that wait for each
 * other's places one stops first.  Where there is no room for all of them together, who moves stays instead, or has the
 * next smaller size on which it runs.  If nothing runs even so, the first job for which there is room starts at its
 * least size; and where none has, the policy is not woken before something happens.
 * The plan must be as elastic_look left it.  O(changes^2 + changes x places).
 */
void elastic_apply(struct elastic *e, const char *reason);

#endif
