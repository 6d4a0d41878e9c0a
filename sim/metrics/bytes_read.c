#include "metrics/bytes_read.h"

#include <string.h>

#include "base/mem.h"

const char *const bytes_read_level[LEVELS] = { [LEVEL_LOCAL] = "local", [LEVEL_RACK] = "rack", [LEVEL_CROSS] = "cross" };

void bytes_read_fini(struct bytes_read *m)
{
    mem_free(m->task);
    mem_free(m->job);
    memset(m, 0, sizeof *m);
}

static bool has_data(const struct world *w, uint32_t job) { return world_job(w, job)->graph != NULL; }

void bytes_read_arrived(struct bytes_read *m, const struct world *w, uint32_t job)
{
    if (!has_data(w, job)) return;
    MEM_RESERVE(m->job, m->cap_job, (size_t)job + 1);
    memset(&m->job[job], 0, sizeof *m->job);
}

void bytes_read_started(struct bytes_read *m, const struct world *w, uint32_t task)
{
    if (!has_data(w, world_task(w, task)->job)) return;
    MEM_RESERVE(m->task, m->cap_task, (size_t)task + 1);
    memset(&m->task[task], 0, sizeof *m->task);
}

void bytes_read_bytes(struct bytes_read *m, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole)
{
    struct bytes_read_attempt *a = &m->task[task];
    SIM_ASSERT(has_data(w, world_task(w, task)->job) && bytes >= 0);
    *(whole ? &a->whole[level] : &a->part[level]) += bytes;
}

static int64_t needed(const struct world *w, uint32_t task)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < world_n_inputs(w, task); k++) sum += world_input(w, task, k).size;
    return sum;
}

void bytes_read_stopped(struct bytes_read *m, const struct world *w, uint32_t task, enum stop_why why)
{
    uint32_t job = world_task(w, task)->job;
    if (!has_data(w, job)) return;
    const struct bytes_read_attempt *a = &m->task[task];
    struct bytes_read_sum *j = &m->job[job];
    SIM_ASSERT(why != STOP_DONE || (bytes_read_total(a->whole) == needed(w, task) && bytes_read_total(a->part) == 0));
    for (int l = 0; l < LEVELS; l++) {
        int64_t read = why == STOP_DONE ? a->whole[l] : 0, vain = a->whole[l] + a->part[l] - read;
        j->read[l] += read;
        j->vain[l] += vain;
        m->run.read[l] += read;
        m->run.vain[l] += vain;
    }
}

const struct bytes_read_sum *bytes_read_job(const struct bytes_read *m, const struct world *w, uint32_t job)
{
    return has_data(w, job) ? &m->job[job] : NULL;
}

int64_t bytes_read_total(const int64_t by_level[LEVELS])
{
    int64_t sum = 0;
    for (int l = 0; l < LEVELS; l++) sum += by_level[l];
    return sum;
}

int64_t bytes_read_network(const struct bytes_read_sum *s)
{
    return bytes_read_total(s->read) + bytes_read_total(s->vain) - s->read[LEVEL_LOCAL] - s->vain[LEVEL_LOCAL];
}
