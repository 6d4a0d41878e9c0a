/* types.c -- see types.h. */
#include "lib/elastic/types.h"

#include "lib/util.h"

void elastic_types_list(struct elastic_types *t, const struct plan *p)
{
    t->n = 0;
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        const struct plan_node *o = &p->node[i];
        size_t k = 0;
        if (o->n.n_gpu == 0) continue;
        while (k < t->n && t->at[k].gpu_type != o->n.gpu_type) k++;
        if (k == t->n) POL_PUSH(t->at, t->n, t->cap, (struct elastic_type){ .gpu_type = o->n.gpu_type });
        struct elastic_type *x = &t->at[k];
        if (o->n.n_gpu > x->cards) x->cards = o->n.n_gpu;
        if (!o->n.is_up) continue;
        x->gpus += o->n_idle;
        x->cpu += o->n.cpu_free;
        x->mem += o->n.mem_free;
    }
    for (size_t i = 1; i < t->n; i++)           /* a few, and ties keep their order */
        for (size_t k = i; k > 0 && t->at[k - 1].cards < t->at[k].cards; k--) {
            struct elastic_type x = t->at[k];
            t->at[k] = t->at[k - 1];
            t->at[k - 1] = x;
        }
}

struct elastic_room elastic_room(const struct plan *p, const struct pol_shape *s, uint32_t gpu_type)
{
    struct elastic_room r = { .gpu_type = gpu_type };
    for (uint32_t i = 0; i < p->n_nodes; i++) {
        uint32_t n = p->node[i].n.gpu_type == gpu_type ? plan_capacity(p, i, s) : 0;
        if (n > r.near) r.near = n;
        r.all += n;
    }
    return r;
}

int64_t elastic_speed_in(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n)
{
    return n == 0 ? 0 : j->ext->speed(j->host->ctx, j->job, r->gpu_type, n, n > r->near);
}

uint32_t elastic_size_above(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n)
{
    for (uint32_t k = n < j->min ? j->min : n + 1; k <= j->max && k <= r->all; k++)
        if (elastic_speed_in(j, r, k) > 0) return k;
    return 0;
}

uint32_t elastic_size_below(const struct elastic_sized *j, const struct elastic_room *r, uint32_t n)
{
    if (n > j->max) n = j->max + 1;
    if (n > r->all) n = r->all + 1;
    while (n-- > j->min) if (elastic_speed_in(j, r, n) > 0) return n;
    return 0;
}
