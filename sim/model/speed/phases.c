/* phases.c -- phases of models, found by the model's number. */
#include "model/speed/phases.h"

#include <string.h>
#include "base/mem.h"

void phases_fini(struct phases *p)
{
    MEM_FREE(p->at, p->of);
    memset(p, 0, sizeof *p);
}

void phases_add(struct phases *p, struct phase x)
{
    MEM_RESERVE(p->of, p->n_of, (size_t)x.model + 1);
    struct phases_span *s = &p->of[x.model];
    if (s->n == 0) s->first = (uint32_t)p->n;
    SIM_ASSERT(s->first + s->n == p->n && s->n < PHASES_MAX);
    SIM_ASSERT(x.until <= PHASES_WHOLE && x.until > (s->n > 0 ? p->at[p->n - 1].until : 0));
    s->n++;
    MEM_PUSH(p->at, p->n, p->cap, x);
}

uint32_t phases_n(const struct phases *p, uint32_t model) { return model < p->n_of ? p->of[model].n : 0; }

const struct phase *phases_get(const struct phases *p, uint32_t model, uint32_t k)
{
    return k < phases_n(p, model) ? &p->at[p->of[model].first + k] : NULL;
}

sim_work phases_end(const struct phases *p, uint32_t model, uint32_t k, sim_work all)
{
    const struct phase *x = phases_get(p, model, k);
    return x == NULL ? all : mul_div(all, x->until, PHASES_WHOLE);
}

uint32_t phases_at(const struct phases *p, uint32_t model, sim_work all, sim_work done)
{
    uint32_t k = 0, n = phases_n(p, model);
    while (k < n && phases_end(p, model, k, all) <= done) k++;
    return k;
}
