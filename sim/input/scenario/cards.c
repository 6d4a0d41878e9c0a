/* cards.c -- what a group of nodes says of its cards: how they are linked, and what each is cut into. */
#include "input/scenario/section.h"

static enum st read_link_groups(const struct ydoc_node *groups, uint32_t n_gpu, struct card_links *l, struct diag *d)
{
    int64_t n = 0, at = 0;
    for (size_t i = 0; i < groups->n; i++, at += n) {
        TRY(ydoc_node_int(groups->at[i], 1, NODE_GPUS_MAX, &n, d));
        for (int64_t k = at; k < at + n && k < n_gpu; k++) l->group[k] = (uint8_t)i;
    }
    if (at == n_gpu) return ST_OK;
    return ydoc_error(groups, d, "'groups' are of %lld cards together, and each node has %u", (long long)at, n_gpu);
}

enum st scn_read_topology(struct cluster *c, const struct ydoc_node *group, struct node_spec *s, struct diag *d)
{
    static const char *const keys[] = { "nvlink", "groups", "pcie" };
    struct card_links l = { .nvlink_bps = 0 };
    const struct ydoc_node *n = ydoc_get(group, "topology"), *groups;
    if (n == NULL) return ST_OK;
    if (n->type != YDOC_MAP) return ydoc_expected(n, d, "a map such as {nvlink: 300GB/s, groups: [4, 4], pcie: 16GB/s}");
    TRY(ydoc_keys(n, "topology", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(n, "nvlink", TEXT_RATE, 0, 1, &l.nvlink_bps, d));
    TRY(ydoc_quantity(n, "pcie", TEXT_RATE, 0, 1, &l.pcie_bps, d));
    TRY(ydoc_list(n, "groups", &groups, d));
    if (l.nvlink_bps == 0 && l.pcie_bps == 0) return ydoc_error(n, d, "found 'topology' without 'nvlink' and without 'pcie'");
    if (groups != NULL && l.nvlink_bps == 0) return ydoc_key_error(groups, d, "found 'groups', which NVLink links, without 'nvlink'");
    if (groups != NULL && groups->n != 1 && l.pcie_bps == 0) return ydoc_key_error(groups, d, "found several 'groups' without 'pcie' between them");
    if (l.nvlink_bps > 0 && l.pcie_bps > l.nvlink_bps) return ydoc_key_error(ydoc_get(n, "pcie"), d, "'pcie' is faster than 'nvlink'");
    if (groups != NULL) TRY(read_link_groups(groups, s->n_gpu, &l, d));
    s->links = cluster_links(c, &l);
    return ST_OK;
}
