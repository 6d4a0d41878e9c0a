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

/* ---- the bootstrap ---- */

/* Too few values, or none that differ: Student's t, to the bit. */
Test(stats, the_bootstrap_of_few_or_equal_values_is_students_t)
{
    double x[] = { 3, 1, 4, 1, 5, 9, 2 }, same[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
    struct stats_ci t = stats_ci95(x, 7), b = stats_boot95(x, 7), e = stats_boot95(same, 9);
    cr_assert(b.lo == t.lo && b.hi == t.hi && b.half == t.half);
    cr_assert(e.lo == 2 && e.hi == 2 && e.half == 0);
}

/* Symmetric values give a symmetric interval near mean -+ 1.96 sd' / sqrt n, sd' of the population: here sqrt(33.25) / sqrt 20. */
Test(stats, the_bootstrap_of_a_symmetric_sample_is_near_the_normal_one)
{
    double x[20];
    for (int i = 0; i < 20; i++) x[i] = i;
    struct stats_ci b = stats_boot95(x, 20), again = stats_boot95(x, 20);
    double half = 1.959964 * sqrt(33.25) / sqrt(20);
    cr_assert(b.lo == again.lo && b.hi == again.hi, "the same every time");
    cr_assert_float_eq(b.mean, 9.5, 1e-12);
    cr_assert_float_eq(b.lo, 9.5 - half, 0.15);
    cr_assert_float_eq(b.hi, 9.5 + half, 0.15);
}

/* Turning a sample round turns its interval round; a skewed one leans to its long side. */
Test(stats, the_bootstrap_leans_with_the_sample)
{
    double x[12], y[12];
    for (int i = 0; i < 12; i++) { x[i] = exp(i / 3.0); y[i] = -x[i]; }
    struct stats_ci a = stats_boot95(x, 12), b = stats_boot95(y, 12);
    cr_assert_gt(a.hi - a.mean, 1.15 * (a.mean - a.lo));
    cr_assert_float_eq(a.lo, -b.hi, 0.05 * a.half);
    cr_assert_float_eq(a.hi, -b.lo, 0.05 * a.half);
}

/*
 * Of 600 samples of 12: how often the interval holds the true mean.  Student's t
 * on normal values: 95 %, within 3 sd of that count (0.95 -+ 0.027).  On
 * exponential ones both are known to hold it less often at this size.
 */
Test(stats, intervals_hold_the_mean_about_as_often_as_they_say)
{
    enum { SAMPLES = 600, N = 12 };
    int t_normal = 0, boot_normal = 0, boot_exp = 0;
    struct rng r;
    rng_init(&r, 1, "test coverage", 0);
    for (int k = 0; k < SAMPLES; k++) {
        double x[N], y[N];
        for (int i = 0; i < N; i++) { x[i] = rng_normal(&r); y[i] = rng_exp(&r, 1); }
        struct stats_ci t = stats_ci95(x, N), b = stats_boot95(x, N), e = stats_boot95(y, N);
        t_normal += t.lo <= 0 && t.hi >= 0;
        boot_normal += b.lo <= 0 && b.hi >= 0;
        boot_exp += e.lo <= 1 && e.hi >= 1;
    }
    cr_log_info("held: t %d, bootstrap %d of normal; bootstrap %d of exponential, of %d", t_normal, boot_normal, boot_exp, SAMPLES);
    cr_assert(t_normal >= SAMPLES * 0.923 && t_normal <= SAMPLES * 0.977, "%d", t_normal);
    cr_assert(boot_normal >= SAMPLES * 0.88 && boot_normal <= SAMPLES * 0.97, "%d", boot_normal);
    cr_assert(boot_exp >= SAMPLES * 0.84 && boot_exp <= SAMPLES * 0.96, "%d", boot_exp);
}
