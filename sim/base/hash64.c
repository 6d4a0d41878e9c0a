/* hash64.c -- the functions of hash64.h. */
#include "base/hash64.h"

#include <string.h>

#define PRIME UINT64_C(0x100000001b3)

uint64_t hash64_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *b = p;
    for (; n >= 4; b += 4, n -= 4)
        h = ((((h ^ b[0]) * PRIME ^ b[1]) * PRIME ^ b[2]) * PRIME ^ b[3]) * PRIME;
    for (; n > 0; b++, n--) h = (h ^ *b) * PRIME;
    return h;
}

uint64_t hash64_text(uint64_t h, const char *s) { return hash64_bytes(h, s, strlen(s)); }
