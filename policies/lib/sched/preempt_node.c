/*
 * preempt_node.c -- preemption as kube-scheduler does it: on one node, the least
 * important units, no more than must, see preempt.h.
 *
 * 1. A node would do if the unit fits there with every victim released.
 * 2. On each such node victims are handed back, the most important first, as long
 *    as the unit still fits: the rest would have to go.
 * 3. The node is taken whose loss is least (struct loss); its rest is stopped.
 *
 * Source: Kubernetes 1.20, pkg/scheduler/framework/plugins/defaultpreemption,
 * selectVictimsOnNode and pickOneNodeForPreemption.
 */
#include "lib/sched/preempt.h"

#include <stdlib.h>
#include "lib/util.h"

/* By node, there the most important first: the higher priority, then who began earlier, then who came earlier. */
static int by_importance(const void *pa, const void *pb)
{
    const struct preempt_on *a = pa, *b = pb;
    if (a->node != b->node) return a->node < b->node ? -1 : 1;
    if (a->unit.key != b->unit.key) return a->unit.key < b->unit.key ? -1 : 1;
    if (a->started != b->started) return a->started < b->started ? -1 : 1;
    if (a->unit.ordinal != b->unit.ordinal) return a->unit.ordinal < b->unit.ordinal ? -1 : 1;
    return (a->unit.index > b->unit.index) - (a->unit.index < b->unit.index);
}

/* Every unit that may be stopped, on each node where it has a task, once. */
static size_t list_victims(struct preempt *r, struct sched *d, int64_t bound)
{
    size_t n = 0, kept = 0;
    uint32_t id;
    for (uint32_t i = 0; (id = preempt_nth_last(r, d, i, bound, NULL)) != POL_NONE; i++) {
        if (!preempt_may_stop(d, id)) continue;
        const struct unit *u = sched_unit(d, id);
        uint32_t t = id;
        for (uint32_t k = 0; k < u->n_tasks; k++, t = d->held[t].next) {
            POL_PUSH(r->on, n, r->cap_on,
                     (struct preempt_on){ .unit = r->order.at[i], .started = u->started, .node = d->held[t].node });
        }
    }
    if (n > 0) qsort(r->on, n, sizeof *r->on, by_importance);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || by_importance(&r->on[i], &r->on[kept - 1]) != 0) r->on[kept++] = r->on[i];
    return kept;
}

/* What a node would lose.  Of two the one whose earlier members are less; started: the later is less. */
struct loss { int64_t best, sum, started; size_t n; uint32_t rank; };

static bool is_less(const struct loss *a, const struct loss *b)
{
    if (a->best != b->best) return a->best < b->best;
    if (a->sum != b->sum) return a->sum < b->sum;
    if (a->started != b->started) return a->started > b->started;
    return a->rank < b->rank;
}

/* Who of the victims on one node, on [n], would stay?  False: the unit does not fit even without all. */
static bool hand_back(struct sched *d, uint32_t shape, struct preempt_on *on, size_t n, struct loss *loss)
{
    const uint32_t *rank = d->placement.kube != NULL ? d->placement.kube->rank : NULL;
    *loss = (struct loss){ .rank = rank != NULL ? rank[on->node] : on->node };
    struct plan_mark all = plan_mark(&d->plan);
    for (size_t i = 0; i < n; i++) sched_release(d, on[i].unit.id);
    bool fits = preempt_would_do(d, &d->plan, shape, on->node);
    for (size_t i = 0; i < n && fits; i++) {
        struct plan_mark one = plan_mark(&d->plan);
        sched_reallocate(d, on[i].unit.id);
        on[i].stays = preempt_would_do(d, &d->plan, shape, on->node);
        if (on[i].stays) { plan_keep(&d->plan, one); continue; }
        plan_undo(&d->plan, one);
        int64_t priority = -on[i].unit.key;
        if (loss->n++ == 0) {       /* the most important one that goes */
            loss->best = priority;
            loss->started = on[i].started;
        }
        loss->sum += priority - INT32_MIN;      /* so that more victims of one priority are a greater sum */
    }
    plan_undo(&d->plan, all);
    return fits;
}

bool preempt_on_node(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound, const char *reason)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    if (preempt_nth_last(r, d, 0, victim_bound, NULL) == POL_NONE) {
        r->without = d->round;
        return false;
    }
    if (k->n_tasks > 1) return false;
    if (!preempt_could_fit(r, d, unit, victim_bound, NULL)) return false;
    const uint32_t shape = k->shape[0];
    size_t n = list_victims(r, d, victim_bound), first = 0, last = 0;
    struct loss least = { 0 }, loss;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && r->on[end].node == r->on[i].node; end++) { }
        if (!preempt_would_do(d, &r->released.plan, shape, r->on[i].node)) continue;
        if (!hand_back(d, shape, &r->on[i], end - i, &loss) || (last > 0 && !is_less(&loss, &least))) continue;
        least = loss;
        first = i;
        last = end;
    }
    if (last == 0) return false;
    for (size_t i = first; i < last; i++) {
        if (r->on[i].stays) continue;
        sched_release(d, r->on[i].unit.id);
        sched_preempt(d, r->on[i].unit.id, reason);
    }
    POL_RESERVE(d->place, d->cap_place, 1);
    if (!placement_among(&d->placement, shape, &r->on[first].node, 1, d->place)) {
        d->host->fail(d->host->ctx, "the plugin of place= gives two answers to one question");
        return false;
    }
    if (d->ops->asked != NULL) d->ops->asked(d->self, unit, d->place);
    plan_allocate(&d->plan, d->place->node, &d->plan.shape[shape], d->place->cards);
    return true;
}
