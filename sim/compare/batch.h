/*
 * batch.h -- intervals from one long run, by batches of its jobs.  Layer: compare.
 *
 * The runs of a case share one trace, so their batches are the same jobs: BATCHES windows
 * of time with as many submissions each, after the warm-up.  Policies are paired by batch.
 *
 * A metric of a batch is a window's (window.h).  The interval of the whole, x, from those of
 * the batches, x_1 ... x_b, is x -+ t sqrt(sum (x_i - x)^2 / (b (b - 1))) with Student's t of
 * b - 1 degrees of freedom: for means these are batch means, and for quantiles sectioning.
 * A ratio to a base, r = x / y, has (x_i - r y_i) / y in place of x_i - x.  The deviations of a tail are skewed: where
 * stats_skew95 of them reaches farther from their mean to a side, the interval does.
 *
 * An interval holds only where a run saw the same thing happen many times.  How often is
 * counted: the times that the jobs' values, in the order of submission, rise over their 95th
 * percentile, or over a higher one that is asked for.  Below BATCH_RISES it is not decided, and half is INFINITY; nor is
 * a percentile with fewer than BATCH_BEYOND jobs beyond it: a count that does not hang on the values, as among short
 * runs rises alone choose those whose tail came out tame (tests/theory/test_coverage.c).
 *
 * Sources: Asmussen & Glynn, Stochastic Simulation, 2007, IV.5 (batch means) and III.5a (sectioning);
 * White, An effective truncation heuristic for bias reduction in simulation output, Simulation 69, 1997, and
 * White, Cobb & Spratt, A comparison of five steady-state truncation heuristics, WSC 2000 (MSER-5).
 */
#ifndef COMPARE_BATCH_H
#define COMPARE_BATCH_H

#include "base/stats.h"
#include "compare/window.h"

enum { BATCHES = 10, BATCH_RISES = 250, BATCH_BEYOND = 600 };

struct batches {
    struct window at[BATCHES], whole;   /* whole: from the end of the warm-up */
    size_t n_jobs;                      /* counted jobs after the warm-up, of the run that has fewest */
    bool is_given;                      /* the warm-up is the window's */
    bool is_settled;                    /* false: the waits of some run still change in its second half */
};

/*
 * For runs [n] of one trace.  The window, if one is on, says from when to when; or else the
 * warm-up is what MSER-5 finds of the waits of each run, the longest of them.  ST_EINPUT where a run keeps
 * no rows of jobs, or has fewer than 5 x BATCHES.  O(jobs log jobs) a run.
 */
enum st batch_find(struct batches *b, struct store *s, const int64_t *run, size_t n, const struct window *w, struct diag *d);

/* Of one metric of a run: the whole's, its batches', whether it is decided, and whether it is of a tail. */
struct batch_values { double whole, part[BATCHES]; bool is_decided, is_tail; };
struct stats_ci batch_mean(const struct batch_values *x);
struct stats_ci batch_diff(const struct batch_values *x, const struct batch_values *base);
struct stats_ci batch_ratio(const struct batch_values *x, const struct batch_values *base);

#endif
