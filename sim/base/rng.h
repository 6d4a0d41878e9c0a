/*
 * rng.h -- named random streams.  Layer: base.
 *
 * A stream is derived from (seed, purpose, index), so that every policy meets
 * the same arrivals and the same failures whatever it draws itself, and adding
 * a new consumer of randomness changes no existing stream.
 * Generator: xoshiro256** seeded through splitmix64 (Blackman & Vigna, 2018).
 * GSL's mt19937 takes 32 seed bits only, which makes seeds collide; its
 * distributions are not guaranteed to keep their sequences between versions,
 * and a digest must.
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include "base/base.h"

struct rng { uint64_t s[4]; };

void     rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index);
uint64_t rng_u64(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n);      /* uniform on [0, n), n > 0, unbiased */
double   rng_unit(struct rng *r);                   /* uniform on (0, 1), 53 bits, never 0 */
double   rng_exp(struct rng *r, double mean);
double   rng_normal(struct rng *r);                 /* standard normal, polar method */
double   rng_lognormal(struct rng *r, double mu, double sigma);

#endif
