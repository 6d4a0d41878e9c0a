/*
 * map.h -- the one hash table: from the hash of a key to ids.  policies/ and
 * sim/ share it; it includes nothing of either.
 *
 * It keeps hashes and ids, no keys: whoever owns what the ids name compares.
 *
 *   uint32_t id;
 *   MAP_EACH(id, map, hash)
 *       if (is_the_key(id)) return id;
 *   map_add(&map, hash, id = new_one());
 *
 * Open addressing with linear probing, at most half full; what is removed
 * leaves no marker, as later entries move up into its gap.  Every bit of a
 * hash is compared, and the low ones say where to begin: mix it (map_mix).
 * The order of ids is nowhere to be seen but among those of equal hash.
 *
 * Cost: O(1) expected for each.  When memory is exhausted the program says so
 * and exits with status 3.
 */
#ifndef POL_LIB_MAP_H
#define POL_LIB_MAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAP_NONE UINT32_MAX

struct map_slot { uint32_t hash, id; };         /* id MAP_NONE: free */
struct map { struct map_slot *at; size_t n_slots, n; };     /* zero-initialise to begin */

static inline void map_fini(struct map *m)
{
    free(m->at);
    memset(m, 0, sizeof *m);
}

/* Remove all; their room stays. */
static inline void map_clear(struct map *m)
{
    if (m->n > 0) memset(m->at, 0xff, m->n_slots * sizeof *m->at);
    m->n = 0;
}

/* A 64-bit key, or hash, to one whose low 32 bits all depend on all of it. */
static inline uint32_t map_mix(uint64_t x) { return (uint32_t)((x * UINT64_C(0x9e3779b97f4a7c15)) >> 32); }

/* The first id of this hash at or after slot *i, which is moved past it; MAP_NONE: there are no more. */
static inline uint32_t map_next(const struct map *m, uint32_t hash, size_t *i)
{
    if (m->n_slots == 0) return MAP_NONE;
    for (;;) {      /* a slot is free */
        const struct map_slot *s = &m->at[(*i)++ & (m->n_slots - 1)];
        if (s->id == MAP_NONE || s->hash == hash) return s->id;
    }
}
#define MAP_EACH(id, map, hash_) \
    for (size_t map_at = (hash_); ((id) = map_next((map), (hash_), &map_at)) != MAP_NONE;)

static inline void map_put(struct map *m, struct map_slot x)
{
    size_t i = x.hash, mask = m->n_slots - 1;
    while (m->at[i & mask].id != MAP_NONE) i++;
    m->at[i & mask] = x;
}

/* Add an id, of which there is none of the same key yet. */
static inline void map_add(struct map *m, uint32_t hash, uint32_t id)
{
    if (2 * (m->n + 1) > m->n_slots) {
        struct map more = { .n_slots = m->n_slots > 0 ? 2 * m->n_slots : 16, .n = m->n };
        more.at = more.n_slots <= SIZE_MAX / sizeof *more.at ? malloc(more.n_slots * sizeof *more.at) : NULL;
        if (more.at == NULL) {
            (void)fprintf(stderr, "fairway: out of memory: asked for %zu x %zu bytes\n", more.n_slots, sizeof *more.at);
            exit(3);
        }
        memset(more.at, 0xff, more.n_slots * sizeof *more.at);
        for (size_t i = 0; i < m->n_slots; i++)
            if (m->at[i].id != MAP_NONE) map_put(&more, m->at[i]);
        free(m->at);
        *m = more;
    }
    map_put(m, (struct map_slot){ hash, id });
    m->n++;
}

/* Remove an id; nothing happens if it is not there. */
static inline void map_del(struct map *m, uint32_t hash, uint32_t id)
{
    size_t gap, at = hash, mask = m->n_slots - 1;
    uint32_t x;
    while ((x = map_next(m, hash, &at)) != id)
        if (x == MAP_NONE) return;
    gap = (at - 1) & mask;
    /* A later entry moves up unless its own place lies after the gap. */
    for (size_t i = (gap + 1) & mask; m->at[i].id != MAP_NONE; i = (i + 1) & mask) {
        if (((i - m->at[i].hash) & mask) < ((i - gap) & mask)) continue;
        m->at[gap] = m->at[i];
        gap = i;
    }
    m->at[gap].id = MAP_NONE;
    m->n--;
}

#endif
