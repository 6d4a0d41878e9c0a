/*
 * refkueue_priv.h -- what refkueue.c (the cycle) and refkueue_room.c (whose quota is whose, who makes room) share.
 */
#ifndef REFKUEUE_PRIV_H
#define REFKUEUE_PRIV_H

#include "ref/refplan.h"

enum {
    FLAVORS = REF_KQ_FLAVORS,
    RES = REF_KQ_RESOURCES,
    PODS = 3,
    POOLS = REF_KQ_COHORTS + REF_KQ_QUEUES,
    ALL = REF_JOBS * REF_TASKS
};

enum where { NOWHERE, WAITS, BACKS_OFF, STRANDED, ADMITTED, RUNS, EVICTED };
enum fit { NO_FIT, NO_CANDIDATES, PREEMPT, RECLAIM, FIT };

struct workload {
    enum where where;
    int queue, priority, evictions; /* queue: index of its pool */
    sim_tick stamp, reserved, until;
    int flavor[REF_TASKS][RES], tried[REF_TASKS][RES];
    int64_t use[FLAVORS][RES];
    long tried_at;
    bool out; /* taken out for a search */
};

struct ref_kq {
    struct workload of[REF_JOBS][REF_TASKS];
    struct {
        int queue, priority;
        struct ref_unit like;
    } parked[ALL];
    int n_parked;
    struct ref_unit sticky[POOLS]; /* job -1: none */
    long generation[POOLS];
    int64_t extra[POOLS][FLAVORS][RES];
    sim_tick woken_at, asks;
    bool held_back;
};

struct deciding {
    struct ref_world *w;
    struct ref_kq *k;
    const struct ref_kueue *p;
    struct ref_ledger l;
    struct ref_plan *out;
};

/* So much of pairs, of which `need` are short. */
struct demand {
    struct ref_unit u;
    int queue;
    int64_t n[FLAVORS][RES];
    bool need[FLAVORS][RES];
};

static inline struct workload *of(const struct deciding *d, struct ref_unit u) { return &d->k->of[u.job][u.task]; }
static inline bool is_same(struct ref_unit a, struct ref_unit b) { return a.job == b.job && a.task == b.task; }
static inline const struct ref_kq_queue *queue_of(const struct deciding *d, int pool)
{
    return &d->p->queue[pool - d->p->n_cohorts];
}
static inline int n_pools(const struct deciding *d) { return d->p->n_cohorts + d->p->n_queues; }
static inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

static inline int units(const struct deciding *d, enum where where, int queue, struct ref_unit *out)
{
    int n = 0;
    for (int j = 0; j < d->w->n_arrived; j++)
        for (int t = 0; t < (d->w->job[j].gang ? 1 : d->w->job[j].n); t++)
            if (d->k->of[j][t].where == where && (queue < 0 || d->k->of[j][t].queue == queue))
                out[n++] = (struct ref_unit){ .job = j, .task = t };
    return n;
}

/* ---- refkueue_room.c ---- */

/* Of a pool, in a flavor's resource: the quota, what is used of it, what is free with what may be borrowed, and what
 * could ever be; how far up the cohorts it borrows n, and whether below its nominal quota. */
int64_t ref_kq_nominal(const struct deciding *d, int pool, int f, int r);
int64_t ref_kq_used(const struct deciding *d, int pool, int f, int r);
int64_t ref_kq_available(const struct deciding *d, int pool, int f, int r);
int64_t ref_kq_potential(const struct deciding *d, int pool, int f, int r);
int ref_kq_borrow_height(const struct deciding *d, int queue, int f, int r, int64_t n, bool *below);
/* The cohort at the top of a pool's tree. */
int ref_kq_root_of(const struct deciding *d, int pool);
/* For fair sharing: how much a pool has borrowed, weighed. */
int64_t ref_kq_share(const struct deciding *d, int pool);
/* Who is to be stopped for the demand, into go [ALL]; how many. */
int ref_kq_room_for(struct deciding *d, const struct demand *q, struct ref_unit *go);

#endif
