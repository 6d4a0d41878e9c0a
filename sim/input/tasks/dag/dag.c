/*
 * dag.c -- a workflow from its file to a job: picks the reader, turns names into
 * tasks, refuses circles, and makes groups and graph.  O(tasks + waits log waits),
 * but for errors, which look names up one by one.
 */
#include "input/tasks/dag/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "model/data/net.h"

enum { TASKS_MAX = (1 << 20) - 1, EDGES_MAX = 1 << 24 };

void dag_fini(struct dag *g)
{
    mem_free(g->path);
    intern_fini(&g->names);
    mem_free(g->task);
    mem_free(g->of_name);
    mem_free(g->edge);
    mem_free(g->licence);
    mem_free(g->after_start);
    mem_free(g->after);
    mem_free(g->after_b);
    mem_free(g->api);
    intern_fini(&g->files);
    mem_free(g->file);
    mem_free(g->read);
    intern_fini(&g->machines);
    mem_free(g->machine_khz);
    memset(g, 0, sizeof *g);
}

static uint32_t name_id(struct dag *g, const char *name)
{
    uint32_t old = g->names.n, id = intern_id(&g->names, name);
    MEM_RESERVE(g->of_name, g->cap_of_name, (size_t)id + 1);
    if (id == old) g->of_name[id] = NONE;
    return id;
}

enum st dag_add(struct dag *g, const char *name, uint32_t line, uint32_t *at, struct diag *d)
{
    uint32_t id = name_id(g, name);
    if (g->of_name[id] != NONE)
        return diag_at(d, ST_EINPUT, g->path, line, 0, "task '%.80s' stands here again; it is on line %u", name, g->task[g->of_name[id]].line);
    if (g->n == TASKS_MAX) return diag_at(d, ST_EINPUT, g->path, line, 0, "more than %d tasks", TASKS_MAX);
    MEM_RESERVE(g->task, g->cap_task, (size_t)g->n + 1);
    g->task[g->n] = (struct dag_task){ .line = line, .dur = { -1, -1, -1 }, .cpu_milli = -1, .mem_b = -1,
                                       .machine = NONE };
    *at = g->of_name[id] = g->n++;
    return ST_OK;
}

void dag_wait(struct dag *g, uint32_t task, const char *parent, uint32_t line, int64_t size)
{
    MEM_RESERVE(g->edge, g->cap_edge, (size_t)g->n_edges + 1);
    g->edge[g->n_edges++] = (struct dag_edge){ .task = task, .parent = name_id(g, parent), .line = line, .size = size };
}

sim_tick dag_time(struct dag *g, double v, double unit)
{
    double us = v * unit;
    if (!(us >= 0) || us > (double)DUR_MAX) return -1;
    if (fabs(us - (double)llround(us)) > 1e-4) g->n_rounded++;      /* further off than a double is */
    return llround(us);
}

/* ---- checks ---- */

static const char *name_of(const struct dag *g, uint32_t task)
{
    for (uint32_t i = 0; i < g->names.n; i++) if (g->of_name[i] == task) return intern_name(&g->names, i);
    return "?";
}

static int by_task(const void *a, const void *b)
{
    const struct dag_edge *x = a, *y = b;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    return x->parent < y->parent ? -1 : x->parent > y->parent;
}

/* Names to tasks, sorted, none twice; what several edges between two tasks carry adds up. */
static enum st resolve(struct dag *g, struct diag *d)
{
    if (g->n_edges > EDGES_MAX) return diag_at(d, ST_EINPUT, g->path, 0, 0, "more than %d waits", EDGES_MAX);
    for (uint32_t e = 0; e < g->n_edges; e++) {
        struct dag_edge *x = &g->edge[e];
        uint32_t parent = g->of_name[x->parent];
        const char *name = intern_name(&g->names, x->parent);
        if (parent == NONE) {
            enum st st = diag_at(d, ST_EINPUT, g->path, x->line, 0, "task '%.80s' waits for '%.80s', which is not in the file", name_of(g, x->task), name);
            const char **known;
            uint32_t n = 0;
            MEM_ARRAY(known, g->names.n);
            for (uint32_t i = 0; i < g->names.n; i++) if (g->of_name[i] != NONE) known[n++] = intern_name(&g->names, i);
            const char *near = diag_nearest(name, known, n);
            if (near != NULL) diag_hint(d, "did you mean '%s'?", near);
            mem_free(known);
            return st;
        }
        if (parent == x->task) return diag_at(d, ST_EINPUT, g->path, x->line, 0, "task '%.80s' waits for itself", name);
        x->parent = parent;
    }
    if (g->n_edges > 0) qsort(g->edge, g->n_edges, sizeof *g->edge, by_task);
    MEM_ARRAY(g->after_start, (size_t)g->n + 1);
    MEM_ARRAY(g->after, g->n_edges);
    MEM_ARRAY(g->after_b, g->n_edges);
    uint32_t n = 0;
    for (uint32_t e = 0; e < g->n_edges; e++) {
        const struct dag_edge *x = &g->edge[e];
        if (e == 0 || by_task(x - 1, x) != 0) g->after[n++] = x->parent;
        g->after_b[n - 1] += x->size;
        g->after_start[x->task + 1] = n;
        if (g->after_b[n - 1] > NET_SIZE_MAX)
            return diag_at(d, ST_EINPUT, g->path, x->line, 0, "task '%.80s' reads more than 2^49 bytes (562 TB) of "
                           "'%.80s', the most that is modelled", name_of(g, x->task), name_of(g, x->parent));
    }
    for (uint32_t k = 0; k < g->n; k++) if (g->after_start[k + 1] < g->after_start[k]) g->after_start[k + 1] = g->after_start[k];
    return ST_OK;
}

