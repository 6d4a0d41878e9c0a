/* Random streams: named, independent of each other, the published generator. */
#include <criterion/criterion.h>
#include <math.h>
#include "base/rng.h"

/* xoshiro256** from the state {1, 2, 3, 4}: first outputs of the authors' reference code. */
Test(rng, is_xoshiro256_star_star)
{
    struct rng r = { { 1, 2, 3, 4 } };
    const uint64_t want[] = { 11520, 0, 1509978240, 1215971899390074240 };
    for (size_t i = 0; i < ARRAY_LEN(want); i++) cr_assert_eq(rng_u64(&r), want[i], "output %zu", i);
}

Test(rng, the_same_seed_purpose_and_index_give_the_same_stream)
{
    struct rng a, b;
    rng_init(&a, 42, "arrivals", 3);
    rng_init(&b, 42, "arrivals", 3);
    for (int i = 0; i < 100; i++) cr_assert_eq(rng_u64(&a), rng_u64(&b));
}

Test(rng, seed_purpose_and_index_each_change_the_stream)
{
    struct rng base, r[5];
    rng_init(&base, 42, "arrivals", 0);
    rng_init(&r[0], 43, "arrivals", 0);
    rng_init(&r[1], 42, "faults", 0);
    rng_init(&r[2], 42, "arrivals", 1);
    rng_init(&r[3], 42, "arrival", 0);
    rng_init(&r[4], 42, "arrivalss", 0);
    uint64_t x = rng_u64(&base);
    for (int i = 0; i < 5; i++) cr_assert_neq(rng_u64(&r[i]), x, "stream %d", i);
}

/* Streams of neighbouring seeds and indices are not shifted copies of each other. */
Test(rng, neighbouring_streams_share_no_values)
{
    enum { N = 64, K = 30 };
    static uint64_t seen[N * K];
    size_t n = 0;
    for (uint64_t i = 0; i < N; i++) {
        struct rng r;
        rng_init(&r, i / 8, "x", i % 8);
        for (int k = 0; k < K; k++) seen[n++] = rng_u64(&r);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) cr_assert_neq(seen[i], seen[k]);
}

/* Chi-square over 10 cells, 9 degrees of freedom: 27.9 is exceeded once in 1000. */
Test(rng, below_is_uniform)
{
    struct rng r;
    rng_init(&r, 1, "below", 0);
    long cell[10] = { 0 };
    enum { N = 100000 };
    for (int i = 0; i < N; i++) cell[rng_below(&r, 10)]++;
    double chi = 0;
    for (int i = 0; i < 10; i++) chi += pow((double)cell[i] - N / 10.0, 2) / (N / 10.0);
    cr_assert_lt(chi, 27.9, "chi-square %g", chi);
}

Test(rng, below_keeps_its_bound_at_the_extremes)
{
    struct rng r;
    rng_init(&r, 1, "below", 1);
    for (int i = 0; i < 1000; i++) {
        cr_assert_eq(rng_below(&r, 1), 0);
        cr_assert_lt(rng_below(&r, (UINT64_C(1) << 63) + 1), (UINT64_C(1) << 63) + 1);
    }
}

Test(rng, unit_is_inside_its_open_interval)
{
    struct rng r;
    rng_init(&r, 1, "unit", 0);
    for (int i = 0; i < 100000; i++) {
        double u = rng_unit(&r);
        cr_assert(u > 0 && u < 1);
    }
}

static void moments(double (*draw)(struct rng *), double mean, double var, double tol)
{
    struct rng r;
    rng_init(&r, 5, "moments", 0);
    double sum = 0, sq = 0;
    enum { N = 200000 };
    for (int i = 0; i < N; i++) { double x = draw(&r); sum += x; sq += x * x; }
    double m = sum / N, v = sq / N - m * m;
    cr_assert_lt(fabs(m - mean), tol, "mean %g, not %g", m, mean);
    cr_assert_lt(fabs(v - var), 10 * tol, "variance %g, not %g", v, var);
}

static double exp2_(struct rng *r) { return rng_exp(r, 2.0); }
static double logn(struct rng *r) { return rng_lognormal(r, 0.0, 0.5); }

/* Tolerances: about four standard errors of the mean of 200,000 draws. */
Test(rng, exponential_has_its_mean_and_variance) { moments(exp2_, 2.0, 4.0, 0.018); }
Test(rng, normal_is_standard)                    { moments(rng_normal, 0.0, 1.0, 0.009); }
/* exp(s^2/2); (exp(s^2) - 1) exp(s^2) */
Test(rng, lognormal_has_its_mean_and_variance)   { moments(logn, exp(0.125), (exp(0.25) - 1) * exp(0.25), 0.006); }
