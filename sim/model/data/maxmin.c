/*
 * maxmin.c -- progressive filling with links in a binary heap by (share, index).  A
 * share only grows while flows are fixed elsewhere, so a link's place is corrected
 * when it comes to the top, not at every change; each correction pays for at least
 * one hop.
 */
#include "model/data/maxmin.h"

#include <string.h>
#include "lib/heap.h"

struct fill {
    int64_t *left, *count;      /* of a link: capacity, and flows not fixed */
    int64_t *share;             /* of a link: when last looked at */
    int64_t *first, *through;   /* flows of link l: through[first[l] .. first[l + 1]) */
    int64_t *heap;              /* [n] links */
    uint32_t n;
};

size_t maxmin_scratch(uint32_t n_links, uint32_t n_hops) { return (size_t)n_links * 5 + 1 + n_hops; }

static bool before(const struct fill *f, const int64_t *a, const int64_t *b)
{
    return f->share[*a] != f->share[*b] ? f->share[*a] < f->share[*b] : *a < *b;
}
HEAP(links, const struct fill *, int64_t, before);

/* Which flows go through each link, by counting. */
static void index_links(struct fill *f, uint32_t n_links, uint32_t n_flows, const uint32_t *start, const uint32_t *hop)
{
    memset(f->count, 0, n_links * sizeof *f->count);
    for (uint32_t h = 0; h < start[n_flows]; h++) f->count[hop[h]]++;
    f->first[0] = 0;
    for (uint32_t l = 0; l < n_links; l++) f->first[l + 1] = f->first[l] + f->count[l];
    for (uint32_t i = n_flows; i-- > 0;)
        for (uint32_t h = start[i]; h < start[i + 1]; h++) f->through[--f->first[hop[h] + 1]] = i;
    /* Each first[l + 1] has moved down to where link l begins. */
    memmove(f->first, f->first + 1, n_links * sizeof *f->first);
    f->first[n_links] = start[n_flows];
}

void maxmin_solve(uint32_t n_links, const int64_t *cap, uint32_t n_flows, const uint32_t *start,
                  const uint32_t *hop, int64_t *rate, int64_t *scratch)
{
    struct fill f = { .left = scratch, .count = scratch + n_links, .share = scratch + 2 * (size_t)n_links,
                      .heap = scratch + 3 * (size_t)n_links, .first = scratch + 4 * (size_t)n_links,
                      .through = scratch + 5 * (size_t)n_links + 1 };
    index_links(&f, n_links, n_flows, start, hop);
    for (uint32_t l = 0; l < n_links; l++) {
        f.left[l] = cap[l];
        if (f.count[l] == 0) continue;
        f.share[l] = cap[l] / f.count[l];
        f.heap[f.n++] = l;
    }
    links_make(&f, f.heap, f.n);
    for (uint32_t i = 0; i < n_flows; i++) rate[i] = start[i] == start[i + 1] ? MAXMIN_FREE : 0;

    while (f.n > 0) {
        int64_t l = f.heap[0];
        if (f.count[l] > 0) {
            int64_t share = f.left[l] / f.count[l];
            if (share > f.share[l]) { f.share[l] = share; links_sink(&f, f.heap, f.n, 0); continue; }
            for (int64_t k = f.first[l]; k < f.first[l + 1]; k++) {
                int64_t i = f.through[k];
                if (rate[i] != 0) continue;
                rate[i] = i64_max(share, 1);
                for (uint32_t h = start[i]; h < start[i + 1]; h++) {
                    f.left[hop[h]] = i64_max(f.left[hop[h]] - rate[i], 0);
                    f.count[hop[h]]--;
                }
            }
        }
        links_take(&f, f.heap, f.n--, 0);
    }
}
