#include "model/calls/calls.h"

#include <string.h>
#include "base/mem.h"

struct calls *calls_create(const struct task_calls *c, uint32_t n_tasks)
{
    struct calls *o;
    MEM_NEW(o);
    MEM_ARRAY(o->first, n_tasks);
    MEM_ARRAY(o->n, n_tasks);
    MEM_ARRAY(o->call, c->n_calls);
    memcpy(o->first, c->first, n_tasks * sizeof *o->first);
    memcpy(o->n, c->n, n_tasks * sizeof *o->n);
    memcpy(o->call, c->call, c->n_calls * sizeof *o->call);
    for (uint32_t k = 0; k < n_tasks; k++) SIM_ASSERT(o->n[k] > 0 && o->first[k] <= c->n_calls - o->n[k]);
    return o;
}

void calls_destroy(struct calls *c)
{
    if (c == NULL) return;
    mem_free(c->first);
    mem_free(c->n);
    mem_free(c->call);
    mem_free(c);
}

void calltime_fini(struct calltime *t)
{
    for (size_t i = 0; i < (size_t)t->apis.n * ENGINE_KINDS_MAX && i < t->cap_row; i++) mem_free(t->row[i].at);
    mem_free(t->row);
    intern_fini(&t->apis);
    memset(t, 0, sizeof *t);
}

/* The first point of at least this size; n when all are smaller. */
static uint32_t find(const struct call_row *r, int64_t size)
{
    uint32_t lo = 0, hi = r->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (r->at[mid].size < size) lo = mid + 1; else hi = mid;
    }
    return lo;
}

bool calltime_add(struct calltime *t, uint32_t api, uint32_t kind, int64_t size, sim_tick us)
{
    SIM_ASSERT(api < t->apis.n && kind < ENGINE_KINDS_MAX && size > 0 && us >= 0 && us <= DUR_MAX);
    MEM_RESERVE(t->row, t->cap_row, ((size_t)api + 1) * ENGINE_KINDS_MAX);
    struct call_row *r = &t->row[(size_t)api * ENGINE_KINDS_MAX + kind];
    uint32_t i = find(r, size);
    if (i < r->n && r->at[i].size == size) return false;
    MEM_RESERVE(r->at, r->cap, (size_t)r->n + 1);
    memmove(&r->at[i + 1], &r->at[i], (r->n - i) * sizeof *r->at);
    r->at[i] = (struct call_point){ size, us };
    r->n++;
    return true;
}

sim_tick calltime_us(const struct calltime *t, uint32_t api, uint32_t kind, int64_t size)
{
    size_t k = (size_t)api * ENGINE_KINDS_MAX + kind;
    const struct call_row *r = k < t->cap_row ? &t->row[k] : NULL;
    if (r == NULL || r->n == 0) return -1;
    if (r->n == 1) return r->at[0].us;
    uint32_t i = find(r, size);
    if (i == r->n) return -1;
    const struct call_point *b = &r->at[i], *a = b - 1;
    if (b->size == size) return b->us;
    if (i == 0) return -1;
    int64_t span = b->size - a->size;           /* measured from the cheaper end, so that it rounds down either way */
    return b->us >= a->us ? a->us + mul_div(b->us - a->us, size - a->size, span) : b->us + mul_div(a->us - b->us, b->size - size, span);
}

sim_tick calltime_best(const struct calltime *t, uint32_t api, int64_t size, uint32_t mask)
{
    sim_tick best = -1;
    for (uint32_t k = 0; k < ENGINE_KINDS_MAX; k++) {
        sim_tick us = mask >> k & 1 ? calltime_us(t, api, k, size) : -1;
        if (us >= 0 && (best < 0 || us < best)) best = us;
    }
    return best;
}
