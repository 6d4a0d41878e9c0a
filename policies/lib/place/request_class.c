/* request_class.c -- lists of shapes by id, and back, see request_class.h. */
#include "lib/place/request_class.h"

#include "lib/util.h"

void request_class_fini(struct request_classes *k)
{
    for (uint32_t i = 0; i < k->n; i++) free(k->at[i].shape);
    free(k->at);
    map_fini(&k->of_shapes);
    free(k->kind);
    map_fini(&k->of_kind);
    memset(k, 0, sizeof *k);
}

/* Member by member: padding must not enter. */
static bool is_same_kind(const struct pol_shape *a, const struct pol_shape *b)
{
    return a->gpu_mem_b == b->gpu_mem_b && a->gpu_types == b->gpu_types && a->need_all == b->need_all &&
           a->need_any == b->need_any && a->n_gpu == b->n_gpu && a->gpu_milli == b->gpu_milli &&
           a->exclusive == b->exclusive && a->gpu_cores == b->gpu_cores && memcmp(a->engine, b->engine, sizeof a->engine) == 0;
}

static uint32_t kind_of(struct request_classes *k, const struct pol_shape *s, bool is_monotone)
{
    const uint64_t cards = (uint64_t)(uint32_t)s->n_gpu << 40 ^ (uint64_t)(uint32_t)s->gpu_milli << 23;
    const uint32_t hash = map_mix((uint64_t)s->gpu_mem_b ^ s->gpu_types << 5 ^ s->need_all << 11 ^ s->need_any << 17 ^
                                  cards ^ is_monotone);
    uint32_t id;
    MAP_EACH(id, &k->of_kind, hash)
        if (k->kind[id].is_monotone == is_monotone && is_same_kind(&k->kind[id].shape, s)) return id;
    POL_RESERVE(k->kind, k->cap_kind, (size_t)k->n_kinds + 1);
    k->kind[k->n_kinds] = (struct request_kind){ .shape = *s, .is_monotone = is_monotone };
    k->kind[k->n_kinds].shape.cpu_milli = k->kind[k->n_kinds].shape.mem_b = 0;
    map_add(&k->of_kind, hash, k->n_kinds);
    return k->n_kinds++;
}

bool request_kind_is_refused(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b)
{
    if (k->at.freed_epoch != at.freed_epoch || k->at.key_epoch != at.key_epoch || k->at.key > at.key) {
        k->at = at;
        k->n_refused = 0;
    }
    for (uint32_t i = 0; i < k->n_refused && i < REQUEST_REFUSED_MAX; i++)
        if (cpu_milli >= k->refused[i].cpu_milli && mem_b >= k->refused[i].mem_b) return true;
    return false;
}

void request_kind_refuse(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b)
{
    const uint32_t i = k->n_refused++ % REQUEST_REFUSED_MAX;
    k->refused[i].cpu_milli = cpu_milli;
    k->refused[i].mem_b = mem_b;
    k->at = at;
}

bool request_kind_has_room(const struct request_kind *k, uint64_t change_epoch, int64_t cpu_milli, int64_t mem_b)
{
    if (k->room_epoch != change_epoch) return false;
    for (uint32_t i = 0; i < k->n_room && i < REQUEST_REFUSED_MAX; i++)
        if (cpu_milli <= k->room[i].cpu_milli && mem_b <= k->room[i].mem_b) return true;
    return false;
}

void request_kind_note_room(struct request_kind *k, uint64_t change_epoch, int64_t cpu_milli, int64_t mem_b)
{
    if (k->room_epoch != change_epoch) k->n_room = 0;
    k->room_epoch = change_epoch;
    k->room[k->n_room++ % REQUEST_REFUSED_MAX] = (struct request_amount){ cpu_milli, mem_b };
}

uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes)
{
    uint64_t h = n;
    uint32_t id;
    for (uint32_t i = 0; i < n; i++) h = (h ^ shape[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    MAP_EACH(id, &k->of_shapes, (uint32_t)h)
        if (k->at[id].n_tasks == n && memcmp(k->at[id].shape, shape, n * sizeof *shape) == 0) return id;
    POL_RESERVE(k->at, k->cap, (size_t)k->n + 1);
    struct request_class *o = &k->at[k->n];
    *o = (struct request_class){ .n_tasks = n, .is_uniform = true };
    o->shape = pol_alloc(n, sizeof *shape);
    memcpy(o->shape, shape, n * sizeof *shape);
    for (uint32_t i = 1; i < n; i++) o->is_uniform &= shape[i] == shape[0];
    const struct pol_shape *s = &shapes[shape[0]];
    o->is_monotone = n == 1 || (o->is_uniform && (s->n_gpu <= 1 || s->gpu_milli == 1000 || s->exclusive));
    o->cpu_milli = s->cpu_milli;
    o->mem_b = s->mem_b;
    o->kind = kind_of(k, s, o->is_monotone);
    map_add(&k->of_shapes, (uint32_t)h, k->n);
    return k->n++;
}
