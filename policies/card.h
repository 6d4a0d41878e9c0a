/*
 * card.h -- a card of a node, as the host's ledger keeps it and as policies see it: the view's cards are the ledger's own.
 */
#ifndef CARD_H
#define CARD_H

#include <stdint.h>

/* Totals 0: not known, and no constraint. */
struct pol_card { int64_t mem_total, mem_free; int32_t milli_free; uint32_t reserved; int32_t core_total, core_free; };

#endif
