/*
 * fairness.h -- the flow paper's fairness: how long each job ran beside how
 * long it would have run alone.  Layer: metrics.
 *
 * t_sh is the time from a job's first start to its end; s = t_id / t_sh, one
 * for each ideal time t_id, is not clamped: it exceeds 1 where sharing was
 * faster than the ideal.  S is the mean of s, sigma its population standard
 * deviation.  Source: seed 4, section 5.2; results/README.md has the formulas.
 */
#ifndef METRICS_FAIRNESS_H
#define METRICS_FAIRNESS_H

#include "base/base.h"

/* Alone on the whole cluster; alone on 1/m of its GPUs. */
enum ideal { IDEAL_WHOLE, IDEAL_SHARE, IDEALS };
extern const char *const fairness_name[IDEALS];     /* whole, share */

struct fairness { double *s; size_t n, cap; };      /* one ideal's s by job, in order of ending */

void   fairness_fini(struct fairness *f);           /* zero-initialise to begin */
/* s of a job; NaN when either time is not above 0: it never ended, or no ideal is known. */
double fairness_s(int64_t ideal_us, int64_t shared_us);
void   fairness_add(struct fairness *f, double s);  /* NaN is left out */
double fairness_mean(const struct fairness *f);     /* S; NaN without jobs */
double fairness_sigma(const struct fairness *f);    /* NaN without jobs; 0 for one */

#endif
