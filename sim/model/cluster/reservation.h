/*
 * reservation.h -- what a policy keeps aside for a job, stage by stage, and lends.
 * Layer: model.
 *
 * The policy says what it reserves (world_reserve, at every stage's start) and
 * who borrows of it (world_lend); the world keeps the books.  Invariant, in
 * every resource: need + lent + idle = reserved with idle >= 0, and the job's
 * own tasks hold at most need.  A word that would break it is refused.
 *
 * O(kinds of licences) each.
 */
#ifndef MODEL_CLUSTER_RESERVATION_H
#define MODEL_CLUSTER_RESERVATION_H

#include "model/cluster/shape.h"

struct world;

/* Cores and cards in thousandths, licences in pieces. */
struct amount { int64_t cpu_milli, gpu_milli, licence[LICENCES_MAX]; };

/* A job enters a stage.  All zero reserved: the reservation is given up. */
struct stage_entry {
    uint32_t stage;
    struct amount reserved;
    struct amount need;         /* of the stage */
    struct amount lendable;     /* reserved - need */
    struct amount usable;       /* what was there for the stage before anything was taken back */
    struct amount reclaimed;    /* what was taken back for it */
};

/* Of one job. */
struct reserve {
    uint64_t no;                /* never reused: names it to its borrowers */
    uint32_t stage;
    struct amount reserved, need, used, lent;
};

struct reserve_sum { struct amount reserved, used, lent; };     /* over all jobs, now */

/* Each NULL, or why it is refused (a static string) with nothing changed. */
const char *world_reserve(struct world *w, uint32_t job, const struct stage_entry *s);
/* The running task borrows its cores and cards from the job's reservation, and its licences if `licences`. */
const char *world_lend(struct world *w, uint32_t task, uint32_t job, bool licences);

/* For the world: a task has taken, or is about to give back, what it holds; the job has ended. */
void reserve_took(struct world *w, uint32_t task);
void reserve_gives(struct world *w, uint32_t task);
void reserve_end(struct world *w, uint32_t job);
/* The reservation in which the task runs as a borrower; NULL: none. */
struct reserve *reserve_lender(const struct world *w, uint32_t task);
void reserve_audit(const struct world *w);

#endif
