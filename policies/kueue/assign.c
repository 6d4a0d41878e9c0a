/*
 * assign.c -- flavors for a workload: for each pod set and each resource group of its queue, the flavors in order,
 * and how good each is.
 *
 * Cost: O(pairs asked x depth) for each flavor tried, and what preemption costs where quota is short.
 * Source: Kueue 0.13, pkg/scheduler/flavorassigner/flavorassigner.go and preemption/preemption_oracle.go.
 */
#include "kueue/state.h"

#include "lib/util.h"

/* How good one flavor is for one resource, and how high it borrows. */
struct grade {
    enum kueue_fit fit;
    bool borrows;
};

static bool is_better(struct grade a, struct grade b)
{
    if (a.fit == KUEUE_NO_FIT) return false;
    if (b.fit == KUEUE_NO_FIT) return true;
    return a.fit != b.fit ? a.fit > b.fit : !a.borrows && b.borrows;
}

/* ---- what is asked ---- */

static void add_task(struct kueue *k, struct kueue_request *r, uint32_t task, uint32_t shape)
{
    const struct pol_shape *s = &k->sched.plan.shape[shape];
    const int64_t ask[KUEUE_RESOURCES] = { s->cpu_milli, s->mem_b, (int64_t)s->n_gpu * s->gpu_milli, 1 };
    uint32_t i = 0;
    while (i < r->n_sets && r->set[i].shape != shape) i++;
    if (i == r->n_sets) r->set[r->n_sets++] = (struct kueue_set){ .shape = shape };
    for (uint32_t x = 0; x < KUEUE_RESOURCES; x++)
        if ((k->config.excluded >> x & 1) == 0) r->set[i].ask[x] += ask[x];
    r->set_of[task] = i;
}

const struct kueue_request *kueue_request_of(struct kueue *k, uint32_t id)
{
    const uint32_t class = sched_unit(&k->sched, id)->request_class;
    const struct request_class *c = &k->sched.classes.at[class];
    POL_RESERVE(k->request, k->cap_request, (size_t) class + 1);
    struct kueue_request *r = &k->request[class];
    if (r->set == NULL) {
        r->set = pol_alloc(c->n_tasks, sizeof *r->set);
        r->set_of = pol_alloc(c->n_tasks, sizeof *r->set_of);
        for (uint32_t i = 0; i < c->n_tasks; i++) add_task(k, r, i, c->shape[i]);
    }
    return r;
}

/* Has a flavor a node with the labels and the GPU type that a pod asks?  Kueue looks at no more. */
static bool suits(struct kueue *k, uint32_t shape, uint32_t flavor)
{
    const size_t at = (size_t)shape * k->config.n_flavors + flavor;
    POL_RESERVE(k->suits, k->cap_suits, at + 1);
    if (k->suits[at] != 0) return k->suits[at] == 2;
    const struct kueue_flavor *f = &k->config.flavor[flavor];
    const struct pol_shape *s = &k->sched.plan.shape[shape];
    bool ok = false;
    for (uint32_t i = 0; i < f->n_nodes && !ok; i++) {
        const struct pol_node *n = &k->sched.view->node[f->node[i]];
        ok =
            (n->labels & s->need_all) == s->need_all && (s->need_any == 0 || (n->labels & s->need_any) != 0) &&
            (s->n_gpu == 0 || s->gpu_types == 0 || (n->gpu_type != POL_NONE && (s->gpu_types >> n->gpu_type & 1) != 0));
    }
    k->suits[at] = ok ? 2 : 1;
    return ok;
}

/* ---- quota ---- */

