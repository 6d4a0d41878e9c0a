/* adaptive.c -- the best of the batch sizes that adaptive.h names, each by its closed form. */
#include "model/speed/adaptive.h"

#include <math.h>

enum { STEPS = 50 };

/* Of a total batch; 0: it cannot be split so. */
static double at_batch(const struct adaptive *a, double gpus, double batch, bool is_several)
{
    double accumulate = fmax(0, ceil(batch / gpus / a->max_local - 1e-9) - 1);
    if (gpus == 1 && batch > a->batch * (1 + 1e-9)) accumulate = fmax(accumulate, 1);
    double local = batch / gpus / (accumulate + 1);
    if (local < a->min_local * (1 - 1e-9)) return 0;
    double grad = a->alpha_c + a->beta_c * local, alpha = is_several ? a->alpha_n : a->alpha_r, beta = is_several ? a->beta_n : a->beta_r;
    double sync = gpus == 1 ? 0 : alpha + beta * (gpus - 2);
    double step = accumulate * grad + pow(pow(grad, a->gamma) + pow(sync, a->gamma), 1 / a->gamma);
    return batch / step * (a->noise + a->batch) / (a->noise + batch);
}

double adaptive_goodput(const struct adaptive *a, uint32_t n_gpus, bool is_several)
{
    double least = fmax(a->batch, a->min_local * n_gpus), best = 0;
    if (least > a->max_batch) return 0;
    for (int i = 0; i < STEPS; i++)
        best = fmax(best, at_batch(a, n_gpus, least * pow(a->max_batch / least, (double)i / (STEPS - 1)), is_several));
    return best;
}
