/*
 * stats.h -- exact quantiles, intervals of means, the Jain index.  Layer: base.
 * Every result is NaN where it is not defined (no value, one value for a spread).
 */
#ifndef BASE_STATS_H
#define BASE_STATS_H

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

/*
 * A mean and its 95 % interval [lo, hi]; half is half its width, NaN with one
 * value (lo and hi then are NaN too).
 */
struct stats_ci { double mean, half, lo, hi; size_t n; };
/* Student's t with n - 1 degrees of freedom: mean -+ t(0.975) sd / sqrt n. */
struct stats_ci stats_ci95(const double *x, size_t n);

/*
 * The same by the bootstrap, for values whose distribution is skewed, such as
 * tails: the means of STATS_BOOT_DRAWS samples drawn with replacement, from a
 * stream that hangs on n alone, so that the interval is the same every time;
 * its ends are corrected for bias and skewness (BCa).  With fewer than
 * STATS_BOOT_LEAST values the samples hold too few different ones, their
 * spread comes out too small, and Student's t is used instead.
 * O(n STATS_BOOT_DRAWS).
 * Source: Efron, Better bootstrap confidence intervals, JASA 82, 1987.
 */
enum { STATS_BOOT_DRAWS = 4000, STATS_BOOT_LEAST = 8 };
struct stats_ci stats_boot95(const double *x, size_t n);

/* Of the differences x[i] - base[i], and of the ratios x[i] / base[i] (NaN if a base is 0): paired, say by seed. */
typedef struct stats_ci stats_interval(const double *x, size_t n);      /* stats_ci95 or stats_boot95 */
struct stats_ci stats_diff(const double *x, const double *base, size_t n, stats_interval *of);
struct stats_ci stats_ratio(const double *x, const double *base, size_t n, stats_interval *of);

/*
 * How many values from the start on to leave out as warm-up: the k, a multiple of 5, for which
 * the means m_i of five values from there on have the least standard error, the sum of
 * (m_i - mean)^2 / count^2; looked for in the first half, and n where it is at its end: nothing is settled yet.
 * O(n).
 * Source: MSER-5, of White, Cobb & Spratt, A comparison of five steady-state truncation
 * heuristics for simulation, WSC 2000.
 */
size_t stats_mser5(const double *x, size_t n);

/* (sum x)^2 / (n sum x^2): 1 when all are equal, 1/n when one has everything.
 * Source: Jain, Chiu & Hawe, DEC-TR-301, 1984. */
double stats_jain(const double *x, size_t n);

#endif
