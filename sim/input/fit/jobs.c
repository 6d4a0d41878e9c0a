/* jobs.c -- from a prepared trace to an array of jobs. */
#include "input/fit/jobs.h"

#include <math.h>
#include "base/mem.h"

static bool asks_more(const struct job_spec *s)
{
    bool more = s->model != NULL || s->after != NULL || s->node != NULL || s->priority != 0 || s->elastic.max > 0 ||
                s->calls != NULL;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct shape *a = &s->group[k].shape;
        more = more || a->gpu_types != 0 || a->need_all != 0 || a->need_any != 0 || s->group[k].mem_bw > 0;
    }
    return more;
}

static void add(struct fit_jobs *j, const struct job_spec *s, double midnight)
{
    struct fit_job x = { .t = (double)s->submit / (double)TICK_SEC + midnight,
                         .limit = s->limit < 0 ? -1 : (double)s->limit / (double)TICK_SEC, .seq = j->n };
    x.user = intern_id(&j->users, s->user != NULL ? s->user : "-");
    x.ask.gang = s->gang;
    for (uint32_t k = 0; k < s->n_groups; k++) {
        const struct task_group *g = &s->group[k];
        const int64_t n = g->n;
        x.ask.tasks += n;
        x.ask.gpu_milli += n * g->shape.n_gpu * g->shape.gpu_milli;
        x.ask.cpu_milli += n * g->shape.cpu_milli;
        x.ask.mem_b += n * g->shape.mem_b;
        x.ask.gpu_mem_b = i64_max(x.ask.gpu_mem_b, g->shape.gpu_mem_b);
        x.ask.exclusive |= g->shape.exclusive;
        x.dur = fmax(x.dur, (double)g->dur / (double)TICK_SEC);
    }
    j->n_more += asks_more(s);
    MEM_PUSH(j->at, j->n, j->cap, x);
}

enum st fit_jobs_read(struct fit_jobs *j, const struct trace *t, struct diag *d)
{
    const double clock = (double)t->facts.first / (double)TICK_SEC;
    struct source src;
    struct job_spec s;
    *j = (struct fit_jobs){ .first = clock - floor(clock / FIT_DAY) * FIT_DAY };
    TRY(trace_source_open(t, &src, d));
    enum st st;
    while ((st = src.next(src.ctx, &s, d)) == ST_OK && s.graph == NULL) add(j, &s, j->first);
    if (st == ST_OK)
        st = diag_at(d, ST_EINPUT, t->opts.path != NULL ? t->opts.path : "", s.line, 0,
                     "tasks of job '%s' wait for each other, which a model does not hold", s.id);
    trace_source_close(&src);
    if (st == ST_END) return ST_OK;
    fit_jobs_fini(j);
    return st;
}

void fit_jobs_fini(struct fit_jobs *j)
{
    mem_free(j->at);
    intern_fini(&j->users);
    *j = (struct fit_jobs){ .n = 0 };
}
