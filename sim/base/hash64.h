/*
 * hash64.h -- FNV-1a of 64 bits, for tables and to tell changes; not for
 * security, nor for keys (hash.h).  Layer: base.
 */
#ifndef BASE_HASH64_H
#define BASE_HASH64_H

#include "base/base.h"

#define HASH64_INIT UINT64_C(0xcbf29ce484222325)
/* Go on from h, HASH64_INIT at first. */
uint64_t hash64_bytes(uint64_t h, const void *p, size_t n);
uint64_t hash64_text(uint64_t h, const char *s);        /* without its terminator */

#endif
