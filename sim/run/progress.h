/*
 * progress.h -- how far the runs are: told to who asks, and drawn, with the time left, on a terminal only.  Layer: run.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include "base/base.h"

struct progress {
    bool is_on;                 /* stderr is a terminal and not --quiet */
    uint64_t n_jobs;            /* of one run */
    double   began, drawn;      /* wall clock, s */
    /* Told now and then how much of the run is done, 0..1, by whoever runs: whoever draws may be elsewhere. */
    void (*report)(void *ctx, double fraction, uint64_t n_ended, sim_tick now);
    void    *ctx;
};

void progress_begin(struct progress *p, bool quiet);
void progress_run(struct progress *p, uint64_t n_jobs); /* the next run begins */
/* Cheap enough to call at every instant: looks at the clock now and then. */
void progress_tick(struct progress *p, uint64_t instants, uint64_t jobs_ended, sim_tick now);
/* Draw a bar of this much of the whole, a text and the time left; at most ten times a second. */
void progress_show(struct progress *p, double whole, const char *text);
void progress_clear(struct progress *p);                                        /* before anything else is printed */

double progress_clock(void);    /* wall clock, s */

#endif
