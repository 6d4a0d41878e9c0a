/* test_map.c -- lib/map.h against a slow reference: an array of the keys that are in it. */
#include <criterion/criterion.h>
#include "base/rng.h"
#include "lib/map.h"

enum { KEYS = 500, STEPS = 40000 };

static uint32_t find(const struct map *m, const uint64_t *key, uint64_t k, uint32_t hash)
{
    uint32_t id;
    MAP_EACH(id, m, hash)
        if (key[id] == k) return id;
    return MAP_NONE;
}

/* bits: so many of a hash differ; 0 makes one chain of all. */
static void churn(uint64_t seed, int bits)
{
    struct map m = { 0 };
    uint64_t key[KEYS];
    bool in[KEYS] = { false };
    struct rng r;
    size_t n = 0;
    rng_init(&r, seed, "map", (uint64_t)bits);
    for (uint32_t i = 0; i < KEYS; i++) key[i] = rng_u64(&r);
    for (int step = 0; step < STEPS; step++) {
        uint32_t id = (uint32_t)rng_below(&r, KEYS), hash = map_mix(key[id]) & (uint32_t)((UINT64_C(1) << bits) - 1);
        cr_assert_eq(find(&m, key, key[id], hash), in[id] ? id : MAP_NONE, "step %d", step);
        if (in[id] && rng_below(&r, step / 10000 % 2 ? 2 : 4) != 0) continue;
        if (in[id]) map_del(&m, hash, id);
        else map_add(&m, hash, id);
        n += in[id] ? (size_t)-1 : 1;
        in[id] = !in[id];
        cr_assert_eq(m.n, n);
        cr_assert_leq(2 * m.n, m.n_slots);
    }
    for (uint32_t i = 0; i < KEYS; i++)
        cr_assert_eq(find(&m, key, key[i], map_mix(key[i]) & (uint32_t)((UINT64_C(1) << bits) - 1)), in[i] ? i : MAP_NONE);
    map_fini(&m);
}

Test(map, holds_what_was_added_and_not_removed)
{
    for (uint64_t seed = 1; seed <= 3; seed++) churn(seed, 32);
}

Test(map, of_poor_hashes_too)
{
    churn(1, 0);
    churn(1, 3);
    churn(1, 8);
}

/* Hashes near 2^32 - 1: the walk goes round the end of the table. */
Test(map, goes_round_the_end)
{
    struct map m = { 0 };
    uint64_t key[8];
    for (uint32_t i = 0; i < 8; i++) {
        key[i] = i;
        map_add(&m, UINT32_MAX - i % 2, i);
    }
    map_del(&m, UINT32_MAX, 2);
    for (uint32_t i = 0; i < 8; i++) cr_assert_eq(find(&m, key, i, UINT32_MAX - i % 2), i == 2 ? MAP_NONE : i);
    map_fini(&m);
}

Test(map, empty_holds_nothing_and_loses_nothing)
{
    struct map m = { 0 };
    uint64_t key[1] = { 5 };
    cr_assert_eq(find(&m, key, 5, 5), MAP_NONE);
    map_add(&m, 5, 0);
    map_del(&m, 6, 0);
    map_del(&m, 5, 1);
    cr_assert_eq(find(&m, key, 5, 5), 0);
    map_fini(&m);
}
