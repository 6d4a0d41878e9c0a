/* sharing.c -- measured pairs, sorted as they are added, and looked up by halves. */
#include "model/speed/sharing.h"

#include <string.h>
#include "base/mem.h"

void sharing_fini(struct sharing *s)
{
    mem_free(s->at);
    memset(s, 0, sizeof *s);
}

static int compare(const struct sharing_pair *x, uint32_t model, uint32_t beside, uint32_t gpu_type)
{
    if (x->model != model) return x->model < model ? -1 : 1;
    if (x->beside != beside) return x->beside < beside ? -1 : 1;
    return (x->gpu_type > gpu_type) - (x->gpu_type < gpu_type);
}

/* Where the pair is, or would be. */
static size_t place_of(const struct sharing *s, uint32_t model, uint32_t beside, uint32_t gpu_type, bool *is_there)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (compare(&s->at[mid], model, beside, gpu_type) < 0) lo = mid + 1;
        else hi = mid;
    }
    *is_there = lo < s->n && compare(&s->at[lo], model, beside, gpu_type) == 0;
    return lo;
}

bool sharing_add(struct sharing *s, struct sharing_pair pair)
{
    bool is_there;
    size_t i = place_of(s, pair.model, pair.beside, pair.gpu_type, &is_there);
    if (is_there) return false;
    MEM_RESERVE(s->at, s->cap, s->n + 1);
    memmove(s->at + i + 1, s->at + i, (s->n++ - i) * sizeof *s->at);
    s->at[i] = pair;
    return true;
}

bool sharing_find(const struct sharing *s, uint32_t model, uint32_t beside, uint32_t gpu_type, double *speed)
{
    bool is_there = false;
    size_t i = 0;
    if (s->n == 0 || model == NONE || beside == NONE) return false;
    if (gpu_type != NONE) i = place_of(s, model, beside, gpu_type, &is_there);
    if (!is_there) i = place_of(s, model, beside, NONE, &is_there);
    if (is_there) *speed = s->at[i].speed;
    return is_there;
}
