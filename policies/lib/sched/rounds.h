/*
 * rounds.h -- leases in rounds: who runs where for a time, decided anew when that is over.
 *
 * Two parts.  A clock says when rounds begin, and asks the host to be woken; it knows no units, and serves policies
 * that keep books of their own.  Leases are what policies on sched.h build upon:
 *
 *     if (rounds_begin(&r)) {
 *         the candidates are r.candidate [r.n_candidates], which the policy may put into another order:
 *             rounds_keep(&r, id)                             it goes on where it runs
 *             || (sched_place(d, id) && rounds_lease(&r, id)) it runs at d->place, wherever it ran before
 *     }
 *     rounds_end(&r, "reason");
 *
 * rounds_begin takes off the plan all whose lease is over, so that the policy places them as if nobody ran;
 * rounds_end stops those that were given none, moves those that are elsewhere now, starts those that waited, and asks
 * to be woken.  Both are called in every decide, between sched_open and its end.
 *
 * A unit that moves is preempted, and starts in the next round of the instant at the place that is kept for it; what a
 * change costs it is what the scenario has a preemption and a restart cost (`jobs.preemption`).  A unit on a node that
 * is lost waits, as under every policy, and may be leased again when the round is over.
 *
 * Rounds are synchronous, and then all leases end together; or `is_each` lease lasts its own `length` from when it was
 * given, or what rounds_last said, and rounds_begin is true whenever something waits.  While nothing does, leases that
 * are over go on.
 *
 * The policy's sched_ops need .run_key = rounds_run_key, and POL_PREEMPTS.
 * Cost: rounds_begin and rounds_end O(candidates log candidates), beside a round O(1); O(running) where a lease is
 * over, or whose lease was to be over first ended before.
 */
#ifndef POL_LIB_SCHED_ROUNDS_H
#define POL_LIB_SCHED_ROUNDS_H

#include "lib/sched/sched.h"

/* ---- the clock ---- */

struct rounds_clock {
    int64_t length;             /* us, > 0 */
    bool    on_clock;           /* rounds begin at multiples of `length`; else with the first unit and as one ends */
    int64_t began, ends;        /* of the present round; began -1: there was none yet */
    int64_t asked;              /* the last wake */
};

void rounds_clock_init(struct rounds_clock *c, int64_t length, bool on_clock);
/*
 * Does a round begin now?  Asked where there is something to decide on; true once an instant, and again where all that
 * started then is over.  Unless it goes by the clock, a round is over as well when nothing runs any more.
 */
bool rounds_clock_begin(struct rounds_clock *c, int64_t now, bool runs);
/* Ask to be woken for the next round.  runs: something runs, or starts at this instant; waits: something waits. */
void rounds_clock_ask(struct rounds_clock *c, const struct pol_host *host, int64_t now, bool runs, bool waits);

/* ---- leases ---- */

struct rounds_rule {
    int64_t length;             /* of a lease, us, > 0 */
    bool on_clock;              /* as above; not with is_each */
    bool is_each;               /* not synchronous */
    bool fills;                 /* what an early end leaves is leased for the rest of the round; false: it stays idle */
    bool restarts;              /* no lease is extended: who goes on at its place, too, stops and starts again */
};

/* A unit's lease, by task slot. */
struct rounds_given { uint64_t ordinal; int64_t ends; };
/* The running unit whose lease is over first, as far as is known; id POL_NONE: it is not. */
struct rounds_first { uint32_t id; int64_t ends; };
/* A unit that was placed in this decision, or waits for its start; place: where it stands in the array. */
struct rounds_leased { uint32_t id; uint64_t ordinal; size_t place; };

struct rounds {
    struct sched *sched;        /* borrowed */
    struct rounds_rule rule;
    struct rounds_clock clock;
    bool is_new;                /* rounds_begin began a round; false: it fills one, or single leases are over */
    /* Whose lease is over, then who waits; by arrival. */
    uint32_t *candidate; size_t cap_candidate; uint32_t n_candidates;
    uint32_t n_due;             /* candidates [0 .. n_due) run */
    struct rounds_given *given; size_t cap_given;
    struct rounds_first first;
    uint8_t *fate; size_t cap_fate;     /* by task slot, of candidates: what was decided on it */
    int64_t *term; size_t cap_term;     /* by task slot, of candidates: how long its lease is to be; is_each alone */
    struct rounds_leased *leased, *moving; size_t cap_leased, cap_moving;
    uint32_t n_leased, n_moving;
    struct pol_place *place, *to; size_t cap_place, cap_to, n_place, n_to;      /* of leased, and of moving */
    uint32_t *taken; size_t cap_taken; uint32_t n_taken;        /* nodes that some unit takes whole in this decision */
};

void rounds_init(struct rounds *r, struct sched *d, const struct rounds_rule *rule);
void rounds_fini(struct rounds *r);
int64_t rounds_run_key(void *self, const struct unit *u);      /* by arrival */

bool rounds_begin(struct rounds *r);
/* A candidate that runs keeps its place.  False: it waits, or that was given away. */
bool rounds_keep(struct rounds *r, uint32_t id);
/* A candidate gets d->place, which the plan has allocated just now; true. */
bool rounds_lease(struct rounds *r, uint32_t id);
/* is_each: the lease that a candidate gets in this decision lasts so long, us, > 0. */
void rounds_last(struct rounds *r, uint32_t id, int64_t length);
/* Between rounds_begin and rounds_end: when the lease of a unit that runs is over where it runs; now: it is. */
int64_t rounds_ends(const struct rounds *r, uint32_t id);
void rounds_end(struct rounds *r, const char *reason);

#endif
