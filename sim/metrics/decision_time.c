/* decision_time.c -- the collector of how long each decision took this machine.  8 bytes a decision. */
#include "metrics/collector.h"

#include "base/mem.h"
#include "base/stats.h"

static const struct collector_metric metric[] = {
    { "decision_mean", "us", COLLECTOR_WALL }, { "decision_p99", "us", COLLECTOR_WALL }, { "decision_max", "us", COLLECTOR_WALL },
    { NULL, NULL, COLLECTOR_ONE },
};

struct decision_time {
    const struct collector_out *out;
    int64_t *ns; size_t n, cap;
};

static void fini(void *self)
{
    struct decision_time *t = self;
    mem_free(t->ns);
}

static void decided(void *self, int64_t wall_ns)
{
    struct decision_time *t = self;
    MEM_PUSH(t->ns, t->n, t->cap, wall_ns);
}

static void emit(void *self, const struct world *w)
{
    static const double p[] = { 0.99, 1 };
    const struct decision_time *t = self;
    double *us, q[ARRAY_LEN(p)];
    (void)w;
    MEM_ARRAY(us, t->n);
    for (size_t i = 0; i < t->n; i++) us[i] = (double)t->ns[i] / 1e3;
    collector_put(t->out, "decision_mean", "all", stats_mean(us, t->n));
    stats_quantiles(us, t->n, p, ARRAY_LEN(p), q);
    collector_put(t->out, "decision_p99", "all", q[0]);
    collector_put(t->out, "decision_max", "all", q[1]);
    mem_free(us);
}

const struct collector decision_time_collector = {
    .metric = metric, .size = sizeof(struct decision_time), .decided = decided, .emit = emit, .fini = fini,
};
