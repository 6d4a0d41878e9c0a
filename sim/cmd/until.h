/*
 * until.h -- how many seeds a wanted interval needs, for `run --until`.  Layer: cmd.
 *
 * After the seeds that were asked for, or UNTIL_LEAST of them, the widest relative interval h over the policies says
 * how many more to run: n (h / wanted)^2 in all, at least one more and at most as many again as there are.  Looking
 * only at so few sizes, none of them small, costs an interval little of its 95 %, which tests/theory/test_intervals.c
 * counts.
 * Source: Law, Simulation Modeling and Analysis, 5th edition, 2015, 9.4.1.
 */
#ifndef CMD_UNTIL_H
#define CMD_UNTIL_H

#include "base/base.h"
#include "base/diag.h"

enum { UNTIL_LEAST = 10, UNTIL_MOST = 1000 };

struct until {
    char *metric;               /* owned; NULL: not asked for */
    double share;               /* wanted: half the interval, over the mean */
    uint64_t first, last;       /* the seeds to run next */
};
static inline bool until_is_asked(const struct until *u) { return u->metric != NULL; }

/* The runs so far. */
struct until_run { int64_t id; uint64_t seed; };
struct until_runs { struct until_run *at; size_t n, cap; };
void until_add(struct until_runs *r, int64_t id, uint64_t seed);

/* "wait_mean ±2%", "wait_mean 2%"; what is wrong into error. */
bool until_read(struct until *u, const char *text, char *error, size_t cap);
/* *more: seeds first to last are to be run.  ST_EINPUT: there is no such metric, or UNTIL_MOST seeds do not do. */
enum st until_more(struct until *u, const struct until_runs *r, const char *database, bool *more, struct diag *d);
/* How many seeds there are to be, of which n are run, whose widest interval is `is` of its mean; n: they do. */
uint64_t until_want(uint64_t n, double is, double share);
/* Nothing hangs on the seed. */
enum st until_idle(const struct until *u, struct diag *d);

#endif
