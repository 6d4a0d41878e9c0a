/* calltime.c -- how long a call takes: rows of measured points by size, searched by halving. */
#include "model/calls/calltime.h"

#include <string.h>
#include "base/mem.h"

void calltime_fini(struct calltime *t)
{
    for (size_t i = 0; i < (size_t)t->apis.n * ENGINE_TYPES_MAX && i < t->cap_row; i++) mem_free(t->row[i].at);
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

bool calltime_add(struct calltime *t, uint32_t api, uint32_t engine, int64_t size, sim_tick us)
{
    SIM_ASSERT(api < t->apis.n && engine < ENGINE_TYPES_MAX && size > 0 && us >= 0 && us <= DUR_MAX);
    MEM_RESERVE(t->row, t->cap_row, ((size_t)api + 1) * ENGINE_TYPES_MAX);
    struct call_row *r = &t->row[(size_t)api * ENGINE_TYPES_MAX + engine];
    uint32_t i = find(r, size);
    if (i < r->n && r->at[i].size == size) return false;
    MEM_RESERVE(r->at, r->cap, (size_t)r->n + 1);
    memmove(&r->at[i + 1], &r->at[i], (r->n - i) * sizeof *r->at);
    r->at[i] = (struct call_point){ size, us };
    r->n++;
    return true;
}

sim_tick calltime_us(const struct calltime *t, uint32_t api, uint32_t engine, int64_t size)
{
    size_t k = (size_t)api * ENGINE_TYPES_MAX + engine;
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
    for (uint32_t k = 0; k < ENGINE_TYPES_MAX; k++) {
        sim_tick us = mask >> k & 1 ? calltime_us(t, api, k, size) : -1;
        if (us >= 0 && (best < 0 || us < best)) best = us;
    }
    return best;
}

/* ---- the way to another node ---- */

/* Bytes over a link, rounded up; -1 when that is more than can be counted. */
static sim_tick link_us(int64_t bytes, int64_t bps)
{
    if (bps == 0 || bytes == 0) return 0;
    if (bytes / bps >= DUR_MAX / TICK_SEC / 4) return -1;
    sim_tick us = mul_div(bytes, TICK_SEC, bps);
    return us + (mul_div(us, bps, TICK_SEC) < bytes);
}

sim_tick calltime_overhead(const struct cluster *c, uint32_t a, uint32_t b, int64_t size, int64_t result)
{
    const struct node_own *x = &c->own[a], *y = &c->own[b];
    if (a == b) return 0;
    int64_t bps = x->link_bps == 0 ? y->link_bps : y->link_bps == 0 ? x->link_bps : i64_min(x->link_bps, y->link_bps);
    sim_tick there = link_us(size, bps), back = link_us(result, bps);
    return there < 0 || back < 0 ? -1 : 2 * (x->latency_us + y->latency_us) + there + back;
}
