/*
 * rng.c -- xoshiro256** and what is drawn from it.  Integers and rng_unit are the
 * same on every machine; what goes through log, exp and sqrt is as the C library has it.
 */
#include "base/rng.h"

#include <math.h>

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = *x += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index)
{
    uint64_t x = seed, h = 0;
    for (; *purpose != '\0'; purpose++) h = splitmix(&x) ^ (h * 31 + (unsigned char)*purpose), x ^= h;
    x ^= splitmix(&index);
    for (int i = 0; i < 4; i++) r->s[i] = splitmix(&x);
}

static uint64_t rotl(uint64_t x, int k) { return x << k | x >> (64 - k); }

uint64_t rng_u64(struct rng *r)
{
    uint64_t *s = r->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0]; s[3] ^= s[1]; s[1] ^= s[2]; s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return out;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    uint64_t floor = (UINT64_MAX - n + 1) % n, x;   /* 2^64 mod n: values below it would bias */
    do x = rng_u64(r); while (x < floor);
    return x % n;
}

double rng_unit(struct rng *r)
{
    return ((double)(rng_u64(r) >> 11) + 0.5) * 0x1p-53;
}

double rng_exp(struct rng *r, double mean) { return -mean * log(rng_unit(r)); }

double rng_normal(struct rng *r)
{
    double u, v, q;
    do {
        u = 2 * rng_unit(r) - 1;
        v = 2 * rng_unit(r) - 1;
        q = u * u + v * v;
    } while (q >= 1 || q == 0);
    return u * sqrt(-2 * log(q) / q);
}

double rng_lognormal(struct rng *r, double mu, double sigma) { return exp(mu + sigma * rng_normal(r)); }
