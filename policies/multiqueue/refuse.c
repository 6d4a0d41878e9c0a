/*
 * refuse.c -- what cannot start whichever unit asks it, so that a walk over a queue leaves out many request classes at
 * once.
 *
 * Invariant: a refusal says that no node would take the first task of a unit of the kind with at least so much CPU
 * and memory, under the rules and with the plan's touches of that time.  Whether a node takes a task is monotone in
 * both, so it stands for all that asks no less; it is held up by looking at nodes that changed since.
 * Cost: O(nodes that changed) for each refusal that is asked, at most MQ_REFUSALS; O(nodes) for a new one, less where
 * the node that took a task last takes another.
 */
#include "multiqueue/state.h"

#include "lib/place/placement_index.h"
#include "lib/util.h"

static bool takes(const struct mq *m, enum mq_class class, const struct pol_shape *s, uint32_t node)
{
    if (class == MQ_CPU) return fit_verdict(m, s, node) == FIT_YES;
    /* A search begins with one core at least, whatever was asked. */
    struct pol_shape least = *s;
    if (m->searches && !s->exclusive && least.cpu_milli > 1000) least.cpu_milli = 1000;
    return fit_takes_gpu(m, class, &least, node);
}

static bool holds(const struct mq *m, enum mq_class class, struct pol_shape s, struct mq_refusal *r)
{
    const struct plan *p = &m->sched.plan;
    s.cpu_milli = r->cpu_milli;
    s.mem_b = r->mem_b;
    if (r->rules != mq_rules(m, class)) return false;
    for (uint64_t i = 0, n = plan_n_changed(p, r->touches); i < n; i++)
        if (takes(m, class, &s, plan_changed(p, r->touches, i))) return false;
    r->touches = p->touches.n;
    return true;
}

/* Some node has room for it in the plan; of a GPU task, cards. */
static bool has_room(struct mq *m, enum mq_class class, struct pol_shape s)
{
    if (class != MQ_CPU) s.cpu_milli = s.mem_b = 0;
    return placement_index_fits(&m->sched.placement, &s);
}

bool refuse_may_fit(void *ctx, uint32_t request_class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    (void)est;
    struct mq *m = ctx;
    const struct request_class *k = &m->sched.classes.at[request_class];
    const enum mq_class class = mq_class(m, request_class);
    struct pol_shape s = m->sched.plan.shape[k->shape[0]];
    const size_t at = ((size_t)k->kind * MQ_CLASSES + class) * 2 + m->gpu.is_lending;
    POL_RESERVE(m->refused, m->cap_refused, at + 1);
    struct mq_refusals *l = &m->refused[at];
    for (uint32_t i = 0; i < l->n;) {
        struct mq_refusal *r = &l->at[i];
        if (r->cpu_milli > cpu_milli || r->mem_b > mem_b) i++;
        else if (holds(m, class, s, r)) return false;
        else *r = l->at[--l->n];
    }
    s.cpu_milli = cpu_milli;
    s.mem_b = mem_b;
    const uint32_t n_nodes = m->sched.plan.n_nodes;
    bool fits = false;
    if (has_room(m, class, s))
        for (uint32_t i = 0; i < n_nodes && !(fits = takes(m, class, &s, l->took)); i++) l->took = (l->took + 1) % n_nodes;
    if (fits) return true;
    const uint32_t i = l->n < MQ_REFUSALS ? l->n++ : l->next++ % MQ_REFUSALS;
    l->at[i] = (struct mq_refusal){ mq_rules(m, class), m->sched.plan.touches.n, cpu_milli, mem_b };
    return false;
}
