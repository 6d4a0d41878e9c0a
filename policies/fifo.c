/*
 * fifo.c -- first come, first served: units in order of arrival.  README.md, fifo.
 *
 * Cost: list_run's (lib/sched/list.h).  Source: baseline.
 */
#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"

struct fifo { struct sched sched; enum list_mode mode; };

enum { P_PLACE, P_MODE };
static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict") };
static const struct sched_ops ops;       /* nothing differs */

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags, (void)error, (void)cap;
    struct fifo *f = pol_alloc(1, sizeof *f);
    sched_init(&f->sched, host, (enum placement_rule)value[P_PLACE].i, &ops, f);
    f->sched.knows_licences = true;
    f->mode = (enum list_mode)value[P_MODE].i;
    return f;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct fifo *f = self;
    sched_open(&f->sched, view, ev, n_ev);
    list_run(&f->sched, f->mode);
}

static void destroy(void *self)
{
    struct fifo *f = self;
    sched_fini(&f->sched);
    free(f);
}

const struct pol_ops pol_fifo = {
    POL_HEADER, .name = "fifo", .source = "baseline: first come, first served",
    .summary = "units in order of arrival; strict, or skipping what does not fit",
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
