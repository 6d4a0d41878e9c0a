/* counts.c -- the collector of how long the run took, in simulated time, and of how many of what there were. */
#include "metrics/collector.h"


static const struct collector_metric metric[] = {
    { "makespan", "s", COLLECTOR_ONE }, { "makespan_recorded", "s", COLLECTOR_ONE }, { "dt", "s", COLLECTOR_ONE },
    { "throughput", "1/h", COLLECTOR_ONE },
    { "jobs_arrived", "1", COLLECTOR_ONE }, { "jobs_done", "1", COLLECTOR_ONE }, { "jobs_timeout", "1", COLLECTOR_ONE },
    { "jobs_rejected", "1", COLLECTOR_ONE }, { "jobs_unfinished", "1", COLLECTOR_ONE }, { "jobs_failed", "1", COLLECTOR_ONE },
    { "jobs_dependent", "1", COLLECTOR_ONE }, { "jobs_never_eligible", "1", COLLECTOR_ONE },
    { "preemptions", "1", COLLECTOR_ONE }, { "failures", "1", COLLECTOR_ONE }, { "starts", "1", COLLECTOR_ONE },
    { "mismatches", "1", COLLECTOR_ONE }, { "jobs_unlimited", "1", COLLECTOR_ONE }, { "refusals", "1", COLLECTOR_ONE },
    { "events", "1", COLLECTOR_ONE }, { "instants", "1", COLLECTOR_ONE }, { "peak_live_jobs", "1", COLLECTOR_ONE },
    { "tasks_waiting", "1", COLLECTOR_SERIES }, { "tasks_running", "1", COLLECTOR_SERIES },
    { "jobs_in_system", "1", COLLECTOR_SERIES },
    { NULL, NULL, COLLECTOR_ONE },
};

struct counts { const struct collector_out *out; };

static void on_sample(void *self, const struct world *w)
{
    const struct counts *c = self;
    collector_put_series(c->out, world_now(w), "tasks_waiting", world_n_waiting(w));
    collector_put_series(c->out, world_now(w), "tasks_running", world_n_running(w));
    collector_put_series(c->out, world_now(w), "jobs_in_system", world_n_live_jobs(w));
}

/* Defined where tasks ask for memory or cores of cards: then a scheduler that only counts cards can be wrong. */
static void put_mismatches(const struct counts *c, const struct world *w)
{
    if (!world_shapes(w)->any_of_cards) return;
    collector_put(c->out, "mismatches", "all", (double)world_count(w)->mismatches);
    collector_put(c->out, "jobs_failed", "all", (double)world_count(w)->failed);
}

static void emit(void *self, const struct world *w)
{
    const struct counts *c = self;
    const struct world_count *n = world_count(w);
    if (n->done + n->timeout > 0) {
        double makespan = (double)(n->last_end - n->first_submit) / 1e6;
        collector_put(c->out, "makespan", "all", makespan);
        collector_put(c->out, "dt", "all", (double)(n->last_end - n->first_start) / 1e6);
        collector_put(c->out, "throughput", "all", collector_ratio((double)(n->done + n->timeout) * 3600, makespan));
    }
    if (n->arrived == 1 && n->recorded > 0)
        collector_put(c->out, "makespan_recorded", "all", (double)n->recorded / 1e6);
    const struct { const char *name; uint64_t n; } count[] = {
        { "jobs_arrived", n->arrived }, { "jobs_done", n->done }, { "jobs_timeout", n->timeout },
        { "jobs_rejected", n->rejected }, { "jobs_unfinished", n->unfinished },
        { "preemptions", n->preemptions }, { "failures", n->task_failures }, { "starts", n->starts },
        { "events", world_n_events(w) }, { "instants", world_n_instants(w) }, { "peak_live_jobs", world_peak_live_jobs(w) },
    };
    for (size_t i = 0; i < ARRAY_LEN(count); i++) collector_put(c->out, count[i].name, "all", (double)count[i].n);
    if (c->out->opts->reads_limits) collector_put(c->out, "jobs_unlimited", "all", (double)n->unlimited);
    if (n->dependent > 0) {
        collector_put(c->out, "jobs_dependent", "all", (double)n->dependent);
        collector_put(c->out, "jobs_never_eligible", "all", (double)n->never_eligible);
    }
    put_mismatches(c, w);
    if (world_takes_refusals(w)) collector_put(c->out, "refusals", "all", (double)n->refusals);
}

const struct collector counts_collector = {
    .metric = metric, .size = sizeof(struct counts), .emit = emit, .observer = { .sample = on_sample },
};
