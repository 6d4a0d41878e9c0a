/* elastic.c -- the collector of elastic jobs: how often their sizes changed, and what their starts anew cost. */
#include "metrics/collector.h"

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "scalings", "1", COLLECTOR_ONE }, { "restart_gpu_hours", "h", COLLECTOR_ONE }, { NULL, NULL, COLLECTOR_ONE },
};

struct elastic_use {
    const struct collector_out *out;
    sim_tick *since; size_t cap_since;  /* by task slot: when the unit that it leads began to restore; -1: it does not */
    sim_wide restarts;                  /* thousandths of cards x us */
};

static bool init(void *self, const struct world *w)
{
    const struct profiles *p = world_config(w)->profiles;
    (void)self;
    return p != NULL && p->scaling.n > 0;
}

static void fini(void *self) { mem_free(((struct elastic_use *)self)->since); }

/* Whatever it did before is over. */
static void fold(struct elastic_use *e, const struct world *w, uint32_t lead)
{
    const struct job *j = world_job_of(w, lead);
    const struct shape *s = world_shape(w, world_task(w, lead)->shape);
    if (lead >= e->cap_since || e->since[lead] < 0) return;
    e->restarts += (sim_wide)(world_now(w) - e->since[lead]) * j->n_tasks * s->n_gpu * s->gpu_milli;
    e->since[lead] = -1;
}

static void on_phase(void *self, const struct world *w, uint32_t task)
{
    struct elastic_use *e = self;
    if (world_job_of(w, task)->elastic.max == 0) return;
    for (size_t was = e->cap_since; task >= e->cap_since;) {
        MEM_RESERVE(e->since, e->cap_since, (size_t)task + 1);
        for (size_t i = was; i < e->cap_since; i++) e->since[i] = -1;
    }
    fold(e, w, task);
    if (world_task(w, task)->phase == PHASE_RESTORE) e->since[task] = world_now(w);
}

static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    const struct job *j = world_job_of(w, task);
    (void)reason;
    if (j->elastic.max > 0 && task == j->first_task) fold(self, w, task);
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    const struct elastic_use *e = self;
    const struct job *j = world_job(w, job);
    if (j->elastic.max == 0 || !collector_writes_jobs(e->out)) return;
    (void)store_elastic(e->out->opts->store, e->out->opts->run, &(struct store_elastic){
        .ordinal = j->ordinal, .min_tasks = j->elastic.min, .max_tasks = j->elastic.max, .n_scaled = j->n_scaled }, e->out->error);
}

/* Nothing for a run without such jobs. */
static void emit(void *self, const struct world *w)
{
    const struct elastic_use *e = self;
    if (world_count(w)->elastic == 0) return;
    collector_put(e->out, "scalings", "all", (double)world_count(w)->scalings);
    collector_put(e->out, "restart_gpu_hours", "all", collector_hours(e->restarts));
}

const struct collector elastic_collector = {
    .metric = metric, .size = sizeof(struct elastic_use), .init = init, .emit = emit, .fini = fini,
    .observer = { .phase = on_phase, .stopped = on_stopped, .job_ended = on_job_ended },
};
