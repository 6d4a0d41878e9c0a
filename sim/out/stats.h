/*
 * stats.h -- exact quantiles, intervals of means, the Jain index.  Layer: out.
 * Every result is NaN where it is not defined (no value, one value for a spread).
 */
#ifndef SIM_STATS_H
#define SIM_STATS_H

#include "base/base.h"

double stats_mean(const double *x, size_t n);
double stats_sd(const double *x, size_t n);             /* of the sample, n - 1 */

/*
 * Quantiles of all values, linear between the two nearest ranks: with h =
 * (n - 1) p, x_(floor h) + (h - floor h) (x_(floor h + 1) - x_(floor h)), ranks
 * from 0 (Hyndman & Fan's type 7, the default of R and NumPy).
 *   x   [n]    permuted
 *   p   [n_p]  in [0, 1], ascending
 *   out [n_p]
 * Expected O(n_p n): selection, not sorting.
 */
void stats_quantiles(double *x, size_t n, const double *p, size_t n_p, double *out);

/* Mean and the half-width of its 95 % interval, Student's t with n - 1 degrees of freedom. */
struct stats_ci { double mean, half; size_t n; };
struct stats_ci stats_ci95(const double *x, size_t n);

/* Of the differences x[i] - base[i], and of the ratios x[i] / base[i] (NaN if a base is 0): paired, say by seed. */
struct stats_ci stats_diff95(const double *x, const double *base, size_t n);
struct stats_ci stats_ratio95(const double *x, const double *base, size_t n);

/* (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has everything.
 * Source: Jain, Chiu & Hawe, DEC-TR-301, 1984. */
double stats_jain(const double *x, size_t n);

#endif
