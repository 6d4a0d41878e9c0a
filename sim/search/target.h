/*
 * target.h -- what a search aims at, as figures of policies: an objective's metric,
 * published figures and statements, limits; and how far a set is from them.
 * Layer: search.
 */
#ifndef SEARCH_TARGET_H
#define SEARCH_TARGET_H

#include "compare/published.h"
#include "input/scenario/search.h"

/* A scenario that sets are put into, and which of its policies are asked for. */
struct target_policy { char *label, *name, *text; bool is_used; };      /* text: its entry as YAML in one line */
struct target_scenario {
    char *path, *name;
    char *canonical;            /* as the run key has it */
    bool  has_search, has_sweep, is_drawn;      /* is_drawn: something hangs on the seed */
    struct target_policy *policy; size_t n_policies;
};

enum target_role { TARGET_FIGURE, TARGET_METRIC, TARGET_LIMIT };

struct target {
    enum target_role role;
    size_t scenario;            /* which of the search's */
    struct published_row row;
    double weight;
    bool   maximise;            /* of a metric */
    const struct search_metric *asked;          /* of a metric or limit, for messages; else NULL */
};

struct targets {
    struct target_scenario *scenario; size_t n_scenarios;
    struct target *at; size_t n, cap;
    size_t n_skipped;           /* published figures of policies that are not there */
    double missed;              /* what a statement that does not hold costs besides how far it is missed */
    bool   maximise;
};

/* The scenarios of the search and all targets; marks the policies that are asked for. */
enum st targets_load(struct targets *t, const struct search_spec *s, const char *const *set, size_t n_set,
                     struct diag *d);
void    targets_fini(struct targets *t);

/* Ours of each target, from runs of one set: ours [n], NaN where there is none. */
void    targets_ours(const struct targets *t, const struct compare *c, double *ours);
/* Of one of them, a value a seed: x [n], NaN where there is none. */
void    targets_by_seed(const struct targets *t, const struct compare *c, size_t i, double *x, size_t n);
/* Its interval, as compare has it. */
struct stats_ci target_interval(const struct targets *t, const struct compare *c, size_t i);
/* The objective; NaN when a value it needs is missing. */
double  targets_objective(const struct targets *t, const double *ours);
/* How far limits are exceeded, as shares of their bounds, summed; 0: all are kept. */
double  targets_excess(const struct targets *t, const double *ours);
/* Of a figure, how far off: a share of it; of a statement, 0 or how far from what it says, and `missed`. */
double  target_error(const struct targets *t, size_t i, double ours);

#endif
