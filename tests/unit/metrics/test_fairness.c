/* s_j, S and sigma of seed 4, section 5.2, worked by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include "metrics/fairness.h"

static void near(double got, double want, double within)
{
    cr_assert(fabs(got - want) <= within, "%.12g, expected %.12g", got, want);
}

/*
 * s = .9 .9 .8 1: S = 3.6 / 4 = .9; the deviations are 0 0 -.1 .1, so
 * sigma = sqrt(.02 / 4) = .0707 (with n - 1 it would be .0816).
 */
Test(fairness, S4_25_mean_and_population_deviation)
{
    struct fairness f = { 0 };
    const int64_t ideal[] = { 9, 90, 8, 10 }, shared[] = { 10, 100, 10, 10 };
    for (int i = 0; i < 4; i++) fairness_add(&f, fairness_s(ideal[i] * 1000000, shared[i] * 1000000));
    near(fairness_mean(&f), 0.9, 1e-12);
    near(fairness_sigma(&f), 0.0707, 0.00005);
    near(fairness_sigma(&f), sqrt(0.005), 1e-12);
    fairness_fini(&f);
}

/* s = 2 and 1: S = 1.5, sigma = .5. */
Test(fairness, a_job_faster_than_its_ideal_is_not_clamped_to_1)
{
    struct fairness f = { 0 };
    near(fairness_s(20, 10), 2, 0);
    fairness_add(&f, fairness_s(20, 10));
    fairness_add(&f, fairness_s(10, 10));
    near(fairness_mean(&f), 1.5, 1e-12);
    near(fairness_sigma(&f), 0.5, 1e-12);
    fairness_fini(&f);
}

Test(fairness, is_not_defined_without_an_ideal_or_a_run_time)
{
    struct fairness f = { 0 };
    cr_assert(isnan(fairness_s(-1, 10)));
    cr_assert(isnan(fairness_s(0, 10)));
    cr_assert(isnan(fairness_s(10, 0)));
    fairness_add(&f, NAN);
    cr_assert_eq(f.n, 0);
    cr_assert(isnan(fairness_mean(&f)) && isnan(fairness_sigma(&f)));
    fairness_add(&f, 0.7);
    near(fairness_mean(&f), 0.7, 0);
    near(fairness_sigma(&f), 0, 0);
    fairness_fini(&f);
}
