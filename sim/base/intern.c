/* intern.c -- an array of names by id, and a map from their hashes. */
#include "base/intern.h"

#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"

static uint32_t hash(const char *s)
{
    uint64_t h = hash64_text(HASH64_INIT, s);
    return (uint32_t)(h ^ h >> 29);
}

void intern_fini(struct intern *t)
{
    for (uint32_t i = 0; i < t->n; i++) mem_free(t->name[i]);
    mem_free(t->name);
    map_fini(&t->of_name);
    memset(t, 0, sizeof *t);
}

static uint32_t find(const struct intern *t, const char *s, uint32_t h)
{
    uint32_t id;
    MAP_EACH(id, &t->of_name, h)
        if (strcmp(t->name[id], s) == 0) return id;
    return NONE;
}

uint32_t intern_find(const struct intern *t, const char *s) { return find(t, s, hash(s)); }

uint32_t intern_id(struct intern *t, const char *s)
{
    if (t->n > 0 && strcmp(t->name[t->last], s) == 0) return t->last;       /* of traces often */
    uint32_t h = hash(s), id = find(t, s, h);
    if (id == NONE) {
        id = t->n++;
        MEM_RESERVE(t->name, t->cap_name, (size_t)id + 1);
        t->name[id] = mem_strdup(s);
        map_add(&t->of_name, h, id);
    }
    return t->last = id;
}

const char *intern_name(const struct intern *t, uint32_t id)
{
    SIM_ASSERT(id < t->n);
    return t->name[id];
}
