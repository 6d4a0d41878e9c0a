/*
 * tornado.h -- what changes to a base scenario do, one at a time and all together, paired by seed.  Layer: compare.
 *
 * From the runs of a sweep of changes (sweep/changes.h), which the database keeps.  Of a policy and a metric, with x
 * the value of a seed's run: the difference of change i, x_i - x_base; of all together, x_all - x_base; the sum of the
 * changes alone, over i of x_i - x_base; and what they do together beyond that sum, their interaction.  Each with its
 * interval over the seeds that all have, as in compare.h.
 */
#ifndef COMPARE_TORNADO_H
#define COMPARE_TORNADO_H

#include "compare/compare.h"

struct tornado_change { char *name, *sets; const struct compare_case *k; };     /* k NULL: none of its runs is done */
struct tornado {
    struct compare c;
    char  *scenario;
    struct tornado_change *at;
    size_t n, cap; /* the base, then the changes in their order, and all together if it is there */
    bool   has_all;
    size_t n_missing;           /* runs that are not done */
};

/* The i-th sweep of changes of the file, from 0; ST_EINPUT when there is none, or nothing to set beside its base. */
enum st tornado_load(struct tornado *t, struct store *s, size_t i, struct diag *d);
void    tornado_fini(struct tornado *t);
/* How many there are, of this scenario (NULL: of any); *last: the last one's place. */
enum st tornado_count(struct store *s, const char *scenario, size_t *n, size_t *last, struct diag *d);

/* What is known of a difference: no interval leaves it open, as of one seed, or where seeds change nothing. */
enum tornado_verdict { TORNADO_OPEN, TORNADO_SAME, TORNADO_NOT_TOLD_APART, TORNADO_DIFFERS };
enum tornado_verdict tornado_judge(const struct stats_ci *diff);

struct tornado_effect { size_t change; struct stats_ci value, diff, ratio; };        /* to the base */
struct tornado_effects {
    struct stats_ci base;
    struct tornado_effect *at; size_t n;        /* of each change that has the metric, the largest difference first */
    struct tornado_effect all;                  /* n of its value 0: none */
    struct stats_ci sum, beyond;                /* of the changes alone; of all together over that */
    size_t rival;                               /* of `at`: the next that may be as large as the first; n: none */
    struct stats_ci lead;                       /* the first's size over the rival's, or the second's; n 0: neither */
};

/* at: the caller's to free. */
void tornado_effects(const struct tornado *t, const char *policy, const char *metric, const char *scope,
                     struct tornado_effects *e);

/* Tables and sentences of every policy and metric; for programs a row a change. */
enum st tornado_print(struct tornado *t, const struct compare_opts *o, FILE *to, struct diag *d);

#endif
