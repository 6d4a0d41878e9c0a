/*
 * cycle.c -- the scheduling cycle: the heads of all queues are looked at against one picture of the quotas, and
 * admitted in order, or others evicted for them; see state.h.
 *
 * Cost of a cycle: what the heads' flavors and searches cost, and O(queues log queues).
 * Source: Kueue 0.13, pkg/scheduler/scheduler.go; which workloads wait apart: pkg/cache/queue/cluster_queue.go of 0.17.
 */
#include "kueue/state.h"

#include "lib/util.h"

enum outcome { NOTHING, FLAVORS_LEFT, SOMETHING };

/* What a cycle gathers, to be undone or done at its end. */
struct cycle {
    struct kueue_targets victims;
    struct {
        uint32_t queue;
        struct kueue_use use;
    } * kept;
    size_t cap_kept, n_kept; /* used in the picture alone */
    uint32_t *order;
    size_t cap_order, n_order; /* queues with an entry */
    bool is_blocked;           /* until all pods of the admitted run */
    enum outcome outcome;
};

static void nominate(struct kueue *k, struct cycle *c)
{
    const struct kueue_tree *t = &k->config.tree;
    for (uint32_t p = t->n_cohorts; p < t->n_pools; p++) {
        struct kueue_entry *e = &kueue_queue_of(k, p)->entry;
        const uint32_t id = kueue_head(k, p);
        e->workload = POL_NONE;
        if (id == POL_NONE) continue;
        kueue_assign(k, id, e);
        POL_PUSH(c->order, c->n_order, c->cap_order, p);
        if (!e->is_possible || e->fits) continue;
        const struct kueue_workload *w = &k->workload[id];
        const struct kueue_demand q = {
            .workload = id, .queue = p, .use = w->use, .n_use = w->n_use, .need = e->need, .n_need = e->n_need
        };
        kueue_find_targets(k, &q, &e->targets);
    }
}

/* Who borrows least high, then by priority, stamp and arrival. */
static bool goes_before(const struct kueue *k, uint32_t a, uint32_t b)
{
    const struct kueue_entry *x = &kueue_queue_of(k, a)->entry, *y = &kueue_queue_of(k, b)->entry;
    return x->height != y->height ? x->height < y->height : kueue_before(k, x->workload, y->workload);
}

/* Take the next queue out of the order. */
static uint32_t next(struct kueue *k, struct cycle *c)
{
    size_t at = 0;
    if (k->config.is_fair) {
        const struct kueue_tree *t = &k->config.tree;
        for (size_t i = 1; i < c->n_order; i++)
            if (c->order[i] < c->order[at]) at = i;
        if (t->pool[c->order[at]].parent != POL_NONE) {
            const uint32_t turn = kueue_tournament(k, kueue_root(t, c->order[at]));
            for (at = 0; c->order[at] != turn;) at++;
        }
    } else {
        for (size_t i = 1; i < c->n_order; i++)
            if (goes_before(k, c->order[i], c->order[at])) at = i;
    }
    const uint32_t queue = c->order[at];
    c->order[at] = c->order[--c->n_order];
    return queue;
}

static void keep(struct kueue *k, struct cycle *c, uint32_t queue, uint32_t pair, int64_t n)
{
    if (n <= 0) return;
    kueue_use(&k->config.tree, queue, pair, n);
    POL_RESERVE(c->kept, c->cap_kept, c->n_kept + 1);
    c->kept[c->n_kept].queue = queue;
    c->kept[c->n_kept++].use = (struct kueue_use){ pair, n };
}

/* Nobody may be stopped for it now: what it could have is kept from those behind it, unless it can reclaim anyway. */
static void reserve(struct kueue *k, struct cycle *c, uint32_t queue, const struct kueue_entry *e)
{
    const struct kueue_workload *w = &k->workload[e->workload];
    if (kueue_policy_of(&k->config, queue)->reclaim == KUEUE_ANY) return;
    for (uint32_t i = 0; i < w->n_use; i++) {
        const struct kueue_quota *q = &k->config.tree.pool[queue].quota[w->use[i].pair];
        int64_t n = w->use[i].n, most = q->nominal - q->used;
        if (e->height > 0) most = q->borrow < 0 ? n : most + q->borrow;
        keep(k, c, queue, w->use[i].pair, n < most ? n : most);
    }
}