/* Would others have to go for so much of one pair, and would that do? */
static struct grade simulate(struct kueue *k, uint32_t id, uint32_t pair, int64_t n, uint32_t *height)
{
    const uint32_t queue = k->workload[id].queue;
    const struct kueue_use use = { .pair = pair, .n = n };
    const struct kueue_demand q = {
        .workload = id, .queue = queue, .use = &use, .n_use = 1, .need = &pair, .n_need = 1
    };
    struct kueue_targets targets = { 0 };
    struct grade g = { .fit = KUEUE_RECLAIM };
    bool is_below;
    kueue_find_targets(k, &q, &targets);
    for (size_t i = 0; i < targets.n; i++) {
        if (k->workload[targets.at[i].workload].queue == queue) g.fit = KUEUE_PREEMPT;
        kueue_take_out(k, targets.at[i].workload);
    }
    *height = kueue_borrow_height(&k->config.tree, queue, pair, n, &is_below);
    for (size_t i = 0; i < targets.n; i++) kueue_put_back(k, targets.at[i].workload);
    if (targets.n == 0) g.fit = KUEUE_NO_CANDIDATES;
    g.borrows = *height > 0;
    free(targets.at);
    return g;
}

static struct grade grade(struct kueue *k, uint32_t id, uint32_t pair, int64_t n, uint32_t *height)
{
    const struct kueue_tree *t = &k->config.tree;
    const uint32_t queue = k->workload[id].queue;
    const struct kueue_policy *p = kueue_policy_of(&k->config, queue);
    const bool preempts_above = p->borrows_to_reclaim || (k->config.is_fair && p->reclaim != KUEUE_NEVER);
    bool is_below;
    *height = 0;
    if (n > kueue_potential(t, queue, pair)) return (struct grade){ .fit = KUEUE_NO_FIT };
    *height = kueue_borrow_height(t, queue, pair, n, &is_below);
    if (n <= kueue_available(t, queue, pair)) return (struct grade){ .fit = KUEUE_FIT, .borrows = *height > 0 };
    if (n <= t->pool[queue].quota[pair].nominal || is_below || preempts_above) return simulate(k, id, pair, n, height);
    return (struct grade){ .fit = KUEUE_NO_FIT, .borrows = *height > 0 };
}

/* Is this good enough not to look at the next flavor? */
static bool may_stop(const struct kueue_policy *p, struct grade g)
{
    const bool borrows_well = !g.borrows || !p->next_if_borrow;
    if ((g.fit == KUEUE_PREEMPT || g.fit == KUEUE_RECLAIM) && !p->next_if_preempt) return borrows_well;
    return g.fit == KUEUE_FIT && borrows_well;
}

/* ---- flavors of one group for one set ---- */

struct
try {
    uint32_t id;
    const struct kueue_set *ask;
    const struct kueue_resource_group *group;
};
struct choice {
    uint32_t flavor, height;
    struct grade grade, of[KUEUE_RESOURCES];
};

static int64_t used_so_far(const struct kueue_workload *w, uint32_t pair)
{
    for (uint32_t i = 0; i < w->n_use; i++)
        if (w->use[i].pair == pair) return w->use[i].n;
    return 0;
}

static struct choice look_at(struct kueue *k, const struct try *y, uint32_t flavor)
{
    struct choice c = { .flavor = flavor, .grade = { .fit = KUEUE_FIT } };
    for (uint32_t r = 0; r < KUEUE_RESOURCES && c.grade.fit != KUEUE_NO_FIT; r++) {
        if (y->ask->ask[r] == 0 || (y->group->covered >> r & 1) == 0) continue;
        const uint32_t pair = kueue_pair(flavor, r);
        uint32_t height;
        c.of[r] = grade(k, y->id, pair, y->ask->ask[r] + used_so_far(&k->workload[y->id], pair), &height);
        if (is_better(c.grade, c.of[r])) c.grade = c.of[r];
        if (height > c.height) c.height = height;
    }
    return c;
}

/* The best flavor from the one on where the last attempt stopped; POL_NONE: none.  *tried: where this one stopped. */
static struct choice choose(struct kueue *k, const struct try *y, int32_t from, int32_t *tried)
{
    const struct kueue_policy *p = kueue_policy_of(&k->config, k->workload[y->id].queue);
    struct choice best = { .flavor = POL_NONE, .grade = { .fit = KUEUE_NO_FIT, .borrows = true } };
    uint32_t at = (uint32_t)from, last = at;
    for (; at < y->group->n_flavors; at++) {
        last = at;
        if (!suits(k, y->ask->shape, y->group->flavor[at])) continue;
        struct choice c = look_at(k, y, y->group->flavor[at]);
        const bool stop = may_stop(p, c.grade);
        if (stop || is_better(c.grade, best.grade)) best = c;
        if (stop) break;
    }
    *tried = best.flavor == POL_NONE || last + 1 >= y->group->n_flavors ? -1 : (int32_t)last;
    return best;
}

