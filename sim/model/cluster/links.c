/* links.c -- how the cards of a node are linked: kinds of wiring, and the slowest link between some cards. */
#include "model/cluster/cluster.h"

#include <string.h>
#include "base/mem.h"

uint32_t cluster_links(struct cluster *c, const struct card_links *l)
{
    for (uint32_t i = 0; i < c->n_links; i++)
        if (memcmp(&c->links[i], l, sizeof *l) == 0) return i + 1;
    MEM_RESERVE(c->links, c->cap_links, (size_t)c->n_links + 1);
    c->links[c->n_links++] = *l;
    return c->n_links;
}

int64_t cluster_card_way(const struct cluster *c, uint32_t node, uint64_t cards)
{
    if (c->own[node].links == 0 || (cards & (cards - 1)) == 0) return 0;
    const struct card_links *l = &c->links[c->own[node].links - 1];
    uint32_t first = (uint32_t)__builtin_ctzll(cards);
    for (uint64_t left = cards; left != 0; left &= left - 1)
        if (l->group[__builtin_ctzll(left)] != l->group[first]) return l->pcie_bps;
    return l->nvlink_bps > 0 ? l->nvlink_bps : l->pcie_bps;
}
