/* measured.c -- what was measured, sorted as it is added, and looked up by halves. */
#include "model/speed/measured.h"

#include <string.h>
#include "base/mem.h"

void measured_fini(struct measured *m)
{
    mem_free(m->at);
    memset(m, 0, sizeof *m);
}

static int compare(const struct measured_speed *x, uint32_t model, uint32_t where, uint32_t gpu_type)
{
    if (x->model != model) return x->model < model ? -1 : 1;
    if (x->where != where) return x->where < where ? -1 : 1;
    return (x->gpu_type > gpu_type) - (x->gpu_type < gpu_type);
}

/* Where the row is, or would be. */
static size_t place_of(const struct measured *m, uint32_t model, uint32_t where, uint32_t gpu_type, bool *is_there)
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (compare(&m->at[mid], model, where, gpu_type) < 0) lo = mid + 1;
        else hi = mid;
    }
    *is_there = lo < m->n && compare(&m->at[lo], model, where, gpu_type) == 0;
    return lo;
}

bool measured_add(struct measured *m, struct measured_speed row)
{
    bool is_there;
    size_t i = place_of(m, row.model, row.where, row.gpu_type, &is_there);
    if (is_there) return false;
    MEM_RESERVE(m->at, m->cap, m->n + 1);
    memmove(m->at + i + 1, m->at + i, (m->n++ - i) * sizeof *m->at);
    m->at[i] = row;
    return true;
}

bool measured_find(const struct measured *m, uint32_t model, uint32_t where, uint32_t gpu_type, double *speed)
{
    bool is_there = false;
    size_t i = 0;
    if (m->n == 0 || model == NONE || where == NONE) return false;
    if (gpu_type != NONE) i = place_of(m, model, where, gpu_type, &is_there);
    if (!is_there) i = place_of(m, model, where, NONE, &is_there);
    if (is_there) *speed = m->at[i].speed;
    return is_there;
}

double measured_mean(const struct measured *m, uint32_t model, uint32_t gpu_type)
{
    double sum[2] = { 0, 0 };           /* of this type, of any */
    size_t n[2] = { 0, 0 };
    for (size_t i = 0; i < m->n; i++) {
        const struct measured_speed *r = &m->at[i];
        if (r->model != model || (r->gpu_type != gpu_type && r->gpu_type != NONE)) continue;
        sum[r->gpu_type == NONE] += r->speed;
        n[r->gpu_type == NONE]++;
    }
    return n[0] > 0 ? sum[0] / (double)n[0] : n[1] > 0 ? sum[1] / (double)n[1] : 0;
}
