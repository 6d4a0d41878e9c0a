/*
 * auction.c -- a partial allocation auction, see auction.h.
 *
 * Winners are a knapsack's, by dynamic programming.  A row holds for w GPUs the greatest sum of gains that bidders have
 * with them: row i those before the i-th, `after` those behind it; what the others would have without it is the best
 * division of the GPUs between the two.  Rows are asked for from the last to the first.  Every STEP-th is kept, and the
 * rows between are made again from it.
 */
#include <math.h>
#include "lib/util.h"
#include "themis/auction.h"

enum { STEP = 16, MARKS = AUCTION_BIDS_MAX / STEP };

void auction_fini(struct auction *a) { POL_FREE(a->row); }

/* Bit by bit: the square of 2^x is 2^2x, and has the next bit of x before its point. */
int64_t auction_gain(double ratio)
{
    int exponent;
    uint64_t z = (uint64_t)ldexp(frexp(ratio, &exponent), 64);          /* of [1, 2), in units of 2^-63 */
    int64_t log = exponent - 1;
    for (int i = 0; i < AUCTION_BITS; i++) {
        pol_uwide square = (pol_uwide)z * z;
        int bit = (int)(square >> 127);
        log = log * 2 + bit;
        z = (uint64_t)(square >> (63 + bit));
    }
    return log;
}

/* 2^-gain, by roots. */
static double undo(int64_t gain)
{
    double root = 0.5, part = 1;
    for (int i = AUCTION_BITS; i-- > 0;) {
        root = sqrt(root);
        if (gain >> i & 1) part *= root;
    }
    return ldexp(part, -(int)(gain >> AUCTION_BITS));
}

/* Is there room for all of them? */
static bool all_win(struct auction_bid *bid, uint32_t n, uint32_t gpus)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < n; i++) all += bid[i].gpus;
    for (uint32_t i = 0; i < n; i++) {
        bid[i].wins = all <= gpus;
        bid[i].kept = 1;
    }
    return all <= gpus;
}

/* The row with one bidder more. */
static void add(int64_t *row, uint32_t gpus, const struct auction_bid *bid)
{
    for (size_t w = (size_t)gpus + 1; w-- > bid->gpus;)
        if (row[w - bid->gpus] + bid->gain > row[w]) row[w] = row[w - bid->gpus] + bid->gain;
}

/* What the others have at most without one, when those before it have `before` and those behind it `after`. */
static int64_t without(const int64_t *before, const int64_t *after, uint32_t gpus)
{
    int64_t most = 0;
    for (uint32_t w = 0; w <= gpus; w++)
        if (before[w] + after[gpus - w] > most) most = before[w] + after[gpus - w];
    return most;
}

void auction_hold(struct auction *a, struct auction_bid *bid, uint32_t n, uint32_t gpus)
{
    if (all_win(bid, n, gpus)) return;
    const size_t wide = (size_t)gpus + 1, size = wide * sizeof *a->row;
    POL_RESERVE(a->row, a->cap_row, (MARKS + STEP + 1) * wide);
    int64_t *const after = a->row, *const between = after + wide, *const mark = between + STEP * wide;
    memset(after, 0, size);
    for (uint32_t i = 0; i < n; i++) {          /* `after` is on loan here */
        if (i % STEP == 0) memcpy(mark + i / STEP * wide, after, size);
        add(after, gpus, &bid[i]);
    }
    const int64_t all = after[gpus];
    uint32_t left = gpus;
    memset(after, 0, size);
    for (uint32_t i = n; i-- > 0;) {
        const uint32_t first = i - i % STEP;
        if (i + 1 == n || (i + 1) % STEP == 0) {
            memcpy(between, mark + first / STEP * wide, size);
            for (uint32_t k = 1; k <= i - first; k++) {
                memcpy(between + k * wide, between + (k - 1) * wide, size);
                add(between + k * wide, gpus, &bid[first + k - 1]);
            }
        }
        const int64_t *before = between + (i - first) * wide;
        bid[i].wins = bid[i].gpus <= left && before[left - bid[i].gpus] + bid[i].gain > before[left];
        if (bid[i].wins) {
            left -= bid[i].gpus;
            bid[i].kept = undo(without(before, after, gpus) - (all - bid[i].gain));
        }
        add(after, gpus, &bid[i]);
    }
}
