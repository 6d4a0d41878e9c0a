/* room.c -- a count of the tasks that fit, node by node, see room.h. */
#include "lib/sched/room.h"

#include "lib/util.h"

void room_fini(struct room *r)
{
    free(r->node);
    memset(r, 0, sizeof *r);
}

void room_node(struct room *r, uint32_t node)
{
    struct room_node *n = &r->node[node];
    const uint32_t now = plan_capacity(r->plan, node, r->shape);
    if (n->opened == r->opened) r->all -= n->fit;
    r->all += now;
    *n = (struct room_node){ r->opened, now };
}

static void count(void *room, const uint32_t *node, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) room_node(room, node[i]);
}

void room_open(struct room *r, struct placement *pl, const struct pol_shape *s)
{
    POL_RESERVE(r->node, r->cap, pl->plan->n_nodes);
    r->plan = pl->plan;
    r->shape = s;
    r->opened++;
    r->all = 0;
    placement_index_each(pl, s, count, r);
}
