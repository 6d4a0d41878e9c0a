/* intern.c -- an array of names by id, one after the other in blocks, and a map from their hashes. */
#include "base/intern.h"

#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"

struct intern_block { struct intern_block *before; char text[]; };

enum { BLOCK_LEAST = 256, BLOCK_MOST = 65536 };

/* The last character says little of where a name goes: of those that are counted up ten stand side by side. */
static uint32_t hash(const char *s)
{
    const size_t n = strlen(s);
    const uint32_t last = n > 0 ? (unsigned char)s[n - 1] : 0;
    const uint64_t h = hash64_bytes(HASH64_INIT, s, n > 0 ? n - 1 : 0);
    return (uint32_t)(h ^ h >> 29) << 4 ^ (last & 15) ^ last >> 4 << 28;
}

void intern_fini(struct intern *t)
{
    for (struct intern_block *b = t->block, *before; b != NULL; b = before) {
        before = b->before;
        mem_free(b);
    }
    mem_free(t->name);
    map_fini(&t->of_name);
    memset(t, 0, sizeof *t);
}

/* A copy that stays where it is. */
static char *keep(struct intern *t, const char *s)
{
    const size_t n = strlen(s) + 1;
    if (n > t->block_size - t->n_used) {
        struct intern_block *b;
        t->block_size = t->block_size == 0 ? BLOCK_LEAST : t->block_size < BLOCK_MOST ? 2 * t->block_size : BLOCK_MOST;
        if (t->block_size < n) t->block_size = n;
        b = mem_alloc(sizeof *b + t->block_size, 1);
        b->before = t->block;
        t->block = b;
        t->n_used = 0;
    }
    char *to = t->block->text + t->n_used;
    t->n_used += n;
    return memcpy(to, s, n);
}

static uint32_t find(const struct intern *t, const char *s, uint32_t h)
{
    uint32_t id;
    MAP_EACH(id, &t->of_name, h)
        if (strcmp(t->name[id], s) == 0) return id;
    return NONE;
}

uint32_t intern_find(const struct intern *t, const char *s) { return intern_is_last(t, s) ? t->last : find(t, s, hash(s)); }

uint32_t intern_id_of(struct intern *t, const char *s)
{
    uint32_t h = hash(s), id = find(t, s, h);
    if (id == NONE) {
        id = t->n++;
        MEM_RESERVE(t->name, t->cap_name, (size_t)id + 1);
        t->name[id] = keep(t, s);
        map_add(&t->of_name, h, id);
    }
    return t->last = id;
}

const char *intern_name(const struct intern *t, uint32_t id)
{
    SIM_ASSERT(id < t->n);
    return t->name[id];
}
