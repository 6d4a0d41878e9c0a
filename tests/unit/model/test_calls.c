/*
 * The model of calls: times, ways, relations; and the queues of master and
 * nodes as the world keeps them.  S2-… are the acceptance list's numbers.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "ref/yard.h"

static struct calltime t;
static void fini(void) { calltime_fini(&t); }
TestSuite(calls, .fini = fini);

/* From 100 B: 10 us to 300 B: 50 us, at 250 it is 10 + 40 x 150/200 = 40. */
Test(calls, between_two_sizes_the_time_is_on_the_straight_line)
{
    uint32_t a = intern_id(&t.apis, "a");
    cr_assert(calltime_add(&t, a, 0, 300, 50));
    cr_assert(calltime_add(&t, a, 0, 100, 10));
    cr_assert_not(calltime_add(&t, a, 0, 100, 11), "a size has one time");
    cr_assert_eq(calltime_us(&t, a, 0, 100), 10);
    cr_assert_eq(calltime_us(&t, a, 0, 250), 40);
    cr_assert_eq(calltime_us(&t, a, 0, 300), 50);
    cr_assert_eq(calltime_us(&t, a, 0, 301), -1, "nothing is known there");
    cr_assert_eq(calltime_us(&t, a, 0, 99), -1);
    cr_assert_eq(calltime_us(&t, a, 1, 250), -1, "no implementation for that engine");
}

/* 7 us over 3 B, down: at +1 B 7 - 7/3 = 4.67, at +2 B 2.33; rounded down. */
Test(calls, a_falling_line_rounds_down_like_a_rising_one)
{
    uint32_t a = intern_id(&t.apis, "a");
    (void)calltime_add(&t, a, 0, 1, 7);
    (void)calltime_add(&t, a, 0, 4, 0);
    cr_assert_eq(calltime_us(&t, a, 0, 2), 4);
    cr_assert_eq(calltime_us(&t, a, 0, 3), 2);
}

Test(calls, one_measured_size_stands_for_all)
{
    uint32_t a = intern_id(&t.apis, "a");
    (void)calltime_add(&t, a, 2, 64, 9);
    cr_assert_eq(calltime_us(&t, a, 2, 1), 9);
    cr_assert_eq(calltime_us(&t, a, 2, INT64_C(1) << 40), 9);
}

/* S2-9, S2-10: the key is the API and the bytes that the argument occupies: 1000 bytes are faster on the CPU, a million on the GPU. */
Test(calls, s2_9_s2_10_small_arguments_suit_the_cpu_and_large_ones_the_gpu)
{
    uint32_t a = intern_id(&t.apis, "fft");
    (void)calltime_add(&t, a, 0, 1, 1);         /* cpu */
    (void)calltime_add(&t, a, 0, 1000001, 1001);
    (void)calltime_add(&t, a, 1, 1, 100);       /* gpu */
    (void)calltime_add(&t, a, 1, 1000001, 200);
    cr_assert_lt(calltime_us(&t, a, 0, 1000), calltime_us(&t, a, 1, 1000));
    cr_assert_gt(calltime_us(&t, a, 0, 1000000), calltime_us(&t, a, 1, 1000000));
    /* They cross where 1 + s/1000 = 100 + s/10000: at 110,000 bytes beyond the first. */
    cr_assert_eq(calltime_us(&t, a, 0, 110001), calltime_us(&t, a, 1, 110001));
    cr_assert_eq(calltime_best(&t, a, 1000, 3), 1);
    cr_assert_eq(calltime_best(&t, a, 1000, 2), 100, "without CPUs");
}

/* Latency 3 + 4 each way; 10 B there and 5 B back at the slower link's 2 B/s: 14 + 5 + 2.5 s. */
Test(calls, s2_12_the_way_is_latency_and_bytes_there_and_back)
{
    struct yard y;
    yard_init(&y);
    yard_node(&y, "cpu:1", 3, 2);
    yard_node(&y, "cpu:1", 4, 0);
    cr_assert_eq(calltime_overhead(&y.cluster, 0, 1, 10, 5), 21500000);
    cr_assert_eq(calltime_overhead(&y.cluster, 1, 0, 10, 5), 21500000);
    cr_assert_eq(calltime_overhead(&y.cluster, 1, 1, 10, 5), 0);
    y.cluster.own[0].link_bps = 3;
    cr_assert_eq(calltime_overhead(&y.cluster, 0, 1, 1, 0), 14333334, "rounded up");
    yard_fini(&y);
}

/* ---- S2-2, S2-3: profiling ---- */

/* cpu 60,120,80; gpu 18,50,30; npu 40,15,75: sums 260, 98, 130; ranks 3, 1, 2; efficiency on the GPU 1/98. */
Test(calls, s2_2_s2_3_profiling_adds_up_and_ranks)
{
    static const sim_tick s[3][3] = { { 60, 120, 80 }, { 18, 50, 30 }, { 40, 15, 75 } };
    struct call c[3];
    sim_tick us[ENGINE_TYPES_MAX];
    for (uint32_t i = 0; i < 3; i++) {
        c[i] = (struct call){ .api = intern_id(&t.apis, (const char *const[]){ "x", "y", "z" }[i]), .size = 1 };
        for (uint32_t k = 0; k < 3; k++) (void)calltime_add(&t, c[i].api, k, 1, s[k][i] * TICK_SEC);
    }
    relation_profile(&t, c, 3, us);
    cr_assert_eq(us[0], 260 * TICK_SEC);
    cr_assert_eq(us[1], 98 * TICK_SEC);
    cr_assert_eq(us[2], 130 * TICK_SEC);
    cr_assert_eq(us[3], -1);
    struct relation_row rank = relation_of_times(us, RELATION_RANK), eff = relation_of_times(us, RELATION_EFFICIENCY);
    cr_assert(rank.value[0] == 3 && rank.value[1] == 1 && rank.value[2] == 2 && rank.value[3] == 0);
    cr_assert_float_eq(eff.value[1], 1.0 / 98, 1e-15);
}

Test(calls, a_call_that_takes_no_time_adds_none)
{
    struct call c[2] = { { .api = intern_id(&t.apis, "a"), .size = 1 }, { .api = intern_id(&t.apis, "b"), .size = 1 } };
    sim_tick us[ENGINE_TYPES_MAX];
    (void)calltime_add(&t, c[0].api, 0, 1, 7);
    (void)calltime_add(&t, c[1].api, 0, 1, 0);
    relation_profile(&t, c, 2, us);
    cr_assert_eq(us[0], 7);
    relation_profile(&t, c + 1, 1, us);
    cr_assert_eq(us[0], 0);
}

Test(calls, equal_times_share_a_rank_and_the_next_counts_them)
{
    const sim_tick us[ENGINE_TYPES_MAX] = { 7, 5, 5, 9, -1, -1 };
    struct relation_row r = relation_of_times(us, RELATION_RANK);
    cr_assert(r.value[0] == 3 && r.value[1] == 1 && r.value[2] == 1 && r.value[3] == 4 && r.value[4] == 0);
}
