/* What a search is made of: values by their place on a side, hypercubes, the simplex, what variables did, distances. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "ref/temp.h"
#include "search/effect.h"
#include "search/minimise.h"
#include "search/space.h"
#include "search/target.h"

/* ---- values ---- */

static char text[64];

static const char *value(const struct search_variable *v, double u)
{
    char *owned = space_value(v, u);
    (void)snprintf(text, sizeof text, "%s", owned);
    mem_free(owned);
    return text;
}

Test(space, a_range_has_every_value_between_its_ends)
{
    char unit[] = "MB/s", none[] = "";
    struct search_variable v = { .from = 200, .to = 800, .unit = unit };
    cr_expect_str_eq(value(&v, 0), "200MB/s");
    cr_expect_str_eq(value(&v, 0.5), "500MB/s");
    cr_expect_str_eq(value(&v, 1), "800MB/s");
    cr_expect_str_eq(value(&v, 1.0 / 7), "285.7MB/s", "four digits: found %s", text);
    v.is_log = true;
    cr_expect_str_eq(value(&v, 0.5), "400MB/s", "half way by ratio: found %s", text);
    char *four = space_value_times(&v, 0.5, 4);
    cr_expect_str_eq(four, "1600MB/s");
    mem_free(four);
    v = (struct search_variable){ .from = 1, .to = 8, .step = 2, .unit = none };
    cr_expect_eq(space_choices(&v), 4);
    const char *const odd[] = { "1", "3", "5", "7" };
    for (size_t k = 0; k < 4; k++) cr_expect_str_eq(value(&v, space_at(&v, k)), odd[k]);
    cr_expect_str_eq(value(&v, 1), "7");
    v = (struct search_variable){ .from = 0.1, .to = 0.5, .step = 0.1, .unit = none };
    cr_expect_str_eq(value(&v, 0.5), "0.3", "no digits of the machine: found %s", text);
    char a[] = "pack", b[] = "spread", *list[] = { a, b };
    v = (struct search_variable){ .value = list, .n_values = 2 };
    cr_expect_str_eq(value(&v, 0.49), "pack");
    cr_expect_str_eq(value(&v, 0.51), "spread");
    cr_expect_str_eq(value(&v, 1), "spread");
}

Test(space, what_lies_outside_is_mirrored_in)
{
    const double x[][2] = { { 0.3, 0.3 },  { -0.3, 0.3 }, { 1.2, 0.8 }, { 2.1, 0.1 },
                            { -1.4, 0.6 }, { 3, 1 },      { 0, 0 },     { 1, 1 } };
    for (size_t i = 0; i < ARRAY_LEN(x); i++) cr_expect_float_eq(space_fold(x[i][0]), x[i][1], 1e-12, "%g", x[i][0]);
}

/* Each of the n parts of each side has one point; points of two sides are not in one order. */
Test(space, a_latin_hypercube_has_a_point_in_every_part_of_every_side)
{
    enum { SIDES = 5 };
    for (size_t n = 1; n <= 40; n += 13) {
        double u[40 * SIDES], again[40 * SIDES], other[40 * SIDES];
        space_hypercube(7, n, SIDES, u);
        space_hypercube(7, n, SIDES, again);
        space_hypercube(8, n, SIDES, other);
        cr_expect_arr_eq(u, again, n * SIDES * sizeof *u);
        cr_expect(memcmp(u, other, n * SIDES * sizeof *u) != 0);
        for (size_t side = 0; side < SIDES; side++) {
            bool seen[40] = { false };
            for (size_t i = 0; i < n; i++) {
                double x = u[i * SIDES + side];
                cr_assert(x > 0 && x < 1);
                seen[(size_t)(x * (double)n)] = true;
            }
            for (size_t k = 0; k < n; k++) cr_expect(seen[k], "part %zu of %zu of side %zu", k, n, side);
        }
    }
    double u[400], x[200], y[200];
    space_hypercube(1, 200, 2, u);
    for (size_t i = 0; i < 200; i++) { x[i] = u[2 * i]; y[i] = u[2 * i + 1]; }
    cr_expect_lt(fabs(effect_correlation(x, y, 200)), 0.2);
}

