/* request_class.c -- lists of shapes by id, and back, see request_class.h. */
#include "lib/sched/request_class.h"

#include "lib/util.h"

void request_class_fini(struct request_classes *k)
{
    for (uint32_t i = 0; i < k->n; i++) free(k->at[i].shape);
    free(k->at);
    map_fini(&k->of_shapes);
    memset(k, 0, sizeof *k);
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
    map_add(&k->of_shapes, (uint32_t)h, k->n);
    return k->n++;
}
