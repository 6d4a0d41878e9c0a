/* request_class.c -- lists of shapes by id, and back, see request_class.h. */
#include "lib/place/request_class.h"

#include "lib/util.h"

/* Renewals, and classes, that are nothing. */
enum { FEW = 16, MANY = 8192 };

void request_class_fini(struct request_classes *k)
{
    for (uint32_t i = 0; i < k->n; i++) free(k->at[i].shape);
    free(k->at);
    map_fini(&k->of_shapes);
    map_fini(&k->of_kind);
    POL_FREE(k->single, k->kind, k->free, k->free_kind, k->renewed);
    memset(k, 0, sizeof *k);
}

/* Member by member: padding must not enter. */
static bool is_same_kind(const struct pol_shape *a, const struct pol_shape *b)
{
    return a->gpu_mem_b == b->gpu_mem_b && a->gpu_types == b->gpu_types && a->need_all == b->need_all &&
           a->need_any == b->need_any && a->n_gpu == b->n_gpu && a->gpu_milli == b->gpu_milli &&
           a->exclusive == b->exclusive && a->gpu_cores == b->gpu_cores && memcmp(a->engine, b->engine, sizeof a->engine) == 0;
}

static uint32_t hash_kind(const struct pol_shape *s, bool is_monotone)
{
    const uint64_t cards = (uint64_t)(uint32_t)s->n_gpu << 40 ^ (uint64_t)(uint32_t)s->gpu_milli << 23;
    return map_mix((uint64_t)s->gpu_mem_b ^ s->gpu_types << 5 ^ s->need_all << 11 ^ s->need_any << 17 ^ cards ^
                   is_monotone);
}

static uint32_t kind_of(struct request_classes *k, const struct pol_shape *s, bool is_monotone)
{
    const uint32_t hash = hash_kind(s, is_monotone);
    uint32_t id;
    MAP_EACH(id, &k->of_kind, hash)
        if (k->kind[id].is_monotone == is_monotone && is_same_kind(&k->kind[id].shape, s)) return id;
    POL_RESERVE(k->kind, k->cap_kind, (size_t)k->n_kinds + 1);
    id = k->n_free_kind > 0 ? k->free_kind[--k->n_free_kind] : k->n_kinds++;
    k->kind[id] = (struct request_kind){ .shape = *s, .is_monotone = is_monotone, .is_used = true };
    k->kind[id].shape.cpu_milli = k->kind[id].shape.mem_b = 0;
    map_add(&k->of_kind, hash, id);
    return id;
}

static void forget_older(struct request_kind *k, struct request_refusals at)
{
    if (k->at.freed_epoch == at.freed_epoch && k->at.key_epoch == at.key_epoch && k->at.key <= at.key) return;
    k->at = at;
    k->n_refused = 0;
}

bool request_kind_is_refused(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b)
{
    forget_older(k, at);
    for (uint32_t i = 0; i < k->n_refused && i < REQUEST_REFUSED_MAX; i++)
        if (cpu_milli >= k->refused[i].cpu_milli && mem_b >= k->refused[i].mem_b) return true;
    return false;
}

