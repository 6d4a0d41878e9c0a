/* Themis' auction: winners and payments worked out by hand, and beside every choice that there is. */
#include <criterion/criterion.h>
#include <math.h>
#include "base/rng.h"
#include "themis/auction.h"

enum { BIDS = 10, CASES = 3000 };
/* log2 of 2, 1.6 and 1.5 in units of 2^-40, by 60 digits of another program. */
#define LOG2_2   (INT64_C(1) << 40)
#define LOG2_1_6 INT64_C(745547944139)
#define LOG2_1_5 INT64_C(643173071355)
#define A { .gpus = 4, .gain = LOG2_2 }
#define B { .gpus = 2, .gain = LOG2_1_6 }
#define C { .gpus = 2, .gain = LOG2_1_5 }

static void near(double got, double want, const char *what)
{
    cr_assert(fabs(got - want) < 1e-9, "%s: %.12g, expected %.12g", what, got, want);
}

Test(themis, gains_are_logarithms_to_the_last_bit)
{
    cr_assert_eq(auction_gain(1), 0);
    cr_assert_eq(auction_gain(2), LOG2_2);
    cr_assert_eq(auction_gain(1024), 10 * LOG2_2);
    cr_assert_eq(auction_gain(1.6), LOG2_1_6);
    cr_assert_eq(auction_gain(1.5), LOG2_1_5);
    cr_assert_eq(auction_gain(1000000007), INT64_C(32872487113783));
    cr_assert_eq(auction_gain(1.0000001), INT64_C(158625));
}

/*
 * Four GPUs.  A would have all of them and gain a factor 2; B and C two each, 1.6 and 1.5: their product, 2.4, is more.
 * Without B the others do best by A alone, 2, and have 1.5 of it now: B keeps 1.5 / 2.  C keeps 1.6 / 2.
 */
Test(themis, who_wins_pays_for_whom_it_displaces)
{
    struct auction a = { 0 };
    struct auction_bid bid[] = { A, B, C };
    auction_hold(&a, bid, 3, 4);
    cr_assert(!bid[0].wins && bid[1].wins && bid[2].wins);
    near(bid[1].kept, 0.75, "B keeps");
    near(bid[2].kept, 0.8, "C keeps");
    auction_fini(&a);
}

/* With six, A and B win, 3.2.  Without A the others have 2.4, not 1.6; without B 3, not 2.  With eight all win. */
Test(themis, who_displaces_nobody_pays_nothing)
{
    struct auction a = { 0 };
    struct auction_bid bid[] = { A, B, C };
    auction_hold(&a, bid, 3, 6);
    cr_assert(bid[0].wins && bid[1].wins && !bid[2].wins);
    near(bid[0].kept, 1.6 / 2.4, "A keeps");
    near(bid[1].kept, 2 / 3.0, "B keeps");
    auction_hold(&a, bid, 3, 8);
    for (int i = 0; i < 3; i++) cr_assert(bid[i].wins && bid[i].kept == 1);
    auction_fini(&a);
}

/* The greatest sum of gains of those in `among` that fit. */
static int64_t best_of(const struct auction_bid *bid, uint32_t n, uint32_t among, uint32_t gpus)
{
    int64_t best = 0;
    for (uint32_t set = 0; set < 1u << n; set++) {
        uint64_t asked = 0;
        int64_t gain = 0;
        if ((set & ~among) != 0) continue;
        for (uint32_t i = 0; i < n; i++)
            if (set >> i & 1) {
                asked += bid[i].gpus;
                gain += bid[i].gain;
            }
        if (asked <= gpus && gain > best) best = gain;
    }
    return best;
}

Test(themis, the_product_is_the_greatest_and_payments_are_its_losses)
{
    struct rng r;
    struct auction a = { 0 };
    uint32_t contested = 0;
    rng_init(&r, 7, "themis", 0);
    for (int c = 0; c < CASES; c++) {
        struct auction_bid bid[BIDS];
        uint32_t n = 1 + (uint32_t)rng_below(&r, BIDS), gpus = (uint32_t)rng_below(&r, 20), all = (1u << n) - 1;
        uint32_t used = 0;
        int64_t sum = 0;
        for (uint32_t i = 0; i < n; i++)
            bid[i] = (struct auction_bid){ .gpus = (uint32_t)rng_below(&r, 9), .gain = auction_gain(1.01 + rng_unit(&r)) };
        auction_hold(&a, bid, n, gpus);
        for (uint32_t i = 0; i < n; i++)
            if (bid[i].wins) {
                sum += bid[i].gain;
                used += bid[i].gpus;
            }
        cr_assert_leq(used, gpus);
        cr_assert_eq(sum, best_of(bid, n, all, gpus), "sum of gains");
        for (uint32_t i = 0; i < n; i++) {
            if (!bid[i].wins) continue;
            near(bid[i].kept, exp2((double)(sum - bid[i].gain - best_of(bid, n, all & ~(1u << i), gpus)) / LOG2_2), "kept");
            cr_assert(bid[i].kept <= 1 && bid[i].kept >= exp2((double)-bid[i].gain / LOG2_2) - 1e-12);
            contested += bid[i].kept < 1;
        }
    }
    cr_assert_gt(contested, CASES / 10);
    auction_fini(&a);
}

/*
 * As many bidders as there may be, of equal width, and room for a hundred of them: those that gain the most win, and
 * each displaces the best of the others.  The rows that are kept are much fewer than one for each bidder.
 */
Test(themis, many_bidders_need_little_memory)
{
    enum { N = AUCTION_BIDS_MAX, GPUS = 5000 };
    struct auction a = { 0 };
    struct auction_bid bid[N];
    int64_t least = INT64_MAX, most = 0;
    uint64_t used = 0;
    for (uint32_t i = 0; i < N; i++)
        bid[i] = (struct auction_bid){ .gpus = GPUS / 100, .gain = auction_gain(1 + (i * 37 % N + 1) / 1000.0) };
    auction_hold(&a, bid, N, GPUS);
    for (uint32_t i = 0; i < N; i++)
        if (bid[i].wins) {
            used += bid[i].gpus;
            least = bid[i].gain < least ? bid[i].gain : least;
        } else if (bid[i].gain > most) most = bid[i].gain;
    cr_assert_eq(used, GPUS);
    cr_assert_gt(least, most);
    for (uint32_t i = 0; i < N; i++)
        if (bid[i].wins) near(bid[i].kept, exp2((double)-most / LOG2_2), "kept");
    cr_assert_lt(a.cap_row, (size_t)N * GPUS / 3);
    auction_fini(&a);
}
