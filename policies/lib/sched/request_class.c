/* request_class.c -- a hash table of the lists of shapes, see request_class.h. */
#include "lib/sched/request_class.h"

#include "lib/util.h"

void request_class_fini(struct request_classes *k)
{
    for (uint32_t i = 0; i < k->n; i++) free(k->at[i].shape);
    free(k->at);
    free(k->slot);
    memset(k, 0, sizeof *k);
}

static size_t find(const struct request_classes *k, const uint32_t *shape, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) h = (h ^ shape[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    size_t at = (size_t)h & (k->n_slot - 1);
    for (; k->slot[at] != POL_NONE; at = (at + 1) & (k->n_slot - 1)) {
        const struct request_class *o = &k->at[k->slot[at]];
        if (o->n_tasks == n && memcmp(o->shape, shape, n * sizeof *shape) == 0) break;
    }
    return at;
}

uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes)
{
    if (2 * (k->n + (size_t)1) > k->n_slot) {
        free(k->slot);
        k->n_slot = k->n_slot ? 2 * k->n_slot : 64;
        k->slot = pol_alloc(k->n_slot, sizeof *k->slot);
        memset(k->slot, 0xff, k->n_slot * sizeof *k->slot);
        for (uint32_t i = 0; i < k->n; i++) k->slot[find(k, k->at[i].shape, k->at[i].n_tasks)] = i;
    }
    size_t at = find(k, shape, n);
    if (k->slot[at] != POL_NONE) return k->slot[at];
    POL_RESERVE(k->at, k->cap, (size_t)k->n + 1);
    struct request_class *o = &k->at[k->n];
    *o = (struct request_class){ .n_tasks = n, .is_uniform = true };
    o->shape = pol_alloc(n, sizeof *shape);
    memcpy(o->shape, shape, n * sizeof *shape);
    for (uint32_t i = 1; i < n; i++) o->is_uniform &= shape[i] == shape[0];
    const struct pol_shape *s = &shapes[shape[0]];
    o->is_monotone = n == 1 || (o->is_uniform && (s->n_gpu <= 1 || s->gpu_milli == 1000 || s->exclusive));
    return k->slot[at] = k->n++;
}
