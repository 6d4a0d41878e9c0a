/*
 * auction.h -- a partial allocation auction of GPUs, for bidders who take so many or none.
 *
 * Knows no units and no nodes.  Who wins is whoever makes the product of all values greatest, within the GPUs that are
 * there: a bidder's value is that of its GPUs or of none, and `gain` the logarithm of one over the other, so that it
 * is the sum of the winners' gains that is greatest.  A winner keeps a part of what it won: the product of the others'
 * values as it is, over that which they would have without it.  The rest is its hidden payment, which makes it best
 * to bid the truth.
 *
 * A winner keeps 2^-gain at least, as leaving it out and nobody in its place would be the worse choice.
 *
 * Gains are whole numbers, made and undone by integers, products and square roots alone: a lease is the same on every
 * machine, whatever its library has for log and exp, and equal sums are equal.
 *
 * Cost: O(bidders x GPUs), and nothing where there are GPUs for all; memory O(GPUs x the root of bidders).
 * Source: Cole, Gkatzelis & Goel, Mechanism Design for Fair Division, EC 2013; Mahajan et al., Themis, NSDI 2020.
 */
#ifndef POL_THEMIS_AUCTION_H
#define POL_THEMIS_AUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AUCTION_BITS = 40, AUCTION_BIDS_MAX = 256 };
/* log2 of ratio >= 1 in units of 2^-AUCTION_BITS, rounded down. */
int64_t auction_gain(double ratio);

/* in: gpus, gain >= 0.  out: wins; kept, of (0, 1], to 2^-AUCTION_BITS of itself. */
struct auction_bid { uint32_t gpus; int64_t gain; bool wins; double kept; };

struct auction { int64_t *row; size_t cap_row; };       /* scratch; zero-initialise to begin */
void auction_fini(struct auction *a);
/* n AUCTION_BIDS_MAX at most.  Of winners that are equal the bidders that come first win. */
void auction_hold(struct auction *a, struct auction_bid *bid, uint32_t n, uint32_t gpus);

#endif
