/*
 * hold.c -- nodes on which leases are let run out for one unit.
 *
 * A lease is never longer than themis.lease and none is given or extended on a held node, so that the unit has its
 * room within that time.  In a later decision the nodes are chosen anew, but since a held node's leases only run out,
 * never later than what was chosen before.
 */
#include "themis/state.h"
#include "lib/util.h"

/* How many of its tasks the node would take if nothing ran there. */
static uint32_t empty_room(const struct sched *d, const struct request_class *c, uint32_t node)
{
    uint32_t most = 0;
    if (!d->plan.node[node].n.is_up) return 0;
    for (uint32_t i = 0; i < c->n_tasks; i++) {
        if (i > 0 && c->shape[i] == c->shape[i - 1]) continue;
        const struct pol_shape *s = &d->plan.shape[c->shape[i]];
        uint32_t n = pol_node_capacity_empty(&d->plan.node[node].n, plan_cards_of(&d->plan, node), s);
        if (n > most) most = n;
    }
    return most;
}

/* l->ends, of what was given until now: in this decision for a whole lease. */
static void find_ends(struct themis *l)
{
    struct sched *d = &l->sched;
    const int64_t now = d->view->now_us;
    if (l->ends_at == l->n_given) return;
    l->ends_at = l->n_given;
    POL_RESERVE(l->ends, l->cap_ends, d->plan.n_nodes);
    for (uint32_t n = 0; n < d->plan.n_nodes; n++) l->ends[n] = now;
    POL_RESERVE(l->list, l->cap_list, (size_t)d->running.n + 1);
    unit_set_list(&d->running, &d->units, l->list);
    for (uint32_t i = 0; i < d->running.n; i++) {
        uint32_t id = l->list[i], t = id;
        int64_t ends = rounds_ends(&l->rounds, id);
        for (uint32_t k = 0; k < sched_unit(d, id)->n_tasks; k++, t = d->held[t].next)
            if (l->ends[d->held[t].node] < ends) l->ends[d->held[t].node] = ends;
    }
}

static int first_rid(const void *a, const void *b)
{
    const struct hold_node *x = a, *y = b;
    if (x->until != y->until) return x->until < y->until ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

bool themis_hold(struct themis *l, uint32_t id)
{
    struct sched *d = &l->sched;
    const uint32_t class = sched_unit(d, id)->request_class;
    const struct request_class *c = &d->classes.at[class];
    uint32_t n = 0, k = 0, room = 0;
    POL_RESERVE(l->no_hold, l->cap_no_hold, (size_t)class + 1);
    if (l->no_hold[class] == l->n_given) return false;
    find_ends(l);
    POL_RESERVE(l->node, l->cap_node, d->plan.n_nodes);
    for (uint32_t i = 0; i < d->plan.n_nodes; i++) {
        const struct hold_node at = { .until = l->ends[i], .node = i, .room = empty_room(d, c, i) };
        if (at.room > 0) l->node[n++] = at;
    }
    if (n > 0) qsort(l->node, n, sizeof *l->node, first_rid);
    while (k < n && room < c->n_tasks) room += l->node[k++].room;
    if (room < c->n_tasks || l->node[k - 1].until <= d->view->now_us) {
        l->no_hold[class] = l->n_given;
        return false;
    }
    POL_RESERVE(l->is_held, l->cap_held, d->plan.n_nodes);
    POL_RESERVE(l->open, l->cap_open, d->plan.n_nodes);
    memset(l->is_held, 0, d->plan.n_nodes * sizeof *l->is_held);
    for (uint32_t i = 0; i < k; i++) l->is_held[l->node[i].node] = 1;
    l->n_open = 0;
    for (uint32_t i = 0; i < d->plan.n_nodes; i++)
        if (!l->is_held[i]) l->open[l->n_open++] = i;
    l->holds = true;
    return true;
}

bool themis_is_on_held(const struct themis *l, uint32_t id)
{
    const struct sched *d = &l->sched;
    uint32_t t = id;
    if (!l->holds || d->units.at[id].state != UNIT_RUNNING) return false;
    for (uint32_t k = 0; k < d->units.at[id].n_tasks; k++, t = d->held[t].next)
        if (l->is_held[d->held[t].node]) return true;
    return false;
}