/* From a task that never becomes free, back along its waits until one comes again: that circle is named. */
static enum st circle(const struct dag *g, const uint32_t *wait, uint32_t from, struct diag *d)
{
    bool *seen;
    MEM_ARRAY(seen, g->n);
    uint32_t k = from;
    while (!seen[k]) {
        seen[k] = true;
        for (uint32_t e = g->after_start[k]; e < g->after_start[k + 1]; e++) if (wait[g->after[e]] > 0) { k = g->after[e]; break; }
    }
    char text[400];
    size_t at = 0;
    uint32_t c = k;
    do {
        at += (size_t)snprintf(text + at, sizeof text - at, "'%.60s' waits for ", name_of(g, c));
        for (uint32_t e = g->after_start[c]; e < g->after_start[c + 1]; e++) if (wait[g->after[e]] > 0) { c = g->after[e]; break; }
    } while (c != k && at < sizeof text - 100);
    enum st st = diag_at(d, ST_EINPUT, g->path, g->task[k].line, 0, "tasks wait for each other in a circle: %s%s'%.60s'", text, c == k ? "" : "... ", name_of(g, k));
    mem_free(seen);
    return st;
}

static enum st check_circles(const struct dag *g, struct diag *d)
{
    uint32_t *wait, *next_start, *next, *order, n_ready = 0;
    MEM_ARRAY(wait, g->n); MEM_ARRAY(order, g->n);
    MEM_ARRAY(next_start, (size_t)g->n + 2); MEM_ARRAY(next, g->after_start[g->n]);
    for (uint32_t e = 0; e < g->after_start[g->n]; e++) next_start[g->after[e] + 2]++;
    for (uint32_t k = 0; k < g->n; k++) next_start[k + 2] += next_start[k + 1];
    for (uint32_t k = 0; k < g->n; k++) {
        wait[k] = g->after_start[k + 1] - g->after_start[k];
        if (wait[k] == 0) order[n_ready++] = k;
        for (uint32_t e = g->after_start[k]; e < g->after_start[k + 1]; e++) next[next_start[g->after[e] + 1]++] = k;
    }
    for (uint32_t i = 0; i < n_ready; i++)
        for (uint32_t e = next_start[order[i]]; e < next_start[order[i] + 1]; e++)
            if (--wait[next[e]] == 0) order[n_ready++] = next[e];
    enum st st = ST_OK;
    for (uint32_t k = 0; k < g->n && n_ready < g->n && st == ST_OK; k++) if (wait[k] > 0) st = circle(g, wait, k, d);
    mem_free(wait); mem_free(order); mem_free(next_start); mem_free(next);
    return st;
}

/* ---- reading ---- */

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n > m && strcmp(s + n - m, end) == 0;
}

static enum st read_file(struct dag *g, bool files, struct diag *d)
{
    static const struct { const char *end; enum st (*read)(struct dag *, struct diag *); bool has_files; } formats[] = {
        { ".json", dag_read_json, true }, { ".dax", dag_read_dax, false }, { ".xml", dag_read_dax, false },
        { ".txt", dag_read_measured, false }, { ".steps", dag_read_steps, false },
    };
    for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
        if (!ends_in(g->path, formats[i].end)) continue;
        if (files && !formats[i].has_files)
            return diag_at(d, ST_EINPUT, g->path, 0, 0, "has no files for 'files' to count, as WfFormat (.json) has");
        g->reads_files = files;
        return formats[i].read(g, d);
    }
    return diag_at(d, ST_EINPUT, g->path, 0, 0, "is a workflow of unknown format; expected .json (WfFormat), .dax or .xml (Pegasus), .txt (measured) or .steps");
}

enum st dag_load(struct dag *g, const char *path, bool files, struct diag *d)
{
    memset(g, 0, sizeof *g);
    g->path = mem_strdup(path);
    enum st st = read_file(g, files, d);
    if (st == ST_OK && g->n == 0) st = diag_at(d, ST_EINPUT, path, 0, 0, "describes no task");
    if (st == ST_OK) st = resolve(g, d);
    if (st == ST_OK) st = check_circles(g, d);
    if (st != ST_OK) dag_fini(g);
    return st;
}

/* ---- as a job ---- */

