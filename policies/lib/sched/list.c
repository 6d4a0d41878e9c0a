/* list.c -- one decision of a list scheduler, and a whole policy of a table, see list.h. */
#include "lib/sched/list.h"

#include "lib/util.h"

void list_estimates(struct sched *d, int64_t choice, uint32_t *flags)
{
    d->estimate = (enum sched_estimate)choice;
    if (d->estimate != SCHED_LIMIT) *flags &= ~(uint32_t)POL_USES_LIMITS;
    if (d->estimate != SCHED_TRUE) *flags &= ~(uint32_t)POL_CLAIRVOYANT;
}

int64_t list_by_gpu(const struct sched *d, const struct unit *u, int64_t time_us)
{
    int64_t milli = sched_gpu_milli(d, u);
    pol_wide product = (pol_wide)time_us * (milli > 0 ? milli : 1000);
    if (time_us == POL_NEVER) return POL_NEVER;
    return product < POL_NEVER ? (int64_t)product : POL_NEVER - 1;
}

static void run_strictly(struct sched *d)
{
    uint32_t id;
    while ((id = queue_first(&d->wait)) != POL_NONE && sched_try(d, id, "first in order, fits")) { }
    if (id != POL_NONE) sched_head(d, id, "first in order; strict order starts nothing before it");
}

__attribute__((noinline))               /* so that where nothing is skipped a decision stays small */
static void run_skipping(struct sched *d)
{
    uint32_t id;
    struct queue_walk *w = &d->walk;
    const struct queue_filter f = sched_filter(d);
    for (queue_walk_search(w, &d->wait, &d->units, &f); (id = queue_walk_top(w)) != POL_NONE;) {
        if (!sched_place(d, id)) {
            sched_pass(d, w);
            continue;
        }
        queue_walk_step(w, &d->units, POL_NEVER);     /* before the start, which takes the unit out of its place */
        sched_start(d, id, "fits");
    }
}

void list_run(struct sched *d, enum list_mode mode)
{
    if (mode == LIST_STRICT) run_strictly(d);
    else run_skipping(d);
}

/* The parameter of this name and type; NULL: the table has none. */
static const union pol_value *value_of(const struct pol_ops *table, const union pol_value *value, const char *name,
                                       uint32_t type)
{
    for (uint32_t i = 0; i < table->n_params; i++)
        if (strcmp(table->params[i].name, name) == 0 && table->params[i].type == type) return &value[i];
    return NULL;
}

void *list_create(const struct pol_ops *table, const struct sched_ops *ops, const struct pol_host *host,
                  const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    struct sched *d = pol_alloc(1, ops->size > 0 ? ops->size : sizeof *d);
    const union pol_value *place = value_of(table, value, "place", POL_PLUGIN),
                          *mode = value_of(table, value, "mode", POL_CHOICE);
    const union pol_value *estimate = value_of(table, value, "estimate", POL_CHOICE),
                          *preempt = value_of(table, value, "preempt", POL_BOOL);
    sched_init(d, host, place != NULL ? (enum placement_rule)place->chosen->index : PLACEMENT_BEST, ops, d);
    if (place != NULL && place->chosen->plugin != NULL) placement_plug(&d->placement, place->chosen->plugin, host);
    d->mode = mode != NULL ? (int)mode->i : LIST_SKIP;
    if (estimate != NULL) list_estimates(d, estimate->i, flags);
    if (preempt != NULL && preempt->i == 0) *flags &= ~(uint32_t)POL_PREEMPTS;
    if (ops->init == NULL || ops->init(d, value, error, cap)) return d;
    list_destroy(d);
    return NULL;
}

void list_decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct sched *d = self;
    sched_open(d, view, ev, n_ev);
    if (d->ops->decide != NULL) d->ops->decide(self);
    else list_run(d, (enum list_mode)d->mode);
}

void list_destroy(void *self)
{
    struct sched *d = self;
    if (d->ops->fini != NULL) d->ops->fini(self);
    sched_fini(d);
    free(d);
}
