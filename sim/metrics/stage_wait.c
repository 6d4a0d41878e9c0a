/* stage_wait.c -- first starts and ends of the stages of live jobs. */
#include "metrics/stage_wait.h"

#include <string.h>

#include "base/mem.h"
#include "model/graph.h"

static void drop_job(struct stage_wait_job *j)
{
    mem_free(j->start);
    mem_free(j->end);
    *j = (struct stage_wait_job){ .n = 0 };
}

void stage_wait_fini(struct stage_wait *s)
{
    for (size_t i = 0; i < s->cap; i++) drop_job(&s->job[i]);
    mem_free(s->job);
    memset(s, 0, sizeof *s);
}

void stage_wait_arrived(struct stage_wait *s, const struct world *w, uint32_t job)
{
    MEM_RESERVE(s->job, s->cap, (size_t)job + 1);
    struct stage_wait_job *j = &s->job[job];
    drop_job(j);
    j->n = world_job(w, job)->graph->n_levels;
    MEM_ARRAY(j->start, j->n);
    MEM_ARRAY(j->end, j->n);
    for (uint32_t k = 0; k < j->n; k++) j->start[k] = j->end[k] = -1;
}

void stage_wait_started(struct stage_wait *s, const struct world *w, uint32_t task)
{
    const struct task *t = world_task(w, task);
    struct stage_wait_job *j = &s->job[t->job];
    if (t->attempts == 1) j->start[world_job(w, t->job)->graph->level[t->index]] = world_now(w);
}

void stage_wait_stopped(struct stage_wait *s, const struct world *w, uint32_t task, enum stop_reason reason)
{
    const struct task *t = world_task(w, task);
    struct stage_wait_job *j = &s->job[t->job];
    if (reason == STOP_DONE) j->end[world_job(w, t->job)->graph->level[t->index]] = world_now(w);
}

sim_tick stage_wait_of(const struct stage_wait *s, uint32_t job)
{
    const struct stage_wait_job *j = &s->job[job];
    sim_tick sum = 0;
    for (uint32_t k = 1; k < j->n; k++)
        if (j->end[k - 1] >= 0 && j->start[k] > j->end[k - 1]) sum += j->start[k] - j->end[k - 1];
    return sum;
}
