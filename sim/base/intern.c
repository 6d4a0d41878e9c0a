/*
 * intern.c -- an array of names by id, and an open-addressed index into it with
 * linear probing, at most half full.
 */
#include "base/intern.h"

#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"

static uint64_t hash(const char *s)
{
    uint64_t h = hash64_text(HASH64_INIT, s);
    return h ^ h >> 29;
}

/* The slot that holds `s`, or the empty one where it belongs. */
static size_t probe(const struct intern *t, const char *s)
{
    size_t i = (size_t)hash(s) & (t->n_slot - 1);
    while (t->slot[i] != NONE && strcmp(t->name[t->slot[i]], s) != 0) i = (i + 1) & (t->n_slot - 1);
    return i;
}

static void rehash(struct intern *t, size_t n_slot)
{
    mem_free(t->slot);
    t->n_slot = n_slot;
    MEM_ARRAY(t->slot, n_slot);
    memset(t->slot, 0xff, n_slot * sizeof *t->slot);
    for (uint32_t id = 0; id < t->n; id++) t->slot[probe(t, t->name[id])] = id;
}

void intern_fini(struct intern *t)
{
    for (uint32_t i = 0; i < t->n; i++) mem_free(t->name[i]);
    mem_free(t->name);
    mem_free(t->slot);
    memset(t, 0, sizeof *t);
}

uint32_t intern_find(const struct intern *t, const char *s)
{
    return t->n_slot == 0 ? NONE : t->slot[probe(t, s)];
}

uint32_t intern_id(struct intern *t, const char *s)
{
    if (2 * (size_t)(t->n + 1) > t->n_slot) rehash(t, t->n_slot ? 2 * t->n_slot : 16);
    size_t i = probe(t, s);
    if (t->slot[i] != NONE) return t->slot[i];
    MEM_RESERVE(t->name, t->cap_name, (size_t)t->n + 1);
    t->name[t->n] = mem_strdup(s);
    t->slot[i] = t->n;
    return t->n++;
}

const char *intern_name(const struct intern *t, uint32_t id)
{
    SIM_ASSERT(id < t->n);
    return t->name[id];
}
