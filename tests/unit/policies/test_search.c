/* The search for CPU cores, on curves: every probe's count is asserted by its number and its end. */
#include <criterion/criterion.h>
#include <math.h>
#include "multiqueue/search.h"
#include "input/tasks/profiles.h"

typedef double (*curve)(int cores);

static double to_five(int c) { return fmin(c / 5.0, 1); }
static double flat(int c) { return c > 0 ? 0.5 : 0; }
static double hump(int c) { return to_five(c) - 0.02 * fmax(0, c - 5); }

/* The answer; *probes: how many it took. */
static uint32_t found(uint32_t from, enum search_rule rule, curve u, uint32_t *probes)
{
    struct search s;
    search_begin(&s, from);
    while (search_step(&s, rule, (int64_t)(u((int)s.cores) * 1e6), 10000)) cr_assert_lt(s.probes, 100);
    *probes = s.probes;
    return s.cores;
}

static void expect(uint32_t from, enum search_rule rule, curve u, uint32_t answer, uint32_t probes)
{
    uint32_t n;
    cr_expect_eq(found(from, rule, u, &n), answer, "from %u: %u", from, found(from, rule, u, &n));
    cr_expect_eq(n, probes, "from %u: %u probes", from, n);
}

/* History 6: {} 6, {P} 5, {P,W} 4, {P,W,C} 5, {C} 7; never below 1. */
Test(search, hints_move_the_start_by_one_each_S0_2)
{
    enum { P = POL_HINT_PIPELINED, W = POL_HINT_HEAVY_WEIGHTS, C = POL_HINT_COMPLEX_CPU };
    cr_expect_eq(search_start(6, 0), 6, "S0-3: without a hint the start is the history's");
    cr_expect_eq(search_start(6, P), 5);
    cr_expect_eq(search_start(6, P | W), 4);
    cr_expect_eq(search_start(6, P | W | C), 5);
    cr_expect_eq(search_start(6, C), 7);
    cr_expect_eq(search_start(1, P | W), 1);
}

/* 2, 1, 3, 4, 5, 6: 540 s at 90 s a probe (S0-4).  5, 4, 6.  8, 7, 6, 5, 4. */
Test(search, one_fewer_first_then_one_more_S0_5)
{
    expect(2, SEARCH_SLIM, to_five, 5, 6);
    expect(5, SEARCH_SLIM, to_five, 5, 3);
    expect(8, SEARCH_SLIM, hump, 5, 5);
    expect(2, SEARCH_LITERAL, to_five, 5, 6);
    expect(5, SEARCH_LITERAL, to_five, 5, 3);
    expect(8, SEARCH_LITERAL, hump, 5, 5);
}

/* On a plateau the literal rule slims nothing: 8, 7, 9; slim: 8, 7, 6, 5, 4. */
Test(search, a_plateau_is_trimmed_by_the_slim_rule_alone_S0_6)
{
    expect(8, SEARCH_LITERAL, to_five, 8, 3);
    expect(8, SEARCH_SLIM, to_five, 5, 5);
}

/* 3, 2, 1: nothing is below one core.  Warm, at one, it tries two. */
Test(search, one_core_is_the_least_S0_5)
{
    expect(3, SEARCH_SLIM, flat, 1, 3);
    expect(1, SEARCH_SLIM, flat, 1, 2);
}

Test(search, a_difference_of_the_tolerance_is_none)
{
    struct search s;
    search_begin(&s, 5);
    cr_assert(search_step(&s, SEARCH_SLIM, 500000, 10000));
    cr_assert(search_step(&s, SEARCH_SLIM, 490000, 10000));
    cr_assert_eq(s.cores, 3, "as good at 4");
    search_begin(&s, 1);
    cr_assert(search_step(&s, SEARCH_SLIM, 500000, 10000));
    cr_assert_not(search_step(&s, SEARCH_SLIM, 510000, 10000));
    cr_assert_eq(s.cores, 1, "no better at 2");
}

Test(search, many_small_losses_do_not_pass_for_none)
{
    uint32_t n;
    struct search s;
    search_begin(&s, 20);
    while (search_step(&s, SEARCH_SLIM, (int64_t)(1e6 - 6000.0 * (20 - (double)s.cores)), 10000)) cr_assert_lt(s.probes, 100);
    n = s.cores;
    cr_assert_eq(n, 19, "6,000 lost at 19 is within tolerance, 12,000 at 18 is not");
}

/* S0-10, S0-9: the published best count in all 32 cells, from a cold 1 and, with fewer probes, from what was found before. */
Test(search, every_published_cell_is_found_S0_9_S0_10)
{
    struct profiles p = { 0 };
    struct throughput perf = { 0 };
    struct diag d = { 0 };
    cr_assert_eq(profiles_read(&p, &perf, &(struct cluster){ 0 }, "traces/profiles/coda.csv", &d), ST_OK, "%s", d.msg);
    cr_assert_eq(p.n, 32);
    for (size_t i = 0; i < p.n; i++) {
        struct search cold, warm;
        const struct curve *u = &p.at[i].util;
        search_begin(&cold, 1);
        while (search_step(&cold, SEARCH_SLIM, (int64_t)(curve_at(u, cold.cores) * 1e6), 10000)) { }
        cr_expect_eq((double)cold.cores, u->knee);
        search_begin(&warm, cold.cores);
        while (search_step(&warm, SEARCH_SLIM, (int64_t)(curve_at(u, warm.cores) * 1e6), 10000)) { }
        cr_expect_eq(warm.cores, cold.cores);
        if (u->knee > 2) cr_expect_lt(warm.probes, cold.probes);
    }
    profiles_fini(&p);
    throughput_fini(&perf);
}

Test(search, a_count_that_cannot_be_had_ends_it_at_the_best_so_far)
{
    struct search s;
    search_begin(&s, 1);
    cr_assert(search_step(&s, SEARCH_SLIM, 200000, 10000));
    cr_assert(search_step(&s, SEARCH_SLIM, 400000, 10000));
    cr_assert_eq(s.cores, 3);
    search_stop(&s);
    cr_assert_eq(s.cores, 2);
    cr_assert_eq(s.phase, SEARCH_DONE);
}

Test(search, history_is_kept_by_category_and_layout)
{
    struct search_history h = { 0 };
    cr_assert_null(search_known(&h, 1, 1, 1));
    search_learn(&h, (struct search_past){ 1, 1, 1, 6, 900000 });
    search_learn(&h, (struct search_past){ 1, 4, 1, 12, 900000 });
    search_learn(&h, (struct search_past){ 2, 1, 1, 3, 900000 });
    search_learn(&h, (struct search_past){ 1, 1, 1, 5, 900000 });
    cr_assert_eq(search_known(&h, 1, 1, 1)->cores, 5);
    cr_assert_eq(search_known(&h, 1, 4, 1)->cores, 12);
    cr_assert_eq(search_known(&h, 2, 1, 1)->cores, 3);
    cr_assert_null(search_known(&h, 2, 4, 1));
    search_history_fini(&h);
}
