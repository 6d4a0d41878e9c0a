/* bytes_read.c -- bytes by attempt, by job and of the run; a row for each level of each job with data. */
#include "metrics/bytes_read.h"

#include <string.h>

#include "base/mem.h"

static const struct collector_metric metric[] = {
    { "bytes_local", "B", COLLECTOR_ONE }, { "bytes_rack", "B", COLLECTOR_ONE }, { "bytes_cross", "B", COLLECTOR_ONE },
    { "local_share", "1", COLLECTOR_ONE }, { "rack_share", "1", COLLECTOR_ONE }, { "cross_share", "1", COLLECTOR_ONE },
    { "bytes_read", "B", COLLECTOR_ONE }, { "bytes_vain", "B", COLLECTOR_ONE }, { "bytes_network", "B", COLLECTOR_ONE },
    { NULL, NULL, COLLECTOR_ONE },
};

const char *const bytes_read_level[LEVELS] = { [LEVEL_LOCAL] = "local", [LEVEL_RACK] = "rack", [LEVEL_CROSS] = "cross" };

static void fini(void *self)
{
    struct bytes_read *m = self;
    mem_free(m->task);
    mem_free(m->job);
}

static void on_moved(void *self, const struct world *w, uint32_t task, enum data_level level, int64_t bytes, bool whole)
{
    struct bytes_read *m = self;
    MEM_RESERVE(m->task, m->cap_task, (size_t)task + 1);
    struct bytes_read_attempt *a = &m->task[task];
    SIM_ASSERT(world_job_of(w, task)->graph != NULL && bytes >= 0);
    *(whole ? &a->whole[level] : &a->part[level]) += bytes;
}

static int64_t needed(const struct world *w, uint32_t task)
{
    int64_t sum = 0;
    for (uint32_t k = 0; k < world_n_inputs(w, task); k++) sum += world_input(w, task, k).size;
    return sum;
}

/* The attempt of a task that may have data is over. */
static void on_stopped(void *self, const struct world *w, uint32_t task, enum stop_reason reason)
{
    struct bytes_read *m = self;
    if (task >= m->cap_task) return;            /* neither it nor one in its place moved anything */
    const uint32_t job = world_task(w, task)->job;
    MEM_RESERVE(m->job, m->cap_job, (size_t)job + 1);
    struct bytes_read_attempt *a = &m->task[task];
    struct bytes_read_sum *j = &m->job[job];
    SIM_ASSERT(reason != STOP_DONE || (bytes_read_total(a->whole) == needed(w, task) && bytes_read_total(a->part) == 0));
    for (int l = 0; l < LEVELS; l++) {
        int64_t read = reason == STOP_DONE ? a->whole[l] : 0, vain = a->whole[l] + a->part[l] - read;
        j->read[l] += read;
        j->vain[l] += vain;
        m->run.read[l] += read;
        m->run.vain[l] += vain;
    }
    memset(a, 0, sizeof *a);
}

static void on_job_ended(void *self, const struct world *w, uint32_t job)
{
    struct bytes_read *m = self;
    const struct metrics_opts *o = m->out->opts;
    MEM_RESERVE(m->job, m->cap_job, (size_t)job + 1);
    for (int l = 0; l < LEVELS && collector_writes_jobs(m->out); l++)
        (void)store_transfer(o->store, o->run, &(struct store_transfer){
            .ordinal = world_job(w, job)->ordinal, .level = bytes_read_level[l],
            .read_b = m->job[job].read[l], .vain_b = m->job[job].vain[l] }, m->out->error);
    memset(&m->job[job], 0, sizeof *m->job);
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

/* Nothing for a run without data. */
static void emit(void *self, const struct world *w)
{
    const struct bytes_read *m = self;
    const struct bytes_read_sum *s = &m->run;
    double read = (double)bytes_read_total(s->read);
    (void)w;
    if (read <= 0 && bytes_read_total(s->vain) == 0) return;
    for (int l = 0; l < LEVELS; l++) {
        char name[32];
        (void)snprintf(name, sizeof name, "bytes_%s", bytes_read_level[l]);
        collector_put(m->out, name, "all", (double)s->read[l]);
        (void)snprintf(name, sizeof name, "%s_share", bytes_read_level[l]);
        collector_put(m->out, name, "all", collector_ratio((double)s->read[l], read));
    }
    collector_put(m->out, "bytes_read", "all", read);
    collector_put(m->out, "bytes_vain", "all", (double)bytes_read_total(s->vain));
    collector_put(m->out, "bytes_network", "all", (double)bytes_read_network(s));
}

const struct collector bytes_read_collector = {
    .metric = metric, .size = sizeof(struct bytes_read), .emit = emit, .fini = fini,
    .observer = { .moved = on_moved, .graph_stopped = on_stopped, .graph_ended = on_job_ended },
};
