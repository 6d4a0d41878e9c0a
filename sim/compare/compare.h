/*
 * compare.h -- policies side by side, from a database.  Layer: compare.
 *
 * Runs of one scenario text and one trace make a case; its policies are
 * compared over the seeds they have in common, so that luck which all met
 * alike cancels.  Only finished runs count; the others are listed, never mixed in.
 */
#ifndef COMPARE_COMPARE_H
#define COMPARE_COMPARE_H

#include "base/stats.h"
#include "db/store.h"
#include "base/table.h"
#include "compare/batch.h"
#include "compare/window.h"

struct compare_policy {
    char    *label;             /* with its parameters where the label alone is not unique */
    char    *name, *spec;
    bool     clairvoyant;
    int64_t *run, *seed;        /* [n_runs] */
    uint64_t *digest;           /* [n_runs] of every event */
    size_t   n_runs, cap_run, cap_seed, cap_digest;
    const struct batches *batches;      /* its case's: intervals come from its first run; NULL: from its seeds */
};

struct compare_case {
    char    *title;             /* the scenario's name; where it has several cases, with what was set in each */
    char    *scenario, *variant, *text, *trace;
    struct compare_policy *policy; size_t n_policies, cap_policies;    /* in the order of their first runs */
    struct batches *batches;    /* where compare_batches found them */
};

/* A run that is not finished. */
struct compare_unfinished { int64_t run, seed; char *scenario, *policy, *status, *message; };

struct compare {
    struct store *store;        /* borrowed */
    struct window window;       /* set after load, before any value is asked for; zero: whole runs */
    struct compare_values *values;  /* those already asked for */
    struct compare_case *at;   size_t n, cap;
    struct compare_unfinished *unfinished; size_t n_unfinished, cap_unfinished;
};

enum st compare_load(struct compare *c, struct store *s, struct diag *d);   /* ST_EINPUT when no run is finished */
/* A run by its id, and the names it is to go by: the same run may have been made for another scenario or label. */
struct compare_run { int64_t id; const char *scenario, *label; };
/* Of these runs alone, as far as they are finished, in their order.  O(n) however many the database holds. */
enum st compare_load_runs(struct compare *c, struct store *s, const struct compare_run *run, size_t n, struct diag *d);
void    compare_fini(struct compare *c);
/* The rows of every run of the case (db/check.h), for who reads more of them than metrics. */
enum st compare_check_rows(const struct compare *c, const struct compare_case *k, struct diag *d);

/*
 * From here on intervals come from batches of one run's jobs (batch.h), in every case
 * whose policies have one run each, or equal runs.  ST_EINPUT where no case has: seeds that
 * differ tell more.  Metrics of the whole are then of after the warm-up.
 */
enum st compare_batches(struct compare *c, struct diag *d);

/* A policy of the case by label, or ST_EINPUT with the nearest one as a hint. */
enum st compare_find(const struct compare_case *k, const char *label, size_t *index, struct diag *d);
/* The policy `recorded` of the case, what happened; NULL where it has none. */
const struct compare_policy *compare_recorded(const struct compare_case *k);
/* Does any finished run have this metric in this scope? */
enum st compare_check_metric(const struct compare *c, const char *metric, const char *scope, struct diag *d);

/* One run's metric, in the window if there is one; NaN when the run has none.  Kept: asking again is O(1). */
double compare_value(const struct compare *c, int64_t run, const char *metric, const char *scope);
/* The value of each run of p, x [p->n_runs]; or with a base its ratio to the base's of the same seed.  NaN where none. */
void   compare_by_seed(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                       const char *metric, const char *scope, double *x);
/* The first failure to read a value, ST_OK without one: to be asked once all are read. */
enum st compare_error(const struct compare *c, struct diag *d);
/* Is the metric above 0 for any policy of the case? */
bool   compare_any(const struct compare *c, const struct compare_case *k, const char *metric);
bool   compare_any_clairvoyant(const struct compare_case *k);
/* The unit of a metric, into buf. */
const char *compare_unit(const struct compare *c, const char *metric, char *buf, size_t cap);

/*
 * With 95 % intervals: Student's t, and for tails (_p95, _p99, _max) with its
 * correction for skewness, see stats.h.  A mean is over a policy's seeds; differences and ratios
 * are over the seeds that it shares with base.  By batches: see batch.h; half is
 * INFINITY where the run is too short to tell, and n their number.
 */
struct stats_ci compare_mean(const struct compare *c, const struct compare_policy *p, const char *metric, const char *scope);
struct stats_ci compare_diff(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                             const char *metric, const char *scope);
struct stats_ci compare_ratio(const struct compare *c, const struct compare_policy *p, const struct compare_policy *base,
                              const char *metric, const char *scope);

struct compare_opts {
    const char *const *metric; size_t n_metrics;    /* none: the usual ones */
    const char *scope;          /* NULL: all */
    const char *base;           /* label; NULL: each case's first policy */
    enum table_format format;   /* CSV and JSON: a row a metric and policy, in full; else for people, tables a case */
};
enum st compare_print(const struct compare *c, const struct compare_opts *o, FILE *to, struct diag *d);

#endif
