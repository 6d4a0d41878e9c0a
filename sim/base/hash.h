/*
 * hash.h -- content hashes (FNV-1a), of 128 bits for keys and provenance, of 64
 * for tables and to tell changes; not for security.  Layer: base.
 */
#ifndef SIM_HASH_H
#define SIM_HASH_H

#include "base/base.h"

struct hash128 { uint64_t hi, lo; };
enum { HASH_HEX = 33 };     /* 32 digits and the end */

void hash_init(struct hash128 *h);
void hash_bytes(struct hash128 *h, const void *p, size_t n);
void hash_text(struct hash128 *h, const char *s);       /* with its terminator, so that "ab","c" is not "a","bc" */
void hash_hex(const struct hash128 *h, char out[HASH_HEX]);

#define HASH64_INIT UINT64_C(0xcbf29ce484222325)
/* Go on from h, HASH64_INIT at first. */
uint64_t hash64_bytes(uint64_t h, const void *p, size_t n);
uint64_t hash64_text(uint64_t h, const char *s);        /* without its terminator */

#endif
