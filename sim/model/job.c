/*
 * job.c -- the tables of job.h.  Freed slots are kept in two stacks and handed out
 * again, the last freed first; what a slot number is never reaches results, since
 * whatever is ordered is ordered by jobs_order.
 */
#include "model/job.h"

#include <string.h>
#include "base/mem.h"
#include "model/graph.h"

static void free_record(struct job_record *r)
{
    if (r == NULL) return;
    mem_free(r->state);
    mem_free(r->node);
    mem_free(r);
}

static void free_after(struct job_after *a)
{
    if (a == NULL) return;
    mem_free(a->text);
    mem_free(a);
}

/* What is owned of a job, but for the room of its id, which the next of its slot takes. */
static inline void free_owned(struct job *j)
{
    if (j->graph != NULL) graph_destroy(j->graph);
    if (j->reservation != NULL) mem_free(j->reservation);
    if (j->calls != NULL) calls_destroy(j->calls);
    free_record(j->record);
    free_after(j->after);
    j->calls = NULL;
    j->graph = NULL;
    j->reservation = NULL;
    j->record = NULL;
    j->after = NULL;
}

void jobs_fini(struct job_table *t)
{
    for (uint32_t i = 0; i < t->n_job_slots; i++) { free_owned(&t->job[i]); mem_free(t->job[i].id); }
    for (uint32_t i = 0; i < t->n_task_slots; i++) mem_free(t->task[i].loan);
    MEM_FREE(t->job, t->task, t->free_job, t->free_task);
    memset(t, 0, sizeof *t);
}

static uint32_t job_slot(struct job_table *t)
{
    if (t->n_free_job > 0) return t->free_job[--t->n_free_job];
    MEM_RESERVE(t->job, t->cap_job, (size_t)t->n_job_slots + 1);
    return t->n_job_slots++;
}

static uint32_t task_slot(struct job_table *t)
{
    if (t->n_free_task > 0) return t->free_task[--t->n_free_task];
    MEM_RESERVE(t->task, t->cap_task, (size_t)t->n_task_slots + 1);
    return t->n_task_slots++;
}

static sim_tick longest_chain(const struct job_table *t, const struct graph *g)
{
    sim_tick *dur;
    MEM_ARRAY(dur, g->n);
    for (uint32_t k = 0; k < g->n; k++) dur[k] = t->task[g->slot[k]].dur;
    sim_tick longest = graph_longest(g, dur);
    mem_free(dur);
    return longest;
}

/* n more tasks like the last one; the first of them. */
static uint32_t add_spare(struct job_table *t, struct shapes *shapes, uint32_t job, uint32_t last, uint32_t n)
{
    uint32_t first = NONE, before = NONE;
    shapes_hold(shapes, t->task[last].shape, n);
    for (uint32_t k = 1; k <= n; k++) {
        uint32_t ts = task_slot(t);
        const struct task *like = &t->task[last];
        t->task[ts] = (struct task){ .job = job, .next = NONE, .gen = t->task[ts].gen, .shape = like->shape, .index = like->index + k,
                                     .state = TASK_SPARE, .is_live = true, .flow = NONE, .dur = like->dur, .mem_bw = like->mem_bw,
                                     .ready_at = like->ready_at };
        if (first == NONE) first = ts;
        else t->task[before].next = ts;
        before = ts;
    }
    return first;
}

/* The two chains as one, cut anew behind the n-th. */
void jobs_set_size(struct job_table *t, uint32_t job, uint32_t n)
{
    struct job *j = &t->job[job];
    SIM_ASSERT(j->elastic.max > 0 && n >= j->elastic.min && n <= j->elastic.max && j->n_waiting == j->n_tasks);
    uint32_t k = j->first_task, last = NONE;
    for (uint32_t i = 0; k != NONE; i++) {
        uint32_t next = t->task[k].next != NONE || i >= j->n_tasks ? t->task[k].next : j->first_spare;
        t->task[k].state = i < n ? TASK_WAITING : TASK_SPARE;
        t->task[k].next = next;
        if (i + 1 == n) last = k;
        k = next;
    }
    j->first_spare = t->task[last].next;
    t->task[last].next = NONE;
    j->n_tasks = j->n_waiting = n;
}

