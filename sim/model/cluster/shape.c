/* shape.c -- an array of requests by id, and a map from their hashes. */
#include "model/cluster/shape.h"

#include <string.h>
#include "base/mem.h"

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

/* Member by member: padding must not enter, here or in same(). */
static uint64_t hash(const struct shape *s)
{
    uint64_t h = mix(0, (uint64_t)s->cpu_milli);
    h = mix(h, (uint64_t)s->mem_b);
    h = mix(h, (uint64_t)s->gpu_mem_b);
    h = mix(h, s->gpu_types);
    h = mix(h, s->need_all);
    h = mix(h, s->need_any);
    h = mix(h, (uint64_t)(uint32_t)s->n_gpu << 32 | (uint32_t)s->gpu_milli);
    for (int k = 0; k < ENGINE_TYPES_MAX; k++) h = mix(h, (uint64_t)(uint32_t)s->engine[k]);
    for (int k = 0; k < LICENCES_MAX; k++) if (s->licence[k] != 0) h = mix(h, (uint64_t)(uint32_t)s->licence[k] << 32 | (uint32_t)k);
    if (s->prefers != 0) h = mix(h, s->prefers);
    return mix(h, (uint64_t)(uint32_t)s->gpu_cores << 32 | s->exclusive);
}

static bool same(const struct shape *a, const struct shape *b)
{
    return a->cpu_milli == b->cpu_milli && a->mem_b == b->mem_b && a->gpu_mem_b == b->gpu_mem_b &&
           a->gpu_types == b->gpu_types && a->need_all == b->need_all && a->need_any == b->need_any &&
           a->n_gpu == b->n_gpu && a->gpu_milli == b->gpu_milli && a->exclusive == b->exclusive && a->gpu_cores == b->gpu_cores &&
           a->prefers == b->prefers &&
           memcmp(a->engine, b->engine, sizeof a->engine) == 0 && memcmp(a->licence, b->licence, sizeof a->licence) == 0;
}

void shapes_fini(struct shapes *t)
{
    mem_free(t->at);
    map_fini(&t->of_shape);
    memset(t, 0, sizeof *t);
}

uint32_t shapes_id(struct shapes *t, const struct shape *s)
{
    if (t->n > 0 && same(&t->at[t->last], s)) return t->last;
    uint32_t id, h = (uint32_t)hash(s);
    MAP_EACH(id, &t->of_shape, h)
        if (same(&t->at[id], s)) return t->last = id;
    MEM_RESERVE(t->at, t->cap, (size_t)t->n + 1);
    t->at[t->n] = *s;
    map_add(&t->of_shape, h, t->n);
    return t->last = t->n++;
}
