/*
 * collector.h -- what the files of this folder have in common: each is a
 * collector, which observes the world by itself and in the end emits metrics.
 * Layer: metrics, private.
 *
 * Collectors do not know each other; their order in COLLECTORS is that in
 * which they are notified and emit.  A new metric is a file with its collector, its
 * line in COLLECTORS, its formula in results/README.md, and its row in
 * compare/metric_info.c.
 * tests/unit/metrics/test_names.c fails when one of them lacks a metric.
 */
#ifndef METRICS_COLLECTOR_H
#define METRICS_COLLECTOR_H

#include <math.h>

#include "base/quantiles.h"
#include "db/store.h"
#include "metrics/metrics.h"

#define COLLECTORS(C) \
    C(job_metrics)    /* jobs that ended and count: all, by class and by user; their rows */ \
    C(usage)          /* who held how much of the cluster for how long */ \
    C(bytes_read)     /* data read, from how far, and in vain */ \
    C(lending)        /* reservations, loans and licences */ \
    C(call_use)       /* tasks of API calls: engines and queues */ \
    C(goodput)        /* work that was of use, and lost */ \
    C(energy)         /* energy and money: of the run, users and jobs */ \
    C(elastic)        /* changes of the sizes of elastic jobs, and their restarts */ \
    C(fragmentation)  /* free GPUs that are of no use, sampled; filling */ \
    C(little)         /* jobs in the system: L, lambda and W */ \
    C(counts)         /* first submit to last end; how many of what */ \
    C(bound)          /* the best possible */ \
    C(notes)          /* numbers that the policy notes */ \
    C(decision_time)  /* of the machine, not of the run */

enum collector_form {
    COLLECTOR_ONE,
    COLLECTOR_SPREAD,           /* five metrics: NAME_mean, _p50, _p95, _p99, _max */
    COLLECTOR_WALL,             /* of the machine and the day: table `wall` */
    COLLECTOR_SERIES,
};

/* A metric or series that a collector can emit.  In its name a leading X or a final R stands for any text. */
struct collector_metric { const char *name, *unit; enum collector_form form; };

/* Where a collector's rows go. */
struct collector_out {
    const struct metrics_opts *opts;
    uint64_t counted_from, counted_to;          /* ordinals of the jobs that count; up to but not with the second */
    struct diag *error;                         /* the store's first, of all collectors together */
    const struct collector_metric *metric;      /* its own */
    struct collector_values *values;
};

/* Only metric, size and emit must be there. */
struct collector {
    const struct collector_metric *metric;      /* all that it emits; ended by one without a name */
    size_t size;            /* of its state: zeroed, but for its first member, a pointer to its struct collector_out */
    /* Before the first event; false: this run has nothing for it. */
    bool (*init)(void *self, const struct world *w);
    struct observer observer;                   /* what it wants to be notified of; ctx becomes its state */
    void (*noted)(void *self, sim_tick at, const char *name, double value);    /* by the policy */
    void (*decided)(void *self, int64_t wall_ns);               /* a decision took so long */
    /* When the run is over, before any emits: what takes long.  It changes its own state alone, so that several may go on
     * beside each other, each in a thread. */
    void (*prepare)(void *self, const struct world *w);
    void (*emit)(void *self, const struct world *w);            /* when the run is over */
    void (*fini)(void *self);
};

#define COLLECTOR_DECLARE(name) extern const struct collector name##_collector;
COLLECTORS(COLLECTOR_DECLARE)

/* ---- emitting ---- */

/* A metric's value; NaN: it is not defined, and has no row. */
void collector_put(const struct collector_out *out, const char *name, const char *scope, double x);
/* A spread: between counting and keeping its values; and, when they were kept, its metrics. */
void collector_choose(struct quantiles *q);
void collector_put_spread(const struct collector_out *out, const char *name, const char *scope, double mean,
                          struct quantiles *q);
/* A value of a series at this time, to be written at once. */
void collector_put_series(const struct collector_out *out, sim_tick at, const char *name, double x);
/* Whether to write a row, by store_...(out->opts->store, out->opts->run, &row, out->error). */
bool collector_writes(const struct collector_out *out);
bool collector_writes_jobs(const struct collector_out *out);        /* so, and one of a job */

/* "BY=NAME"; the caller frees it. */
char *collector_scope(const char *by, const char *name);

/* As fmax and fmin, but for what is no number, and without a call. */
static inline double collector_greater(double a, double b) { return b > a ? b : a; }
static inline double collector_less(double a, double b) { return b < a ? b : a; }

/* NaN where b is not above 0. */
static inline double collector_ratio(double a, double b) { return b > 0 ? a / b : NAN; }

static inline double collector_hours(sim_wide milli_us) { return (double)milli_us / (1000 * 3600e6); }

/* Neither among the first arrivals nor among the last that the cuts leave out. */
static inline bool collector_is_counted(const struct collector_out *out, uint64_t ordinal)
{
    return ordinal >= out->counted_from && ordinal < out->counted_to;
}

/* ---- what metrics.c keeps of them ---- */

struct collector_value { char *name, *scope; const char *unit; double x; bool is_wall; };
struct collector_values { struct collector_value *at; size_t n, cap; };

#endif
