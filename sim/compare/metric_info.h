/*
 * metric_info.h -- what metrics mean to a reader, in one place: which way is better,
 * what it is in words, how a sentence states a change of it, what is shown in per cent, which are tails,
 * which a window of time can hold, and which are shown unless others are asked for.
 * Where one is computed its name stands with its unit: `grep -r '"gpu_util"' sim/metrics`.
 * Layer: compare.
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
    enum metric_window window;
    bool is_percent;            /* a share of a whole, which people read in per cent */
    const char *noun;           /* "completion times indistinguishable" */
    const char *less, *more;    /* "POLICY finishes jobs %s sooner than BASE": one %s for how much */
    const char *meaning;        /* what it is, for who has not read the formula (results/README.md); no full stop */
};

/* NULL for a policy's note: every metric that a collector emits has a row. */
const struct metric_info *metric_info_of(const char *metric);
/* "_mean", "_p99"... of a family with tails, else "". */
const char *metric_info_tail(const char *metric);
/* What a metric is, with what its tail makes of the jobs' values; NULL as above.  The caller frees it. */
char *metric_info_meaning(const char *metric);
/* A high quantile or a maximum: its spread over seeds is skewed. */
bool metric_info_is_tail(const char *metric);
/* By its row, or by its name where there is none: ..._util is a share. */
bool metric_info_is_percent(const char *metric);

/* What each job has a value of: columns of the view v_job, and how an axis calls them; NULL: no figure shows it. */
struct metric_job { const char *name, *label; bool is_time; };
enum { METRIC_JOBS = 10 };
extern const struct metric_job metric_info_jobs[METRIC_JOBS];
/* The one that a metric is computed from, such as jct for jct_p99; NULL: none. */
const struct metric_job *metric_info_job_of(const char *metric);

/* Metrics shown unless others are asked for.  Of a case whose runs have the metric `sign`; the first that fits. */
enum { METRIC_LIST_DATA, METRIC_LIST_CALLS, METRIC_LIST_COST, METRIC_LIST_ENERGY, METRIC_LIST_USUAL, METRIC_LISTS };
struct metric_list { const char *sign, *const *at; size_t n; };       /* sign NULL: of any */
extern const struct metric_list metric_info_lists[METRIC_LISTS];

/* Numbers that must never go unseen where they are not 0: jobs that did not end as they should, or lack what the
 * policy goes by. */
struct metric_trouble { const char *metric, *heading; };
enum { METRIC_TROUBLES = 6 };
extern const struct metric_trouble metric_info_troubles[METRIC_TROUBLES];

/* Metrics with a lower bound, which is a metric too. */
struct metric_bounded { const char *metric, *bound; };
enum { METRIC_BOUNDED = 2 };
extern const struct metric_bounded metric_info_bounded[METRIC_BOUNDED];

#endif