void request_kind_refuse(struct request_kind *k, struct request_refusals at, int64_t cpu_milli, int64_t mem_b)
{
    forget_older(k, at);
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

/* ---- classes ---- */

static uint32_t hash_shapes(const uint32_t *shape, uint32_t n)
{
    uint64_t h = n;
    for (uint32_t i = 0; i < n; i++) h = (h ^ shape[i]) * UINT64_C(0x9e3779b97f4a7c15), h ^= h >> 29;
    return (uint32_t)h;
}

/* The latest renewal of one of the shapes; 0: none was. */
static uint64_t last_renewal(const struct request_classes *k, const uint32_t *shape, uint32_t n)
{
    uint64_t last = 0;
    for (uint32_t i = 0; i < n && k->n_renewals > 0; i++)
        if (shape[i] < k->cap_renewed && k->renewed[shape[i]] > last) last = k->renewed[shape[i]];
    return last;
}

static bool has_shapes(const struct request_class *o, const uint32_t *shape, uint32_t n)
{
    if (o->n_tasks != n) return false;
    for (uint32_t i = 0; i < n; i++)
        if (o->shape[i] != shape[i]) return false;
    return true;
}

__attribute__((noinline))               /* of gangs, and of what is new: who knows others by their shape is to stay small */
static uint32_t class_of(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes)
{
    const uint32_t h = hash_shapes(shape, n);
    const uint64_t since = last_renewal(k, shape, n);
    uint32_t id;
    MAP_EACH(id, &k->of_shapes, h)
        if (k->at[id].made >= since && has_shapes(&k->at[id], shape, n)) return id;
    POL_RESERVE(k->at, k->cap, (size_t)k->n + 1);
    id = k->n_free > 0 ? k->free[--k->n_free] : k->n++;
    struct request_class *o = &k->at[id];
    free(o->shape);
    *o = (struct request_class){ .n_tasks = n, .is_uniform = true, .made = k->n_renewals, .serial = ++k->n_made };
    o->shape = pol_alloc(n, sizeof *shape);
    memcpy(o->shape, shape, n * sizeof *shape);
    for (uint32_t i = 1; i < n; i++) o->is_uniform &= shape[i] == shape[0];
    const struct pol_shape *s = &shapes[shape[0]];
    o->is_monotone = n == 1 || (o->is_uniform && (s->n_gpu <= 1 || s->gpu_milli == 1000 || s->exclusive));
    o->cpu_milli = s->cpu_milli;
    o->mem_b = s->mem_b;
    o->kind = kind_of(k, s, o->is_monotone);
    map_add(&k->of_shapes, h, id);
    if (n == 1) {
        POL_RESERVE(k->single, k->cap_single, (size_t)shape[0] + 1);
        k->single[shape[0]] = 1 + id;
    }
    k->is_full |= k->n - k->n_free >= 2 * k->swept.n + k->swept.n_looked + MANY;
    return id;
}

uint32_t request_class_id(struct request_classes *k, const uint32_t *shape, uint32_t n, const struct pol_shape *shapes)
{
    const bool is_known = n == 1 && shape[0] < k->cap_single && k->single[shape[0]] != 0;
    return is_known ? k->single[shape[0]] - 1 : class_of(k, shape, n, shapes);
}

void request_class_renew(struct request_classes *k, uint32_t shape)
{
    if (shape < k->cap_single) k->single[shape] = 0;
    POL_RESERVE(k->renewed, k->cap_renewed, (size_t)shape + 1);
    k->renewed[shape] = ++k->n_renewals;
    k->is_full |= k->n_renewals - k->swept.n_renewals > (k->swept.n + k->swept.n_looked) / 2 + FEW;
}

void request_class_sweep(struct request_classes *k, const bool *is_used, size_t n_looked,
                         void (*gone)(void *ctx, uint32_t class, uint32_t kind), void *ctx)
{
    for (uint32_t i = 0; i < k->n_kinds; i++) k->kind[i].n_users = 0;
    for (uint32_t i = k->n; i-- > 0;) {
        struct request_class *o = &k->at[i];
        if (o->n_tasks == 0) continue;
        if (is_used[i]) {
            k->kind[o->kind].n_users++;
            continue;
        }
        map_del(&k->of_shapes, hash_shapes(o->shape, o->n_tasks), i);
        if (o->n_tasks == 1 && k->single[o->shape[0]] == 1 + i) k->single[o->shape[0]] = 0;
        o->n_tasks = 0;
        POL_PUSH(k->free, k->n_free, k->cap_free, i);
        gone(ctx, i, POL_NONE);
    }
    for (uint32_t i = k->n_kinds; i-- > 0;) {
        struct request_kind *o = &k->kind[i];
        if (!o->is_used || o->n_users > 0) continue;
        map_del(&k->of_kind, hash_kind(&o->shape, o->is_monotone), i);
        o->is_used = false;
        POL_PUSH(k->free_kind, k->n_free_kind, k->cap_free_kind, i);
        gone(ctx, POL_NONE, i);
    }
    k->is_full = false;
    k->swept.n_renewals = k->n_renewals;
    k->swept.n = k->n - k->n_free;
    k->swept.n_looked = n_looked;
}
