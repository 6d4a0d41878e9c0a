/* Batches of one run: where they are, and their intervals beside a calculation by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include "compare/batch.h"

static bool is_near(double a, double b) { return fabs(a - b) < 1e-9 * (1 + fabs(b)); }

/* t(0.975, 9), from a table. */
static const double T9 = 2.2621571628;

Test(batch, the_interval_of_a_mean_is_that_of_batch_means)
{
    struct batch_values x = { .whole = 5.5, .is_decided = true };
    for (int i = 0; i < BATCHES; i++) x.part[i] = i + 1;        /* sum of squares about 5.5: 82.5 */
    const struct stats_ci c = batch_mean(&x);
    cr_assert(is_near(c.half, T9 * sqrt(82.5 / 90)), "%.12g", c.half);
    cr_assert(is_near(c.lo, 5.5 - c.half) && is_near(c.hi, 5.5 + c.half));
    cr_assert_eq(c.n, BATCHES);
}

Test(batch, pairs_cancel_what_both_met)
{
    struct batch_values x = { .whole = 11, .is_decided = true }, y = { .whole = 5.5, .is_decided = true };
    for (int i = 0; i < BATCHES; i++) { y.part[i] = i + 1; x.part[i] = 2 * y.part[i]; }
    cr_assert(is_near(batch_ratio(&x, &y).mean, 2) && batch_ratio(&x, &y).half < 1e-12);
    cr_assert(is_near(batch_diff(&x, &y).half, T9 * sqrt(82.5 / 90)));
    y.whole = 0;
    cr_assert(isnan(batch_ratio(&x, &y).mean) && isnan(batch_ratio(&x, &y).half), "no ratio to 0");
}

/*
 * Nine of -1 and one of 9: m2 = 9, m3 = 72, so G1 = 72 / 27 sqrt(90) / 8 = sqrt(10); Student's t reaches T9 to each side,
 * v = T9 / 3, and Hall's end is 3 * 3 / sqrt(10) (1 - cbrt(1 - sqrt(10) (T9 / 3 + sqrt(10) / 60))) = 6.1406 above.
 */
Test(batch, a_tail_reaches_farther_to_its_long_side)
{
    struct batch_values x = { .whole = 100, .is_decided = true, .is_tail = true };
    for (int i = 0; i < BATCHES; i++) x.part[i] = i == 3 ? 109 : 99;
    const struct stats_ci c = batch_mean(&x);
    cr_assert(fabs(c.hi - 106.1406) < 1e-4 && is_near(c.lo, 100 - T9) && is_near(c.half, (c.hi - c.lo) / 2), "%.9g %.9g", c.lo, c.hi);
    x.is_tail = false;
    cr_assert(is_near(batch_mean(&x).hi, 100 + T9));
}

Test(batch, what_is_open_has_no_interval)
{
    struct batch_values x = { .whole = 1, .is_decided = false };
    cr_assert(isinf(batch_mean(&x).half));
    x.is_decided = true;
    x.part[3] = NAN;
    cr_assert(isinf(batch_mean(&x).half), "a batch has no value");
}

Test(batch, mser5_leaves_out_a_warm_up)
{
    enum { N = 1000 };
    double x[N];
    for (int i = 0; i < N; i++) x[i] = (i < 100 ? 50 : 0) + i % 5;       /* five after five have the same mean */
    cr_assert_eq(stats_mser5(x, N), 100);
    for (int i = 0; i < N; i++) x[i] = i % 5;
    cr_assert_eq(stats_mser5(x, N), 0, "nothing to leave out");
    for (int i = 0; i < N; i++) x[i] = i;
    cr_assert_eq(stats_mser5(x, N), N, "what grows to the end does not settle");
    cr_assert_eq(stats_mser5(x, 3), 0);
}
