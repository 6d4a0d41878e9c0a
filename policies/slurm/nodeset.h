/*
 * nodeset.h -- sets of nodes as bits, all of the same number of words.  Each operation is O(nodes / 64).
 */
#ifndef POL_SLURM_NODESET_H
#define POL_SLURM_NODESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool nodeset_has(const uint64_t *a, uint32_t node) { return (a[node / 64] >> (node % 64) & 1) != 0; }
static inline void nodeset_put(uint64_t *a, uint32_t node) { a[node / 64] |= UINT64_C(1) << (node % 64); }
static inline void nodeset_drop(uint64_t *a, uint32_t node) { a[node / 64] &= ~(UINT64_C(1) << (node % 64)); }
static inline void nodeset_copy(uint64_t *to, const uint64_t *from, size_t n_words)
{
    memcpy(to, from, n_words * sizeof *to);
}
static inline void nodeset_and(uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] &= b[i];
}
static inline void nodeset_or(uint64_t *a, const uint64_t *b, size_t n) { for (size_t i = 0; i < n; i++) a[i] |= b[i]; }
static inline void nodeset_and_not(uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++) a[i] &= ~b[i];
}
static inline bool nodeset_equal(const uint64_t *a, const uint64_t *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

/* The nodes of one word; __builtin_popcountll is a call where the compiler may not count on POPCNT. */
static inline uint32_t nodeset_bits(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (uint32_t)(x * UINT64_C(0x0101010101010101) >> 56);
}
static inline uint32_t nodeset_count(const uint64_t *a, size_t n)
{
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++) k += nodeset_bits(a[i]);
    return k;
}
/* Have they so many nodes in common?  Looks no further than it must. */
static inline bool nodeset_share(const uint64_t *a, const uint64_t *b, size_t n, uint32_t least)
{
    uint32_t k = 0;
    for (size_t i = 0; i < n && k < least; i++) k += nodeset_bits(a[i] & b[i]);
    return k >= least;
}
static inline bool nodeset_holds(const uint64_t *a, size_t n, uint32_t least) { return nodeset_share(a, a, n, least); }
/* Is all of a in b? */
static inline bool nodeset_within(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] & ~b[i]) != 0) return false;
    return true;
}

#endif
