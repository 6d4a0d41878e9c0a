/* Sizes: what is tried and what comes out, against looking at every size; verdicts of intervals; fronts. */
#include <criterion/criterion.h>
#include <math.h>
#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "search/promise.h"
#include "search/race.h"
#include "search/size.h"

/* Try what is asked for until nothing is; `margin`: how far a point keeps its promise, open within +-width. */
typedef double margin_fn(const struct size *z, size_t point, size_t load, const double *weight);

static size_t search(struct size *z, size_t load, margin_fn *margin, const double *weight, double width)
{
    size_t n = 0;
    for (size_t p = size_next(z, load); p < z->n_points; p = size_next(z, load)) {
        const double m = margin(z, p, load, weight);
        size_saw(z, p, load, m > width ? TRIAL_KEPT : m < -width ? TRIAL_BROKEN
                                                                 : TRIAL_OPEN,
                 m >= 0);
        cr_assert_leq(++n, z->n_points, "a size is tried once");
    }
    return n;
}

/* More of anything is more capacity; the load takes some of it. */
static double capacity(const struct size *z, size_t point, size_t load, const double *weight)
{
    double sum = -weight[z->n_sides] * (1 + 0.2 * (double)load);
    for (size_t i = 0; i < z->n_sides; i++) sum += weight[i] * (double)size_step(z, point, i);
    return sum;
}

static size_t brute(const struct size *z, size_t load, margin_fn *margin, const double *weight)
{
    for (size_t i = 0; i < z->n_points; i++)
        if (margin(z, z->by_cost[i], load, weight) > 0) return z->by_cost[i];
    return z->n_points;
}

Test(size, one_group_is_bisected)
{
    for (size_t least = 0; least <= 64; least++) {
        const size_t n = 64;
        const double step = 3, weight[] = { 1, (double)least - 0.5 };
        struct size z;
        size_init(&z, 1, &n, 5, &step);
        cr_expect_leq(search(&z, 0, capacity, weight, 0), 7);
        const struct size_answer a = size_answer(&z, 0);
        cr_expect(a.is_decided);
        cr_expect_eq(a.kept, least); /* 64: none */
        if (least < 64) cr_expect_float_eq(a.least, 5 + 3 * (double)least, 1e-9);
        else cr_expect(isinf(a.least));
        size_fini(&z);
    }
}

Test(size, several_groups_and_loads_end_at_what_looking_at_all_finds)
{
    struct rng r;
    size_t tried = 0, all = 0;
    rng_init(&r, 1, "sizes", 0);
    for (int round = 0; round < 300; round++) {
        size_t n[3], sides = 1 + (size_t)rng_below(&r, 3);
        double step[3], weight[4];
        for (size_t i = 0; i < sides; i++) {
            n[i] = 2 + (size_t)rng_below(&r, 9);
            step[i] = (double)rng_below(&r, 5); /* also groups that cost nothing, and equal costs */
            weight[i] = 0.1 + rng_unit(&r);
        }
        step[0] += 1;
        weight[sides] = 8 * rng_unit(&r);
        struct size z;
        size_init(&z, sides, n, 1, step);
        for (size_t load = 0; load < 3; load++) {
            tried += search(&z, load, capacity, weight, 0);
            all += z.n_points;
            const struct size_answer a = size_answer(&z, load);
            const size_t right = brute(&z, load, capacity, weight);
            cr_assert(a.is_decided, "round %d load %zu", round, load);
            cr_assert_eq(a.kept < z.n_points, right < z.n_points);
            if (right < z.n_points)
                cr_assert_float_eq(z.cost[a.kept], z.cost[right], 1e-9, "round %d load %zu", round, load);
        }
        size_fini(&z);
    }
    cr_expect_lt(tried, all / 10, "%zu of %zu tried", tried, all);
}

/* Open ones leave a band: above it one keeps, below it one breaks, and it is not decided between. */
Test(size, what_stays_open_is_not_decided)
{
    const size_t n = 40;
    const double step = 1, weight[] = { 1, 20.5 };
    struct size z;
    size_init(&z, 1, &n, 0, &step);
    cr_expect_leq(search(&z, 0, capacity, weight, 2.2), 12);
    const struct size_answer a = size_answer(&z, 0);
    cr_expect_not(a.is_decided);
    cr_expect_eq(a.kept, 23);              /* 23 - 20.5 is above 2.2, 22 - 20.5 is not */
    cr_expect_float_eq(a.least, 19, 1e-9); /* 18 - 20.5 is below -2.2 */
    size_fini(&z);
}

Test(promise, is_kept_by_a_whole_interval_alone)
{
    const struct published_row most = { .is = '<', .value = 60 }, least = { .is = '>', .value = 60 };
    const struct {
        double lo, hi;
        enum trial_verdict most, least;
    } at[] = { { 40, 60, TRIAL_KEPT, TRIAL_OPEN },
               { 60, 70, TRIAL_OPEN, TRIAL_KEPT },
               { 61, 70, TRIAL_BROKEN, TRIAL_KEPT },
               { 40, 59, TRIAL_KEPT, TRIAL_BROKEN },
               { 50, 61, TRIAL_OPEN, TRIAL_OPEN },
               { NAN, NAN, TRIAL_OPEN, TRIAL_OPEN },
               { -INFINITY, INFINITY, TRIAL_OPEN, TRIAL_OPEN } };
    for (size_t i = 0; i < ARRAY_LEN(at); i++) {
        const struct stats_ci c = { .lo = at[i].lo, .hi = at[i].hi };
        cr_expect_eq(promise_of(&most, &c), at[i].most, "at most, %zu", i);
        cr_expect_eq(promise_of(&least, &c), at[i].least, "at least, %zu", i);
    }
}

/* t(4) is 2.776 at 95 % and 4.604 at 99 %; the sample's deviation is sqrt(2.5). */
Test(stats, an_interval_at_another_level)
{
    const double x[] = { 1, 2, 3, 4, 5 };
    cr_expect_float_eq(stats_ci(x, 5, 0.95).half, 2.776445 * sqrt(2.5 / 5), 1e-5);
    cr_expect_float_eq(stats_ci(x, 5, 0.99).half, 4.604095 * sqrt(2.5 / 5), 1e-5);
    cr_expect_eq(stats_ci(x, 5, 0.95).half, stats_ci95(x, 5).half);
}

/* On the front is what has the least y of all with its x, and a smaller one than all with less x. */
Test(front, is_what_sorting_finds)
{
    struct rng r;
    rng_init(&r, 1, "fronts", 0);
    for (int round = 0; round < 200; round++) {
        enum { N = 30 };
        double x[N], y[N];
        bool on[N];
        for (size_t i = 0; i < N; i++) {
            x[i] = (double)rng_below(&r, 12);
            y[i] = (double)rng_below(&r, 12);
        }
        race_front(x, y, N, on);
        for (size_t i = 0; i < N; i++) {
            double least = INFINITY, before = INFINITY; /* of those with its x; of those with a smaller one */
            for (size_t k = 0; k < N; k++) {
                if (x[k] < x[i]) before = fmin(before, y[k]);
                if (x[k] <= x[i] && x[k] >= x[i]) least = fmin(least, y[k]);
            }
            cr_assert_eq(on[i], y[i] <= least && y[i] < before, "round %d: (%g, %g)", round, x[i], y[i]);
        }
    }
}
