/*
 * hash.h -- content hashes for keys and provenance, FNV-1a of 128 bits; not for
 * security.  Layer: base.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include "base/base.h"

struct hash128 { uint64_t hi, lo; };
enum { HASH_HEX = 33 };     /* 32 digits and the end */

void hash_init(struct hash128 *h);
void hash_bytes(struct hash128 *h, const void *p, size_t n);
void hash_text(struct hash128 *h, const char *s);       /* with its terminator, so that "ab","c" is not "a","bc" */
void hash_hex(const struct hash128 *h, char out[HASH_HEX]);

#endif
