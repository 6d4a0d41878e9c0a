/* list.c -- one decision of a list scheduler, see list.h. */
#include "lib/sched/list.h"

void list_estimates(struct sched *d, int64_t choice, uint32_t *flags)
{
    d->est_true = choice == 1;
    *flags &= ~(uint32_t)(d->est_true ? POL_USES_LIMITS : POL_CLAIRVOYANT);
}

void list_run(struct sched *d, enum list_mode mode)
{
    uint32_t id;
    if (mode == LIST_STRICT) {
        while ((id = queue_first(&d->wait)) != POL_NONE && sched_try(d, id, "first in order, fits")) { }
        if (id != POL_NONE) sched_head(d, id, "first in order; strict order starts nothing before it");
        return;
    }
    struct queue_walk *w = &d->walk;
    for (queue_walk_open(w, &d->wait, &d->units, sched_skip, d); (id = queue_walk_top(w)) != POL_NONE;) {
        if (!sched_place(d, id)) {
            sched_pass(d, w);
            continue;
        }
        queue_walk_step(w, &d->units, POL_NEVER);     /* before the start, which takes the unit out of its place */
        sched_start(d, id, "fits");
    }
}
