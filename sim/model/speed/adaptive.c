/* adaptive.c -- the best of the batch sizes that adaptive.h names, each by its closed form or by what was measured. */
#include "model/speed/adaptive.h"

#include <math.h>
#include "base/mem.h"

enum { STEPS = 50 };

/* Time of the gradient of so many examples, and of the step that ends with an exchange. */
static void step_of(const struct adaptive *a, const struct spread *where, double local, double *grad, double *step)
{
    double gpus = where->n_gpus;
    if (a->steps != NULL) {
        struct step_time t = steps_time(a->steps, where, local);
        *grad = t.step - t.sync;
        *step = t.step;
        return;
    }
    double alpha = where->n_nodes > 1 ? a->alpha_n : a->alpha_r, beta = where->n_nodes > 1 ? a->beta_n : a->beta_r;
    double sync = gpus == 1 ? 0 : alpha + beta * (gpus - 2);
    *grad = a->alpha_c + a->beta_c * local;
    *step = pow(pow(*grad, a->gamma) + pow(sync, a->gamma), 1 / a->gamma);
}

/* Of a total batch; goodput 0: it cannot be split so. */
static struct adaptive_at at_batch(const struct adaptive *a, const struct spread *where, double batch)
{
    const double gpus = where->n_gpus;
    struct adaptive_at x = { .batch = batch, .accumulate = fmax(0, ceil(batch / gpus / a->max_local - 1e-9) - 1) };
    if (gpus == 1 && batch > a->batch * (1 + 1e-9)) x.accumulate = fmax(x.accumulate, 1);
    x.local = batch / gpus / (x.accumulate + 1);
    if (a->steps != NULL) {
        x.local = fmin(ceil(x.local - 1e-9), floor(a->max_batch / gpus / (x.accumulate + 1) + 1e-9));
        x.batch = x.local * gpus * (x.accumulate + 1);
    }
    if (x.local < a->min_local * (1 - 1e-9)) return x;
    step_of(a, where, x.local, &x.grad, &x.step);
    double time = x.accumulate * x.grad + x.step;
    x.goodput = curve_is_none(&a->gain) ? x.batch / time * (a->noise + a->batch) / (a->noise + x.batch) : curve_at(&a->gain, x.batch) * a->batch / time;
    return x;
}

struct adaptive_at adaptive_best(const struct adaptive *a, const struct spread *where)
{
    double least = a->fixed > 0 ? a->fixed : fmax(a->batch, a->min_local * where->n_gpus), most = a->fixed > 0 ? a->fixed : a->max_batch;
    struct adaptive_at best = { 0 };
    struct spread found;
    if (least > most) return best;
    if (a->steps != NULL) where = (found = steps_find(a->steps, where), &found);
    for (int i = 0; i < (least < most ? STEPS : 1); i++) {
        struct adaptive_at x = at_batch(a, where, least * pow(most / least, (double)i / (STEPS - 1)));
        if (x.goodput > best.goodput) best = x;
    }
    return best;
}

double adaptive_goodput(const struct adaptive *a, uint32_t n_gpus, bool is_several)
{
    return adaptive_best(a, &(struct spread){ .n_nodes = is_several ? 2 : 1, .n_gpus = n_gpus }).goodput;
}

void adaptive_free(struct adaptive *a)
{
    if (a == NULL) return;
    curve_fini(&a->gain);
    mem_free(a);
}
