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

static inline uint32_t nodeset_count(const uint64_t *a, size_t n)
{
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++) k += (uint32_t)__builtin_popcountll(a[i]);
    return k;
}
static inline uint32_t nodeset_overlap(const uint64_t *a, const uint64_t *b, size_t n)
{
    uint32_t k = 0;
    for (size_t i = 0; i < n; i++) k += (uint32_t)__builtin_popcountll(a[i] & b[i]);
    return k;
}
/* Is all of a in b? */
static inline bool nodeset_within(const uint64_t *a, const uint64_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if ((a[i] & ~b[i]) != 0) return false;
    return true;
}

#endif
