/*
 * finish_time.c -- finish-time fairness: the least greatest ratio of when a job will be done to when it would be with
 * an equal share of the cluster.
 *
 *     rho_j = (elapsed + left / rate) / (alone + left / isolated rate)
 *
 * For a given rho every job has a rate that it needs, left / (rho x (alone + left / isolated) - elapsed), and a linear
 * program says by what factor s all of these can be exceeded at once.  The rates it finds have a greatest ratio of
 * their own, no more than rho, which is the next rho; s = 1 is the end.  It begins with what the equal shares give,
 * which is always possible.  (The authors hand the convex program to a solver.)
 */
#include <math.h>
#include "gavel/program.h"

enum { STEPS_MAX = 100 };

/* What the job's finish with an equal share of the cluster is measured by; > 0 for a job that can run. */
static double fair_time(const struct gavel_program *p, uint32_t j)
{
    double rate = gavel_program_isolated(p, j, NULL);
    return rate > 0 ? p->job[j].alone + p->job[j].left / rate : 0;
}

static void set_needs(struct gavel_program *p, double rho)
{
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        struct gavel_job *job = &p->job[j];
        double time = rho * fair_time(p, j) - job->elapsed;
        job->unit = 1;
        job->base = 0;
        job->need = time > 0 && job->left > 0 ? job->left / time : 0;
    }
}

bool gavel_finish_time_solve(struct gavel_program *p, char *error, size_t cap)
{
    double rho = 0, s;
    for (uint32_t j = 0; j < p->n_jobs; j++) {
        double rate = gavel_program_isolated(p, j, NULL);
        if (rate > 0) rho = fmax(rho, (p->job[j].elapsed + p->job[j].left / rate) / fmax(1e-9, fair_time(p, j)));
    }
    for (int step = 0; step < STEPS_MAX; step++) {
        double next = 0;
        set_needs(p, rho);
        if (!gavel_program_raise(p, LP_SIMPLEX, &s, error, cap)) return false;
        for (uint32_t j = 0; j < p->n_jobs; j++)
            if (p->job[j].need > 0)
                next = fmax(next, (p->job[j].elapsed + p->job[j].left / (s * p->job[j].need)) / fair_time(p, j));
        if (!(next < rho * (1 - 1e-7))) break;
        rho = next;
    }
    set_needs(p, rho);
    return gavel_program_settle(p, 1, error, cap);
}
