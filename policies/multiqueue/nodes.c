/*
 * nodes.c -- the cheapest node for a task, found in the placement's index (lib/place/placement_index.h).
 *
 * Nodes of a class stand by their array, then by idle cards, then by free cores: what GPU tasks are compared by once
 * nobody has to stop, and what CPU tasks are once they borrow nothing.  Boxes keep the most cores that CPU jobs may
 * still take of their array.
 *
 * Invariant: nodes on which nothing runs cost the same if they are of one array and no cards are kept on them; any
 * other is like none.  Cores of the array become more only where the plan changes.
 */
#include "multiqueue/state.h"

#include "lib/util.h"

enum { ARRAY_AT = 28, IDLE_AT = 21, SHARE_BITS = 20, MILLI = 1000, UNBOUNDED = UINT16_MAX };

static bool see(const void *ctx, uint32_t node, int32_t *order, uint16_t *most)
{
    const struct mq *m = ctx;
    const struct plan_node *o = &m->sched.plan.node[node];
    const struct mq_gpu_node *g = &m->gpu.node[node];
    const int64_t total = o->n.cpu_total, left = cores_array(&m->cores, &o->n) - m->cores.node[node].held;
    const int64_t share = total > 0 ? (int64_t)(((pol_wide)o->n.cpu_free << SHARE_BITS) / total) : 0;
    *order = (int32_t)((int64_t)g->is_multi << ARRAY_AT | (int64_t)o->n_idle << IDLE_AT | share);
    const int64_t cores = left > 0 ? (left + MILLI - 1) / MILLI : 0;
    *most = (uint16_t)(!m->param.arrays_on || cores > UNBOUNDED ? UNBOUNDED : cores);
    return o->n.n_tasks == 0 && g->kept == 0;
}

/* A node of the box's class; NULL: it has several, or one of nodes that differ. */
static const struct pol_node *node_of(const struct mq *m, const struct placement_box *b)
{
    const uint32_t class = (uint32_t)__builtin_ctzll(b->classes);
    if ((b->classes & (b->classes - 1)) != 0 || class == PLACEMENT_CLASS_OTHER) return NULL;
    return &m->sched.plan.node[m->sched.placement.index.class_first[class]].n;
}

static const struct placement_cost NOTHING = { POL_NEVER, POL_NEVER };

static struct placement_cost cpu_bound(const struct mq *m, const struct placement_box *b)
{
    const struct pol_shape *s = m->fit.asks.shape;
    const struct pol_node *n = node_of(m, b);
    const int64_t array = b->part == UNBOUNDED ? POL_NEVER : (int64_t)b->part * MILLI;
    if (s->exclusive) return fit_cost(MQ_USE_OWN, 0, n != NULL ? n->n_gpu : 0, 0);
    if (b->cpu_max < s->cpu_milli || b->mem_max < s->mem_b) return NOTHING;
    const int64_t over = s->cpu_milli > array ? s->cpu_milli - array : 0;
    if (over > 0 && !mq_gpu_idle(m)) return NOTHING;
    return fit_cost(MQ_USE_OWN, over, n != NULL ? n->n_gpu : 0,
                    b->cpu_min > s->cpu_milli ? b->cpu_min - s->cpu_milli : 0);
}

static struct placement_cost gpu_bound(const struct mq *m, const struct placement_box *b, int32_t order)
{
    enum { WHOLE = 1000 };
    const struct pol_shape *s = m->fit.asks.shape;
    const struct pol_node *n = node_of(m, b);
    const bool whole = s->gpu_milli == WHOLE;
    if (b->gpu_max < (int64_t)s->n_gpu * s->gpu_milli || (whole && b->idle_max < s->n_gpu)) return NOTHING;
    if (n != NULL && !pol_node_allows(n, s)) return NOTHING;
    enum mq_use use = MQ_USE_OWN;
    const bool is_multi = m->fit.asks.class == MQ_MULTI;
    if (m->param.gpu_arrays == MQ_ARRAYS_NODES && n != NULL && b->preference >> ARRAY_AT == order >> ARRAY_AT &&
        (b->preference >> ARRAY_AT == 1) != is_multi)
        use = MQ_USE_BORROWED;
    if (use == MQ_USE_BORROWED && (m->fit.own_only || !mq_may_borrow(m, m->fit.asks.class))) return NOTHING;
    const int64_t idle = whole && b->idle_min < s->n_gpu ? s->n_gpu : b->idle_min;
    const int64_t cpu = n != NULL ? fit_cores(s, m->fit.asks.cores, n) : 0;
    /* An exclusive one takes what is free, and whoever finds too little free stops somebody. */
    if (s->exclusive) return fit_cost(use, 0, idle, 0);
    if (b->cpu_max < cpu || b->mem_max < s->mem_b)
        return m->param.arrays_on ? fit_cost(use, b->cpu_max < cpu, idle, 0) : NOTHING;
    return fit_cost(use, 0, idle, n != NULL && b->cpu_min > cpu ? b->cpu_min - cpu : 0);
}

static struct placement_cost bound(const void *ctx, const struct placement_box *b, int32_t order)
{
    const struct mq *m = ctx;
    return m->fit.asks.class == MQ_CPU ? cpu_bound(m, b) : gpu_bound(m, b, order);
}

static struct placement_cost cost(const void *ctx, uint32_t node, const struct placement_cost *least)
{
    const struct mq *m = ctx;
    struct placement_cost c;
    return fit_cost_of(m, m->fit.asks.class, m->fit.asks.shape, m->fit.asks.cores, node, least, &c) ? c : NOTHING;
}

static const struct placement_costs costs = { see, bound, cost };

void nodes_open(struct mq *m)
{
    m->sched.placement.by_costs = &costs;
    m->sched.placement.costs_ctx = m;
}

uint32_t nodes_cheapest(struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t cores)
{
    m->fit.asks.class = class;
    m->fit.asks.shape = s;
    m->fit.asks.cores = cores;
    return placement_index_cheapest(&m->sched.placement);
}
