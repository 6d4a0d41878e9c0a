/*
 * pods.c -- who holds quota, and where its pods run; see state.h.
 *
 * Kueue only lets a workload's pods exist; kube-scheduler then finds nodes.  Here a unit's tasks start together, on
 * nodes of the flavors that were assigned, where the placement rule says; until there is room for all of them the
 * workload keeps its quota and holds no node.  Cost: one placement for a try; a try that failed is not made again
 * until something became free.
 */
#include "kueue/state.h"

#include "lib/util.h"

static const char waits_for_nodes[] = "it has its quota; its pods find no room on the nodes of its flavors";

/* ---- nodes ---- */

/* Nodes of every flavor that a set was given, in k->node; SIZE_MAX: all. */
static size_t nodes_of(struct kueue *k, const struct kueue_workload *w, uint32_t set)
{
    const uint32_t *flavor = &w->flavor[(size_t)set * KUEUE_RESOURCES];
    size_t n = SIZE_MAX;
    for (uint32_t r = 0; r < KUEUE_RESOURCES; r++) {
        if (flavor[r] == POL_NONE || k->config.flavor[flavor[r]].is_all) continue;
        const struct kueue_flavor *f = &k->config.flavor[flavor[r]];
        POL_RESERVE(k->node, k->cap_node, (size_t)f->n_nodes + 1);
        const uint32_t *from = n == SIZE_MAX ? f->node : k->node;
        const size_t n_from = n == SIZE_MAX ? f->n_nodes : n;
        n = 0;
        for (size_t i = 0; i < n_from; i++)
            if ((f->on[from[i] / 64] >> from[i] % 64 & 1) != 0) k->node[n++] = from[i];
    }
    return n;
}

