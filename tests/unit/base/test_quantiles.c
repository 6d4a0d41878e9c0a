/* Quantiles of values shown twice: to the bit those of stats_quantiles, which has all values at once. */
#include <criterion/criterion.h>
#include <math.h>
#include "base/quantiles.h"
#include "base/rng.h"
#include "base/stats.h"

enum { MOST = 700 };
static const double at[] = { 0, 0.5, 0.95, 1 };

/* NaN counts for nothing. */
static void agree(const double *x, size_t n)
{
    static struct quantiles q;
    double all[MOST], want[4], got[4];
    size_t n_all = 0;
    q = (struct quantiles){ .n = 0 };
    for (size_t i = 0; i < n; i++) {
        quantiles_count(&q, quantiles_bin(x[i]));
        if (!isnan(x[i])) all[n_all++] = x[i];
    }
    quantiles_choose(&q, at, 4);
    for (size_t i = 0; i < n; i++)
        if (quantiles_wants(&q, quantiles_bin(x[i]))) quantiles_keep(&q, quantiles_bin(x[i]), x[i]);
    quantiles_get(&q, got);
    stats_quantiles(all, n_all, at, 4, want);
    cr_assert_eq(q.n, n_all);
    for (int i = 0; i < 4; i++)
        cr_assert(n_all == 0 ? isnan(got[i]) : got[i] == want[i], "%zu values: %.17g, expected %.17g", n, got[i], want[i]);
    quantiles_fini(&q);
}

Test(quantiles, those_of_values_of_every_size_with_ties_are_exact)
{
    static const double odd[] = { 0, -0.0, 1, 1, 2, 0x1p-20, 0x1p-21, 0x1p31, 0x1p40, 1e300, 4e-320, 1.0000000001, NAN };
    struct rng r;
    rng_init(&r, 1, "test", 0);
    for (size_t n = 0; n <= MOST; n++) {
        double x[MOST];
        const uint32_t ways = 1 + (uint32_t)(n % 3);
        for (size_t i = 0; i < n; i++)
            switch (rng_below(&r, ways)) {
            case 0: x[i] = exp((double)rng_below(&r, 1000000) / 40000 - 10); break;
            case 1: x[i] = (double)rng_below(&r, 1 + n / 20); break;
            default: x[i] = odd[rng_below(&r, sizeof odd / sizeof odd[0])]; break;
            }
        agree(x, n);
    }
}

Test(quantiles, values_alike_are_counted_and_not_kept)
{
    static struct quantiles q;
    double got[4];
    for (int i = 0; i < 1000; i++) quantiles_count(&q, quantiles_bin(i % 2));
    quantiles_choose(&q, at, 4);
    cr_assert_eq(q.n_kept, 0);
    quantiles_get(&q, got);
    cr_assert(got[0] == 0 && got[1] == 0.5 && got[2] == 1 && got[3] == 1);
}

/* 20,000 values of one open bin, of which there are 100 each: in memory only so long as they are few. */
Test(quantiles, values_of_a_bin_that_are_the_same_take_one_place)
{
    static struct quantiles q;
    double got[4];
    for (int i = 0; i < 20000; i++) quantiles_count(&q, quantiles_bin(1.01 + i % 200 / 2000.0));
    quantiles_choose(&q, at, 4);
    for (int i = 0; i < 20000; i++) quantiles_keep(&q, quantiles_bin(1.01), 1.01 + i % 200 / 2000.0);
    cr_assert_leq(q.kept[0].cap, 4096);
    quantiles_get(&q, got);
    const double a = 1.01 + 99 / 2000.0, b = 1.01 + 100 / 2000.0;
    cr_assert(got[0] == 1.01 && got[1] == a + (b - a) / 2 && got[3] == 1.01 + 199 / 2000.0);
    quantiles_fini(&q);
}

Test(quantiles, bins_are_in_the_order_of_values)
{
    static const double x[] = { 0, 1e-9, 0x1p-20, 0x1.1p-20, 0x1.2p-20, 1, 1.01, 1.125, 1.13, 2, 1e9, 0x1p31, INFINITY, NAN };
    for (size_t i = 1; i < sizeof x / sizeof x[0]; i++)
        cr_assert(quantiles_bin(x[i - 1]) < quantiles_bin(x[i]) || x[i - 1] == 0x1p31, "%g", x[i]);
}
