/*
 * metric_info.h -- what metrics mean to a reader: which way is better, how a sentence
 * states a change of it, which are tails, which a window of time can hold.  Layer: compare.
 */
#ifndef COMPARE_METRIC_INFO_H
#define COMPARE_METRIC_INFO_H

#include "base/base.h"

enum metric_better { BETTER_LOWER, BETTER_HIGHER, BETTER_NEITHER };

/* How a window of time finds the metric; see window.h. */
enum metric_window { WINDOW_NONE, WINDOW_JOBS, WINDOW_COUNT, WINDOW_SAMPLES };

struct metric_info {
    const char *name;           /* of the family: jct for jct_mean, jct_p99... */
    enum metric_better better;
    const char *noun;           /* "completion times indistinguishable" */
    const char *less, *more;    /* "POLICY finishes jobs %s sooner than BASE": one %s for how much */
    enum metric_window window;
};

/* NULL for a metric that is not in the table. */
const struct metric_info *metric_info_of(const char *metric);
/* "_mean", "_p99"... of a family with tails, else "". */
const char *metric_info_tail(const char *metric);
/* A high quantile or a maximum: its spread over seeds is skewed. */
bool metric_info_is_tail(const char *metric);

#endif
