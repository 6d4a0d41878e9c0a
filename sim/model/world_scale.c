/*
 * world_scale.c -- elastic jobs: on how many of their tasks they may run, how fast, and the act that changes it.
 *
 * Of the tasks that such a job may have, the first n_tasks are its own; the rest are spare, and neither wait nor run.
 */
#include "model/world_priv.h"

#include <math.h>
#include "base/mem.h"

static uint32_t gpus_of(const struct world *w, const struct job *j, uint32_t n)
{
    return n * (uint32_t)w->shapes.at[w->jobs.task[j->first_task].shape].n_gpu;
}

enum pol_refusal world_scale_may(const struct world *w, uint32_t job, uint32_t n)
{
    const struct job *j = &w->jobs.job[job];
    if (j->elastic.max == 0) return POL_REFUSAL_PLACES;
    if (n < j->elastic.min || n > j->elastic.max) return POL_REFUSAL_SIZE;
    return scaling_accepts(&w->cfg.profiles->scaling, j->elastic.scaling, gpus_of(w, j, n)) ? POL_OK : POL_REFUSAL_SIZE;
}

void world_scale_set(struct world *w, uint32_t job, uint32_t n)
{
    w->n_waiting += n - w->jobs.job[job].n_tasks;
    jobs_set_size(&w->jobs, job, n);
}

void world_scale_tell(struct world *w, uint32_t job, uint32_t was)
{
    if (w->jobs.job[job].n_tasks != was) TELL(w, sized, job, was);
}

sim_rate world_scale_speed(const struct world *w, uint32_t job, uint32_t gpu_type, uint32_t n, uint32_t n_nodes)
{
    const struct job *j = &w->jobs.job[job];
    if (world_scale_may(w, job, n) != POL_OK || gpu_type >= w->cluster->gpu_types.n) return 0;
    const struct phase *p = phases_get(&w->cfg.profiles->phases, j->model, w->jobs.task[j->first_task].model_phase);
    const struct scaling_row *row = world_scale_row(w, job, gpu_type);
    double type = throughput_rate(w->cfg.throughput, w->cluster, p != NULL ? p->as : j->model, gpu_type);
    if (row == NULL) return 0;
    uint32_t count[SCALING_GPUS_MAX];
    const struct spread where = scaling_spread(row, gpus_of(w, j, n), n_nodes, count);
    return (sim_rate)fmin(round(type * scaling_speed(row, gpus_of(w, j, j->n_asked), &where)), UINT32_MAX - 1);
}

const struct scaling_row *world_scale_row(const struct world *w, uint32_t job, uint32_t gpu_type)
{
    const struct job *j = &w->jobs.job[job];
    if (j->elastic.max == 0) return NULL;
    const struct phase *p = phases_get(&w->cfg.profiles->phases, j->model, w->jobs.task[j->first_task].model_phase);
    return scaling_find(&w->cfg.profiles->scaling, p != NULL && p->scaling != NONE ? p->scaling : j->elastic.scaling, gpu_type);
}

struct adaptive_at world_scale_step(const struct world *w, uint32_t job, uint32_t gpu_type, uint32_t n, uint32_t n_nodes)
{
    const struct scaling_row *row = world_scale_row(w, job, gpu_type);
    if (row == NULL || row->model == NULL || world_scale_may(w, job, n) != POL_OK) return (struct adaptive_at){ 0 };
    uint32_t count[SCALING_GPUS_MAX];
    const struct spread where = scaling_spread(row, gpus_of(w, &w->jobs.job[job], n), n_nodes, count);
    return adaptive_best(row->model, &where);
}

struct adaptive_at world_scale_measured(const struct world *w, uint32_t job)
{
    const struct job *j = &w->jobs.job[job];
    uint32_t count[SCALING_GPUS_MAX], at[SCALING_GPUS_MAX], n = 0, each = gpus_of(w, j, 1), i;
    if (j->elastic.max == 0 || j->n_running == 0) return (struct adaptive_at){ 0 };
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
        uint32_t node = w->cluster->hold[t].node;
        for (i = n; i > 0 && at[i - 1] != node; i--) {}
        if (i == 0) { at[n] = node; count[n++] = 0; i = n; }
        count[i - 1] += each;
    }
    const struct scaling_row *row = world_scale_row(w, job, w->cluster->node[at[0]].gpu_type);
    if (row == NULL || row->model == NULL) return (struct adaptive_at){ 0 };
    return adaptive_best(row->model, &(struct spread){ .count = count, .n_nodes = n, .n_gpus = gpus_of(w, j, j->n_tasks) });
}

