/*
 * A measured workflow as tasks of calls: each task is one call of an API of its
 * own, as each was measured by itself, and its times are those of the file.
 * Layer: input.
 */
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag/dag.h"
#include "model/calls/calltime.h"

enum { NAME_MAX = 300 };

/* "FILE:TASK", the file without folder and ending. */
static uint32_t api_of(const struct dag *g, const char *task, struct intern *apis)
{
    char name[NAME_MAX];
    const char *base = strrchr(g->path, '/') != NULL ? strrchr(g->path, '/') + 1 : g->path;
    (void)snprintf(name, sizeof name, "%.*s:%.100s", (int)i64_min((int64_t)strcspn(base, "."), 150), base, task);
    return intern_id(apis, name);
}

/* A trace is read more than once, so times may be there already; those of another file of that name are an error. */
static bool add_times(const struct dag_task *t, uint32_t api, bool is_new, const struct trace_measured *m, struct calltime *times)
{
    for (uint32_t e = 0; e < m->n && e < DAG_ENGINES; e++) {
        if (m->engine[e] == NONE) continue;
        if (is_new && t->dur[e] >= 0) (void)calltime_add(times, api, m->engine[e], 1, t->dur[e]);
        if (calltime_us(times, api, m->engine[e], 1) != t->dur[e]) return false;
    }
    return true;
}

enum st dag_measure(struct dag *g, const struct trace_measured *m, struct calltime *times, struct diag *d)
{
    if (!g->is_measured) {
        (void)diag_at(d, ST_EINPUT, g->path, 0, 0, "has no times on several engines, which 'measured' is about");
        diag_hint(d, "workflows in files .txt have; see " DIAG_DOC("traces/README.md"));
        return ST_EINPUT;
    }
    MEM_ARRAY(g->api, g->n);
    for (uint32_t i = 0; i < g->names.n; i++) {
        uint32_t task = g->of_name[i];
        if (task == NONE) continue;
        const uint32_t known = times->apis.n;
        g->api[task] = api_of(g, intern_name(&g->names, i), &times->apis);
        if (!add_times(&g->task[task], g->api[task], g->api[task] == known, m, times))
            return diag_at(d, ST_EINPUT, g->path, g->task[task].line, 0, "task '%.80s' has other times in another workflow's file of the same name", intern_name(&g->names, i));
    }
    return ST_OK;
}

enum st dag_spec_calls(const struct dag *g, const struct trace_env *env, const struct shape *common, struct dag_job *out, struct diag *d)
{
    const uint32_t mask = cluster_engine_types(env->cluster);
    memset(out, 0, sizeof *out);
    MEM_ARRAY(out->group, g->n);
    MEM_ARRAY(out->first, g->n);
    MEM_ARRAY(out->n_calls, g->n);
    MEM_ARRAY(out->call, g->n);
    for (uint32_t k = 0; k < g->n; k++) {
        out->group[k] = (struct task_group){ .n = 1, .dur = calltime_best(env->opts->times, g->api[k], 1, mask), .shape = *common };
        out->group[k].shape.gpu_types = 0;
        if (out->group[k].dur < 0) {
            dag_job_fini(out);
            return diag_at(d, ST_EINPUT, g->path, g->task[k].line, 0, "the task has a time on none of the engines that 'measured' names");
        }
        out->first[k] = k;
        out->n_calls[k] = 1;
        out->call[k] = (struct call){ .api = g->api[k], .size = 1 };
    }
    out->n = g->n;
    dag_job_graph(g, out);
    out->calls = (struct task_calls){ .first = out->first, .n = out->n_calls, .call = out->call, .n_calls = g->n };
    return ST_OK;
}

enum st dag_open(struct dag *g, const char *path, const struct trace_env *env, const struct dag_opts *o, struct diag *d)
{
    TRY(dag_load(g, path, o->files, d));
    enum st st = o->files ? dag_file_blocks(g, env->data, d) : ST_OK;
    if (st == ST_OK && o->measured.n > 0) st = dag_measure(g, &o->measured, env->opts->times, d);
    if (st != ST_OK) dag_fini(g);
    return st;
}

enum st dag_fill(const struct dag *g, const struct trace_env *env, const struct dag_opts *o, const struct shape *common,
                 struct dag_job *job, struct job_spec *out, struct diag *d)
{
    const bool makes_calls = g->api != NULL;
    if (makes_calls) TRY(dag_spec_calls(g, env, common, job, d));
    else TRY(dag_spec(g, env, o, common, job, d));
    if (g->n_rounded > 0) TRY(trace_repair(env, "times of a workflow's tasks finer than a microsecond, rounded", out->line, d));
    out->group = job->group;
    out->n_groups = job->n;
    out->graph = &job->graph;
    out->recorded = g->recorded;
    out->calls = makes_calls ? &job->calls : NULL;
    return ST_OK;
}
