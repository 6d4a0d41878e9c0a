/*
 * shares.h -- who held how much of the cluster beside what was theirs, what they lost and to whom.  Layer: explain.
 *
 * Of GPUs, or of CPUs where the cluster has no GPU or that is asked for.  The parties are users, or queues.  At each
 * instant, with C what the nodes that are up have, and of each party
 *   held h         by its tasks that run
 *   waiting        what its tasks ask that are eligible and do not run; demand d = h + waiting
 *   share          C * its weight / the weights of all parties with demand
 *   entitlement e  min(d, share)
 *   lost           max(0, e - h)
 *   above          max(0, h - e)
 * What a party loses goes to the parties above their entitlement and to what is idle, in proportion to how much that
 * is; the parts sum to it exactly.  A window is below where its integral of h is less than that of e: then the sharing
 * incentive is violated, as the party would have had more with a cluster of its own of the size of its share.  A party
 * envies another in a window where, over the time in it that it waits, min(d, the other's h * weight / the other's
 * weight) is more than its own h: it would rather have had the other's place.
 *
 * Worked out from the record of a run, twice through: O(events * parties), for envy times parties again.
 */
#ifndef EXPLAIN_SHARES_H
#define EXPLAIN_SHARES_H

#include "base/table.h"
#include "db/select.h"

/* x: thousandths of a GPU or of a core x us. */
static inline double shares_hours(sim_wide x) { return (double)x / (1000 * 3600e6); }

struct shares_opts {
    const char *by;             /* the column of table `job`: user or queue */
    const char *of;             /* one party alone: its losses by stretch of time, and no envy; NULL: all, by window */
    bool is_of_cpus;            /* though there are GPUs */
    sim_tick window;            /* 0: an hour, or a day of a run that is longer than ten */
    const char *const *weight; size_t n_weights;        /* "NAME=WEIGHT"; others as the scenario has them, or 1 */
};

struct shares_sum { sim_wide held, entitled, lost, above; };
struct shares_party {
    char  *name;
    double weight;
    struct shares_sum sum;
    sim_wide *lost_to;       /* [n + 1] to each party, and last to what was idle; NULL: not looked at */
    size_t n_windows, n_below;  /* in which it had demand; of these below */
    /* private from here */
    int64_t held, wait;
    sim_wide *part;          /* [n + 1] as lost_to, of this stretch */
    double *envy;               /* [n] of this window */
    struct shares_sum now;      /* of this window or stretch */
    uint32_t first[2], last[2]; /* its jobs that wait, and that run, in the order in which they began to */
};

/* A window of one party, of which neither held nor entitled is 0. */
struct shares_window { uint32_t party; int64_t from, to; struct shares_sum sum; sim_wide capacity; };

/* A window below, a stretch of losses, or a window of envy; and the instant that shows it most. */
enum { SHARES_JOBS = 3 };
struct shares_jobs { uint64_t ordinal[SHARES_JOBS]; size_t n; };        /* the first few, and how many there were */
struct shares_case {
    bool     is_envy;
    uint32_t party, other;      /* other: envied; else who got most of it, .n of shares: what was idle */
    int64_t  from, to;
    double   had, due, most;    /* hours: held and entitled to, and what other got of the loss; of envy only how much
                                 * more it would have had */
    int64_t  at, held, others;  /* then, thousandths: its own, the other's */
    double   due_then;
    uint32_t other_then;        /* envied; else most above then, or what was idle */
    struct shares_jobs waiting, running;        /* its own that waited then; the other's that ran */
};

struct shares {
    const char *by, *unit;      /* unit: "GPU", "core" */
    bool     is_weighted;       /* some weight is not 1 */
    int64_t  end; sim_tick window;
    struct shares_party *party; size_t n;
    struct shares_window *row; size_t n_rows, cap_rows;
    struct shares_case *at; size_t n_cases, cap_cases;          /* by time */
};

enum { SHARES_PARTIES_MAX = 1000, SHARES_ROWS_MAX = 1000000 };

/* ST_EINPUT when the run did not record its decisions, there is no such party, or there is too much to tell. */
enum st shares_load(struct shares *x, struct store *s, const struct selection *run, const struct shares_opts *o,
                    struct diag *d);
void    shares_fini(struct shares *x);

/* An order of pointers to parties: who lost most first, then as they are. */
int     shares_by_loss(const void *a, const void *b);

/* Tables and sentences of all parties, or of one; for a program rows of windows, or of stretches. */
enum st shares_print(const struct shares *x, struct store *s, const struct selection *run, const char *of,
                     enum table_format f, FILE *to, struct diag *d);
/* Of all parties: windows and cases as the tables share_window and share_case, in place of those that are there of this
 * run, party and unit. */
enum st shares_keep(const struct shares *x, struct store *s, const struct selection *run, struct diag *d);

#endif