/* ---- the simplex ---- */

struct bowl { double at[3]; size_t n_calls, most; bool was_outside; };

static int bowl(void *ctx, const double *x, double *y)
{
    struct bowl *b = ctx;
    *y = 3;
    for (size_t i = 0; i < 3; i++) {
        *y += (double)(i + 1) * (x[i] - b->at[i]) * (x[i] - b->at[i]);
        b->was_outside = b->was_outside || x[i] < 0 || x[i] > 1;
    }
    return ++b->n_calls > b->most ? -1 : 0;
}

Test(minimise, finds_the_bottom_of_a_bowl_inside_and_at_a_corner)
{
    const double bottom[][3] = { { 0.2, 0.7, 0.45 }, { 0, 1, 0 }, { 0.01, 0.99, 0.5 } }, start[3] = { 0.5, 0.5, 0.9 },
                 step[3] = { 0.1, -0.1, -0.1 };
    for (size_t k = 0; k < ARRAY_LEN(bottom); k++) {
        struct bowl b = { .most = 1000 };
        double best[3], y;
        memcpy(b.at, bottom[k], sizeof b.at);
        minimise(3, start, step, 1e-4, bowl, &b, best, &y);
        cr_expect_float_eq(y, 3, 1e-5, "bottom %zu: %g", k, y);
        for (size_t i = 0; i < 3; i++)
            cr_expect_float_eq(best[i], bottom[k][i], 2e-3, "side %zu of bottom %zu: %g", i, k, best[i]);
        cr_expect_not(b.was_outside);
        cr_expect_lt(b.n_calls, 400);
    }
}

/* A curved valley: Rosenbrock's, on [-2, 2] x [-1, 3], whose bottom is at (1, 1). */
static int valley(void *ctx, const double *u, double *y)
{
    double a = 4 * u[0] - 2, b = 4 * u[1] - 1;
    (void)ctx;
    *y = (1 - a) * (1 - a) + 100 * (b - a * a) * (b - a * a);
    return 0;
}

Test(minimise, goes_along_a_curved_valley)
{
    const double start[2] = { 0.2, 0.5 }, step[2] = { 0.1, 0.1 };
    double best[2], y;
    minimise(2, start, step, 1e-7, valley, NULL, best, &y);
    cr_expect_float_eq(4 * best[0] - 2, 1, 1e-3);
    cr_expect_float_eq(4 * best[1] - 1, 1, 1e-3);
}

Test(minimise, stops_when_it_is_told_to)
{
    const double start[3] = { 0.5, 0.5, 0.9 }, step[3] = { 0.1, -0.1, -0.1 };
    for (size_t most = 1; most < 12; most += 3) {
        struct bowl b = { .at = { 0.2, 0.7, 0.4 }, .most = most };
        double best[3], y;
        minimise(3, start, step, 1e-4, bowl, &b, best, &y);
        cr_expect_eq(b.n_calls, most + 1, "%zu calls", b.n_calls);
    }
}

/* ---- what a variable did ---- */

Test(effect, ranks_are_correlated)
{
    const double x[] = { 1, 2, 3, 4, 5 }, up[] = { 2, 4, 8, 16, 1000 }, down[] = { 5, 4, 1, 0, -7 },
                 flat[] = { 1, 1, 1, 1, 1 }, some[] = { 2, 1, 4, 3, 5 }, ties[] = { 1, 1, 2, 2, 3 };
    cr_expect_float_eq(effect_correlation(x, up, 5), 1, 1e-12);
    cr_expect_float_eq(effect_correlation(x, down, 5), -1, 1e-12);
    cr_expect(isnan(effect_correlation(x, flat, 5)));
    cr_expect_float_eq(effect_correlation(x, some, 5), 1 - 6 * 4.0 / (5 * 24), 1e-12, "1 - 6 sum d^2 / (n (n^2 - 1))");
    /* Ranks 0.5 0.5 2.5 2.5 4 against 0..4: sums of products about the mean 9, of squares 10 and 9. */
    cr_expect_float_eq(effect_correlation(x, ties, 5), 9 / sqrt(90), 1e-12);
}

