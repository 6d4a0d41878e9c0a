/*
 * feed.c -- how fast data come to a unit: from the memory it holds, which caches a part of its set, and from the
 * node's disk, which units there share max-min fairly.  Data come while it computes: the slower of both counts.
 */
#include "model/speed/speed_priv.h"

#include <math.h>

/* What the part reads from disk: what its memory does not keep of the set, as fast as its cores let it. */
static int64_t reads(const struct part *x)
{
    const struct profile *p = x->profile;
    if (p == NULL || p->data_b <= x->mem) return 0;
    double missing = (double)(p->data_b - x->mem) / (double)p->data_b;
    return llround(missing * (double)p->data_bw * x->scale * speed_util(x) / p->best);
}

static void set_disk(struct speed *s, uint32_t task, int64_t disk)
{
    s->node_disk[speed_held(s, task)->node] += disk - s->load[task].disk;
    s->load[task].disk = disk;
}

void speed_feed_ask(struct speed *s)
{
    for (uint32_t i = 0; i < s->n_part; i++) set_disk(s, s->part[i].first, reads(&s->part[i]));
}

void speed_feed_end(struct speed *s, uint32_t t)
{
    JOBS_UNIT_EACH(s->env.jobs, t, k) set_disk(s, k, 0);
}

void speed_feed_divide(struct speed *s, uint32_t node)
{
    int64_t cap = s->env.net_spec->disk_bps;
    size_t n = 0;
    s->disk_level[node] = INT64_MAX;
    if (cap == 0 || s->node_disk[node] <= cap) return;
    SPEED_COMPUTING_EACH(s, node, k) {
        MEM_RESERVE(s->asked, s->cap_asked, n + 1);
        s->asked[n++] = s->load[k].disk;
    }
    s->disk_level[node] = speed_level(s->asked, n, cap);
}

static double of_part(const struct speed *s, const struct part *x)
{
    int64_t asked = s->load[x->first].disk, level = s->disk_level[x->node];
    double by = 1, cores = speed_util(x) / x->profile->best;
    if (!curve_is_none(&x->profile->memory)) by = fmin(by, curve_at(&x->profile->memory, (double)x->mem / 1e9) / cores);
    if (asked > level) by = fmin(by, fmax(1, (double)level) / (double)asked);
    return by;
}

double speed_feed(const struct speed *s)
{
    double least = 1;
    for (uint32_t i = 0; i < s->n_part; i++)
        if (s->part[i].profile != NULL) least = fmin(least, of_part(s, &s->part[i]));
    return least;
}
