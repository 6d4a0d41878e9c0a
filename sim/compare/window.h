/*
 * window.h -- metrics of a part of a run: without the time in which the cluster
 * filled up, or that in which it drained.  Layer: compare.
 *
 *   job metrics    over the counted jobs that were submitted in [from, to) and
 *                  ended, whenever they ended: a long job is not left out for
 *                  being long
 *   counts         of the jobs submitted in [from, to)
 *   utilisation    mean of the samples taken in [from, to); a run without
 *                  samples has none
 * Everything else is of a whole run and is refused.
 */
#ifndef COMPARE_WINDOW_H
#define COMPARE_WINDOW_H

#include "db/store.h"

/* Microseconds since the run began; to TICK_NEVER: to the end.  {0, 0}: no window. */
struct window { sim_tick from, to; };
static inline bool window_is_on(const struct window *w) { return w->to != 0; }

/* ST_EINPUT with the metrics that can be had, when this is not one. */
enum st window_check(const char *metric, struct diag *d);
/* One run's metric in the window; NaN where it is not defined, and with d filled where the database fails.
 * O(jobs of the run). */
double  window_value(struct store *s, int64_t run, const char *metric, const char *scope, const struct window *w, struct diag *d);
/*
 * How many times the values of a metric of jobs, in the order of submission, rise over their 95th percentile, or over
 * a higher one that the metric is (_p99); SIZE_MAX for a metric that is not of jobs.  *beyond: of a percentile, how many jobs
 * lie beyond it, else SIZE_MAX.  O(jobs of the run).
 */
size_t  window_rises(struct store *s, int64_t run, const char *metric, const char *scope, const struct window *w, size_t *beyond,
                     struct diag *d);

#endif
