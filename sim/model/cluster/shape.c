/* shape.c -- an array of requests by id, a map from their hashes, and a list of those that no task holds. */
#include "model/cluster/shape.h"

#include <string.h>
#include "base/mem.h"

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0xff51afd7ed558ccd);
    return h ^ h >> 32;
}

/* Engines and licences, which few ask for, by pairs. */
struct rare { uint64_t word[(ENGINE_TYPES_MAX + LICENCES_MAX) / 2]; };

static struct rare rare_of(const struct shape *s)
{
    struct rare r;
    memcpy(r.word, s->engine, sizeof s->engine);
    memcpy(&r.word[ENGINE_TYPES_MAX / 2], s->licence, sizeof s->licence);
    return r;
}

static uint64_t hash(const struct shape *s)
{
    uint64_t h = mix(0, (uint64_t)s->cpu_milli);
    h = mix(h, (uint64_t)s->mem_b);
    h = mix(h, (uint64_t)s->gpu_mem_b);
    h = mix(h, s->gpu_types);
    h = mix(h, s->need_all);
    h = mix(h, s->need_any);
    h = mix(h, (uint64_t)(uint32_t)s->n_gpu << 32 | (uint32_t)s->gpu_milli);
    const struct rare r = rare_of(s);
    for (size_t k = 0; k < ARRAY_LEN(r.word); k++)
        if (r.word[k] != 0) h = mix(h ^ k, r.word[k]);
    if (s->prefers != 0) h = mix(h, s->prefers);
    return mix(h, (uint64_t)(uint32_t)s->gpu_cores << 32 | s->exclusive);
}

_Static_assert(sizeof(struct shape) == offsetof(struct shape, reserved) + sizeof(uint32_t) &&
               offsetof(struct shape, engine) == 6 * sizeof(int64_t) + 2 * sizeof(int32_t), "a shape has no padding");
static bool same(const struct shape *a, const struct shape *b) { return memcmp(a, b, sizeof *a) == 0; }

void shapes_fini(struct shapes *t)
{
    MEM_FREE(t->at, t->use, t->renewed);
    map_fini(&t->of_shape);
    memset(t, 0, sizeof *t);
}

/* ---- idle ones ---- */

static void link_idle(struct shapes *t, uint32_t id)
{
    struct shape_use *u = &t->use[id];
    u->older = t->n_idle > 0 ? t->newest : NONE;
    u->newer = NONE;
    if (t->n_idle++ > 0) t->use[t->newest].newer = id;
    else t->oldest = id;
    t->newest = id;
}

static void unlink_idle(struct shapes *t, uint32_t id)
{
    const struct shape_use *u = &t->use[id];
    if (u->older != NONE) t->use[u->older].newer = u->newer;
    else t->oldest = u->newer;
    if (u->newer != NONE) t->use[u->newer].older = u->older;
    else t->newest = u->older;
    t->n_idle--;
}

void shapes_hold(struct shapes *t, uint32_t id, uint32_t n_tasks)
{
    if (t->use[id].n_tasks == 0) unlink_idle(t, id);
    t->use[id].n_tasks += n_tasks;
}

void shapes_let_go(struct shapes *t, uint32_t id)
{
    SIM_ASSERT(t->use[id].n_tasks > 0);
    if (--t->use[id].n_tasks == 0) link_idle(t, id);
}

void shapes_told(struct shapes *t) { t->n_renewed = 0; }

/* ---- ids ---- */

/* An id for a new request. */
static uint32_t take_id(struct shapes *t)
{
    if (t->reuse == SHAPES_STAY || t->n_idle <= (t->reuse == SHAPES_REUSED ? SHAPES_KEPT : 0)) {
        MEM_RESERVE(t->at, t->cap, (size_t)t->n + 1);
        MEM_RESERVE(t->use, t->cap_use, (size_t)t->n + 1);
        return t->n++;
    }
    const uint32_t id = t->oldest;
    SIM_ASSERT(t->use[id].n_tasks == 0);
    unlink_idle(t, id);
    map_del(&t->of_shape, (uint32_t)hash(&t->at[id]), id);
    MEM_PUSH(t->renewed, t->n_renewed, t->cap_renewed, id);
    return id;
}

uint32_t shapes_id(struct shapes *t, const struct shape *s)
{
    uint32_t *lately = &t->lately[map_mix((uint64_t)s->cpu_milli ^ (uint64_t)s->n_gpu << 32) % SHAPES_LATELY];
    if (t->n > 0 && same(&t->at[*lately], s)) return *lately;
    uint32_t id, h = (uint32_t)hash(s);
    MAP_EACH(id, &t->of_shape, h)
        if (same(&t->at[id], s)) return *lately = id;
    id = take_id(t);
    t->at[id] = *s;
    t->use[id] = (struct shape_use){ .serial = ++t->n_made };
    link_idle(t, id);
    map_add(&t->of_shape, h, id);
    t->any_of_cards |= s->gpu_mem_b > 0 || s->gpu_cores > 0;
    return *lately = id;
}

void shapes_audit(const struct shapes *t, const uint32_t *n_tasks)
{
    uint32_t n_idle = 0;
    for (uint32_t id = 0; id < t->n; id++) SIM_ASSERT(t->use[id].n_tasks == n_tasks[id]);
    for (uint32_t id = t->n_idle > 0 ? t->oldest : NONE, older = NONE; id != NONE; older = id, id = t->use[id].newer) {
        SIM_ASSERT(n_tasks[id] == 0 && t->use[id].older == older);
        n_idle++;
    }
    for (uint32_t id = 0; id < t->n; id++) n_idle -= n_tasks[id] == 0;
    SIM_ASSERT(n_idle == 0 && t->of_shape.n == t->n);
}
