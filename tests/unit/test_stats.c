/* Quantiles, intervals, the Jain index: every expected value worked by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include "base/rng.h"
#include "out/stats.h"

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
    struct stats_ci c = stats_diff95(x, base, 3);
    near(c.mean, -1);
    near(c.half, 0);
}

Test(stats, ratio_to_zero_is_not_defined)
{
    cr_assert(isnan(stats_ratio95((double[]){ 1, 2 }, (double[]){ 1, 0 }, 2).mean));
}

/* (1 + 0 + 0 + 0)^2 / (4 x 1) = 1/4; equal values: 1; 1 2 3: 36 / (3 x 14). */
Test(stats, jain_is_1_for_equals_and_1_over_n_for_one_taker)
{
    near(stats_jain((double[]){ 5, 5, 5 }, 3), 1);
    near(stats_jain((double[]){ 1, 0, 0, 0 }, 4), 0.25);
    near(stats_jain((double[]){ 1, 2, 3 }, 3), 36.0 / 42);
    cr_assert(isnan(stats_jain((double[]){ 0, 0 }, 2)));
}
