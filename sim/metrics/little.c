/*
 * little.c -- the collector of jobs in the system: their mean number L, the rate
 * of arrivals, and the mean time W in it.  When the run is over all jobs have left, and the number of jobs x time is
 * what they spent in the system: L and W are made of that one sum, so L = lambda W is no check of it.
 */
#include "metrics/collector.h"

static const struct collector_metric metric[] = {
    { "little_l", "1", COLLECTOR_ONE }, { "little_lambda", "1/s", COLLECTOR_ONE }, { "little_w", "s", COLLECTOR_ONE },
    { NULL, NULL, COLLECTOR_ONE },
};

struct little { const struct collector_out *out; };

static void emit(void *self, const struct world *w)
{
    const struct little *l = self;
    const struct world_count *n = world_count(w);
    const double end = (double)world_now(w) / 1e6, in = (double)(n->arrived - n->rejected), s = (double)n->in_system / 1e6;
    collector_put(l->out, "little_l", "all", collector_ratio(s, end));
    collector_put(l->out, "little_lambda", "all", collector_ratio(in, end));
    collector_put(l->out, "little_w", "all", collector_ratio(s, in));
}

const struct collector little_collector = { .metric = metric, .size = sizeof(struct little), .emit = emit };