bool world_scale_check(struct world *w, const struct job_spec *s, uint32_t model)
{
    const struct phases *p = &w->cfg.profiles->phases;
    const uint32_t gpus = (uint32_t)s->group->shape.n_gpu;
    char lacks[400];
    for (uint32_t k = 0; k < phases_n(p, model); k++) {
        uint32_t scaling = phases_get(p, model, k)->scaling;
        if (scaling == NONE || scaling_lacks(&w->cfg.profiles->scaling, scaling, w->cluster, s->group->shape.gpu_types,
                s->elastic.min * gpus, s->elastic.max * gpus, lacks, sizeof lacks) == NULL) continue;
        (void)diag_set(&w->fail, ST_EINPUT, "job '%s' (line %u of the trace), phase %u of its model: %s", s->id, s->line,
                       k + 1, lacks);
        return false;
    }
    return true;
}

/* What a start costs by the scaling of its phase, else by the job's own; -1: neither says. */
static sim_tick start_cost(const struct world *w, uint32_t job, uint32_t gpu_type, bool is_first)
{
    const struct job *j = &w->jobs.job[job];
    if (j->elastic.max == 0) return -1;
    const struct scaling_row *row[] = { world_scale_row(w, job, gpu_type),
                                        scaling_find(&w->cfg.profiles->scaling, j->elastic.scaling, gpu_type) };
    for (size_t i = 0; i < ARRAY_LEN(row); i++) {
        sim_tick cost = row[i] == NULL ? -1 : is_first ? row[i]->start : row[i]->restart;
        if (cost >= 0) return cost;
    }
    return -1;
}

sim_tick world_scale_restart_us(const struct world *w, uint32_t job, uint32_t gpu_type)
{
    sim_tick cost = start_cost(w, job, gpu_type, false);
    return cost < 0 ? world_restore_cost(w, &w->jobs.job[job]) : cost;
}

static sim_tick cost_where_it_runs(const struct world *w, uint32_t t, bool is_first)
{
    return start_cost(w, w->jobs.task[t].job, w->cluster->node[w->cluster->hold[t].node].gpu_type, is_first);
}

bool world_scale_has_restart(const struct world *w, uint32_t t) { return cost_where_it_runs(w, t, false) >= 0; }

sim_tick world_scale_restart(const struct world *w, uint32_t t) { return cost_where_it_runs(w, t, w->jobs.task[t].attempts == 1); }

static void release(struct world *w, uint32_t t) { UNIT_EACH(w, t, k) cluster_release(w->cluster, k); }

/* Would the places do, with those that the job holds free?  Leaves the ledger as it was. */
static enum pol_refusal try_places(struct world *w, uint32_t job, const struct world_place *p, uint32_t n)
{
    struct job *j = &w->jobs.job[job];
    uint32_t lead = j->first_task, n_was = j->n_tasks, i = 0;
    struct hold *was;
    MEM_ARRAY(was, n_was);
    UNIT_EACH(w, lead, k) was[i++] = w->cluster->hold[k];
    release(w, lead);
    j->n_waiting = n_was;                       /* as jobs_set_size has it; restored below */
    jobs_set_size(&w->jobs, job, n);
    enum pol_refusal refusal = world_unit_allocate(w, lead, p);
    if (refusal == POL_OK) release(w, lead);
    jobs_set_size(&w->jobs, job, n_was);
    j->n_waiting = 0;
    i = 0;
    UNIT_EACH(w, lead, k) {
        cluster_put_back(w->cluster, k, &was[i++]);
        task_at(w, k)->state = TASK_RUNNING;
    }
    mem_free(was);
    return refusal;
}

enum pol_refusal world_scale(struct world *w, uint32_t job, const struct world_place *p, uint32_t n)
{
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live) return POL_REFUSAL_NO_JOB;
    struct job *j = &w->jobs.job[job];
    if (j->elastic.max == 0) return POL_REFUSAL_NOT_ELASTIC;
    if (j->n_running == 0) return POL_REFUSAL_NOT_RUNNING;
    enum pol_refusal refusal = world_scale_may(w, job, n);
    if (refusal == POL_OK) refusal = try_places(w, job, p, n);
    if (refusal != POL_OK) return refusal;
    uint32_t lead = j->first_task, was = j->n_tasks;
    world_unit_leave(w, lead, STOP_SCALED);
    j->n_scaled++;
    w->count.scalings++;
    world_scale_set(w, job, n);
    refusal = world_unit_allocate(w, lead, p);
    SIM_ASSERT(refusal == POL_OK);
    world_scale_tell(w, job, was);
    world_unit_go(w, lead);
    return POL_OK;
}

void world_scale_audit(const struct world *w, uint32_t job)
{
    const struct job *j = &w->jobs.job[job];
    uint32_t n = 0, index = j->n_tasks;
    SIM_ASSERT(j->gang && j->n_tasks >= j->elastic.min && j->n_tasks <= j->elastic.max);
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) SIM_ASSERT(w->jobs.task[t].index == n++);
    for (uint32_t t = j->first_spare; t != NONE; t = w->jobs.task[t].next) {
        const struct task *k = &w->jobs.task[t];
        SIM_ASSERT(k->is_live && k->job == job && k->state == TASK_SPARE && k->index == index++ && cluster_hold(w->cluster, t) == NULL);
    }
    SIM_ASSERT(n == j->n_tasks && index == j->elastic.max);
}
