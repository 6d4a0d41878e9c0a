/*
 * search.h -- a search over parameters: which sets are tried, in which order, until when.  Layer: search.
 *
 * 1. the middle of every variable, then each variable at its ends (a list: at each
 *    entry) with the others in the middle: one that changes nothing is a mistake;
 * 2. a Latin hypercube;
 * 3. a simplex from the best set so far, and when it has closed, from the next best
 *    one, `starts` in all;
 * 4. the best sets again on seeds that the search never used.
 * Every set meets the same seeds, so that sets differ by what was set, not by luck.
 * What is tried next hangs on the results alone, never on the machine, so the same
 * search with any number of workers leaves the same rows; one that goes on after an
 * interruption finds the runs that are there.  A budget in minutes is the exception.
 */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include "search/keep.h"

struct search {
    struct trial trial;
    int64_t id;                 /* in the database */
    struct trial_set **set;     size_t n_sets, cap_sets;        /* in the order tried; fresh ones last */
    struct trial_set **ranked;  size_t n_ranked;        /* the best ones first; fresh ones are not among them */
    struct trial_set **fresh;   size_t n_fresh;         /* ranked[i] again */
    struct keep_effect *effect;         /* [n_variables] */
    size_t   n_by_phase[5];
    uint64_t n_runs;            /* that the budget has paid */
    double   began;
    bool     is_over;           /* the budget is spent */
};

/* Do the search; the trial is the caller's, and filled in.  *s is to be freed in any case. */
enum st search_run(struct search *s, const struct trial *t, struct diag *d);
void    search_end(struct search *s);

/* Is a better than b?  Those without an objective are last, before them those that exceed limits. */
int     search_order(const struct search *s, const struct trial_set *a, const struct trial_set *b);

/* The tables: the best sets, what each variable did, how far the best set is from what was wanted. */
enum st search_tell(const struct search *s, FILE *to, struct diag *d);

#endif
