/*
 * tries.c -- a policy that plans nothing: in each call it tries what waits, in order, on the node that it has come to
 * with it, is told where that does not do, and goes on to the next node.  It keeps its contract by POL_REFUSED alone.
 */
#include <stdlib.h>
#include "kit.h"

/* A unit's `rank` is the node that it tries next; n_nodes: it found none, and waits until something happens. */
static void try_all(struct kit *k, uint32_t n_nodes)
{
    for (size_t i = 0; i < k->n; i++) {
        struct unit *u = &k->queue[i];
        if (u->rank >= n_nodes) continue;
        uint32_t n = u->is_gang ? u->n_tasks : 1;
        for (uint32_t t = 0; t < n; t++) k->place[t] = (struct pol_place){ .node = (uint32_t)u->rank };
        k->host->start(k->host->ctx, u->task, k->place, n, "tries");
    }
}

static void hear_refusal(struct kit *k, const struct pol_event *e, uint32_t n_nodes)
{
    uint32_t verb = e->task.slot == POL_NONE ? POL_VERB_START_GANG : POL_VERB_START;
    if (e->verb != verb || e->refusal == POL_OK || e->refusal >= POL_REFUSALS) k->host->fail(k->host->ctx, "the event says nothing");
    for (size_t i = 0; i < k->n; i++) {
        struct unit *u = &k->queue[i];
        bool same = u->is_gang ? u->job.slot == e->job.slot && e->task.slot == POL_NONE : u->task.slot == e->task.slot;
        if (!same) continue;
        if (e->refusal != POL_REFUSAL_NO_ROOM && e->refusal != POL_REFUSAL_NODE_DOWN && e->refusal != POL_REFUSAL_NO_LICENCE)
            k->host->fail(k->host->ctx, pol_refusal_words(e->refusal));
        u->rank = u->rank + 1 < n_nodes ? u->rank + 1 : n_nodes;
    }
}

static void decide(void *self, const struct pol_view *v, const struct pol_event *ev, size_t n_ev)
{
    struct kit *k = self;
    bool news = false;
    kit_hear(k, v, ev, n_ev);
    for (size_t i = 0; i < n_ev; i++) {
        if (ev[i].type == POL_REFUSED) hear_refusal(k, &ev[i], v->n_nodes);
        else news = true;
    }
    for (size_t i = 0; news && i < k->n; i++) k->queue[i].rank = 0;
    try_all(k, v->n_nodes);
    kit_close(k);
}

static void *create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, char *error, size_t cap)
{
    (void)value, (void)flags, (void)error, (void)cap;
    struct kit *k = calloc(1, sizeof *k);
    if (k != NULL) k->host = host;
    return k;
}

static void destroy(void *self)
{
    kit_fini(self);
    free(self);
}

const struct pol_ops fairway_policy = { POL_HEADER, .name = "tries", .source = "a test", .summary = "tries node after node",
    .flags = POL_TAKES_REFUSALS | POL_STRANDS, .create = create, .decide = decide, .destroy = destroy };
