/* like.c -- estimates of run times from jobs like them, see like.h. */
#include "lib/sched/like.h"

#include "lib/util.h"

/* From the most alike on. */
enum { LEVELS = 3 };
static struct like_who level(struct like_who w, int k)
{
    if (k > 0) w = (struct like_who){ .user = w.user, .category = POL_NONE, .gpu_milli = -1 };
    if (k > 1) w.user = POL_NONE;
    return w;
}

static uint32_t hash(struct like_who w)
{
    return map_mix(((uint64_t)w.user << 32 | w.category) ^ map_mix((uint64_t)w.gpu_milli));
}

static uint32_t find(const struct like *l, struct like_who w)
{
    uint32_t id;
    MAP_EACH(id, &l->of_who, hash(w)) {
        const struct like_who *x = &l->at[id].who;
        if (x->user == w.user && x->category == w.category && x->gpu_milli == w.gpu_milli) return id;
    }
    return POL_NONE;
}

void like_fini(struct like *l)
{
    map_fini(&l->of_who);
    free(l->at);
}

void like_add(struct like *l, struct like_who who, int64_t ran)
{
    for (int k = 0; k < LEVELS; k++) {
        struct like_who w = level(who, k);
        uint32_t id = find(l, w);
        if (id == POL_NONE) {
            map_add(&l->of_who, hash(w), id = l->n);
            POL_PUSH(l->at, l->n, l->cap, (struct like_mean){ .who = w });
        }
        l->at[id].sum = pol_after(l->at[id].sum, ran);
        l->at[id].n++;
    }
}

int64_t like_estimate(const struct like *l, struct like_who who)
{
    for (int k = 0; k < LEVELS; k++) {
        uint32_t id = find(l, level(who, k));
        if (id != POL_NONE) return l->at[id].sum / l->at[id].n;
    }
    return -1;
}
