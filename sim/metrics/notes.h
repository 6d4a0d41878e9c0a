/*
 * notes.h -- the numbers that a policy notes during a run, summed up by name.
 * Layer: metrics.
 *
 * A note is one of two things, and only its policy knows which: a value that
 * stands until the next note of its name (a level), or one of many findings.
 * So each name has the figures of both; formulas in results/README.md.
 * O(length of the name) a note.
 */
#ifndef METRICS_NOTES_H
#define METRICS_NOTES_H

#include "base/intern.h"

struct noted_sum {
    uint64_t n;
    double   sum, max, last;
    double   level_us;          /* integral of the last value, up to `since` */
    sim_tick since;
};

struct noted { struct intern name; struct noted_sum *at; size_t cap; };        /* at [name.n] */

void noted_fini(struct noted *t);               /* zero-initialise to begin */
/* Not a number: left out.  Times do not decrease. */
void noted_add(struct noted *t, sim_tick at, const char *name, double value);
/* The time average over [0, now] of the value that stood last, 0 before the first; NaN at time 0. */
double noted_level(const struct noted_sum *s, sim_tick now);

#endif