Test(effect, groups_explain_a_share_of_the_variance)
{
    const size_t group[] = { 0, 0, 0, 1, 1, 1 };
    const double all[] = { 1, 1, 1, 5, 5, 5 }, none[] = { 1, 2, 3, 1, 2, 3 }, some[] = { 1, 2, 3, 3, 4, 5 },
                 flat[] = { 2, 2, 2, 2, 2, 2 };
    cr_expect_float_eq(effect_share(group, 2, all, 6), 1, 1e-12);
    cr_expect_float_eq(effect_share(group, 2, none, 6), 0, 1e-12);
    /* Between 6, within 4 over 4 degrees of freedom is 1, total 10: (6 - 1) / (10 + 1). */
    cr_expect_float_eq(effect_share(group, 2, some, 6), 5.0 / 11, 1e-12);
    cr_expect(isnan(effect_share(group, 2, flat, 6)));
    cr_expect(isnan(effect_share(group, 2, all, 2)), "no more points than groups");
}

/* y = 4 a + b over a hypercube, b and a uniform: a explains 16/17 of the variance, b 1/17. */
Test(effect, of_a_sum_whose_shares_are_known)
{
    enum { N = 2000 };
    static double u[2 * N], y[N];
    static size_t a[N], b[N];
    space_hypercube(3, N, 2, u);
    for (size_t i = 0; i < N; i++) {
        y[i] = 4 * u[2 * i] + u[2 * i + 1];
        a[i] = (size_t)(20 * u[2 * i]);
        b[i] = (size_t)(20 * u[2 * i + 1]);
    }
    cr_expect_float_eq(effect_share(a, 20, y, N), 16.0 / 17, 0.01);
    cr_expect_float_eq(effect_share(b, 20, y, N), 1.0 / 17, 0.015);
}

/* ---- how far off ---- */

Test(target, errors_are_shares_of_the_figure)
{
    struct target at[] = { { .role = TARGET_FIGURE, .weight = 1, .row = { .is = '=', .value = 4 } },
                           { .role = TARGET_FIGURE, .weight = 2, .row = { .is = '<', .value = 2 } },
                           { .role = TARGET_FIGURE, .weight = 1, .row = { .is = '~', .value = 1, .within = 0.1 } },
                           { .role = TARGET_LIMIT, .row = { .is = '>', .value = 0.5 } },
                           { .role = TARGET_LIMIT, .row = { .is = '<', .value = 10 } } };
    const struct targets t = { .at = at, .n = 5, .missed = 0.25 };
    cr_expect_float_eq(target_error(&t, 0, 5), 0.25, 1e-12);
    cr_expect_float_eq(target_error(&t, 0, 3), 0.25, 1e-12);
    cr_expect_float_eq(target_error(&t, 1, 1.9), 0, 1e-12);
    cr_expect_float_eq(target_error(&t, 1, 3), 0.25 + 0.5, 1e-12, "missed, and by half");
    cr_expect_float_eq(target_error(&t, 2, 1.09), 0, 1e-9);
    cr_expect_float_eq(target_error(&t, 2, 1.3), 0.25 + 0.2, 1e-9);
    const double good[] = { 4, 1, 1, 0.6, 9 }, bad[] = { 5, 3, 1, 0.4, 15 }, none[] = { 4, NAN, 1, 0.6, NAN };
    cr_expect_float_eq(targets_objective(&t, good), 0, 1e-12);
    cr_expect_float_eq(targets_excess(&t, good), 0, 1e-12);
    /* The root of the weighted mean of squares: (1/16 + 2 * 9/16 + 0) / 4. */
    cr_expect_float_eq(targets_objective(&t, bad), sqrt((1.0 / 16 + 2 * 9.0 / 16) / 4), 1e-12);
    cr_expect_float_eq(targets_excess(&t, bad), 0.2 + 0.5, 1e-12);
    cr_expect(isnan(targets_objective(&t, none)) && isnan(targets_excess(&t, none)));
}
