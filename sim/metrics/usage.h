/*
 * usage.h -- who used how much for how long: exact integrals over time, for
 * the cluster and for each user.  Layer: metrics.
 *
 * The cluster's state is constant between instants, so an integral is folded
 * with the state that the last instant left; a user's, when what it holds
 * changes.  O(1) a change, O(users) when a node fails or returns.
 * Shares are of the capacity that is up at the time.
 */
#ifndef METRICS_USAGE_H
#define METRICS_USAGE_H

#include "model/world_view.h"

/* Microseconds times bytes or thousandths of a card overflow 64 bits within a month. */
__extension__ typedef __int128 usage_wide;

struct usage_user {
    int64_t  cpu, mem, gpu;                 /* held now */
    double   weight;                        /* fair-share weight, > 0 */
    double   share, share_us;               /* weighted dominant share now; its integral */
    sim_tick since;                         /* share_us is folded up to here */
    sim_tick active_since, active_us;       /* time with a job in the system since: -1 when none is */
    uint32_t n_live;                        /* jobs in the system */
    usage_wide gpu_us, cpu_us;              /* thousandths x us held */
};

struct usage {
    struct usage_user *user; size_t n_users, cap_users;
    struct cluster_sum now;                 /* as the last instant left it */
    sim_tick since;
    usage_wide cpu_used, cpu_cap, mem_used, mem_cap, gpu_used, gpu_cap, card_used;
    usage_wide gpu_busy; int64_t busy;      /* integral and present value of world_busy */
    usage_wide jobs;                        /* jobs in the system x us */
    int64_t  active;                        /* users with a job in the system x us */
    uint32_t n_jobs, n_active;
    double (*weight_of)(const void *ctx, const char *user);     /* NULL: all 1 */
    const void *weight_ctx;
};

/* Zero-initialise, then: */
void usage_init(struct usage *u, const struct world *w);
void usage_fini(struct usage *u);

/* A job entered or left the system; a task took or is about to give back what it holds. */
void usage_enter(struct usage *u, const struct world *w, uint32_t job);
void usage_leave(struct usage *u, const struct world *w, uint32_t job);
void usage_take(struct usage *u, const struct world *w, uint32_t task);
void usage_give(struct usage *u, const struct world *w, uint32_t task);
void usage_resize(struct usage *u, const struct world *w, uint32_t task, int64_t was);     /* it holds other cores; was: milli-CPU */
void usage_capacity(struct usage *u, const struct world *w);       /* a node failed or returned */
void usage_instant(struct usage *u, const struct world *w);        /* state is final */

/* Fold everything up to now: before reading. */
void usage_fold(struct usage *u, const struct world *w);
/* Time average of a user's weighted dominant share while active; NaN if it never was. */
double usage_share(const struct usage_user *x);

#endif
