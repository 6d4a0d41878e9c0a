/*
 * world_audit.c -- the invariants that tie tasks, jobs, counts and ledger together,
 * checked after every instant of an audited run.  O(jobs, tasks, nodes and cards).
 */
#include "model/world_priv.h"

#include "base/mem.h"

/* Those of each shape are as many as it knows of; so an id that another request got had none. */
static void audit_shapes(const struct world *w)
{
    uint32_t *n_tasks;
    MEM_ARRAY(n_tasks, w->shapes.n);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        const struct job *j = &w->jobs.job[s];
        if (!j->is_live) continue;
        for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) n_tasks[w->jobs.task[t].shape]++;
        for (uint32_t t = j->first_spare; t != NONE; t = w->jobs.task[t].next) n_tasks[w->jobs.task[t].shape]++;
    }
    shapes_audit(&w->shapes, n_tasks);
    mem_free(n_tasks);
}

static void audit_users(const struct world *w)
{
    uint32_t *n_jobs;
    MEM_ARRAY(n_jobs, w->users.n);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        const struct job *j = &w->jobs.job[s];
        if (j->is_live && !world_after_waits(j)) n_jobs[j->user]++;
    }
    for (uint32_t i = 0; i < w->users.n; i++) SIM_ASSERT(n_jobs[i] == (i < w->cap_user_jobs ? w->user_jobs[i] : 0));
    mem_free(n_jobs);
}

void world_audit(const struct world *w)
{
    uint32_t running = 0, waiting = 0, live = 0, dependents = 0;
    cluster_audit(w->cluster);
    reservations_audit(&w->reservations);
    audit_shapes(w);
    audit_users(w);
    speed_audit(w->speed);
    if (w->calls != NULL) world_calls_audit(w);
    for (uint32_t s = 0; s < w->jobs.n_job_slots; s++) {
        const struct job *j = &w->jobs.job[s];
        if (!j->is_live) continue;
        uint32_t run = 0, wait = 0, done = 0;
        live++;
        for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
            const struct task *k = &w->jobs.task[t];
            SIM_ASSERT(k->is_live && k->job == s);
            SIM_ASSERT((k->state == TASK_RUNNING) == (cluster_hold(w->cluster, t) != NULL));
            run += k->state == TASK_RUNNING;
            wait += k->state == TASK_WAITING;
            done += k->state == TASK_DONE;
            SIM_ASSERT((k->state == TASK_BLOCKED) ==
                       (world_after_waits(j) || (j->graph != NULL && j->graph->n_before[k->index] > 0)));
            if (j->graph != NULL && k->state == TASK_RUNNING && k->phase >= PHASE_COMPUTE) world_data_audit(w, t);
            if (unit_lead(w, t) != t) continue;
            sim_work p = world_unit_progress(w, k);
            SIM_ASSERT((p >= 0 || w->cfg.restore_as == RESTORE_WORK) && p <= total_work(k) && k->done <= p);
            bool computes = k->state == TASK_RUNNING && k->phase == PHASE_COMPUTE && j->calls == NULL;
            if (computes && w->cfg.profiles != NULL)
                SIM_ASSERT(k->model_phase == phases_at(&w->cfg.profiles->phases, j->model, total_work(k), p));
            /* nothing that changed was overlooked */
            SIM_ASSERT(!computes || k->act.rate == speed_rate(w->speed, t));
            SIM_ASSERT(k->state != TASK_RUNNING || j->calls != NULL || k->flow != NONE || evq_pending(&w->loop.q, ev_slot(SLOT_ACT, t)));
        }
        if (j->elastic.max > 0) world_scale_audit(w, s);
        SIM_ASSERT(run == j->n_running && wait == j->n_waiting && done == j->n_done && run + wait + done + j->n_blocked == j->n_tasks);
        SIM_ASSERT(!j->gang || run == 0 || run == j->n_tasks);
        SIM_ASSERT(run + wait > 0 || world_after_waits(j));     /* an ended job was released */
        dependents += world_after_waits(j);
        running += run;
        waiting += wait;
    }
    SIM_ASSERT(dependents == w->n_dependents);
    SIM_ASSERT(live == w->jobs.n_live && running == w->n_running && waiting == w->n_waiting);
    SIM_ASSERT(w->count.arrived == w->count.done + w->count.timeout + w->count.failed + w->count.rejected +
                                   w->count.unfinished + w->count.never_eligible + live - dependents);
}
