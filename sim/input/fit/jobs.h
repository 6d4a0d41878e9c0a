/*
 * jobs.h -- the jobs of a trace as `fairway trace fit` and `resample` look at them: all in memory, 96 bytes a job.
 * Layer: input.
 */
#ifndef INPUT_FIT_JOBS_H
#define INPUT_FIT_JOBS_H

#include "base/intern.h"
#include "input/trace/trace.h"

/* What a job asks, all of its tasks together. */
struct fit_ask { int64_t tasks, gpu_milli, cpu_milli, mem_b, gpu_mem_b; bool gang, exclusive; };
struct fit_job {
    double   t, dur, limit;     /* s; t from the first midnight of the trace's clock at or before its first job; -1 */
    uint32_t user;
    uint64_t seq;               /* its place in the trace */
    struct fit_ask ask;
};
struct fit_jobs {
    struct fit_job *at; size_t n, cap;      /* in order of arrival */
    struct intern users;
    double   first;             /* s: when the first arrives */
    uint64_t n_more;            /* jobs that ask for what is not kept: types, labels, models, dependencies ... */
};

/* ST_EINPUT: of jobs whose tasks wait for each other. */
enum st fit_jobs_read(struct fit_jobs *j, const struct trace *t, struct diag *d);
void    fit_jobs_fini(struct fit_jobs *j);

/* What sizes are compared by: thousandths of cards, of cores where there is none. */
static inline double fit_size(const struct fit_ask *a)
{
    return (double)(a->gpu_milli > 0 ? a->gpu_milli : a->cpu_milli);
}

#define FIT_DAY 86400.0
#define FIT_HOUR 3600.0

#endif
