/* gittins.c -- the Gittins index, see gittins.h. */
#include "lib/util.h"
#include "tiresias/gittins.h"

enum { CARD = 1000 };

void gittins_fini(struct gittins *g) { POL_FREE(g->sample, g->sum); }

void gittins_add(struct gittins *g, int64_t service) { POL_PUSH(g->sample, g->n_sample, g->cap_sample, service); }

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool gittins_learn(struct gittins *g)
{
    if (g->n_sample == g->n_sorted || g->n_sample < g->n_sorted + g->n_sorted / 2) return false;
    qsort(g->sample, g->n_sample, sizeof *g->sample, ascending);
    g->n_sorted = g->n_sample;
    POL_RESERVE(g->sum, g->cap_sum, (size_t)g->n_sorted + 1);
    for (uint32_t i = 0; i < g->n_sorted; i++) g->sum[i + 1] = pol_after(g->sum[i], g->sample[i] / CARD);
    return true;
}

/* The first sample above x. */
static uint32_t above(const struct gittins *g, int64_t x)
{
    uint32_t lo = 0, hi = g->n_sorted;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (g->sample[mid] > x) hi = mid;
        else lo = mid + 1;
    }
    return lo;
}

int64_t gittins_index(const struct gittins *g, int64_t service, int64_t one)
{
    uint32_t n = g->n_sorted, i = above(g, service);
    if (i == n) return 0;
    int64_t at = g->sample[i], next = pol_after(at - 1, g->delta * CARD);
    uint32_t to = next >= g->sample[n - 1] ? n - 1 : above(g, next);
    pol_wide e = (pol_wide)(g->sum[to] - g->sum[i]) + (pol_wide)g->delta * (n - to);
    if (to <= i || e <= 0) return 0;
    pol_wide index = (pol_wide)one * (to - i) / e;
    return index < one ? (int64_t)index : one;
}