/* Of the sets before this one, what they use counts; then what this one does. */
static bool assign_set(struct kueue *k, uint32_t id, const struct kueue_set *set, uint32_t at, struct kueue_entry *e)
{
    struct kueue_workload *w = &k->workload[id];
    const struct kueue_policy *p = kueue_policy_of(&k->config, w->queue);
    const bool keeps = w->tried_at == kueue_queue_of(k, w->queue)->generation;
    struct choice chosen[KUEUE_RESOURCES];
    int32_t tried[KUEUE_RESOURCES];
    for (uint32_t r = 0; r < KUEUE_RESOURCES; r++) {
        chosen[r].flavor = POL_NONE;
        tried[r] = -1;
    }
    for (uint32_t r = 0; r < KUEUE_RESOURCES; r++) {
        if (set->ask[r] == 0 || chosen[r].flavor != POL_NONE) continue;
        uint32_t g = 0;
        while (g < p->n_groups && (p->group[g].covered >> r & 1) == 0) g++;
        if (g == p->n_groups) {
            if (r == KUEUE_PODS) continue; /* counted only where the queue has a quota of them */
            return false;
        }
        const struct try y = { .id = id, .ask = set, .group = &p->group[g] };
        int32_t stopped;
        struct choice c = choose(k, &y, keeps ? w->tried[at * KUEUE_RESOURCES + r] + 1 : 0, &stopped);
        if (c.flavor == POL_NONE) return false;
        for (uint32_t i = r; i < KUEUE_RESOURCES; i++)
            if (set->ask[i] > 0 && (p->group[g].covered >> i & 1) != 0) {
                chosen[i] = c;
                tried[i] = stopped;
            }
    }
    for (uint32_t r = 0; r < KUEUE_RESOURCES; r++) {
        w->flavor[at * KUEUE_RESOURCES + r] = chosen[r].flavor;
        w->tried[at * KUEUE_RESOURCES + r] = tried[r];
        if (chosen[r].flavor == POL_NONE) continue;
        const uint32_t pair = kueue_pair(chosen[r].flavor, r);
        uint32_t i = 0;
        while (i < w->n_use && w->use[i].pair != pair) i++;
        if (i == w->n_use) POL_PUSH(w->use, w->n_use, w->cap_use, (struct kueue_use){ .pair = pair });
        w->use[i].n += set->ask[r];
        if (chosen[r].height > e->height) e->height = chosen[r].height;
        if (chosen[r].of[r].fit == KUEUE_FIT) continue;
        e->fits = false;
        for (i = 0; i < e->n_need && e->need[i] != pair; i++) { }
        if (i == e->n_need) POL_PUSH(e->need, e->n_need, e->cap_need, pair);
    }
    return true;
}

void kueue_assign(struct kueue *k, uint32_t id, struct kueue_entry *e)
{
    const struct kueue_request *r = kueue_request_of(k, id);
    struct kueue_workload *w = &k->workload[id];
    const size_t n = (size_t)r->n_sets * KUEUE_RESOURCES;
    const size_t had = w->cap_tried;
    POL_RESERVE(w->flavor, w->cap_flavor, n);
    POL_RESERVE(w->tried, w->cap_tried, n);
    if (had < n) w->tried_at = 0;
    e->workload = id;
    e->fits = e->is_possible = true;
    e->height = e->n_need = 0;
    e->targets.n = 0;
    w->n_use = 0;
    uint32_t i = 0;
    while (i < r->n_sets && assign_set(k, id, &r->set[i], i, e)) i++;
    if (i < r->n_sets) {
        e->fits = e->is_possible = false;
        for (size_t s = (size_t)i * KUEUE_RESOURCES; s < n; s++) w->tried[s] = -1;
    }
    w->tried_at = kueue_queue_of(k, w->queue)->generation;
}
