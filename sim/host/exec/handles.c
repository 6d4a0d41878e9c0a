/*
 * handles.c -- a hash table of live jobs.
 *
 * Open addressing at most half full; ordinals are consecutive, so they serve as
 * their own hash.  A removal closes its gap, so that no markers of removed
 * entries fill the table.
 */
#include "host/exec/handles.h"

#include <string.h>
#include "base/mem.h"

static size_t slot_of(const struct handles *t, uint64_t ordinal)
{
    size_t i = (size_t)ordinal & (t->n_slots - 1);
    while (t->at[i].task != NULL && t->at[i].ordinal != ordinal) i = (i + 1) & (t->n_slots - 1);
    return i;
}

void handles_fini(struct handles *t)
{
    for (size_t i = 0; i < t->n_slots; i++) mem_free(t->at[i].task);
    mem_free(t->at);
    memset(t, 0, sizeof *t);
}

static void grow(struct handles *t)
{
    struct handles bigger = { .n_slots = t->n_slots ? 2 * t->n_slots : 64, .n = t->n, .n_seen = t->n_seen };
    MEM_ARRAY(bigger.at, bigger.n_slots);
    for (size_t i = 0; i < t->n_slots; i++)
        if (t->at[i].task != NULL) bigger.at[slot_of(&bigger, t->at[i].ordinal)] = t->at[i];
    mem_free(t->at);
    *t = bigger;
}

void handles_add(struct handles *t, const struct pol_host *h, pol_job job)
{
    const struct pol_job_info *ji = h->job(h->ctx, job);
    if (2 * ((size_t)t->n + 1) > t->n_slots) grow(t);
    struct handles_job *e = &t->at[slot_of(t, ji->ordinal)];
    SIM_ASSERT(e->task == NULL);
    *e = (struct handles_job){ .ordinal = ji->ordinal, .job = job, .n_tasks = ji->n_tasks, .is_gang = ji->is_gang != 0 };
    MEM_ARRAY(e->task, ji->n_tasks);
    uint32_t n = 0;
    const struct pol_task_info *ti;
    for (pol_task k = ji->first_task; k.slot != POL_NONE && (ti = h->task(h->ctx, k)) != NULL; k = ti->next) e->task[n++] = k;
    SIM_ASSERT(n == ji->n_tasks);
    t->n++;
    t->n_seen = ji->ordinal + 1;
}

/* Close the gap: an entry further on moves back unless its own place lies after the gap. */
void handles_del(struct handles *t, uint64_t ordinal)
{
    if (t->n_slots == 0) return;
    size_t mask = t->n_slots - 1, gap = slot_of(t, ordinal);
    if (t->at[gap].task == NULL) return;
    mem_free(t->at[gap].task);
    for (size_t i = (gap + 1) & mask; t->at[i].task != NULL; i = (i + 1) & mask) {
        size_t home = (size_t)t->at[i].ordinal & mask;
        if (((i - home) & mask) < ((i - gap) & mask)) continue;
        t->at[gap] = t->at[i];
        gap = i;
    }
    memset(&t->at[gap], 0, sizeof t->at[gap]);
    t->n--;
}

const struct handles_job *handles_find(const struct handles *t, uint64_t ordinal)
{
    if (t->n_slots == 0) return NULL;
    const struct handles_job *e = &t->at[slot_of(t, ordinal)];
    return e->task != NULL ? e : NULL;
}