static bool find_places(struct kueue *k, uint32_t id)
{
    struct sched *d = &k->sched;
    const struct unit *u = sched_unit(d, id);
    const struct request_class *c = &d->classes.at[u->request_class];
    const struct kueue_request *r = kueue_request_of(k, id);
    struct plan_mark m = plan_mark(&d->plan);
    size_t n = 0;
    POL_RESERVE(d->place, d->cap_place, u->n_tasks);
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        if (i == 0 || r->set_of[i] != r->set_of[i - 1]) n = nodes_of(k, &k->workload[id], r->set_of[i]);
        bool ok = n == SIZE_MAX ? placement_find(&d->placement, c->shape[i], &d->place[i])
                                : placement_among(&d->placement, c->shape[i], k->node, n, &d->place[i]);
        if (!ok) {
            plan_undo(&d->plan, m);
            return false;
        }
        plan_allocate(&d->plan, d->place[i].node, &d->plan.shape[c->shape[i]], d->place[i].cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

/* Starts the pods of an admitted workload, if there is room for all. */
static bool place(struct kueue *k, uint32_t id)
{
    struct sched *d = &k->sched;
    struct kueue_workload *w = &k->workload[id];
    const bool is_monotone = d->classes.at[sched_unit(d, id)->request_class].is_monotone;
    if (is_monotone ? w->freed == d->plan.freed_epoch : w->changed == d->plan.change_epoch) return false;
    if (!find_places(k, id)) {
        d->host->hold(d->host->ctx, sched_unit(d, id)->task, false, waits_for_nodes);
        w->freed = d->plan.freed_epoch;
        w->changed = d->plan.change_epoch;
        return false;
    }
    w->state = KUEUE_RUNS;
    w->until = POL_NEVER;
    sched_start(d, id, "it has its quota, and its pods fit");
    return true;
}

/* ---- who waits for nodes ---- */

static void wait_for_nodes(struct kueue *k, uint32_t id)
{
    size_t i = k->n_pending;
    POL_RESERVE(k->pending, k->cap_pending, i + 1);
    for (; i > 0 && kueue_before(k, id, k->pending[i - 1]); i--) k->pending[i] = k->pending[i - 1];
    k->pending[i] = id;
    k->n_pending++;
}

static void drop(uint32_t *list, size_t *n, uint32_t id)
{
    size_t i = 0;
    while (list[i] != id) i++;
    memmove(&list[i], &list[i + 1], (--*n - i) * sizeof *list);
}

void kueue_pods_forget(struct kueue *k, uint32_t id) { drop(k->pending, &k->n_pending, id); }
void kueue_back_forget(struct kueue *k, uint32_t id) { drop(k->backing, &k->n_backing, id); }

void kueue_place_pending(struct kueue *k)
{
    size_t left = 0;
    const size_t n = k->n_pending;
    for (size_t i = 0; i < n; i++)
        if (!place(k, k->pending[i])) k->pending[left++] = k->pending[i];
    k->n_pending = left;
}

/* ---- quota ---- */

void kueue_admit(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    struct kueue_queue *q = kueue_queue_of(k, w->queue);
    const int64_t now = k->sched.view->now_us;
    kueue_leave(k, id);
    kueue_put_back(k, id);
    w->state = KUEUE_ADMITTED;
    w->reserved_at = now;
    w->until = k->config.waits ? pol_after(now, k->config.timeout_us) : POL_NEVER;
    w->freed = w->changed = w->tried_at = 0;
    w->pos = q->n_holds;
    POL_PUSH(q->holds, q->n_holds, q->cap_holds, id);
    q->is_sorted = q->is_known = false;
    if (!place(k, id)) wait_for_nodes(k, id);
}

void kueue_release(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    struct kueue_queue *q = kueue_queue_of(k, w->queue);
    kueue_take_out(k, id);
    q->holds[w->pos] = q->holds[--q->n_holds];
    q->is_sorted = q->is_known = false;
    k->workload[q->holds[w->pos]].pos = w->pos;
    q->generation++;
    kueue_unpark(k, w->queue);
}

void kueue_pods_lost(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    const bool ends = k->config.waits && k->config.recovery_us >= 0;
    w->state = KUEUE_ADMITTED;
    w->until = ends ? pol_after(k->sched.view->now_us, k->config.recovery_us) : POL_NEVER;
    w->freed = w->changed = 0;
    wait_for_nodes(k, id);
}

void kueue_evict(struct kueue *k, uint32_t id, const char *reason)
{
    struct kueue_workload *w = &k->workload[id];
    const bool ran = w->state == KUEUE_RUNS;
    kueue_release(k, id);
    if (!ran) {
        kueue_pods_forget(k, id);
        kueue_join(k, id);
        return;
    }
    w->state = KUEUE_EVICTED;
    sched_release(&k->sched, id);
    sched_preempt(&k->sched, id, reason);
}

/* ---- waitForPodsReady ---- */

/* Its pods did not all run in time: it waits longer each time before it is queued again, and at last is given up. */
static void time_out(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    const struct kueue_config *c = &k->config;
    const struct pol_host *h = k->sched.host;
    const int64_t now = k->sched.view->now_us;
    kueue_release(k, id);
    h->note(h->ctx, "evicted_not_ready", 1);
    w->evictions++;
    if (c->by_eviction) w->stamp = now;
    if (c->most_evictions >= 0 && (int64_t)w->evictions > c->most_evictions) {
        w->state = KUEUE_STRANDED;
        h->note(h->ctx, "workload_deactivated", 1);
        h->hold(h->ctx, sched_unit(&k->sched, id)->task, false,
                "its pods were not ready in time too often: deactivated");
        return;
    }
    int64_t wait = c->base_s;
    for (uint32_t i = 1; i < w->evictions && wait < c->longest_s; i++) wait *= 2;
    if (wait > c->longest_s) wait = c->longest_s;
    w->state = KUEUE_BACKS_OFF;
    w->until = pol_after(now, wait * 1000000);
    POL_PUSH(k->backing, k->n_backing, k->cap_backing, id);
}

void kueue_time(struct kueue *k)
{
    const int64_t now = k->sched.view->now_us;
    size_t left = 0;
    for (size_t i = 0; i < k->n_pending; i++) {
        if (k->workload[k->pending[i]].until > now) k->pending[left++] = k->pending[i];
        else time_out(k, k->pending[i]);
    }
    k->n_pending = left;
    left = 0;
    for (size_t i = 0; i < k->n_backing; i++) {
        if (k->workload[k->backing[i]].until > now) k->backing[left++] = k->backing[i];
        else kueue_join(k, k->backing[i]);
    }
    k->n_backing = left;
    if (!k->is_held_back || k->woken_at > now) return;
    k->is_held_back = false;
    for (uint32_t p = k->config.tree.n_cohorts; p < k->config.tree.n_pools; p++) kueue_unpark(k, p);
}

void kueue_wake(struct kueue *k)
{
    const struct pol_host *h = k->sched.host;
    const int64_t now = k->sched.view->now_us;
    int64_t at = k->is_held_back ? now + 1 : POL_NEVER;
    for (size_t i = 0; i < k->n_pending; i++)
        if (k->workload[k->pending[i]].until < at) at = k->workload[k->pending[i]].until;
    for (size_t i = 0; i < k->n_backing; i++)
        if (k->workload[k->backing[i]].until < at) at = k->workload[k->backing[i]].until;
    if (at == POL_NEVER || (k->woken_at > now && k->woken_at <= at)) return;
    k->woken_at = at;
    h->wake(h->ctx, at);
}
