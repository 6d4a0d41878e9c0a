/*
 * sjf.c -- the shortest job first, by its estimate.  README.md, sjf.
 *
 * As fifo with the estimate as the key; ties in order of arrival.
 * Cost: list_run's (lib/sched/list.h).  Source: Smith 1956, weights equal.
 */
#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"

struct sjf { struct sched sched; enum list_mode mode; };

enum { P_PLACE, P_MODE, P_ESTIMATE };
static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("strict"), LIST_ESTIMATE_PARAM };

static int64_t wait_key(void *self, const struct unit *u) { (void)self; return u->est; }
static const struct sched_ops ops = { .wait_key = wait_key };

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)error, (void)cap;
    struct sjf *s = pol_alloc(1, sizeof *s);
    sched_init(&s->sched, host, (enum placement_rule)value[P_PLACE].i, &ops, s);
    s->sched.knows_licences = true;
    s->mode = (enum list_mode)value[P_MODE].i;
    list_estimates(&s->sched, value[P_ESTIMATE].i, flags);
    return s;
}

static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct sjf *s = self;
    sched_open(&s->sched, view, ev, n_ev);
    list_run(&s->sched, s->mode);
}

static void destroy(void *self)
{
    struct sjf *s = self;
    sched_fini(&s->sched);
    free(s);
}

const struct pol_ops pol_sjf = {
    POL_HEADER, .name = "sjf", .source = "baseline: shortest job first (Smith 1956, weights equal)",
    .summary = "units by their job's estimated run time; strict, or skipping",
    .flags = POL_USES_LIMITS | POL_CLAIRVOYANT,
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
