/*
 * example.c -- a plugin that chooses nodes, for any policy that has place=: the
 * node with the fewest cards left free, and none that carries the label `drain`.
 */
#include "policy.h"

/* May it run there at all?  Leave it out of the table, and it may wherever it fits. */
static bool filter(const struct pol_ask *a)
{
    uint32_t drain = a->host->label(a->host->ctx, "drain");
    return drain == POL_NONE || (a->node->labels >> drain & 1) == 0;
}

/* The greatest wins. */
static int64_t score(const struct pol_ask *a)
{
    int64_t free_milli = 0;
    for (uint32_t k = 0; k < a->node->n_gpu; k++) free_milli += a->card[k].milli_free;
    return -free_milli;
}

const struct pol_plugin fairway_plugin = {
    POL_PLUGIN_HEADER, .name = "example", .summary = "fewest cards left free; not on nodes that are drained",
    .filter = filter, .score = score,
};
