/* as_calls.c -- the reader of as_calls.h: each job that comes by with an order and no calls is given calls. */
#include "input/trace/format/as_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/mem.h"
#include "model/calls/calltime.h"

struct as_calls {
    struct trace_env env;
    struct trace_reader inner;
    uint32_t mask;              /* engine types that some node has */
    /* The job handed out. */
    struct task_calls calls;
    struct task_group *group;   size_t cap_group;
    uint32_t *first, *n;        size_t cap_first, cap_n;       /* [tasks] */
    struct call *call;          size_t cap_call;               /* [groups] */
};

/* Rounded up, so that work at any speed takes its time; -1: longer than can be counted. */
static sim_tick time_at(sim_tick dur, int64_t milli)
{
    if (dur / milli >= DUR_MAX / 1000) return -1;
    sim_tick us = mul_div(dur, 1000, milli);
    us += mul_div(us, milli, 1000) < dur;
    return us <= DUR_MAX ? us : -1;
}

/* The API of a duration, in the table for every speed.  A trace is read more than once: it may be there. */
static enum st api_of(const struct as_calls *x, const struct job_spec *s, sim_tick dur, uint32_t *api, struct diag *d)
{
    const struct trace_opts *o = x->env.opts;
    char name[48];
    (void)snprintf(name, sizeof name, "task of %" PRId64 ".%06" PRId64 " s", dur / TICK_SEC, dur % TICK_SEC);
    *api = intern_id(&o->times->apis, name);
    for (uint32_t e = 0; e < ENGINE_TYPES_MAX; e++) {
        if (o->as_calls[e] == 0) continue;
        sim_tick us = time_at(dur, o->as_calls[e]);
        if (us < 0)
            return diag_at(d, ST_EINPUT, o->path != NULL ? o->path : "", s->line, 0,
                           "job '%s': a task is slower on engine '%s' than can be counted", s->id,
                           intern_name(&x->env.cluster->engines, e));
        (void)calltime_add(o->times, *api, e, 1, us);
    }
    return ST_OK;
}

static enum st make_group(struct as_calls *x, const struct job_spec *s, uint32_t g, struct diag *d)
{
    uint32_t api;
    if (s->group[g].shape.n_gpu > 0)
        return diag_at(d, ST_EINPUT, x->env.opts->path != NULL ? x->env.opts->path : "", s->line, 0,
                       "job '%s': a task asks for GPUs; 'engines.tasks' is about tasks on cores", s->id);
    TRY(api_of(x, s, s->group[g].dur, &api, d));
    x->group[g] = s->group[g];
    x->group[g].dur = calltime_best(x->env.opts->times, api, 1, x->mask);
    x->call[g] = (struct call){ .api = api, .size = 1 };
    return ST_OK;
}

static enum st next(void *ctx, struct job_spec *out, struct diag *d)
{
    struct as_calls *x = ctx;
    uint32_t n_tasks = 0;
    TRY(x->inner.next(x->inner.ctx, out, d));
    if (out->graph == NULL || out->calls != NULL) return ST_OK;
    MEM_RESERVE(x->group, x->cap_group, out->n_groups);
    MEM_RESERVE(x->call, x->cap_call, out->n_groups);
    for (uint32_t g = 0; g < out->n_groups; g++) {
        TRY(make_group(x, out, g, d));
        MEM_RESERVE(x->first, x->cap_first, (size_t)n_tasks + out->group[g].n);
        MEM_RESERVE(x->n, x->cap_n, (size_t)n_tasks + out->group[g].n);
        for (uint32_t k = 0; k < out->group[g].n; k++, n_tasks++) {
            x->first[n_tasks] = g;
            x->n[n_tasks] = 1;
        }
    }
    x->calls = (struct task_calls){ .first = x->first, .n = x->n, .call = x->call, .n_calls = out->n_groups };
    out->group = x->group;
    out->calls = &x->calls;
    return ST_OK;
}

static void close_as_calls(void *ctx)
{
    struct as_calls *x = ctx;
    x->inner.close(x->inner.ctx);
    mem_free(x->group);
    mem_free(x->first);
    mem_free(x->n);
    mem_free(x->call);
    mem_free(x);
}

void as_calls_open(const struct trace_env *env, struct trace_reader *r)
{
    bool any = false;
    for (uint32_t e = 0; e < ENGINE_TYPES_MAX; e++) any = any || env->opts->as_calls[e] > 0;
    if (!any) return;
    struct as_calls *x;
    MEM_NEW(x);
    *x = (struct as_calls){ .env = *env, .inner = *r, .mask = cluster_engine_types(env->cluster) };
    *r = (struct trace_reader){ .ctx = x, .next = next, .close = close_as_calls, .in_order = x->inner.in_order };
}
