/* world_reserve.c -- what is reserved for jobs and lent: the acts, their facts, and who is told. */
#include "model/world_priv.h"

enum pol_refusal world_reserve(struct world *w, uint32_t job, const struct reservations_stage *s)
{
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live || w->jobs.job[job].status != JOB_LIVE) return POL_REFUSAL_NO_JOB;
    enum pol_refusal refusal = reservations_enter(&w->reservations, job, s);
    if (refusal != POL_OK) return refusal;
    const struct job *j = &w->jobs.job[job];
    world_fold(w, FACT_RESIZE, j->ordinal, s->stage, ((uint64_t)s->reserved.cpu_milli ^ (uint64_t)s->reserved.gpu_milli << 32) | UINT64_C(1) << 63);
    if (j->reservation != NULL) TELL(w, staged, job, s);
    return POL_OK;
}

enum pol_refusal world_lend(struct world *w, uint32_t task, uint32_t job, const struct reservations_amount *part)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live || w->jobs.task[task].state != TASK_RUNNING) return POL_REFUSAL_NOT_RUNNING;
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live) return POL_REFUSAL_NO_RESERVATION;
    enum pol_refusal refusal = reservations_lend(&w->reservations, task, job, part);
    if (refusal != POL_OK) return refusal;
    world_fold(w, FACT_RESIZE, order_of(w, task), w->jobs.job[job].ordinal, UINT64_MAX);        /* no amount is that */
    TELL(w, lent, task, job);
    return POL_OK;
}
