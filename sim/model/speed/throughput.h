/*
 * throughput.h -- how fast a model runs on a GPU type.  Layer: model.
 *
 * A rate of RATE_ONE is nominal: the speed at which a trace's durations were
 * measured.  0 means the configuration cannot run there.  A model without a
 * row runs at the type's general speed.
 */
#ifndef MODEL_SPEED_THROUGHPUT_H
#define MODEL_SPEED_THROUGHPUT_H

#include "base/intern.h"
#include "model/cluster/cluster.h"

struct throughput {
    struct intern models;
    sim_rate *rate; size_t cap;         /* rate[model][GPU_TYPES_MAX] */
    double *steps; size_t cap_steps;    /* [model] steps a second at nominal speed; 0: the trace does not say */
};

void     throughput_fini(struct throughput *p);             /* zero-initialise to begin */
/* A new row holds THROUGHPUT_GENERAL everywhere: the type's general speed. */
#define  THROUGHPUT_GENERAL UINT32_MAX
uint32_t throughput_model(struct throughput *p, const char *model);
void     throughput_set(struct throughput *p, uint32_t model, uint32_t gpu_type, sim_rate rate);
void     throughput_set_steps(struct throughput *p, uint32_t model, double steps_per_s);
/* 0: not known, or no model (NONE). */
double   throughput_steps(const struct throughput *p, uint32_t model);
/* Does a row say how fast the model is on the type, or is it taken for as fast as the type?  model NONE: no row does. */
bool     throughput_is_known(const struct throughput *p, uint32_t model, uint32_t gpu_type);
/* Speed of a task of `model` (NONE: no model) on a node with GPUs of `gpu_type` (NONE: CPU work, nominal). */
static inline sim_rate throughput_rate(const struct throughput *p, const struct cluster *c, uint32_t model, uint32_t gpu_type)
{
    if (gpu_type == NONE) return RATE_ONE;
    if (model != NONE) {
        sim_rate r = p->rate[(size_t)model * GPU_TYPES_MAX + gpu_type];
        if (r != THROUGHPUT_GENERAL) return r;
    }
    return c->gpu_rate[gpu_type];
}
/* The types on which the model can run, as a shape's gpu_types mask; 0: any. */
uint64_t throughput_types(const struct throughput *p, const struct cluster *c, uint32_t model);

#endif
