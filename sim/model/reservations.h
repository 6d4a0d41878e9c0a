/*
 * reservations.h -- the books of what a policy keeps aside for a job, stage by
 * stage, and lends.  Layer: model.
 *
 * Invariant, in every resource: need + lent + idle = reserved with idle >= 0, and
 * the job's own tasks hold at most need; all that is reserved is at most what the
 * cluster has.  What would break it is refused.
 *
 * O(licences) each, but for the audit.
 */
#ifndef MODEL_RESERVATIONS_H
#define MODEL_RESERVATIONS_H

#include "model/cluster/cluster.h"
#include "model/job.h"

/* Cores and cards in thousandths, licences in pieces. */
struct reservations_amount { int64_t cpu_milli, gpu_milli, licence[LICENCES_MAX]; };

/* A job enters a stage.  All zero reserved: the reservation is given up. */
struct reservations_stage {
    uint32_t stage;
    struct reservations_amount reserved;
    struct reservations_amount need;         /* of the stage */
    struct reservations_amount lendable;     /* reserved - need */
    struct reservations_amount usable;       /* what was there for the stage before anything was reclaimed */
    struct reservations_amount reclaimed;    /* for it */
};

/* Of one job (job.reservation). */
struct reservation {
    uint64_t no;                /* never reused: names it to its borrowers */
    struct reservations_amount reserved, need, used, lent;
};

/* What a running task borrows (task.loan): of that reservation of the job, if it still has it. */
struct reservations_loan { uint32_t job; uint64_t no; struct reservations_amount amount; };

struct reservations_sum { struct reservations_amount reserved, used, lent; };     /* over all jobs, now */

struct reservations {
    const struct cluster *cluster;      /* borrowed, as the next */
    struct job_table *jobs;
    struct reservations_sum sum;
    uint64_t n_begun;
};

/* Each returns POL_OK, or why it is refused with nothing changed.  Jobs and tasks are live ones. */
enum pol_refusal reservations_enter(struct reservations *r, uint32_t job, const struct reservations_stage *s);
/* The running task borrows so much of what it holds (NULL: all) from the job's reservation. */
enum pol_refusal reservations_lend(struct reservations *r, uint32_t task, uint32_t job,
                                   const struct reservations_amount *part);

/*
 * The task, whose job has a reservation, holds its allocation now; a task of such a job, or one that borrows, is about
 * to be released.
 */
void reservations_allocated(struct reservations *r, uint32_t task);
void reservations_releasing(struct reservations *r, uint32_t task);
/* The job ended. */
void reservations_end(struct reservations *r, uint32_t job);

/* The reservation in which the task runs as a borrower; NULL: none. */
struct reservation *reservations_lender(const struct job_table *jobs, uint32_t task);
/* O(jobs with a reservation x tasks): the invariant and every sum; stops the program when one fails. */
void reservations_audit(const struct reservations *r);

#endif
