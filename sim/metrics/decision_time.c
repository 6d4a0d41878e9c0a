/*
 * decision_time.c -- the collector of how long each decision took this machine: how many took each number of
 * nanoseconds, of which there are few however many decisions there are.
 */
#include "metrics/collector.h"

#include <stdlib.h>

#include "base/mem.h"
#include "lib/map.h"

static const struct collector_metric metric[] = {
    { "decision_mean", "us", COLLECTOR_WALL }, { "decision_p99", "us", COLLECTOR_WALL },
    { "decision_max", "us", COLLECTOR_WALL },
    { NULL, NULL, COLLECTOR_ONE },
};

struct taken { int64_t ns; uint64_t n; };

struct decision_time {
    const struct collector_out *out;
    struct taken *at; size_t n, cap;
    struct map of_ns;
};

static void fini(void *self)
{
    struct decision_time *t = self;
    mem_free(t->at);
    map_fini(&t->of_ns);
}

static void decided(void *self, int64_t wall_ns)
{
    struct decision_time *t = self;
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

static int by_time(const void *a, const void *b)
{
    const struct taken *x = a, *y = b;
    return (x->ns > y->ns) - (x->ns < y->ns);
}

/* The k-th from 0, in order. */
static double nth(const struct decision_time *t, uint64_t k)
{
    size_t i = 0;
    for (; k >= t->at[i].n; i++) k -= t->at[i].n;
    return (double)t->at[i].ns;
}

static void emit(void *self, const struct world *w)
{
    const struct decision_time *t = self;
    uint64_t n = 0;
    double sum = 0;
    (void)w;
    if (t->n == 0) return;
    qsort(t->at, t->n, sizeof *t->at, by_time);
    for (size_t i = 0; i < t->n; i++) {
        n += t->at[i].n;
        sum += (double)t->at[i].n * (double)t->at[i].ns;
    }
    const double h = (double)(n - 1) * 0.99, low = nth(t, (uint64_t)h);      /* as stats_quantiles */
    const double high = (uint64_t)h + 1 < n ? nth(t, (uint64_t)h + 1) : low;
    collector_put(t->out, "decision_mean", "all", sum / (double)n / 1e3);
    collector_put(t->out, "decision_p99", "all", (low + (h - floor(h)) * (high - low)) / 1e3);
    collector_put(t->out, "decision_max", "all", nth(t, n - 1) / 1e3);
}

const struct collector decision_time_collector = {
    .metric = metric, .size = sizeof(struct decision_time), .decided = decided, .emit = emit, .fini = fini,
};
