/*
 * example.c -- the job that asks for the fewest GPUs first; one that has waited
 * longer than `patience` goes before all that have not, oldest first.
 *
 * A whole policy outside of Fairway's tree.  Rewrite `before` and the loop in
 * `decide`, and it is your own; kit.h keeps the queue and finds places.
 */
#include <stdio.h>
#include "kit.h"

struct mine { struct kit kit; int64_t patience_us; };

enum { P_PATIENCE };
static const struct pol_param params[] = {
    { .name = "patience", .type = POL_DURATION, .dflt = "24h", .help = "a job that has waited longer than this goes first" },
};

static int before(const void *x, const void *y)
{
    const struct unit *a = x, *b = y;
    if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal ? -1 : 1;
    /* No two units are equal: the order is never left to qsort. */
    return (a->index > b->index) - (a->index < b->index);
}

/* Once per round of an instant in which anything happened. */
static void decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev)
{
    struct mine *m = self;
    kit_hear(&m->kit, view, ev, n_ev);
    for (size_t i = 0; i < m->kit.n; i++) {
        struct unit *u = &m->kit.queue[i];
        u->rank = view->now_us - u->submit_us > m->patience_us ? -1 : u->gpu_milli;
    }
    if (m->kit.n > 1) qsort(m->kit.queue, m->kit.n, sizeof *m->kit.queue, before);
    for (size_t i = 0; i < m->kit.n; i++)
        (void)kit_start(&m->kit, view, &m->kit.queue[i], m->kit.queue[i].rank < 0 ? "it waited too long" : NULL);
    kit_close(&m->kit);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)flags;
    struct mine *m = calloc(1, sizeof *m);
    if (m == NULL) { (void)snprintf(error, cap, "out of memory"); return NULL; }
    m->kit.host = host;
    m->patience_us = value[P_PATIENCE].i;
    return m;
}

static void destroy(void *self)
{
    struct mine *m = self;
    kit_fini(&m->kit);
    free(m);
}

const struct pol_ops fairway_policy = {
    POL_HEADER, .name = "example", .source = "written as an example",
    .summary = "fewest GPUs first; whoever waited too long before all others",
    .n_params = sizeof params / sizeof *params, .params = params,
    .create = create, .decide = decide, .destroy = destroy,
};
