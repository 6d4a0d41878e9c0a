/*
 * decision_time.c -- the collector of how long each decision took this machine: how many took each number of
 * nanoseconds, of which there are few however many decisions there are.
 */
#include "metrics/collector.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "lib/map.h"

static const struct collector_metric metric[] = {
    { "decision_mean", "us", COLLECTOR_WALL }, { "decision_p99", "us", COLLECTOR_WALL },
    { "decision_max", "us", COLLECTOR_WALL },
    { NULL, NULL, COLLECTOR_ONE },
};

/* Nearly all take less: these are counted where their number says, and others looked up. */
enum { SHORT = 1 << 16 };
struct taken { int64_t ns; uint64_t n; };

struct decision_time {
    const struct collector_out *out;
    uint64_t *n_short;                          /* [SHORT] */
    struct taken *at; size_t n, cap;            /* of the others */
    struct map of_ns;
};

static bool init(void *self, const struct world *w)
{
    struct decision_time *t = self;
    (void)w;
    MEM_ARRAY(t->n_short, SHORT);
    return true;
}

static void fini(void *self)
{
    struct decision_time *t = self;
    MEM_FREE(t->n_short, t->at);
    map_fini(&t->of_ns);
}

__attribute__((noinline))               /* rare, and who counts the short ones is to stay small */
static void count_long(struct decision_time *t, int64_t wall_ns)
{
    const uint32_t hash = map_mix((uint64_t)wall_ns);
    uint32_t k;
    MAP_EACH(k, &t->of_ns, hash) {
        if (t->at[k].ns != wall_ns) continue;
        t->at[k].n++;
        return;
    }
    map_add(&t->of_ns, hash, (uint32_t)t->n);
    MEM_PUSH(t->at, t->n, t->cap, (struct taken){ wall_ns, 1 });
}

static void decided(void *self, int64_t wall_ns)
{
    struct decision_time *t = self;
    if (wall_ns >= 0 && wall_ns < SHORT) t->n_short[wall_ns]++;
    else count_long(t, wall_ns);
}

static int by_time(const void *a, const void *b)
{
    const struct taken *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* All, in order. */
static struct taken *in_order(const struct decision_time *t, size_t *n)
{
    struct taken *all;
    MEM_ARRAY(all, SHORT + t->n);
    *n = 0;
    for (size_t i = 0; i < SHORT; i++)
        if (t->n_short[i] > 0) all[(*n)++] = (struct taken){ (int64_t)i, t->n_short[i] };
    if (t->n > 0) memcpy(all + *n, t->at, t->n * sizeof *all);
    qsort(all + *n, t->n, sizeof *all, by_time);
    *n += t->n;
    return all;
}

/* The k-th from 0. */
static double nth(const struct taken *all, uint64_t k)
{
    for (; k >= all->n; all++) k -= all->n;
    return (double)all->ns;
}

static void emit(void *self, const struct world *w)
{
    const struct decision_time *t = self;
    uint64_t n = 0;
    double sum = 0;
    size_t n_all;
    struct taken *all = in_order(t, &n_all);
    (void)w;
    for (size_t i = 0; i < n_all; i++) {
        n += all[i].n;
        sum += (double)all[i].n * (double)all[i].ns;
    }
    if (n > 0) {
        const double h = (double)(n - 1) * 0.99, low = nth(all, (uint64_t)h);      /* as stats_quantiles */
        const double high = (uint64_t)h + 1 < n ? nth(all, (uint64_t)h + 1) : low;
        collector_put(t->out, "decision_mean", "all", sum / (double)n / 1e3);
        collector_put(t->out, "decision_p99", "all", (low + (h - floor(h)) * (high - low)) / 1e3);
        collector_put(t->out, "decision_max", "all", nth(all, n - 1) / 1e3);
    }
    mem_free(all);
}

const struct collector decision_time_collector = {
    .metric = metric, .size = sizeof(struct decision_time), .init = init, .decided = decided, .emit = emit,
    .fini = fini,
};
