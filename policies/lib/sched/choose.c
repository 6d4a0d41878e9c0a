/* choose.c -- who runs, see choose.h. */
#include "lib/sched/choose.h"

int choose_order(const void *a, const void *b)
{
    const struct chooser *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

int64_t choose_cards(const struct sched *d)
{
    int64_t milli = 0;
    for (uint32_t n = 0; n < d->plan.n_nodes; n++)
        if (d->plan.node[n].n.is_up) milli += (int64_t)d->plan.node[n].n.n_gpu * 1000;
    return milli;
}

bool choose_takes(const struct sched *d, const struct unit *u, int64_t *left)
{
    int64_t ask = sched_gpu_milli(d, u);
    if (ask > *left) return false;
    *left -= ask;
    return true;
}

void choose_stop(struct sched *d, uint32_t unit, const char *reason)
{
    sched_release(d, unit);
    sched_preempt(d, unit, reason);
}
