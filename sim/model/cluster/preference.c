/* preference.c -- what tasks prefer of nodes, each different list of sums once; see cluster.h. */
#include "model/cluster/cluster.h"

#include <string.h>
#include "base/hash64.h"
#include "base/mem.h"

uint32_t cluster_prefer(struct cluster *c, const int32_t *sums)
{
    struct cluster_preferences *p = &c->preferences;
    const size_t size = c->n_nodes * sizeof *sums;
    bool any = false;
    uint32_t id;
    for (uint32_t i = 0; i < c->n_nodes; i++) any |= sums[i] > 0;
    if (!any) return 0;
    uint32_t h = (uint32_t)hash64_bytes(HASH64_INIT, sums, size);
    MAP_EACH(id, &p->of_sums, h)
        if (memcmp(p->of[id], sums, size) == 0) return id + 1;
    MEM_RESERVE(p->of, p->cap, (size_t)p->n + 1);
    MEM_ARRAY(p->of[p->n], c->n_nodes);
    memcpy(p->of[p->n], sums, size);
    map_add(&p->of_sums, h, p->n);
    return ++p->n;
}

const int32_t *cluster_preferred(const struct cluster *c, uint32_t prefers)
{
    return prefers == 0 ? NULL : c->preferences.of[prefers - 1];
}
