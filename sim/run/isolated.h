/*
 * isolated.h -- every job of a trace run alone: its time is what the flow paper
 * calls ideal, and users with it.  Layer: run.
 *
 * Alone means in a world of its own with the scenario's cluster, network and
 * data, without faults, horizon or limit on concurrency, under gs (see
 * policies/README.md): once with no quota, so on the whole cluster, and once
 * with a quota of 1/m of its cards, rounded down, at least one.  The time is
 * from the first task's start to the last one's end (the flow paper, sections
 * 5.2 and 5.3.2, which define it either way).  It depends on neither the policy that is
 * evaluated nor the other jobs, so it is found once a seed.
 */
#ifndef RUN_ISOLATED_H
#define RUN_ISOLATED_H

#include "input/scenario/scenario.h"

struct isolated_times {
    int64_t *whole, *share;     /* [n] us by job ordinal; -1: it cannot run so, or a limit ended it */
    uint64_t n;
    uint64_t n_distinct;        /* jobs that were run: others ask for exactly the same */
};

/*
 * For the trace as this seed replays it, m = s->ideal_share >= 1.  The
 * cluster of the scenario is reset.  O(two small runs a distinct job).
 */
enum st isolated_find(struct isolated_times *out, struct scenario *s, const struct trace *t, uint64_t seed, struct diag *d);
/* The same for the jobs of any source, to its end. */
enum st isolated_of_source(struct isolated_times *out, struct scenario *s, struct source src, uint64_t seed, struct diag *d);
void    isolated_fini(struct isolated_times *i);

#endif
