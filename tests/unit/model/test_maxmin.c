/* Max-min fair rates worked out by hand. */
#include <criterion/criterion.h>
#include "model/data/maxmin.h"

enum { MOST = 16 };

static void solve(uint32_t n_links, const int64_t *cap, uint32_t n_flows, const uint32_t *start, const uint32_t *hop, const int64_t *want)
{
    int64_t rate[MOST], scratch[MOST * 8];
    cr_assert(maxmin_scratch(n_links, start[n_flows]) <= ARRAY_LEN(scratch));
    maxmin_solve(n_links, cap, n_flows, start, hop, rate, scratch);
    for (uint32_t i = 0; i < n_flows; i++)
        cr_expect_eq(rate[i], want[i], "flow %u: %lld, not %lld", i, (long long)rate[i], (long long)want[i]);
}
#define SOLVE(cap, start, hop, want) \
    solve((uint32_t)ARRAY_LEN(cap), cap, (uint32_t)ARRAY_LEN(start) - 1, start, hop, want)

/* a = b = c, a + b + c = 90 */
Test(maxmin, one_link_is_shared_equally)
{
    SOLVE(((int64_t[]){ 90 }), ((uint32_t[]){ 0, 1, 2, 3 }), ((uint32_t[]){ 0, 0, 0 }), ((int64_t[]){ 30, 30, 30 }));
}

/* floor(100 / 3) = 33: the odd unit is nobody's. */
Test(maxmin, shares_are_rounded_down)
{
    SOLVE(((int64_t[]){ 100 }), ((uint32_t[]){ 0, 1, 2, 3 }), ((uint32_t[]){ 0, 0, 0 }), ((int64_t[]){ 33, 33, 33 }));
}

/*
 * The parking lot: a long flow over links 0, 1, 2 of capacity 10, and one short flow on each.
 *   long + short_i = 10, long = short_i  ->  5 each
 */
Test(maxmin, a_long_flow_gets_what_the_short_ones_get)
{
    SOLVE(((int64_t[]){ 10, 10, 10 }), ((uint32_t[]){ 0, 3, 4, 5, 6 }), ((uint32_t[]){ 0, 1, 2, 0, 1, 2 }),
          ((int64_t[]){ 5, 5, 5, 5 }));
}

/*
 * Two links: A of 12 with a, b, c; B of 20 with c, d.
 *   A first: a = b = c = 12 / 3 = 4;  B then: d = 20 - 4 = 16
 */
Test(maxmin, what_one_bottleneck_leaves_goes_to_others)
{
    SOLVE(((int64_t[]){ 12, 20 }), ((uint32_t[]){ 0, 1, 2, 4, 5 }), ((uint32_t[]){ 0, 0, 0, 1, 1 }),
          ((int64_t[]){ 4, 4, 4, 16 }));
}

/*
 * Three levels: links 0..2 of 6, 10, 30; flows w{0}, x{0,1}, y{1,2}, z{2}.
 *   w = x = 6 / 2 = 3;  y = 10 - 3 = 7 (link 1);  z = 30 - 7 = 23
 */
Test(maxmin, levels_follow_from_one_another)
{
    SOLVE(((int64_t[]){ 6, 10, 30 }), ((uint32_t[]){ 0, 1, 3, 5, 6 }), ((uint32_t[]){ 0, 0, 1, 1, 2, 2 }),
          ((int64_t[]){ 3, 3, 7, 23 }));
}

/*
 * A chain of three links of 99: a{0}, b{0,1}, c{1}, d{1,2}, e{2}.
 *   b = c = d = 99 / 3 = 33;  a = e = 99 - 33 = 66
 */
Test(maxmin, a_chain_of_equal_links)
{
    SOLVE(((int64_t[]){ 99, 99, 99 }), ((uint32_t[]){ 0, 1, 3, 4, 6, 7 }), ((uint32_t[]){ 0, 0, 1, 1, 1, 2, 2 }),
          ((int64_t[]){ 66, 33, 33, 33, 66 }));
}

/* a has no link; b crosses 50 and 8, c the 8: b = c = 8 / 2. */
Test(maxmin, a_flow_without_links_is_free)
{
    SOLVE(((int64_t[]){ 8, 50 }), ((uint32_t[]){ 0, 0, 2, 3 }), ((uint32_t[]){ 1, 0, 0 }), ((int64_t[]){ MAXMIN_FREE, 4, 4 }));
}

/* 3 flows on a link of 2: floor(2 / 3) = 0, so 1 each; the other link's flow gets 7 - 1. */
Test(maxmin, nobody_stands_still)
{
    SOLVE(((int64_t[]){ 2, 7 }), ((uint32_t[]){ 0, 1, 2, 4, 5 }), ((uint32_t[]){ 0, 0, 0, 1, 1 }), ((int64_t[]){ 1, 1, 1, 6 }));
}

/*
 * A tie and what rounding makes of it: A of 1 with f; B of 5 with f, g, h.  Shares: A 1, B floor(5 / 3) = 1.
 *   A is link 0: f = 1, then g = h = floor(4 / 2) = 2;   B is link 0: f = g = h = 1
 */
Test(maxmin, ties_go_to_the_lower_link)
{
    SOLVE(((int64_t[]){ 1, 5 }), ((uint32_t[]){ 0, 2, 3, 4 }), ((uint32_t[]){ 0, 1, 1, 1 }), ((int64_t[]){ 1, 2, 2 }));
    SOLVE(((int64_t[]){ 5, 1 }), ((uint32_t[]){ 0, 2, 3, 4 }), ((uint32_t[]){ 1, 0, 0, 0 }), ((int64_t[]){ 1, 1, 1 }));
}

Test(maxmin, nothing_to_share)
{
    SOLVE(((int64_t[]){ 5 }), ((uint32_t[]){ 0 }), ((uint32_t[]){ 0 }), ((int64_t[]){ 0 }));
}

/*
 * Seed 4's aggregation of 1 Gb/s = 125 MB/s with five readers across it, and one within a rack of 125 MB/s
 * that two of the five come from:
 *   rack: floor(125 / 3) = 41;  aggregation: floor(125 / 5) = 25 first, for all five;  rack: 125 - 2 * 25 = 75
 */
Test(maxmin, crossing_flows_leave_their_rack_to_the_one_inside)
{
    SOLVE(((int64_t[]){ 125, 125 }), ((uint32_t[]){ 0, 2, 4, 5, 6, 7, 8 }), ((uint32_t[]){ 0, 1, 0, 1, 1, 1, 1, 0 }),
          ((int64_t[]){ 25, 25, 25, 25, 25, 75 }));
}
