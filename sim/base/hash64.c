/* hash64.c -- the functions of hash64.h. */
#include "base/hash64.h"

#include <string.h>

uint64_t hash64_bytes(uint64_t h, const void *p, size_t n)
{
    for (const unsigned char *b = p; n > 0; b++, n--) h = (h ^ *b) * UINT64_C(0x100000001b3);
    return h;
}

uint64_t hash64_text(uint64_t h, const char *s) { return hash64_bytes(h, s, strlen(s)); }
