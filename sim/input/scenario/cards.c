/* cards.c -- what a group of nodes says of its cards: how they are linked, and what each is cut into. */
#include "input/scenario/section.h"

#include <string.h>
#include "base/mem.h"

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
    if (n->type != YDOC_MAP)
        return ydoc_expected(n, d, "a map such as {nvlink: 300GB/s, groups: [4, 4], pcie: 16GB/s}");
    TRY(ydoc_keys(n, "topology", keys, ARRAY_LEN(keys), d));
    TRY(ydoc_quantity(n, "nvlink", TEXT_RATE, 0, 1, &l.nvlink_bps, d));
    TRY(ydoc_quantity(n, "pcie", TEXT_RATE, 0, 1, &l.pcie_bps, d));
    TRY(ydoc_list(n, "groups", &groups, d));
    if (l.nvlink_bps == 0 && l.pcie_bps == 0)
        return ydoc_error(n, d, "found 'topology' without 'nvlink' and without 'pcie'");
    if (groups != NULL && l.nvlink_bps == 0)
        return ydoc_key_error(groups, d, "found 'groups', which NVLink links, without 'nvlink'");
    if (groups != NULL && groups->n != 1 && l.pcie_bps == 0)
        return ydoc_key_error(groups, d, "found several 'groups' without 'pcie' between them");
    if (l.nvlink_bps > 0 && l.pcie_bps > l.nvlink_bps)
        return ydoc_key_error(ydoc_get(n, "pcie"), d, "'pcie' is faster than 'nvlink'");
    if (groups != NULL) TRY(read_link_groups(groups, s->n_gpu, &l, d));
    s->links = cluster_links(c, &l);
    return ST_OK;
}

/*
 * NVIDIA's profiles of multi-instance GPUs (Multi-Instance GPU User Guide, "Supported MIG profiles"): on a card of so
 * many GB, sevenths of its processors, eighths of its memory, and how many at most.  Those of A100 and H100 with
 * 80 GB are the same.
 */
static const struct mig { const char *name; int card_gb, sevenths, eighths, most; } migs[] = {
    { "1g.5gb", 40, 1, 1, 7 },  { "1g.10gb", 40, 1, 2, 4 }, { "2g.10gb", 40, 2, 2, 3 }, { "3g.20gb", 40, 3, 4, 2 },
    { "4g.20gb", 40, 4, 4, 1 }, { "7g.40gb", 40, 7, 8, 1 },
    { "1g.10gb", 80, 1, 1, 7 }, { "1g.20gb", 80, 1, 2, 4 }, { "2g.20gb", 80, 2, 2, 3 }, { "3g.40gb", 80, 3, 4, 2 },
    { "4g.40gb", 80, 4, 4, 1 }, { "7g.80gb", 80, 7, 8, 1 },
};

/* 40 GB as a user writes it: in powers of ten or of two. */
static bool is_card(const struct mig *m, int64_t mem_b)
{
    return mem_b >= m->card_gb * INT64_C(1000000000) && mem_b <= (int64_t)m->card_gb << 30;
}

/* The type of such parts of the group's cards. */
static enum st name_parts(struct cluster *c, const struct ydoc_node *n, const struct mig *m, struct node_spec *s,
    struct diag *d)
{
    struct diag own = {0};
    char *name = mem_printf("%s-%s", s->gpu_type, m->name);
    uint32_t of = cluster_gpu_type(c, s->gpu_type, &own), type = of != NONE ? cluster_gpu_type(c, name, &own) : NONE;
    mem_free(name);
    if (type == NONE) return scn_at(n, &own, d);
    const struct gpu_part part = { .of = of, .share = m->sevenths / 7.0, .mem_share = m->eighths / 8.0 };
    const struct gpu_part *other = &c->gpu_part[type];
    if (other->share > 0 && (other->share != part.share || other->mem_share != part.mem_share))
        return ydoc_key_error(n, d, "'%s' of cards of 40 GB and of 80 GB are different parts of one name: "
                              "give the cards' types names of their own", intern_name(&c->gpu_types, type));
    c->gpu_part[type] = part;
    s->gpu_type = intern_name(&c->gpu_types, type);
    return ST_OK;
}

enum st scn_read_mig(struct cluster *c, const struct ydoc_node *group, int64_t card_mem, struct node_spec *s,
    struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(group, "mig");
    const char *name = NULL, *known[ARRAY_LEN(migs)];
    const struct mig *found = NULL;
    size_t n_known = 0;
    TRY(ydoc_str(group, "mig", &name, d));
    if (name == NULL) return ST_OK;
    for (size_t i = 0; i < ARRAY_LEN(migs); i++) {
        if (!is_card(&migs[i], card_mem)) continue;
        known[n_known++] = migs[i].name;
        if (strcmp(migs[i].name, name) == 0) found = &migs[i];
    }
    if (n_known == 0)
        return ydoc_key_error(n, d,
            "'mig' cuts cards of 40 or 80 GB, and neither 'gpu_mem' nor the type's 'mem' says that these are");
    if (found == NULL) {
        (void)ydoc_error(n, d, "found MIG profile '%s', which cards of %d GB do not have", name,
            is_card(&migs[0], card_mem) ? 40 : 80);
        return diag_suggest(d, name, known, n_known);
    }
    if (ydoc_get(group, "topology") != NULL)
        return ydoc_key_error(n, d, "found both 'mig' and 'topology': parts of cards exchange nothing over links");
    if (s->n_gpu * (uint32_t)found->most > NODE_GPUS_MAX)
        return ydoc_key_error(n, d, "%u cards of %d parts are more than the %d GPUs that a node may have", s->n_gpu,
            found->most, NODE_GPUS_MAX);
    s->n_gpu *= (uint32_t)found->most;
    s->gpu_mem_b = card_mem / 8 * found->eighths;
    s->gpu_cores = (int32_t)((int64_t)s->gpu_cores * found->sevenths / 7);
    return name_parts(c, n, found, s, d);
}
