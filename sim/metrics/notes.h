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
#include "metrics/collector.h"

struct notes_sum {
    uint64_t n;
    double   sum, max, last;
    double   level_us;          /* integral of the last value, up to `since` */
    sim_tick since;
};

struct notes { const struct collector_out *out; struct intern name; struct notes_sum *at; size_t cap; };  /* at [name.n] */

void notes_fini(struct notes *t);               /* zero-initialise to begin */
/* Not a number: left out.  Times do not decrease. */
void notes_add(struct notes *t, sim_tick at, const char *name, double value);
/* The time average over [0, now] of the value that stood last, 0 before the first; NaN at time 0. */
double notes_level(const struct notes_sum *s, sim_tick now);

#endif
