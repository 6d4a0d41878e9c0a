/* flow_model.c -- a round of a file told to the solver as flow_model.h says. */
#include "cmd/flow/flow_model.h"

#include <string.h>
#include "base/mem.h"

static enum st find_sizes(struct flow_model *m, const char *path, struct diag *d)
{
    const struct flow_round *f = m->f;
    MEM_ARRAY(m->mem_size, ASSIGN_CLASSES_MAX);
    MEM_ARRAY(m->gpu_size, f->n_gpus);
    for (uint32_t g = 0; g < f->n_gpus; g++) {
        uint32_t k = 0;
        while (k < m->n_sizes && m->mem_size[k] < f->gpu_mem[g]) k++;
        if (k < m->n_sizes && m->mem_size[k] == f->gpu_mem[g]) continue;
        if (m->n_sizes == ASSIGN_CLASSES_MAX)
            return diag_at(d, ST_EINPUT, path, 0, 0, "more than %d sizes of GPU memory", ASSIGN_CLASSES_MAX);
        memmove(&m->mem_size[k + 1], &m->mem_size[k], (m->n_sizes - k) * sizeof *m->mem_size);
        m->mem_size[k] = f->gpu_mem[g];
        m->n_sizes++;
    }
    for (uint32_t g = 0; g < f->n_gpus; g++)
        for (uint32_t k = 0; k < m->n_sizes; k++) if (m->mem_size[k] == f->gpu_mem[g]) m->gpu_size[g] = k;
    return ST_OK;
}

enum st flow_model_init(struct flow_model *m, const struct flow_round *f, const char *path, struct diag *d)
{
    *m = (struct flow_model){ .f = f };
    TRY(find_sizes(m, path, d));
    MEM_ARRAY(m->n_free, (size_t)f->n_nodes * m->n_sizes);
    m->s = assign_create(f->n_racks, f->n_nodes, f->rack, m->n_sizes);
    for (uint32_t g = 0; g < f->n_gpus; g++) assign_places(m->s, f->gpu_node[g], m->gpu_size[g], 0);
    for (uint32_t j = 0; j < f->n_jobs; j++) assign_job(m->s, j, f->job_share[j], f->alpha);
    return ST_OK;
}

void flow_model_fini(struct flow_model *m)
{
    assign_destroy(m->s);
    mem_free(m->mem_size); mem_free(m->gpu_size); mem_free(m->n_free); mem_free(m->near);
}

void flow_model_gpu(struct flow_model *m, uint32_t g, bool comes)
{
    uint32_t *n = &m->n_free[(size_t)m->f->gpu_node[g] * m->n_sizes + m->gpu_size[g]];
    *n += comes ? 1u : UINT32_MAX;
    assign_places(m->s, m->f->gpu_node[g], m->gpu_size[g], *n);
}

void flow_model_task(struct flow_model *m, uint32_t t)
{
    const struct flow_round *f = m->f;
    struct assign_task in = { .job = f->task_job[t], .far = flow_round_cross(f, t) };
    int64_t rack_cost = flow_round_rack(f, t);
    for (uint32_t k = 0; k < m->n_sizes; k++) if (m->mem_size[k] >= f->mem[t]) in.fits |= UINT64_C(1) << k;
    MEM_RESERVE(m->near, m->cap_near, 2 * (f->rep0[t + 1] - f->rep0[t]));
    for (size_t i = f->rep0[t]; i < f->rep0[t + 1]; i++) {
        uint32_t node = f->rep[i], rack = f->rack[node], k = 0;
        m->near[in.n_near++] = (struct assign_near){ node, 0, flow_round_local(f, t, node) };
        while (k < in.n_near && !(m->near[k].is_rack && m->near[k].at == rack)) k++;
        if (k == in.n_near) m->near[in.n_near++] = (struct assign_near){ rack, 1, rack_cost };
    }
    in.near = m->near;
    assign_add(m->s, t, &in);
}
