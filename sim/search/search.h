/*
 * search.h -- a search over parameters: which sets are tried, in which order, until when.  Layer: search.
 *
 * A search with promises goes by promise.h, a race by race.h; any other has four phases:
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

/* The smallest size at one load; of a race the best set, at load 1. */
struct search_answer {
    double   load;              /* times that of the scenario */
    struct trial_set *kept, *fresh;     /* the cheapest that keeps every promise, and it on fresh seeds; NULL: none */
    struct trial_set *broken, *open;    /* of those that cost less the dearest that does not, that cannot be told */
    double   least;             /* cheaper than this none keeps every promise; INFINITY: none of the ranges does */
    bool     is_decided;        /* least is what `kept` costs, or there is none; of a race: all others are beaten */
    bool     is_first;          /* no size of the ranges costs less than `kept` */
};

struct search {
    struct trial trial;
    int64_t id;                 /* in the database */
    struct trial_set **set;     size_t n_sets, cap_sets;        /* in the order tried; fresh ones last */
    struct trial_set **ranked;  size_t n_ranked;        /* the best ones first; fresh ones are not among them */
    struct trial_set **fresh;   size_t n_fresh;         /* ranked[i] again */
    struct keep_effect *effect;         /* [n_variables] */
    size_t   n_by_phase[TRIAL_PHASES];
    struct search_answer *answer; size_t n_answers;     /* of a size a load each; of a race one */
    uint64_t n_runs;            /* that the budget has paid */
    double   began;
    bool     is_over;           /* the budget is spent */
};

/* Do the search; the trial is the caller's, and filled in.  *s is to be freed in any case. */
enum st search_run(struct search *s, const struct trial *t, struct diag *d);
void    search_end(struct search *s);

/* The set at this point: one that was tried already, or a new one, which is the caller's to try. */
struct trial_set *search_set_at(struct search *s, enum trial_phase phase, const double *at, bool *is_new);
/* The last set again, on seeds that are not the search's. */
struct trial_set *search_fresh_of(struct search *s, const struct trial_set *of);
void    search_drop_last(struct search *s);
/* Do so many sets with so many seeds each fit the budget?  Then it has paid for them; else it is spent. */
bool    search_pay(struct search *s, size_t n_sets, size_t n_seeds);
/* A metric that no run of the set has: told at the variable, or at the metric that is asked for. */
enum st search_check_metrics(const struct search *s, const struct trial_set *x, struct diag *d);

/* Is a better than b?  Those without an objective are last, before them those that exceed limits. */
int     search_order(const struct search *s, const struct trial_set *a, const struct trial_set *b);

/* The tables: the best sets, what each variable did, how far the best set is from what was wanted. */
enum st search_tell(const struct search *s, FILE *to, struct diag *d);

#endif
