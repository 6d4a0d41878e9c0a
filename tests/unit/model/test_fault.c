/* Unit tests of sim/model/fault. */
#include <criterion/criterion.h>
#include <math.h>
#include "model/fault.h"

/* Down and up times of one node by turns, n of each; returns the sums. */
static void play(struct fault_gen *g, uint32_t node, int n, double *up_sum, double *down_sum)
{
    sim_tick now = 0;
    struct fault_event e;
    *up_sum = *down_sum = 0;
    for (int i = 0; i < n; i++) {
        cr_assert(fault_next(g, node, true, now, &e));
        cr_assert(e.at > now && !e.up && e.node == node);
        *up_sum += (double)(e.at - now);
        now = e.at;
        cr_assert(fault_next(g, node, false, now, &e));
        cr_assert(e.at > now && e.up);
        *down_sum += (double)(e.at - now);
        now = e.at;
    }
}

Test(fault, times_to_failure_and_repair_have_the_stated_means)
{
    /* The mean of n exponentials has deviation mean/sqrt(n): 4 of them at n = 40000 is 2 %. */
    enum { N = 40000 };
    const struct fault_spec spec = { .mtbf_us = 3e12, .mttr_us = 7e9 };
    struct fault_gen g;
    double up, down;
    fault_init(&g, &spec, 1, 1);
    play(&g, 0, N, &up, &down);
    cr_expect_lt(fabs(up / N / spec.mtbf_us - 1), 0.02, "mean %g", up / N);
    cr_expect_lt(fabs(down / N / spec.mttr_us - 1), 0.02, "mean %g", down / N);
    fault_fini(&g);
}

Test(fault, a_nodes_stream_does_not_depend_on_other_nodes)
{
    const struct fault_spec spec = { .mtbf_us = 1e9, .mttr_us = 1e8 };
    struct fault_gen alone, many;
    struct fault_event a, b, other;
    fault_init(&alone, &spec, 4, 42);
    fault_init(&many, &spec, 100, 42);
    sim_tick now = 0;
    for (int i = 0; i < 1000; i++) {
        bool up = i % 2 == 0;
        for (uint32_t k = 0; k < 3; k++) cr_assert(fault_next(&many, 50 + k, up, now, &other));
        cr_assert(fault_next(&alone, 3, up, now, &a));
        cr_assert(fault_next(&many, 3, up, now, &b));
        cr_assert_eq(a.at, b.at);
        now = a.at;
    }
    fault_fini(&alone);
    fault_fini(&many);
}

Test(fault, seeds_and_nodes_have_streams_of_their_own)
{
    const struct fault_spec spec = { .mtbf_us = 1e12, .mttr_us = 1e12 };
    struct fault_gen g, h;
    struct fault_event a, b, c;
    fault_init(&g, &spec, 2, 1);
    fault_init(&h, &spec, 2, 2);
    cr_assert(fault_next(&g, 0, true, 0, &a));
    cr_assert(fault_next(&g, 1, true, 0, &b));
    cr_assert(fault_next(&h, 0, true, 0, &c));
    cr_expect(a.at != b.at && a.at != c.at);
    fault_fini(&g);
    fault_fini(&h);
}

Test(fault, a_list_is_told_node_by_node_in_order_and_then_ends)
{
    static const struct fault_event list[] = {
        { 0, 1, false }, { 5, 0, false }, { 5, 1, true }, { 9, 0, true }, { 9, 1, false },
    };
    const struct fault_spec spec = { .list = list, .n_list = 5 };
    struct fault_gen g;
    struct fault_event e;
    fault_init(&g, &spec, 3, 1);
    cr_expect(fault_next(&g, 1, true, 0, &e) && e.at == 0 && !e.up);     /* at 0 counts */
    cr_expect(fault_next(&g, 0, true, 0, &e) && e.at == 5 && !e.up);
    cr_expect(fault_next(&g, 1, false, 0, &e) && e.at == 5 && e.up);
    cr_expect(fault_next(&g, 1, true, 5, &e) && e.at == 9 && !e.up);
    cr_expect(fault_next(&g, 0, false, 5, &e) && e.at == 9 && e.up);
    cr_expect(!fault_next(&g, 1, false, 9, &e));
    cr_expect(!fault_next(&g, 0, true, 9, &e));
    cr_expect(!fault_next(&g, 2, true, 0, &e));
    fault_fini(&g);
}

Test(fault, without_a_spec_nothing_fails)
{
    const struct fault_spec spec = { 0 };
    struct fault_gen g;
    struct fault_event e;
    fault_init(&g, &spec, 3, 1);
    cr_expect(!fault_next(&g, 0, true, 0, &e));
    fault_fini(&g);
}

Test(fault, a_wait_beyond_the_clocks_range_is_never)
{
    const struct fault_spec spec = { .mtbf_us = 1e30, .mttr_us = 1 };
    struct fault_gen g;
    struct fault_event e;
    fault_init(&g, &spec, 1, 1);
    cr_expect(!fault_next(&g, 0, true, 0, &e));
    fault_fini(&g);
}