/* What the machine on which the task ran says of it. */
static enum st ask_machine(const struct dag *g, const struct trace_env *env, const struct dag_opts *o, uint32_t k,
                           struct task_group *out, struct diag *d)
{
    const struct dag_task *t = &g->task[k];
    const struct intern *labels = &env->cluster->labels;
    const char *task = name_of(g, k);
    if (t->machine == NONE)
        return diag_at(d, ST_EINPUT, g->path, t->line, 0, "task '%.80s' ran on no named machine, or several", task);
    const char *machine = intern_name(&g->machines, t->machine);
    uint32_t label = intern_find(labels, machine);
    if (o->machines && label == NONE) {
        (void)diag_at(d, ST_EINPUT, g->path, t->line, 0, "task '%.80s' ran on machine '%.80s'; no node has that label",
                      task, machine);
        return diag_suggest(d, machine, (const char *const *)labels->name, labels->n);
    }
    if (o->machines) out->shape.need_all |= UINT64_C(1) << label;
    if (o->machine_mhz <= 0) return ST_OK;
    double us = (double)out->dur * ((double)g->machine_khz[t->machine] / (o->machine_mhz * 1000));
    if (g->machine_khz[t->machine] == 0)
        return diag_at(d, ST_EINPUT, g->path, t->line, 0, "task '%.80s' ran on machine '%.80s' of unknown clock",
                       task, machine);
    if (us > (double)DUR_MAX)
        return diag_at(d, ST_EINPUT, g->path, t->line, 0, "task '%.80s' takes longer than can be counted", task);
    out->dur = llround(us);
    return ST_OK;
}

enum st dag_spec(const struct dag *g, const struct trace_env *env, const struct dag_opts *opts,
                 const struct shape *common, struct dag_job *out, struct diag *d)
{
    uint32_t licence = NONE;
    enum st st;
    memset(out, 0, sizeof *out);
    if (g->licence != NULL) {
        struct diag own = { 0 };
        licence = cluster_licence(env->cluster, g->licence, &own);
        if (licence == NONE) return diag_at(d, own.code, g->path, 0, 0, "%s", own.msg);
    }
    MEM_ARRAY(out->group, g->n);
    for (uint32_t k = 0; k < g->n; k++) {
        const struct dag_task *t = &g->task[k];
        struct task_group *o = &out->group[k];
        bool on_gpu = t->dur[DAG_CPU] < 0 || (t->dur[DAG_GPU] >= 0 && t->dur[DAG_GPU] < t->dur[DAG_CPU]);
        int32_t gpus = t->gpus > 0 ? t->gpus : on_gpu;
        *o = (struct task_group){ .n = 1, .dur = on_gpu ? t->dur[DAG_GPU] : t->dur[DAG_CPU], .shape = *common };
        if (o->dur < 0) {
            dag_job_fini(out);
            return diag_at(d, ST_EINPUT, g->path, t->line, 0, "task '%.80s' has a time neither on a core nor on the first kind of GPU", name_of(g, k));
        }
        o->shape.cpu_milli = t->cpu_milli >= 0 ? t->cpu_milli : common->cpu_milli;
        o->shape.mem_b = t->mem_b >= 0 ? t->mem_b : common->mem_b;
        o->shape.n_gpu = gpus;
        o->shape.gpu_milli = gpus > 0 ? GPU_WHOLE : 0;
        if (gpus == 0) { o->shape.gpu_types = 0; o->shape.gpu_mem_b = 0; }
        if (licence != NONE) o->shape.licence[licence] += t->licences;
        if ((opts->machines || opts->machine_mhz > 0) && (st = ask_machine(g, env, opts, k, o, d)) != ST_OK) {
            dag_job_fini(out);
            return st;
        }
    }
    out->n = g->n;
    dag_job_graph(g, out);
    return ST_OK;
}

void dag_job_graph(const struct dag *g, struct dag_job *out)
{
    uint32_t n_in = 0, n_after = 0, r = 0;
    MEM_ARRAY(out->in_start, (size_t)g->n + 1);
    MEM_ARRAY(out->after_start, (size_t)g->n + 1);
    MEM_ARRAY(out->in, (size_t)g->after_start[g->n] + g->n_reads);
    MEM_ARRAY(out->after, g->after_start[g->n]);
    for (uint32_t k = 0; k < g->n; k++) {
        for (uint32_t e = g->after_start[k]; e < g->after_start[k + 1]; e++) {
            if (g->after_b[e] == 0) out->after[n_after++] = g->after[e];
            else out->in[n_in++] = (struct task_input){ .block = NONE, .task = g->after[e], .part = g->after_b[e] };
        }
        for (; r < g->n_reads && g->read[r].task == k; r++)
            out->in[n_in++] = (struct task_input){ .block = g->file[g->read[r].file].block, .task = NONE };
        out->in_start[k + 1] = n_in;
        out->after_start[k + 1] = n_after;
    }
    out->graph = (struct task_graph){ .in_start = out->in_start, .in = out->in, .after_start = out->after_start,
                                      .after = out->after };
}

void dag_job_fini(struct dag_job *j)
{
    mem_free(j->group);
    mem_free(j->in_start);
    mem_free(j->in);
    mem_free(j->after_start);
    mem_free(j->after);
    mem_free(j->first);
    mem_free(j->n_calls);
    mem_free(j->call);
    memset(j, 0, sizeof *j);
}
