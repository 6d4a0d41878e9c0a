/*
 * hash.c -- FNV-1a on 128 bits: xor a byte, multiply by the prime.  O(bytes).
 * Source: draft-eastlake-fnv (offset basis and prime).
 */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

void hash_init(struct hash128 *h)
{
    h->hi = UINT64_C(0x6c62272e07bb0142);
    h->lo = UINT64_C(0x62b821756295c58d);
}

void hash_bytes(struct hash128 *h, const void *p, size_t n)
{
    const wide prime = (wide)UINT64_C(0x1000000) << 64 | UINT64_C(0x13b);
    wide x = (wide)h->hi << 64 | h->lo;
    for (const unsigned char *b = p; n > 0; b++, n--) x = (x ^ *b) * prime;
    h->hi = (uint64_t)(x >> 64);
    h->lo = (uint64_t)x;
}

void hash_text(struct hash128 *h, const char *s) { hash_bytes(h, s, strlen(s) + 1); }

void hash_hex(const struct hash128 *h, char out[HASH_HEX])
{
    (void)snprintf(out, HASH_HEX, "%016" PRIx64 "%016" PRIx64, h->hi, h->lo);
}
