/*
 * gpus.c -- whose GPUs are: the arrays of single- and multi-GPU units, by number or by node, and what each may
 * borrow of the other.  README.md, multiqueue, "GPUs lent".
 *
 * Invariant: what a class may borrow changes only with what epoch.gpu_rules and epoch.lend_rules count, and on nodes
 * that changed.  Source: CODA's patent, step S500 (S0-18).
 */
#include "multiqueue/state.h"

#include "lib/util.h"

/* GPUs of the class's array, thousandths. */
static int64_t gpu_array(const struct mq *m, enum mq_class class)
{
    int64_t all = m->sched.view->gpu_total, seen = m->gpu.seen[MQ_SINGLE] + m->gpu.seen[MQ_MULTI], multi;
    if (m->param.multi_share >= 0) multi = (int64_t)(m->param.multi_share * (double)(all / 1000)) * 1000;
    else multi = seen > 0 ? (int64_t)((pol_wide)(all / 1000) * m->gpu.seen[MQ_MULTI] / seen) * 1000 : 0;
    return class == MQ_MULTI ? multi : all - multi;
}

int64_t mq_beyond(const struct mq *m, enum mq_class class) { return m->gpu.held[class] - gpu_array(m, class); }

static void set_multi(struct mq *m, uint32_t node, bool is_multi)
{
    if (m->gpu.node[node].is_multi == is_multi || m->sched.plan.node[node].n.n_gpu == 0) return;
    m->gpu.node[node].is_multi = is_multi;
    placement_index_note(&m->sched.placement, node);
}

/*
 * The multi array's nodes: from the last on, as many as have no more cards than it.  It moves with
 * what arrives, so units may find themselves on another array's node, where they stay.
 * Cost: O(nodes that go from one array to the other).
 */
void mq_divide_nodes(struct mq *m)
{
    const struct plan *p = &m->sched.plan;
    struct mq_multi *x = &m->gpu.multi;
    const int64_t cards = gpu_array(m, MQ_MULTI) / 1000;
    if (m->param.gpu_arrays != MQ_ARRAYS_NODES || cards == x->cards) return;
    x->cards = cards;
    for (; x->n > 0 && x->held > cards; x->n--) {
        x->held -= p->node[p->n_nodes - x->n].n.n_gpu;
        set_multi(m, p->n_nodes - x->n, false);
    }
    for (; x->n < p->n_nodes && x->held + p->node[p->n_nodes - 1 - x->n].n.n_gpu <= cards; x->n++) {
        x->held += p->node[p->n_nodes - 1 - x->n].n.n_gpu;
        set_multi(m, p->n_nodes - 1 - x->n, true);
    }
    m->epoch.gpu_rules++;
    m->epoch.moves++;
}

static enum mq_class other_class(enum mq_class class) { return class == MQ_MULTI ? MQ_SINGLE : MQ_MULTI; }

static bool may_borrow(const struct mq *m, enum mq_class class)
{
    return m->gpu.held[class] == 0 || m->n_waiting[other_class(class)] == 0;
}

bool mq_may_borrow(const struct mq *m, enum mq_class class) { return may_borrow(m, class) || m->gpu.is_lending; }

/* Would the cards that the owner's first unit waits for remain, idle or held by its own class? */
static bool leaves_kept(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node)
{
    const struct plan_node *o = &m->sched.plan.node[node];
    const struct mq_gpu_node *n = &m->gpu.node[node];
    int64_t takes = s->exclusive ? (int64_t)o->n.n_gpu : s->n_gpu;
    return n->kept == 0 || o->n_idle - takes >= (int64_t)n->kept - n->cards[other_class(class)];
}

enum mq_use mq_use_of(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node)
{
    if (m->param.gpu_arrays != MQ_ARRAYS_NODES || m->gpu.node[node].is_multi == (class == MQ_MULTI)) return MQ_USE_OWN;
    return may_borrow(m, class) || (m->gpu.is_lending && leaves_kept(m, class, s, node)) ? MQ_USE_BORROWED : MQ_USE_NOT;
}

/* S0-18: a class that holds nothing may always begin. */
bool mq_may_take(const struct mq *m, enum mq_class class, int64_t gpu)
{
    if (m->param.gpu_arrays != MQ_ARRAYS_COUNT || class == MQ_CPU || m->gpu.is_lending || may_borrow(m, class)) return true;
    return mq_beyond(m, class) + gpu <= 0;
}

/* The first in order of those that wait; POL_NONE: nobody. */
static uint32_t first_waiting(const struct mq *m, enum mq_class class)
{
    uint32_t first = POL_NONE;
    for (uint32_t i = 0; i < m->n_users; i++) {
        uint32_t id = queue_first(&m->user[i].wait[class]);
        if (id != POL_NONE && (first == POL_NONE || unit_before(sched_unit(&m->sched, id), sched_unit(&m->sched, first)))) first = id;
    }
    return first;
}

/*
 * Cards of the array's nodes for the first unit in order that waits: else a stream of small jobs could keep it waiting for
 * ever.  On nodes with the most idle cards, so that one which is about to be free stays chosen.  O(nodes x (idle cards + 1)).
 */
void mq_keep_cards(struct mq *m, enum mq_class class)
{
    const struct plan *p = &m->sched.plan;
    uint32_t id = first_waiting(m, class), i = 0, n_tasks = id != POL_NONE ? sched_unit(&m->sched, id)->n_tasks : 0;
    const uint32_t *shape = id != POL_NONE ? m->sched.classes.at[sched_unit(&m->sched, id)->request_class].shape : NULL;
    int32_t most = 0;
    bool changed = false;
    for (uint32_t n = 0; n < p->n_nodes; n++) {
        if (m->gpu.node[n].is_multi != (class == MQ_MULTI)) continue;
        m->gpu.node[n].was_kept = m->gpu.node[n].kept;
        m->gpu.node[n].kept = 0;
        if (p->node[n].n_idle > most) most = p->node[n].n_idle;
    }
    for (int32_t idle = most; idle >= 0 && i < n_tasks; idle--)
        for (uint32_t n = 0; n < p->n_nodes && i < n_tasks; n++) {
            const struct pol_node *x = &p->node[n].n;
            if (p->node[n].n_idle != idle || !x->is_up || m->gpu.node[n].is_multi != (class == MQ_MULTI)) continue;
            for (const struct pol_shape *s; i < n_tasks; i++, m->gpu.node[n].kept += (uint32_t)s->n_gpu) {
                s = &p->shape[shape[i]];
                if (!pol_node_allows(x, s) || m->gpu.node[n].kept + (uint32_t)s->n_gpu > x->n_gpu) break;
            }
        }
    for (uint32_t n = 0; n < p->n_nodes; n++) {
        if (m->gpu.node[n].is_multi != (class == MQ_MULTI) || m->gpu.node[n].was_kept == m->gpu.node[n].kept) continue;
        placement_index_note(&m->sched.placement, n);
        changed = true;
    }
    if (changed) m->epoch.lend_rules++;
}
