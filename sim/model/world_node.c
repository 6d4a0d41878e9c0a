/* world_node.c -- nodes fail and return. */
#include "model/world_priv.h"

#include "base/mem.h"

/* What ran there stops in job order: the order of the ledger's list would follow its history. */
static void node_down(struct world *w, uint32_t node)
{
    struct world_slot *held;
    size_t n = 0;
    MEM_ARRAY(held, w->cluster->node[node].n_tasks);
    for (uint32_t t = w->cluster->own[node].first_hold; t != NONE; t = w->cluster->hold[t].next)
        held[n++] = (struct world_slot){ .order = order_of(w, t), .slot = t };
    world_sort(held, n);
    for (size_t i = 0; i < n; i++) {
        uint32_t t = held[i].slot;
        if (task_at(w, t)->state != TASK_RUNNING) continue;     /* stopped with another of its gang */
        world_unit_interrupt(w, unit_lead(w, t), STOP_FAILED);
    }
    mem_free(held);
    if (w->calls != NULL) world_calls_node_down(w, node);
    cluster_set_up(w->cluster, node, false);
    world_notify(w, NOTICE_NODE_DOWN, NONE, NONE, node);
}

void world_node_arm(struct world *w, uint32_t node)
{
    struct fault_event f;
    if (!fault_next(&w->faults, node, w->cluster->node[node].is_up, w->loop.now, &f)) return;
    evq_set(&w->loop.q, (struct ev){ .at = f.at, .subject = node, .slot = ev_slot(SLOT_NODE, node),
                                       .cls = f.up ? EV_REPAIR : EV_FAULT });
}

void world_node_turn(struct world *w, uint32_t node, bool up)
{
    if (up) {
        cluster_set_up(w->cluster, node, true);
        world_notify(w, NOTICE_NODE_UP, NONE, NONE, node);
    } else {
        node_down(w, node);
    }
    world_fold(w, FACT_NODE, node, up, 0);
    TELL(w, node_changed, node);
    world_node_arm(w, node);
}
