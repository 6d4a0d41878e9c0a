/* throughput.c -- a dense table, model by GPU type. */
#include "model/speed/throughput.h"

#include <string.h>
#include "base/mem.h"

void throughput_fini(struct throughput *p)
{
    intern_fini(&p->models);
    mem_free(p->rate);
    mem_free(p->steps);
    memset(p, 0, sizeof *p);
}

uint32_t throughput_model(struct throughput *p, const char *model)
{
    uint32_t id = intern_find(&p->models, model);
    if (id != NONE) return id;
    id = intern_id(&p->models, model);
    MEM_RESERVE(p->rate, p->cap, ((size_t)id + 1) * GPU_TYPES_MAX);
    for (size_t k = 0; k < GPU_TYPES_MAX; k++) p->rate[(size_t)id * GPU_TYPES_MAX + k] = THROUGHPUT_GENERAL;
    return id;
}

void throughput_set(struct throughput *p, uint32_t model, uint32_t gpu_type, sim_rate rate)
{
    SIM_ASSERT(model < p->models.n && gpu_type < GPU_TYPES_MAX);
    p->rate[(size_t)model * GPU_TYPES_MAX + gpu_type] = rate;
}

void throughput_set_steps(struct throughput *p, uint32_t model, double steps_per_s)
{
    MEM_RESERVE(p->steps, p->cap_steps, (size_t)model + 1);
    p->steps[model] = steps_per_s;
}

double throughput_steps(const struct throughput *p, uint32_t model) { return model < p->cap_steps ? p->steps[model] : 0; }

bool throughput_is_known(const struct throughput *p, uint32_t model, uint32_t gpu_type)
{
    return model != NONE && p->rate[(size_t)model * GPU_TYPES_MAX + gpu_type] != THROUGHPUT_GENERAL;
}

uint64_t throughput_types(const struct throughput *p, const struct cluster *c, uint32_t model)
{
    uint64_t can = 0;
    bool all = true;
    for (uint32_t k = 0; k < c->gpu_types.n; k++) {
        if (throughput_rate(p, c, model, k) > 0) can |= UINT64_C(1) << k;
        else all = false;
    }
    /* Nowhere: the bit after the last type, which no node has. */
    if (!all && can == 0) return UINT64_C(1) << (c->gpu_types.n & 63);
    return all ? 0 : can;
}
