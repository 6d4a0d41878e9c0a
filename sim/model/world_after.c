/*
 * world_after.c -- jobs that wait for other jobs: submitted, they have their slot, and their tasks are blocked; when
 * they become eligible they arrive, in the same instant.  Ties in order of submission.
 */
#include "model/world_priv.h"

#include "base/mem.h"

static void on_due(void *ctx, uint32_t k, sim_tick at)
{
    struct world *w = ctx;
    const uint32_t slot = ev_slot(SLOT_AFTER, k);
    w->n_due += !evq_pending(&w->loop.q, slot);
    evq_set(&w->loop.q, (struct ev){ .at = i64_max(at, w->loop.now), .slot = slot, .cls = EV_ARRIVAL,
                                     .subject = dependency_queue_at(w->dependencies, k)->number });
}

void world_after_init(struct world *w) { w->dependencies = dependency_queue_create(on_due, w); }

void world_after_named(struct world *w, uint32_t job)
{
    w->jobs.job[job].named = dependency_queue_name(w->dependencies, w->jobs.job[job].id);
}

void world_after_submit(struct world *w, uint32_t job, const struct job_spec *s)
{
    struct job *j = &w->jobs.job[job];
    SIM_ASSERT(s->calls == NULL && s->node == NULL);
    MEM_NEW(j->after);
    *j->after = (struct job_after){ .text = mem_strdup(s->after), .submitted = j->submit };
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) w->jobs.task[t].state = TASK_BLOCKED;
    j->n_blocked = j->n_tasks;
    j->n_waiting = 0;
    w->n_dependents++;
    w->count.dependent++;
    dependency_queue_add(w->dependencies, job, w->arrivals.n_submitted - 1, s->after, w->loop.now);
}

/* Its tasks are what they are without it, from now on. */
static void unblock(struct world *w, struct job *j)
{
    j->submit = w->loop.now;
    for (uint32_t t = j->first_task; t != NONE; t = w->jobs.task[t].next) {
        struct task *k = &w->jobs.task[t];
        k->ready_at = w->loop.now;
        if (j->graph != NULL && j->graph->n_before[k->index] > 0) continue;
        k->state = TASK_WAITING;
        j->n_blocked--;
        j->n_waiting++;
    }
}

static void go(struct world *w, uint32_t k, enum job_status status)
{
    const struct dependent *a = dependency_queue_at(w->dependencies, k);
    const uint32_t job = a->job;
    struct job *j = &w->jobs.job[job];
    j->after->is_eligible = true;
    j->after->last = a->last;
    dependency_queue_remove(w->dependencies, k);
    w->n_dependents--;
    unblock(w, j);
    world_arrival_enter(w, job, status);
}

void world_after_due(struct world *w, uint32_t k)
{
    w->n_due--;
    go(w, k, dependency_queue_at(w->dependencies, k)->is_never ? JOB_NEVER_ELIGIBLE : JOB_LIVE);
}

void world_after_flush(struct world *w)
{
    struct world_slot *left;
    size_t n = 0;
    MEM_ARRAY(left, w->n_dependents);
    for (uint32_t k = 0; k < dependency_queue_n(w->dependencies); k++) {
        const struct dependent *a = dependency_queue_at(w->dependencies, k);
        if (a->is_live) left[n++] = (struct world_slot){ .order = a->number, .slot = k };
    }
    world_sort(left, n);
    for (size_t i = 0; i < n; i++) go(w, left[i].slot, JOB_LIVE);
    mem_free(left);
    w->n_due = 0;
}
