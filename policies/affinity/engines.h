/*
 * engines.h -- where engines are and which are free, by type and tier, for calls that go to
 * other nodes.  The nodes of a tier are equally far from any node, so the first of them
 * with a free engine stands for all.
 * Cost: O(nodes / 64) a search, O(engine types) for a node that changed.
 */
#ifndef POL_AFFINITY_ENGINES_H
#define POL_AFFINITY_ENGINES_H

#include "lib/calls/dispatcher.h"

struct engines {
    uint32_t n_types, n_tiers, words;
    uint64_t *has, *idle;       /* [type][tier][words] bit per node: it is up and has such engines; it has free ones */
    uint32_t *n_idle, *n_has;   /* [type] nodes */
};

void engines_fini(struct engines *e);       /* zero-initialise to begin */
/* All nodes the first time, the dirty ones later. */
void engines_sync(struct engines *e, const struct dispatcher *h);
void engines_update(struct engines *e, const struct dispatcher *h, uint32_t node);
/* The first node of the tier, other than `but`, that has (is_idle: has free) engines of the type; POL_NONE: none. */
uint32_t engines_find(const struct engines *e, uint32_t type, uint32_t tier, bool is_idle, uint32_t but);

#endif
