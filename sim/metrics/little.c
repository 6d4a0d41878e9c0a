/*
 * little.c -- the collector of jobs in the system: their mean number L, the rate
 * of arrivals, and the mean time W in it.  L = lambda W holds exactly.
 */
#include "metrics/collector.h"


static const struct collector_metric metric[] = {
    { "little_l", "1", COLLECTOR_ONE }, { "little_lambda", "1/s", COLLECTOR_ONE }, { "little_w", "s", COLLECTOR_ONE },
    { NULL, NULL, COLLECTOR_ONE },
};

struct little {
    const struct collector_out *out;
    uint32_t n_jobs;                        /* in the system now */
    collector_wide jobs_us;                 /* jobs in the system x us, but for those there now, of which each takes
                                             * when it came away */
    collector_wide times_us;                /* sum of the times in it of jobs that left */
};

static void on_arrived(void *self, const struct world *w, uint32_t job)
{
    struct little *l = self;
    (void)job;
    l->jobs_us -= world_now(w);
    l->n_jobs++;
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    struct little *l = self;
    const sim_tick now = world_now(w);
    l->jobs_us += now;
    l->n_jobs--;
    l->times_us += now - world_job(w, job)->submit;
}

static void emit(void *self, const struct world *w)
{
    const struct little *l = self;
    double end = (double)world_now(w) / 1e6, in = (double)(world_count(w)->arrived - world_count(w)->rejected);
    const collector_wide jobs_us = l->jobs_us + (collector_wide)l->n_jobs * world_now(w);
    collector_put(l->out, "little_l", "all", collector_ratio((double)jobs_us / 1e6, end));
    collector_put(l->out, "little_lambda", "all", collector_ratio(in, end));
    collector_put(l->out, "little_w", "all", collector_ratio((double)l->times_us / 1e6, in));
}

const struct collector little_collector = {
    .metric = metric, .size = sizeof(struct little), .emit = emit,
    .observer = { .arrived = on_arrived, .job_ended = on_job_ended },
};
