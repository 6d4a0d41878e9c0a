/* handles.c -- live jobs by their slot, and a map from ordinals; these are consecutive, so they serve as hashes. */
#include "host/exec/handles.h"

#include <string.h>
#include "base/mem.h"

void handles_fini(struct handles *t)
{
    for (size_t i = 0; i < t->cap; i++) mem_free(t->at[i].task);
    mem_free(t->at);
    map_fini(&t->of_ordinal);
    memset(t, 0, sizeof *t);
}

void handles_add(struct handles *t, const struct pol_host *h, pol_job job)
{
    const struct pol_job_info *ji = h->job(h->ctx, job);
    MEM_RESERVE(t->at, t->cap, (size_t)job.slot + 1);
    struct handles_job *e = &t->at[job.slot];
    SIM_ASSERT(e->task == NULL);
    *e = (struct handles_job){ .ordinal = ji->ordinal, .job = job, .n_tasks = ji->n_tasks, .is_gang = ji->is_gang != 0 };
    MEM_ARRAY(e->task, ji->n_tasks);
    uint32_t n = 0;
    const struct pol_task_info *ti;
    for (pol_task k = ji->first_task; k.slot != POL_NONE && (ti = h->task(h->ctx, k)) != NULL; k = ti->next) e->task[n++] = k;
    SIM_ASSERT(n == ji->n_tasks);
    map_add(&t->of_ordinal, (uint32_t)ji->ordinal, job.slot);
    t->n_seen = ji->ordinal + 1;
}

const struct handles_job *handles_find(const struct handles *t, uint64_t ordinal)
{
    uint32_t slot;
    MAP_EACH(slot, &t->of_ordinal, (uint32_t)ordinal)
        if (t->at[slot].ordinal == ordinal) return &t->at[slot];
    return NULL;
}

void handles_del(struct handles *t, uint64_t ordinal)
{
    const struct handles_job *e = handles_find(t, ordinal);
    if (e == NULL) return;
    map_del(&t->of_ordinal, (uint32_t)ordinal, e->job.slot);
    mem_free(e->task);
    memset(&t->at[e->job.slot], 0, sizeof *e);
}
