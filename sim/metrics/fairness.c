/* fairness.c -- s of each job, kept so that sigma is formed about the exact mean.  8 bytes a job. */
#include "metrics/fairness.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

const char *const fairness_name[IDEALS] = { [IDEAL_WHOLE] = "whole", [IDEAL_SHARE] = "share" };

void fairness_fini(struct fairness *f)
{
    mem_free(f->s);
    memset(f, 0, sizeof *f);
}

double fairness_s(int64_t ideal_us, int64_t shared_us)
{
    return ideal_us > 0 && shared_us > 0 ? (double)ideal_us / (double)shared_us : NAN;
}

void fairness_add(struct fairness *f, double s)
{
    if (isnan(s)) return;
    MEM_PUSH(f->s, f->n, f->cap, s);
}

double fairness_mean(const struct fairness *f) { return stats_mean(f->s, f->n); }

/* The paper divides by the number of jobs: these are all the jobs, not a sample of them. */
double fairness_sigma(const struct fairness *f)
{
    double mean = fairness_mean(f), sum = 0;
    for (size_t i = 0; i < f->n; i++) sum += (f->s[i] - mean) * (f->s[i] - mean);
    return f->n > 0 ? sqrt(sum / (double)f->n) : NAN;
}