uint32_t jobs_add(struct job_table *t, const struct job_spec *s, uint64_t ordinal, struct shapes *shapes, struct graph *graph)
{
    uint32_t slot = job_slot(t), last = NONE;
    struct job *j = &t->job[slot];
    const size_t id_bytes = strlen(s->id) + 1;
    char *id = j->id;
    size_t cap_id = j->cap_id;
    const uint32_t gen = j->gen;
    MEM_RESERVE(id, cap_id, id_bytes);
    memcpy(id, s->id, id_bytes);
    *j = (struct job){
        .ordinal = ordinal, .id = id, .cap_id = cap_id, .graph = graph, .gen = gen, .first_task = NONE, .line = s->line,
        .priority = s->priority, .hints = s->hints, .gang = s->gang, .is_live = true, .status = JOB_LIVE,
        .submit = s->submit, .limit = s->limit, .first_start = -1, .end = -1, .restore = s->restore, .elastic = s->elastic, .first_spare = NONE,
        .named = NONE,
    };
    for (uint32_t g = 0; g < s->n_groups; g++) {
        const struct task_group *tg = &s->group[g];
        uint32_t shape = shapes_id(shapes, &tg->shape);
        shapes_hold(shapes, shape, tg->n);
        for (uint32_t k = 0; k < tg->n; k++) {
            uint32_t ts = task_slot(t);
            struct task *task = &t->task[ts];
            bool blocked = graph != NULL && graph->n_before[j->n_tasks] > 0;
            if (graph != NULL) graph->slot[j->n_tasks] = ts;
            j->n_blocked += blocked;
            *task = (struct task){ .job = slot, .next = NONE, .gen = task->gen, .shape = shape, .index = j->n_tasks,
                                   .state = blocked ? TASK_BLOCKED : TASK_WAITING, .is_live = true, .flow = NONE,
                                   .dur = tg->dur, .mem_bw = tg->mem_bw, .ready_at = s->submit };
            if (last == NONE) j->first_task = ts;
            else t->task[last].next = ts;
            last = ts;
            j->n_tasks++;
        }
        int32_t n_gpu = tg->shape.n_gpu * (int32_t)tg->n;
        j->n_gpu_total += n_gpu;
        j->n_gpu_at_once = s->gang ? j->n_gpu_total : tg->shape.n_gpu > j->n_gpu_at_once ? tg->shape.n_gpu : j->n_gpu_at_once;
        j->gpu_milli_total += (int64_t)tg->shape.n_gpu * tg->shape.gpu_milli * tg->n;
        j->cpu_milli_total += tg->shape.cpu_milli * tg->n;
        j->nominal = i64_max(j->nominal, tg->dur);
    }
    if (graph != NULL) j->nominal = longest_chain(t, graph);
    j->n_waiting = j->n_tasks - j->n_blocked;
    j->n_asked = j->n_tasks;
    if (s->elastic.max > 0) j->first_spare = add_spare(t, shapes, slot, last, s->elastic.max - j->n_tasks);
    if (++t->n_live > t->peak_live) t->peak_live = t->n_live;
    return slot;
}

static void free_chain(struct job_table *t, struct shapes *shapes, uint32_t first)
{
    for (uint32_t k = first; k != NONE; k = t->task[k].next) {
        shapes_let_go(shapes, t->task[k].shape);
        t->task[k].is_live = false;
        t->task[k].gen++;
        t->free_task[t->n_free_task++] = k;
    }
}

void jobs_release(struct job_table *t, uint32_t job, struct shapes *shapes)
{
    struct job *j = &t->job[job];
    SIM_ASSERT(j->is_live);
    MEM_RESERVE(t->free_task, t->cap_free_task, (size_t)t->n_free_task + (j->elastic.max > 0 ? j->elastic.max : j->n_tasks));
    free_chain(t, shapes, j->first_task);
    free_chain(t, shapes, j->first_spare);
    free_owned(j);
    j->is_live = false;
    j->gen++;
    MEM_PUSH(t->free_job, t->n_free_job, t->cap_free_job, job);
    t->n_live--;
}

const char *const job_class_name[JOB_CLASSES] = { [JOB_CPU] = "cpu", [JOB_SINGLE] = "single", [JOB_MULTI] = "multi" };

enum job_class job_class(const struct job *j, uint32_t multi_from)
{
    return j->n_gpu_at_once == 0 ? JOB_CPU : (uint32_t)j->n_gpu_at_once < multi_from ? JOB_SINGLE : JOB_MULTI;
}
