/* A trace of one job: the workflow in the file.  Layer: input. */
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag.h"
#include "input/trace/reader.h"

struct one { struct trace_env env; struct dag dag; struct dag_job job; char *id; bool is_over; };

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct one *x = ctx;
    const struct trace_opts *o = x->env.opts;
    const struct shape common = { .cpu_milli = o->dflt.cpu_milli, .mem_b = o->dflt.mem_b };
    if (x->is_over) return ST_END;
    x->is_over = true;
    if (o->measured != NULL) TRY(dag_spec_calls(&x->dag, &x->env, &common, &x->job, d));
    else TRY(dag_spec(&x->dag, &x->env, &common, &x->job, d));
    if (x->dag.n_rounded > 0) TRY(trace_repair(&x->env, "times of a workflow's tasks finer than a microsecond, rounded", 0, d));
    trace_blank(out);
    out->id = x->id;
    out->group = x->job.group;
    out->n_groups = x->job.n;
    out->graph = &x->job.graph;
    out->calls = o->measured != NULL ? &x->job.calls : NULL;
    return ST_OK;
}

static void close_one(void *ctx)
{
    struct one *x = ctx;
    dag_job_fini(&x->job);
    dag_fini(&x->dag);
    mem_free(x->id);
    mem_free(x);
}

static enum st open_one(const struct trace_env *env, struct trace_reader *out, struct diag *d)
{
    const struct trace_measured *m = env->opts->measured;
    struct one *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_one };
    x->env = *env;
    TRY(dag_load(&x->dag, env->opts->path, d));
    if (m != NULL) TRY(dag_measure(&x->dag, m, d));
    const char *base = strrchr(env->opts->path, '/') != NULL ? strrchr(env->opts->path, '/') + 1 : env->opts->path;
    x->id = mem_strdup(base);
    x->id[strcspn(x->id, ".")] = '\0';
    if (x->id[0] == '\0') (void)strcpy(x->id, "job");      /* ".txt" has an ending, so there is room */
    return ST_OK;
}

const struct trace_format dag_format = {
    .name = "dag", .summary = "one workflow, from a file in any of the formats that a native trace can name", .open = open_one
};
