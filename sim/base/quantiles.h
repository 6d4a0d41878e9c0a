/*
 * quantiles.h -- exact quantiles of values that are not in memory together: whoever has them shows them twice.
 * Layer: base.
 *
 * At first all are counted, by bins: the open eighths of octaves, and each value between two of them, such as 1, which
 * many may share.  Then only those of the open bins in which a quantile lies are kept, and selected from.
 * O(1) a value that is not kept; memory by the distinct ones that are, some hundredths of the values.
 *
 *   for all x: quantiles_count(q, quantiles_bin(x));
 *   quantiles_choose(q, p, n_p);
 *   for all x: if (quantiles_wants(q, bin)) quantiles_keep(q, bin, x);      bin: quantiles_bin(x)
 *   quantiles_get(q, out);
 */
#ifndef BASE_QUANTILES_H
#define BASE_QUANTILES_H

#include <string.h>
#include "base/base.h"

/* Eighths of octaves from 2^-20, a microsecond in s, to 2^31, 68 years.  Bin 0 is of 0 and bin 1 of what lies between it
 * and the first eighth, the last of all that is above; one more, which counts for nothing, of what is no number. */
enum { QUANTILES_EIGHTHS = 51 * 8, QUANTILES_BINS = 2 + 2 * QUANTILES_EIGHTHS, QUANTILES_MOST = 4 };

struct quantiles {
    uint32_t n;                                 /* numbers that were counted, once chosen: at most 2^32 - 1 */
    uint32_t n_p, n_kept;
    double   part[QUANTILES_MOST];              /* how far between the two nearest ranks */
    struct { uint32_t bin, k; } rank[QUANTILES_MOST][2];       /* these: the k-th in a bin, from 0 */
    struct quantiles_kept { struct quantiles_value { double x; uint64_t n; } *at; size_t n, cap; bool has_ties; }
             kept[2 * QUANTILES_MOST];          /* has_ties: not each is of one value */
    uint32_t count[QUANTILES_BINS + 1];         /* once chosen: of those up to and with the bin's */
    uint8_t  keeps[QUANTILES_BINS + 1];         /* 0: nothing, else one more than where */
};

uint32_t quantiles_outer_bin(double x);         /* of one below or above all eighths, but 0 */
/* Of a value that is not below 0, or NaN. */
static inline uint32_t quantiles_bin(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);             /* sign, 11 bits of exponent, 52 of mantissa */
    /* The eighths next to it, at or below and at or above it: the same, where it lies between two of them. */
    const uint64_t first = (1023 - 20) * 8, lower = bits >> 49, upper = (bits + (UINT64_C(1) << 49) - 1) >> 49;
    if (lower - first < QUANTILES_EIGHTHS) return (uint32_t)(lower + upper - 2 * first) + 2;
    return bits == 0 ? 0 : quantiles_outer_bin(x);
}

/* Zero-initialise to begin. */
static inline void quantiles_count(struct quantiles *q, uint32_t bin) { q->count[bin]++; }
void quantiles_add(struct quantiles *q, const struct quantiles *counted);       /* what that one counted */
/* At p [n_p]: linear between the two nearest ranks, as stats_quantiles. */
void quantiles_choose(struct quantiles *q, const double *p, uint32_t n_p);
void quantiles_mark(const struct quantiles *q, bool wanted[QUANTILES_BINS + 1]);       /* what it wants, too */
static inline bool quantiles_wants(const struct quantiles *q, uint32_t bin) { return q->keeps[bin] != 0; }
void quantiles_keep(struct quantiles *q, uint32_t bin, double x);
void quantiles_get(struct quantiles *q, double *out);           /* [n_p]; NaN where there is no number */
void quantiles_fini(struct quantiles *q);

#endif
