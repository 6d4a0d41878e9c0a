/* goodput.c -- the collector of work: what was of use, and what was thrown away. */
#include "metrics/collector.h"


static const struct collector_metric metric[] = {
    { "lost_gpu_hours", "h", COLLECTOR_ONE }, { "goodput", "1", COLLECTOR_ONE }, { NULL, NULL, COLLECTOR_ONE },
};

struct goodput {
    const struct collector_out *out;
    sim_wide useful, lost;            /* thousandths of cards x us of nominal work */
};

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    struct goodput *g = self;
    const struct job *j = world_job(w, job);
    if (j->lost > 0) g->lost += (sim_wide)j->lost * j->gpu_milli_total / j->n_asked;
    if (j->status != JOB_DONE) return;
    if (j->gang || j->n_asked == 1) {       /* its tasks take equally long */
        g->useful += (sim_wide)j->nominal * j->gpu_milli_total;
        return;
    }
    for (uint32_t t = j->first_task; t != NONE;) {
        const struct task *k = world_task(w, t);
        const struct shape *s = world_shape(w, k->shape);
        g->useful += (sim_wide)k->dur * ((int64_t)s->n_gpu * s->gpu_milli);
        t = k->next;
    }
}

static void emit(void *self, const struct world *w)
{
    const struct goodput *g = self;
    (void)w;
    collector_put(g->out, "lost_gpu_hours", "all", collector_hours(g->lost));
    collector_put(g->out, "goodput", "all", collector_ratio((double)g->useful, (double)(g->useful + g->lost)));
}

const struct collector goodput_collector = {
    .metric = metric, .size = sizeof(struct goodput), .emit = emit, .observer = { .job_ended = on_job_ended },
};
