/* bytes.c -- base/rng.h with the input of a fuzzer in the place of a generator, and a file for what reads files. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/rng.h"

static struct {
    const uint8_t *at;
    size_t left;
    uint64_t after;
} input;

void fuzz_draw_from(const uint8_t *data, size_t n)
{
    input.at = data;
    input.left = n;
    input.after = 0;
}

static uint64_t take(unsigned n_bytes)
{
    uint64_t x = 0;
    if (input.left < n_bytes) {
        input.left = 0;
        input.after += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
        x = input.after;
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        return x ^ x >> 31;
    }
    for (unsigned i = 0; i < n_bytes; i++) x = x << 8 | input.at[i];
    input.at += n_bytes;
    input.left -= n_bytes;
    return x;
}

void rng_init(struct rng *r, uint64_t seed, const char *purpose, uint64_t index)
{
    (void)seed, (void)purpose, (void)index;
    *r = (struct rng){ { 0 } };
}

uint64_t rng_u64(struct rng *r)
{
    (void)r;
    return take(8);
}

/* One byte for a small choice, so that each byte of an input means one thing. */
uint64_t rng_below(struct rng *r, uint64_t n)
{
    (void)r;
    return take(n <= 256 ? 1 : n <= UINT64_C(1) << 32 ? 4 : 8) % n;
}

double rng_unit(struct rng *r)
{
    (void)r;
    return ((double)(take(4) & UINT32_MAX) + 1) / (UINT64_C(1) << 33);
}

double rng_exp(struct rng *r, double mean) { return -mean * log(rng_unit(r)); }
double rng_normal(struct rng *r) { return sqrt(-2 * log(rng_unit(r))) * cos(6.283185307179586 * rng_unit(r)); }
double rng_lognormal(struct rng *r, double mu, double sigma) { return exp(mu + sigma * rng_normal(r)); }

/* ---- a file ---- */

static char path[64];
static void drop(void) { (void)unlink(path); }

const char *fuzz_file(const void *data, size_t n)
{
    if (path[0] == '\0') {
        (void)snprintf(path, sizeof path, "/dev/shm/fairway-fuzz-%ld", (long)getpid());
        (void)atexit(drop);
    }
    FILE *f = fopen(path, "wb");
    if (f == NULL || fwrite(data, 1, n, f) != n || fclose(f) != 0) {
        perror(path);
        abort();
    }
    return path;
}
