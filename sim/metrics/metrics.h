/*
 * metrics.h -- the numbers of a run: observers of the world that keep exact
 * integrals and write rows as jobs end.  Layer: metrics.  Each metric is
 * computed in a file of its own, a collector (collector.h).
 *
 * Every metric's formula stands once, in results/README.md, under its name.
 * Integrals fold when something changed, O(1) each; quantiles are exact, from
 * every value, and so are bounds (100 to 180 bytes a finished job).
 */
#ifndef METRICS_METRICS_H
#define METRICS_METRICS_H

#include "model/cluster/energy.h"
#include "model/world_view.h"
#include "db/store.h"

struct metrics;

struct metrics_opts {
    struct store *store;        /* NULL: keep numbers only, write nothing */
    int64_t  run;
    bool     no_jobs;           /* no row of a job */
    bool     may_thread;        /* threads may help */
    bool     write_lending;     /* series of what is reserved, used and lent, a row at each change */
    uint64_t n_jobs;            /* expected arrivals, for the warm-up and cool-down cuts */
    double   warmup, cooldown;  /* fractions of the arrivals, by ordinal, left out of job metrics */
    bool     reads_limits;      /* the policy goes by users' limits */
    bool     fills;             /* trace.fill: jobs arrive and none ends; see results/README.md, "Filling" */
    double (*weight_of)(const void *ctx, const char *user);     /* fair-share weights; NULL: all 1 */
    const void *weight_ctx;
    const struct energy *energy;        /* what nodes and cards draw and cost, borrowed; NULL: not known */
    /* Ideal times of each job by ordinal, us, -1 unknown: alone on the whole cluster, and alone with
     * 1/m of its GPUs; NULL: not asked for. */
    const int64_t *ideal_whole, *ideal_share; uint64_t n_ideal;
};

/* After world_create, before the first step: it observes w from here on. */
struct metrics *metrics_create(struct world *w, const struct metrics_opts *o);
/* The first store error met while observing, or ST_OK. */
enum st metrics_error(const struct metrics *m, struct diag *d);
/* Fold the integrals up to the end of the run and write every metric. */
enum st metrics_finish(struct metrics *m, const struct world *w, struct diag *d);
/* A number that the policy notes. */
void    metrics_note(struct metrics *m, int64_t at_us, const char *name, double value);
/* How long each decide call took, wall-clock, for the scheduling-overhead metrics. */
void    metrics_decision_time(struct metrics *m, int64_t nanoseconds);
/* A metric's value by name and scope ("all", "class=cpu", "user=alice"); NaN when there is none.  After finish. */
double  metrics_value(const struct metrics *m, const char *name, const char *scope);
void    metrics_destroy(struct metrics *m);

#endif
