/* A trace of one job: the workflow in the file.  Layer: input. */
#include <string.h>
#include "base/mem.h"
#include "input/tasks/dag/dag.h"
#include "input/trace/reader.h"

struct own { struct dag_opts workflow; };

struct one { struct trace_env env; struct dag dag; struct dag_job job; char *id; bool is_over; };

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct one *x = ctx;
    const struct trace_opts *o = x->env.opts;
    const struct own *own = o->own;
    const struct shape common = { .cpu_milli = o->dflt.cpu_milli, .mem_b = o->dflt.mem_b };
    if (x->is_over) return ST_END;
    x->is_over = true;
    trace_blank(out);
    out->id = x->id;
    return dag_fill(&x->dag, &x->env, &own->workflow, &common, &x->job, out, d);
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
    const struct own *own = env->opts->own;
    struct one *x;
    MEM_NEW(x);
    *out = (struct trace_reader){ .ctx = x, .next = next, .close = close_one };
    x->env = *env;
    TRY(dag_open(&x->dag, env->opts->path, env, &own->workflow, d));
    const char *base = strrchr(env->opts->path, '/') != NULL ? strrchr(env->opts->path, '/') + 1 : env->opts->path;
    x->id = mem_strdup(base);
    x->id[strcspn(x->id, ".")] = '\0';
    if (x->id[0] == '\0') (void)strcpy(x->id, "job");      /* ".txt" has an ending, so there is room */
    return ST_OK;
}

static const struct trace_option options[] = { DAG_OPTIONS(struct own, workflow) };

const struct trace_format dag_format = {
    .name = "dag", .summary = "one workflow, from a file in any of the formats that a native trace can name",
    .own_size = sizeof(struct own), .option = options, .n_options = ARRAY_LEN(options), .open = open_one,
};
