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
/* Student's t with n - 1 degrees of freedom: mean -+ t(0.975) sd / sqrt n; and at another level than 0.95. */
struct stats_ci stats_ci95(const double *x, size_t n);
struct stats_ci stats_ci(const double *x, size_t n, double level);

/*
 * The same for values whose distribution is skewed, such as tails: Student's t puts too little on the long side and
 * too much on the other.  Hall's transformation takes the skewness out: with W = (mean - mu) / s and
 *   g(W) = W + g W^2 / 3 + g^2 W^3 / 27 + g / (6 n),   so that   W = (3 / g) (cbrt(1 + g (v - g / (6 n))) - 1) at v = g(W),
 * s the deviation that divides by n, and g the sample skewness G1 = m3 / m2^1.5 sqrt(n (n - 1)) / (n - 2), g(W) is
 * less skewed than W, and its quantiles are taken to be -+ t(0.975) / sqrt(n - 1).  The skewness of few values is itself
 * uncertain: where Student's t reaches farther, its end stands.  With fewer than STATS_SKEW_LEAST values, or equal
 * ones, it is Student's t alone.  Nothing is drawn.  O(n).
 * Sources: Hall, On the removal of skewness by transformation, J. R. Stat. Soc. B 54, 1992; with t's quantiles in place
 * of the normal's, as Johnson, Modified t tests and confidence intervals for asymmetrical populations, JASA 73, 1978;
 * G1: Joanes & Gill, Comparing measures of sample skewness and kurtosis, The Statistician 47, 1998.
 */
enum { STATS_SKEW_LEAST = 8 };
struct stats_ci stats_skew95(const double *x, size_t n);
struct stats_ci stats_skew(const double *x, size_t n, double level);        /* the same of another level */

/* Of the differences x[i] - base[i], and of the ratios x[i] / base[i] (NaN if a base is 0): paired, say by seed. */
typedef struct stats_ci stats_interval(const double *x, size_t n);      /* stats_ci95 or stats_skew95 */
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

/*
 * The greatest distance between the distribution functions of two samples, Kolmogorov and Smirnov's; both are sorted.
 * O(n log n).
 */
double stats_ks(double *x, size_t n, double *y, size_t m);
/* Of a series with itself, lag values later. */
double stats_autocorrelation(const double *x, size_t n, size_t lag);

#endif
