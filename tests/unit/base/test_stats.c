/* Quantiles, intervals, the Jain index: every expected value worked by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "base/rng.h"
#include "base/stats.h"

static void near(double got, double want)
{
    cr_assert(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)), "got %.12g, expected %.12g", got, want);
}

/* n = 5, p = 0.95: h = 4 x 0.95 = 3.8, between 40 and 50: 40 + 0.8 x 10 = 48. */
Test(stats, quantiles_lie_between_the_two_nearest_ranks)
{
    double x[] = { 50, 10, 40, 20, 30 }, q[4];
    stats_quantiles(x, 5, (double[]){ 0, 0.5, 0.95, 1 }, 4, q);
    near(q[0], 10);
    near(q[1], 30);
    near(q[2], 48);
    near(q[3], 50);
}

Test(stats, one_value_is_every_quantile_and_none_has_none)
{
    double x[] = { 7 }, q[2];
    stats_quantiles(x, 1, (double[]){ 0.5, 0.99 }, 2, q);
    near(q[0], 7);
    near(q[1], 7);
    stats_quantiles(x, 0, (double[]){ 0.5, 0.99 }, 2, q);
    cr_assert(isnan(q[0]) && isnan(q[1]));
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

Test(stats, selection_agrees_with_sorting_on_random_values_with_ties)
{
    enum { N = 257 };
    static const double p[] = { 0, 0.01, 0.25, 0.5, 0.5, 0.9, 0.95, 0.99, 1 };
    struct rng r;
    rng_init(&r, 1, "test", 0);
    for (size_t n = 1; n < N; n++) {
        double x[N], sorted[N], q[9];
        for (size_t i = 0; i < n; i++) sorted[i] = x[i] = (double)rng_below(&r, 1 + n / 2);
        qsort(sorted, n, sizeof *sorted, ascending);
        stats_quantiles(x, n, p, 9, q);
        for (size_t i = 0; i < 9; i++) {
            double h = (double)(n - 1) * p[i];
            size_t k = (size_t)h;
            double next = k + 1 < n ? sorted[k + 1] : sorted[k];
            near(q[i], sorted[k] + (h - (double)k) * (next - sorted[k]));
        }
    }
}

/* 2 4 4 4 5 5 7 9: mean 5, squares of deviations sum to 32, sd = sqrt(32 / 7). */
Test(stats, standard_deviation_divides_by_n_minus_1)
{
    double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
    near(stats_mean(x, 8), 5);
    near(stats_sd(x, 8), sqrt(32.0 / 7));
    cr_assert(isnan(stats_sd(x, 1)));
    cr_assert(isnan(stats_mean(x, 0)));
}

/* 1 2 3: sd 1; t(0.975, 2) = 4.30265272975; half = t / sqrt(3) = 2.48413771175. */
Test(stats, interval_is_students_t)
{
    struct stats_ci c = stats_ci95((double[]){ 1, 2, 3 }, 3);
    near(c.mean, 2);
    cr_assert_float_eq(c.half, 2.48413771175, 1e-9);
    cr_assert(isnan(stats_ci95((double[]){ 1 }, 1).half));
}

/* x - base = -1 -1 -1 although both vary widely: the interval is a point. */
Test(stats, pairing_cancels_what_both_share)
{
    double x[] = { 9, 99, 999 }, base[] = { 10, 100, 1000 };
    struct stats_ci c = stats_diff(x, base, 3, stats_ci95);
    near(c.mean, -1);
    near(c.half, 0);
}

Test(stats, ratio_to_zero_is_not_defined)
{
    cr_assert(isnan(stats_ratio((double[]){ 1, 2 }, (double[]){ 1, 0 }, 2, stats_ci95).mean));
}

/* (1 + 0 + 0 + 0)^2 / (4 x 1) = 1/4; equal values: 1; 1 2 3: 36 / (3 x 14). */
Test(stats, jain_is_1_for_equals_and_1_over_n_for_one_taker)
{
    near(stats_jain((double[]){ 5, 5, 5 }, 3), 1);
    near(stats_jain((double[]){ 1, 0, 0, 0 }, 4), 0.25);
    near(stats_jain((double[]){ 1, 2, 3 }, 3), 36.0 / 42);
    cr_assert(isnan(stats_jain((double[]){ 0, 0 }, 2)));
}

/* ---- corrected for skewness ---- */

/* Too few values, or none that differ: Student's t, to the bit. */
Test(stats, the_correction_of_few_or_equal_values_is_students_t)
{
    double x[] = { 3, 1, 4, 1, 5, 9, 2 }, same[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    struct stats_ci t = stats_ci95(x, 7), b = stats_skew95(x, 7), e = stats_skew95(same, 9);
    cr_assert(b.lo == t.lo && b.hi == t.hi && b.half == t.half);
    cr_assert(e.lo == 2 && e.hi == 2 && e.half == 0);
}

/* No skewness, nothing to correct. */
Test(stats, the_correction_of_a_symmetric_sample_is_students_t)
{
    double x[20];
    for (int i = 0; i < 20; i++) x[i] = i;
    struct stats_ci b = stats_skew95(x, 20), t = stats_ci95(x, 20);
    near(b.lo, t.lo);
    near(b.hi, t.hi);
}

/*
 * 1 2 3 4 5 6 7 8 9 55: mean 10; deviations -9 .. -1, 45: squares 2310, cubes 89100.
 * m2 = 231, m3 = 8910, G1 = 8910 / 231^1.5 sqrt(90) / 8 = 3.00946; s = sqrt(231).
 * The ends are where g(W) is -+ t(0.975, 9) / 3, which bisection of g finds a second time.
 */
static double hall_end(double v, double g, double n)
{
    double low = -50, high = 50;
    for (int i = 0; i < 200; i++) {
        const double w = (low + high) / 2;
        if (w + g * w * w / 3 + g * g * w * w * w / 27 + g / (6 * n) < v) low = w;
        else high = w;
    }
    return low;
}

Test(stats, the_correction_inverts_halls_transformation)
{
    const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 55 }, g = 8910 / pow(231, 1.5) * sqrt(90) / 8;
    const double v = 2.2621571628 / 3, t_half = 2.2621571628 * sqrt(2310.0 / 9 / 10), s = sqrt(231);
    struct stats_ci b = stats_skew95(x, 10);
    near(b.mean, 10);
    cr_assert_float_eq(b.hi, 10 - s * hall_end(-v, g, 10), 1e-6);
    cr_assert_float_eq(b.lo, 10 - t_half, 1e-6, "the short side is Student's, which reaches farther");
    cr_assert_gt(b.hi, 10 + t_half);
    near(b.half, (b.hi - b.lo) / 2);
}

/* Turning a sample round turns its interval round; a skewed one leans to its long side. */
Test(stats, the_correction_leans_with_the_sample)
{
    double x[12], y[12];
    for (int i = 0; i < 12; i++) { x[i] = exp(i / 3.0); y[i] = -x[i]; }
    struct stats_ci a = stats_skew95(x, 12), b = stats_skew95(y, 12);
    cr_assert_gt(a.hi - a.mean, 1.15 * (a.mean - a.lo));
    near(a.lo, -b.hi);
    near(a.hi, -b.lo);
}

/*
 * Of samples of 8 to 30 how often an interval holds the true mean: 95 %, give or take 2, whether they are normal,
 * exponential or lognormal.  Student's t does of normal ones; of the skewed ones it holds the mean too seldom.
 */
Test(stats, intervals_hold_the_mean_as_often_as_they_say)
{
    enum { SAMPLES = 4000, MOST = 30 };
    static const int size[] = { 8, 10, 15, 30 };
    for (int j = 0; j < 4; j++) {
        const size_t n = (size_t)size[j];
        const double truth[] = { 0, 1, exp(0.18) };
        int t[3] = { 0 }, skew[3] = { 0 };
        struct rng r;
        rng_init(&r, 1, "test coverage", n);
        for (int k = 0; k < SAMPLES; k++) {
            double x[3][MOST];
            for (size_t i = 0; i < n; i++) {
                x[0][i] = rng_normal(&r);
                x[1][i] = rng_exp(&r, 1);
                x[2][i] = rng_lognormal(&r, 0, 0.6);
            }
            for (int i = 0; i < 3; i++) {
                const struct stats_ci c = stats_ci95(x[i], n), b = stats_skew95(x[i], n);
                t[i] += c.lo <= truth[i] && truth[i] <= c.hi;
                skew[i] += b.lo <= truth[i] && truth[i] <= b.hi;
            }
        }
        cr_log_info("n %zu, of %d: t %d %d %d, corrected %d %d %d", n, SAMPLES, t[0], t[1], t[2], skew[0], skew[1], skew[2]);
        cr_assert(t[0] >= 0.94 * SAMPLES && t[0] <= 0.96 * SAMPLES, "n %zu: %d", n, t[0]);
        cr_assert(t[1] < 0.935 * SAMPLES, "n %zu: %d", n, t[1]);
        for (int i = 0; i < 3; i++)
            cr_assert(skew[i] >= 0.93 * SAMPLES && skew[i] <= 0.97 * SAMPLES, "n %zu, %d: %d", n, i, skew[i]);
    }
}

/* Of 1 2 3 4 and 3 4 5 6 half of the first is below all of the second; equal samples do not differ, and ties are steps. */
Test(stats, ks_is_the_greatest_distance_of_two_distributions)
{
    double a[] = { 4, 1, 3, 2 }, b[] = { 6, 3, 5, 4 }, c[] = { 1, 1, 1, 2 }, e[] = { 1, 2 };
    cr_assert_float_eq(stats_ks(a, 4, b, 4), 0.5, 1e-12);
    cr_assert_float_eq(stats_ks(a, 4, a, 4), 0, 1e-12);
    cr_assert_float_eq(stats_ks(c, 4, e, 2), 0.25, 1e-12);
    cr_assert(isnan(stats_ks(a, 0, b, 4)));
}

/* 1 -1 1 -1 ...: -(n - 1)/n at lag 1, (n - 2)/n at lag 2. */
Test(stats, autocorrelation_of_what_alternates)
{
    double x[10];
    for (int i = 0; i < 10; i++) x[i] = i % 2 == 0 ? 1 : -1;
    cr_assert_float_eq(stats_autocorrelation(x, 10, 1), -0.9, 1e-12);
    cr_assert_float_eq(stats_autocorrelation(x, 10, 2), 0.8, 1e-12);
    cr_assert(isnan(stats_autocorrelation(x, 10, 10)));
    for (int i = 0; i < 10; i++) x[i] = 3;
    cr_assert(isnan(stats_autocorrelation(x, 10, 1)));
}
