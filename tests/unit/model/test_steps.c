/* Measured step times: placements by name, and between points as Delaunay's simplices have it. */
#include <criterion/criterion.h>
#include <math.h>
#include "model/speed/adaptive.h"

static struct steps s;
static void teardown(void) { steps_fini(&s); }
TestSuite(steps, .fini = teardown);

static void add(const char *placement, uint32_t nodes, uint32_t gpus, double local, double step)
{
    cr_assert_null(steps_add(&s, placement, nodes, gpus, local, (struct step_time){ step, step / 4 }));
}

static double step_at(const uint32_t *count, uint32_t nodes, uint32_t gpus, double local)
{
    const struct spread found = steps_find(&s, &(struct spread){ .count = count, .n_nodes = nodes, .n_gpus = gpus });
    return steps_time(&s, &found, local).step;
}

Test(steps, a_placement_is_the_same_turned_round)
{
    add("1+2+4", 3, 7, 10, 1);
    add("1+2+4", 3, 7, 20, 3);
    add("1+4+2", 3, 7, 10, 7);
    cr_assert_null(steps_ready(&s));
    const uint32_t turned[] = { 2, 4, 1 }, other[] = { 4, 2, 1 };
    cr_assert_float_eq(step_at(turned, 3, 7, 15), 2, 1e-9);
    cr_assert_float_eq(step_at(turned, 3, 7, 5), 1, 1e-9, "beyond the ends the end's");
    cr_assert_float_eq(step_at(other, 3, 7, 10), 7, 1e-9);
}

/* What is linear in nodes, GPUs and examples is met everywhere among the points; outside, the nearest counts. */
Test(steps, between_points_it_is_linear)
{
    for (uint32_t n = 1; n <= 4; n++)
        for (uint32_t g = n; g <= 4 * n; g += n)
            for (uint32_t m = 1; m <= 3; m++) add(NULL, n, g, 10 * m * m, n + 0.1 * g + 0.01 * m * m);
    cr_assert_null(steps_ready(&s));
    const double at[][3] = { { 2, 5, 30 }, { 3, 8, 64 }, { 3, 9, 40 }, { 4, 13, 90 }, { 1, 3, 11 } };
    for (size_t i = 0; i < ARRAY_LEN(at); i++)
        for (int again = 0; again < 2; again++)
            cr_assert_float_eq(step_at(NULL, (uint32_t)at[i][0], (uint32_t)at[i][1], at[i][2]),
                               at[i][0] + 0.1 * at[i][1] + 0.001 * at[i][2], 1e-9, "%zu", i);
    cr_assert_float_eq(step_at(NULL, 9, 16, 200), 4 + 1.6 + 0.09, 1e-9);
}

/* 15 and a little more, which a float cannot tell from it: what was answered for one is not said of the other. */
Test(steps, points_next_to_each_other_are_two)
{
    const double next = 15 + 1e-8;
    cr_assert_eq((float)next, 15.0f);
    for (uint32_t m = 10; m <= 20; m += 10) add(NULL, 1, 1, m, m);
    cr_assert_null(steps_ready(&s));
    const double first = step_at(NULL, 1, 1, 15);
    cr_assert_float_eq(first, 15, 1e-9);
    cr_assert_gt(step_at(NULL, 1, 1, next), first);
    cr_assert_eq(step_at(NULL, 1, 1, 15), first);
}

/* Of the points at (2,4), (2,8) with 10 and 14 examples and one apart, the three around (2, 5, 10.5) tell. */
Test(steps, the_simplex_is_the_one_around_the_point)
{
    add(NULL, 2, 4, 10, 1);
    add(NULL, 2, 8, 10, 5);
    add(NULL, 2, 4, 14, 2);
    add(NULL, 2, 20, 40, 100);
    add(NULL, 3, 6, 20, 50);
    cr_assert_null(steps_ready(&s));
    cr_assert_float_eq(step_at(NULL, 2, 5, 11), 1 + 0.25 * 4 + 0.25 * 1, 1e-9);
}

/* Placements alike in nodes, GPUs and examples are one point, their mean. */
Test(steps, placements_alike_are_one_point)
{
    add("1+3", 2, 4, 10, 1);
    add("2+2", 2, 4, 10, 2);
    cr_assert_null(steps_ready(&s));
    cr_assert_float_eq(step_at(NULL, 2, 4, 10), 1.5, 1e-9);
}

Test(steps, what_is_wrong_is_said)
{
    const struct step_time t = { 1, 0 };
    cr_assert_not_null(steps_add(&s, "2+x", 2, 4, 1, t));
    cr_assert_not_null(steps_add(&s, "2+2", 2, 5, 1, t));
    cr_assert_not_null(steps_ready(&s), "no rows");
    add("2+2", 2, 4, 10, 1);
    add("2+2", 2, 4, 10, 2);
    cr_assert_not_null(steps_ready(&s), "twice the same");
}

/*
 * A fixed batch of 100 on 3 GPUs: 34 each, 102 in all, on the line between gains 1 of 50 and 2 of 150; in two parts
 * where 20 are the most: 17 each, and a gradient of (1 - 1/4) more.
 */
Test(steps, a_fixed_batch_is_divided_in_whole_examples)
{
    add("3", 1, 3, 17, 1);
    add("3", 1, 3, 34, 2);
    cr_assert_null(steps_ready(&s));
    struct adaptive a = { .batch = 50, .max_batch = 150, .min_local = 1, .max_local = 40, .fixed = 100, .steps = &s };
    cr_assert_null(curve_parse(&a.gain, "50:1;150:2"));
    const uint32_t count[] = { 3 };
    const struct spread where = { .count = count, .n_nodes = 1, .n_gpus = 3 };
    struct adaptive_at x = adaptive_best(&a, &where);
    cr_assert_float_eq(x.batch, 102, 1e-9);
    cr_assert_float_eq(x.goodput, 1.52 * 50 / 2, 1e-9);
    a.max_local = 20;
    x = adaptive_best(&a, &where);
    cr_assert_float_eq(x.accumulate, 1, 1e-9);
    cr_assert_float_eq(x.goodput, 1.52 * 50 / 1.75, 1e-9);
    curve_fini(&a.gain);
}