/* Does it fit once all who go in this cycle, and those who would for it, are gone? */
static bool fits_after(struct kueue *k, const struct cycle *c, uint32_t queue, const struct kueue_entry *e)
{
    const struct kueue_workload *w = &k->workload[e->workload];
    const struct kueue_targets *gone[] = { &c->victims, &e->targets };
    bool fits = true;
    for (int g = 0; g < 2; g++)
        for (size_t i = 0; i < gone[g]->n; i++) kueue_take_out(k, gone[g]->at[i].workload);
    for (uint32_t i = 0; i < w->n_use; i++)
        if (kueue_available(&k->config.tree, queue, w->use[i].pair) < w->use[i].n) fits = false;
    for (int g = 0; g < 2; g++)
        for (size_t i = 0; i < gone[g]->n; i++) kueue_put_back(k, gone[g]->at[i].workload);
    return fits;
}

static bool overlaps(const struct cycle *c, const struct kueue_entry *e)
{
    for (size_t i = 0; i < e->targets.n; i++)
        for (size_t v = 0; v < c->victims.n; v++)
            if (e->targets.at[i].workload == c->victims.at[v].workload) return true;
    return false;
}

static void say(struct kueue *k, uint32_t queue, uint32_t id, const char *why)
{
    const struct pol_host *h = k->sched.host;
    h->hold(h->ctx, sched_unit(&k->sched, id)->task, kueue_policy_of(&k->config, queue)->is_strict, why);
}

/* Flavors are left that were not tried: the next cycle goes on there. */
static bool has_flavors_left(struct kueue *k, uint32_t id)
{
    const size_t n = (size_t)kueue_request_of(k, id)->n_sets * KUEUE_RESOURCES;
    for (size_t i = 0; i < n; i++)
        if (k->workload[id].tried[i] != -1) return true;
    return false;
}

/* It cannot be admitted, and nobody may be stopped for it. */
static void fail(struct kueue *k, struct cycle *c, uint32_t queue, uint32_t id)
{
    const bool is_strict = kueue_policy_of(&k->config, queue)->is_strict;
    if (has_flavors_left(k, id)) {
        if (c->outcome == NOTHING) c->outcome = FLAVORS_LEFT;
    } else if (!is_strict) {
        kueue_park(k, id);
        c->outcome = SOMETHING;
    }
}

static void process(struct kueue *k, struct cycle *c, uint32_t queue)
{
    struct kueue_entry *e = &kueue_queue_of(k, queue)->entry;
    const uint32_t id = e->workload;
    struct kueue_workload *w = &k->workload[id];
    e->workload = POL_NONE;
    if (!e->is_possible) {
        say(k, queue, id, "no flavor has as much quota, free or to be had by preemption");
        fail(k, c, queue, id);
        return;
    }
    e->workload = id;
    if (!e->fits && e->targets.n == 0) {
        say(k, queue, id, "quota is in use, and nobody may be evicted for it");
        reserve(k, c, queue, e);
        fail(k, c, queue, id);
    } else if (overlaps(c, e) || !fits_after(k, c, queue, e)) {
        say(k, queue, id, "quota went to another queue's workload in this cycle");
        w->tried_at = 0;
    } else if (!e->fits) {
        for (size_t i = 0; i < e->targets.n; i++)
            kueue_target(&c->victims, e->targets.at[i].workload, e->targets.at[i].reason);
        for (uint32_t i = 0; i < w->n_use; i++) keep(k, c, queue, w->use[i].pair, w->use[i].n);
        w->tried_at = 0;
        if (!kueue_policy_of(&k->config, queue)->is_strict) kueue_queue_of(k, queue)->sticky = id;
        c->outcome = SOMETHING;
    } else if (k->config.blocks && k->n_pending > 0) {
        say(k, queue, id, "pods of an admitted workload are not ready yet");
        c->is_blocked = true;
    } else {
        kueue_admit(k, id);
        c->outcome = SOMETHING;
    }
    e->workload = POL_NONE;
}

static enum outcome cycle(struct kueue *k, struct cycle *c)
{
    c->victims.n = c->n_kept = c->n_order = 0;
    c->is_blocked = false;
    c->outcome = NOTHING;
    nominate(k, c);
    while (c->n_order > 0 && !c->is_blocked) process(k, c, next(k, c));
    for (size_t i = 0; i < c->n_kept; i++)
        kueue_free(&k->config.tree, c->kept[i].queue, c->kept[i].use.pair, c->kept[i].use.n);
    for (size_t i = 0; i < c->victims.n; i++) kueue_evict(k, c->victims.at[i].workload, c->victims.at[i].reason);
    if (c->victims.n > 0) kueue_place_pending(k);
    return c->outcome;
}

void kueue_run_cycles(struct kueue *k)
{
    struct cycle c = { 0 };
    uint32_t idle = 0;
    /* A strict head may go round its flavors for ever: so many cycles without anything else show them all. */
    for (enum outcome o; idle <= k->config.n_flavors && (o = cycle(k, &c)) != NOTHING;)
        idle = o == SOMETHING ? 0 : idle + 1;
    POL_FREE(c.victims.at, c.kept, c.order);
}
