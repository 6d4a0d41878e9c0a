/*
 * Shares by GPU count, S4-6: A* = min(floor(Q/K), N_j); what is idle is spread
 * evenly over the jobs that still wait, until sum A = min(Q, sum N).
 */
#include <criterion/criterion.h>
#include "base/rng.h"
#include "lib/data/gpushare.h"

enum { MOST = 40 };

static void expect(int64_t q, uint32_t k, const int64_t *want, const int64_t *basic, const int64_t *share)
{
    int64_t got[MOST];
    gpushare(q, 1, k, want, got);
    for (uint32_t i = 0; i < k; i++) {
        cr_expect_eq(gpushare_basic(q, 1, k, want[i]), basic[i], "Q=%ld, job %u: A* = %ld", (long)q, i, (long)basic[i]);
        cr_expect_eq(got[i], share[i], "Q=%ld, job %u: %ld instead of %ld", (long)q, i, (long)got[i], (long)share[i]);
    }
}

Test(gpushare, s4_6_thirty_gpus_and_six_jobs)
{
    expect(30, 6, (int64_t[]){ 2, 3, 5, 10, 20, 60 }, (int64_t[]){ 2, 3, 5, 5, 5, 5 }, (int64_t[]){ 2, 3, 5, 7, 7, 6 });
}

Test(gpushare, s4_6_ten_gpus_and_three_jobs) { expect(10, 3, (int64_t[]){ 1, 20, 20 }, (int64_t[]){ 1, 3, 3 }, (int64_t[]){ 1, 5, 4 }); }

Test(gpushare, s4_6_fewer_gpus_than_jobs)
{
    expect(3, 5, (int64_t[]){ 99, 99, 99, 99, 99 }, (int64_t[]){ 0, 0, 0, 0, 0 }, (int64_t[]){ 1, 1, 1, 0, 0 });
}

Test(gpushare, s4_6_a_remainder_goes_to_the_first)
{
    expect(30, 7, (int64_t[]){ 99, 99, 99, 99, 99, 99, 99 }, (int64_t[]){ 4, 4, 4, 4, 4, 4, 4 }, (int64_t[]){ 5, 5, 4, 4, 4, 4, 4 });
}

Test(gpushare, nothing_to_share_or_nobody_to_share_it)
{
    int64_t got[2] = { 7, 7 };
    gpushare(0, 1, 2, (int64_t[]){ 5, 5 }, got);
    cr_assert(got[0] == 0 && got[1] == 0);
    gpushare(8, 1, 2, (int64_t[]){ 0, 0 }, got);
    cr_assert(got[0] == 0 && got[1] == 0);
    gpushare(8, 1, 0, NULL, NULL);
    cr_assert_eq(gpushare_basic(8, 1, 0, 5), 0);
}

/* 2 GPUs; jobs want 0.3, 0.5 and 4: the last gets what whole cards and the rest come to. */
Test(gpushare, shards_of_cards_count_as_parts)
{
    int64_t got[3];
    gpushare(2000, 1000, 3, (int64_t[]){ 300, 500, 4000 }, got);
    cr_assert(got[0] == 300 && got[1] == 500 && got[2] == 1200, "%ld %ld %ld", (long)got[0], (long)got[1], (long)got[2]);
}

/* The slow way: A*, then a grain to each job in turn. */
static void turn_by_turn(int64_t q, int64_t grain, uint32_t k, uint32_t wanting, const int64_t *want, int64_t *share)
{
    int64_t left = q;
    for (uint32_t i = 0; i < k; i++) left -= share[i] = gpushare_basic(q, grain, wanting, want[i]);
    for (bool gave = true; gave;) {
        gave = false;
        for (uint32_t i = 0; i < k && left > 0; i++) {
            int64_t more = want[i] - share[i];
            if (more > grain) more = grain;
            if (more > left) more = left;
            share[i] += more;
            left -= more;
            gave |= more > 0;
        }
    }
}

Test(gpushare, agrees_with_handing_out_one_gpu_at_a_time)
{
    struct rng g;
    rng_init(&g, 11, "gpushare", 0);
    for (int round = 0; round < 20000; round++) {
        int64_t want[MOST], fast[MOST], slow[MOST], grain = rng_below(&g, 2) ? 1 : 1000, sum = 0, given = 0;
        uint32_t k = 1 + (uint32_t)rng_below(&g, MOST), wanting = 0;
        int64_t q = (int64_t)rng_below(&g, 100) * grain;
        for (uint32_t i = 0; i < k; i++) {
            want[i] = (int64_t)rng_below(&g, 4) * (int64_t)rng_below(&g, 12) * grain / (grain > 1 && rng_below(&g, 3) == 0 ? 7 : 1);
            sum += want[i];
            wanting += want[i] > 0;
        }
        gpushare(q, grain, k, want, fast);
        turn_by_turn(q, grain, k, wanting, want, slow);
        for (uint32_t i = 0; i < k; i++) {
            given += fast[i];
            cr_assert_eq(fast[i], slow[i], "round %d, job %u of %u: %ld, %ld turn by turn", round, i, k, (long)fast[i], (long)slow[i]);
            cr_assert_geq(fast[i], gpushare_basic(q, grain, wanting, want[i]));
        }
        cr_assert_eq(given, sum < q ? sum : q);
    }
}
