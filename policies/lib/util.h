/*
 * util.h -- checked allocation, saturating sums, extensions and random numbers for policies.
 *
 * pol_alloc and POL_RESERVE never return NULL: when memory is exhausted they say
 * how much was asked for and exit with status 3, as the simulator does.
 */
#ifndef POL_LIB_UTIL_H
#define POL_LIB_UTIL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "extensions.h"
#include "lib/pages.h"

__extension__ typedef __int128 pol_wide;
__extension__ typedef unsigned __int128 pol_uwide;

static inline void *pol_check(void *p, size_t n, size_t size)
{
    if (p != NULL) return p;
    (void)fprintf(stderr, "fairway: out of memory in a policy: asked for %zu x %zu bytes\n", n, size);
    exit(3);
}

/* Zeroed. */
static inline void *pol_alloc(size_t n, size_t size)
{
    n = n ? n : 1;
    return pol_check(calloc(n, size), n, size);
}

/* The largest arrays, in large pages where the system has them.  Not zeroed: what is not in use takes no memory. */
#define POL_LARGE(p, n) ((p) = pages_large(pol_check(malloc((n) * sizeof *(p) + 1), n, sizeof *(p)), (n) * sizeof *(p)))

/* All of these, in this order. */
static inline void pol_free_all(void *const *p, size_t n)
{
    for (size_t i = 0; i < n; i++) free(p[i]);
}
#define POL_FREE(...) pol_free_all((void *[]){ __VA_ARGS__ }, sizeof (void *[]){ __VA_ARGS__ } / sizeof(void *))

/* Room for `want` elements in an array that holds *cap, doubling; new ones are zeroed. */
__attribute__((cold, noinline, unused))         /* rare, and callers are to stay small */
static void *pol_reserve_more(void *p, size_t *cap, size_t want, size_t size)
{
    size_t c = *cap ? *cap : 8;
    while (c < want) c = c <= SIZE_MAX / 2 ? c * 2 : want;
    p = pol_check(c <= SIZE_MAX / size ? realloc(p, c * size) : NULL, c, size);
    memset((char *)p + *cap * size, 0, (c - *cap) * size);
    *cap = c;
    return p;
}
static inline void *pol_reserve(void *p, size_t *cap, size_t want, size_t size)
{
    return want <= *cap ? p : pol_reserve_more(p, cap, want, size);
}
#define POL_RESERVE(p, cap, want) ((p) = pol_reserve((p), &(cap), (want), sizeof *(p)))
/* One more element, with this value, behind the n that there are. */
#define POL_PUSH(p, n, cap, ...) (POL_RESERVE(p, cap, (size_t)(n) + 1), (p)[(n)] = __VA_ARGS__, (void)(n)++)

/* An extension of the host's, for create: NULL, and the run fails, where it has none of that name. */
static inline const void *pol_extension(const struct pol_host *host, const char *name)
{
    const void *e = host->extension(host->ctx, name);
    char error[128];
    (void)snprintf(error, sizeof error, "this host has no extension '%s', which the policy needs", name);
    if (e == NULL) host->fail(host->ctx, error);
    return e;
}

/* What is wrong with a parameter, as by printf; false. */
#define pol_error(error, cap, ...) ((void)snprintf(error, cap, __VA_ARGS__), false)

/* A time plus a span, both >= 0 or small; POL_NEVER is infinite and absorbs. */
static inline int64_t pol_after(int64_t at, int64_t span)
{
    if (at == POL_NEVER || span == POL_NEVER) return POL_NEVER;
    return at > 0 && span > POL_NEVER - 1 - at ? POL_NEVER - 1 : at + span;
}

/* ---- random numbers: SplitMix64 (Steele et al., OOPSLA 2014) ---- */

static inline uint64_t pol_mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}
/* The next number; *state begins as the seed of the run. */
static inline uint64_t pol_draw(uint64_t *state) { return pol_mix(*state += UINT64_C(0x9e3779b97f4a7c15)); }
/* Uniform below n. */
static inline uint32_t pol_draw_below(uint64_t *state, uint32_t n) { return (uint32_t)((pol_uwide)pol_draw(state) * n >> 64); }

#endif
