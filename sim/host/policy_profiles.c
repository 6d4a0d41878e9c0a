/* policy_profiles.c -- the rows of a unit's model, asked on behalf of a policy. */
#include "host/policy_profiles.h"

#include <math.h>
#include "model/speed/throughput.h"

/* A unit as the profiles know it: on one node. */
struct asked { const struct profiles *profiles; uint32_t model, gpu_type, n_gpus; double type_speed; };

static bool find(void *ctx, pol_task t, uint32_t gpu_type, struct asked *out)
{
    const struct world *w = policy_view_world_of(ctx, t);
    if (w == NULL || world_config(w)->profiles == NULL) return false;
    const struct job *j = world_job(w, world_task(w, t.slot)->job);
    uint32_t n_gpus = 0;
    if (j->gang)
        for (uint32_t k = j->first_task; k != NONE; k = world_task(w, k)->next)
            n_gpus += (uint32_t)world_shape(w, world_task(w, k)->shape)->n_gpu;
    else
        n_gpus = (uint32_t)world_shape(w, world_task(w, t.slot)->shape)->n_gpu;
    if (j->model == NONE || n_gpus == 0 || gpu_type >= world_cluster(w)->gpu_types.n) return false;
    double speed =
        (double)throughput_rate(world_config(w)->throughput, world_cluster(w), j->model, gpu_type) / RATE_ONE;
    *out = (struct asked){ world_config(w)->profiles, j->model, gpu_type, n_gpus, speed };
    return true;
}

int64_t policy_profiles_speed(void *ctx, pol_task t, uint32_t gpu_type, int64_t cpu_milli, int64_t mem_b)
{
    struct asked a;
    if (!find(ctx, t, gpu_type, &a)) return -1;
    double speed = profiles_speed(a.profiles, a.model, a.gpu_type, a.n_gpus, a.type_speed, cpu_milli, mem_b);
    return speed < 0 ? -1 : llround(fmin(speed, 1) * 1e6);
}

int64_t policy_profiles_apart(void *ctx, pol_task t, uint32_t gpu_type, bool is_cross)
{
    const struct world *w = policy_view_world_of(ctx, t);
    const struct profiles *profiles = w != NULL ? world_config(w)->profiles : NULL;
    double speed;
    if (w == NULL) return 0;
    if (profiles == NULL || profiles->apart.n == 0) return -1;
    uint32_t model = world_job(w, world_task(w, t.slot)->job)->model;
    return profiles_apart(profiles, model, is_cross, gpu_type, &speed) ? (int64_t)(speed * 1e6) : 0;
}

struct pol_needs policy_profiles_needs(void *ctx, pol_task t, uint32_t gpu_type)
{
    struct asked a;
    struct pol_needs n = { -1, -1 };
    if (find(ctx, t, gpu_type, &a))
        profiles_needs(a.profiles, a.model, a.gpu_type, a.n_gpus, a.type_speed, &n.cpu_milli, &n.mem_b);
    return n;
}
