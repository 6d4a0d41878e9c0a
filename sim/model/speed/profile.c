/* profile.c -- rows of profiles, few enough to be looked through one by one. */
#include "model/speed/profile.h"

#include <math.h>
#include <string.h>
#include "base/mem.h"
#include "model/data/blocks.h"

void profiles_fini(struct profiles *p)
{
    for (size_t i = 0; i < p->n; i++) {
        curve_fini(&p->at[i].util);
        curve_fini(&p->at[i].memory);
        curve_fini(&p->at[i].slow);
    }
    mem_free(p->at);
    intern_fini(&p->categories);
    measured_fini(&p->sharing.pairs);
    measured_fini(&p->apart);
    scaling_fini(&p->scaling);
    phases_fini(&p->phases);
    memset(p, 0, sizeof *p);
}

bool profiles_apart(const struct profiles *p, uint32_t model, bool is_cross, uint32_t gpu_type, double *speed)
{
    if (p->apart.n == 0) return false;
    return (is_cross && measured_find(&p->apart, model, LEVEL_CROSS, gpu_type, speed)) ||
           measured_find(&p->apart, model, LEVEL_RACK, gpu_type, speed);
}

bool profiles_add(struct profiles *p, const struct profile *row)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct profile *x = &p->at[i];
        if (x->model != row->model) continue;
        if (x->category != row->category || (x->n_nodes == row->n_nodes && x->n_gpus == row->n_gpus && x->gpu_type == row->gpu_type)) return false;
    }
    MEM_RESERVE(p->at, p->cap, p->n + 1);
    p->at[p->n] = *row;
    p->at[p->n++].best = curve_max(&row->util);
    return true;
}

static const struct profile *find_of_type(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_nodes, uint32_t n_gpus)
{
    const struct profile *best = NULL;
    for (size_t i = 0; i < p->n; i++) {
        const struct profile *x = &p->at[i];
        if (x->model != model || x->gpu_type != gpu_type || (x->n_nodes > 1) != (n_nodes > 1)) continue;
        if (x->n_nodes == n_nodes && x->n_gpus == n_gpus) return x;
        bool is_below = x->n_gpus <= n_gpus;
        if (best == NULL || (best->n_gpus <= n_gpus ? is_below && x->n_gpus > best->n_gpus : is_below || x->n_gpus < best->n_gpus)) best = x;
    }
    return best;
}

const struct profile *profiles_find(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_nodes, uint32_t n_gpus,
                                    double *scale)
{
    const struct profile *best = find_of_type(p, model, gpu_type, n_nodes, n_gpus);
    if (best == NULL && gpu_type != NONE) best = find_of_type(p, model, NONE, n_nodes, n_gpus);
    if (best != NULL) *scale = (double)n_gpus / (double)n_nodes * (double)best->n_nodes / (double)best->n_gpus;
    return best;
}

/* The row on one node, with cores as speed.c has them there. */
static const struct profile *find_on_node(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_gpus,
                                          double type_speed, double *scale)
{
    const struct profile *x = profiles_find(p, model, gpu_type, 1, n_gpus, scale);
    if (x != NULL && x->gpu_type == NONE && p->cores == PROFILE_CORES_BY_SPEED) *scale *= type_speed;
    return x;
}

double profiles_speed(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_gpus, double type_speed,
                      int64_t cpu_milli, int64_t mem_b)
{
    double scale;
    const struct profile *x = find_on_node(p, model, gpu_type, n_gpus, type_speed, &scale);
    if (x == NULL) return -1;
    double cores = curve_at(&x->util, (double)cpu_milli / 1000 / scale) / x->best;
    return curve_is_none(&x->memory) ? cores : fmin(cores, curve_at(&x->memory, (double)mem_b / 1e9));
}

void profiles_needs(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_gpus, double type_speed,
                    int64_t *cpu_milli, int64_t *mem_b)
{
    double scale;
    const struct profile *x = find_on_node(p, model, gpu_type, n_gpus, type_speed, &scale);
    *cpu_milli = x == NULL ? -1 : llround(ceil(curve_argmax(&x->util) * scale * 1000 - 1e-6));
    *mem_b = x == NULL ? -1 : llround(ceil(curve_argmax(&x->memory) * 1e9 - 1e-3));
}

uint32_t profiles_category(const struct profiles *p, uint32_t model)
{
    for (size_t i = 0; i < p->n; i++) if (p->at[i].model == model) return p->at[i].category;
    return NONE;
}
