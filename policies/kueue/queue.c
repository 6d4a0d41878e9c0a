/*
 * queue.c -- who waits, by cluster queue; see state.h.
 *
 * Workloads of one queue that ask the same at the same priority are a group: when one of them cannot be admitted, none
 * can until quota is given back, and the group is parked (Kueue's scheduling equivalence).  So a decision costs in
 * proportion to the groups that changed, not to who waits.  Cost: O(log n) to join, to leave; O(1) for the head.
 */
#include "lib/heap.h"
#include "kueue/state.h"
#include "lib/util.h"

bool kueue_before(const struct kueue *k, uint32_t a, uint32_t b)
{
    const struct kueue_workload *x = &k->workload[a], *y = &k->workload[b];
    const struct unit *u = &k->sched.units.at[a], *v = &k->sched.units.at[b];
    if (x->priority != y->priority) return x->priority > y->priority;
    if (x->stamp != y->stamp) return x->stamp < y->stamp;
    return u->ordinal != v->ordinal ? u->ordinal < v->ordinal : u->index < v->index;
}

static bool member_before(const struct kueue *k, const uint32_t *a, const uint32_t *b)
{
    return kueue_before(k, *a, *b);
}
static void member_stands(const struct kueue *k, const uint32_t *x, size_t i) { k->workload[*x].pos = i; }
HEAP_INDEXED(members, 2, const struct kueue *, uint32_t, member_before, member_stands);

static bool group_before(const struct kueue *k, const uint32_t *a, const uint32_t *b)
{
    return kueue_before(k, k->group[*a].at[0], k->group[*b].at[0]);
}
static void group_stands(const struct kueue *k, const uint32_t *x, size_t i) { k->group[*x].pos = i; }
HEAP_INDEXED(groups, 2, const struct kueue *, uint32_t, group_before, group_stands);

static uint32_t hash_of(uint32_t queue, uint32_t class, int32_t priority)
{
    const uint64_t key = ((uint64_t)(uint32_t)priority << 32 | class) * UINT64_C(0x9e3779b97f4a7c15) + queue;
    return map_mix(key ^ key >> 29);
}

static uint32_t group_of(struct kueue *k, uint32_t workload)
{
    const struct kueue_workload *w = &k->workload[workload];
    const uint32_t class = sched_unit(&k->sched, workload)->request_class;
    const uint32_t hash = hash_of(w->queue, class, w->priority);
    uint32_t id;
    MAP_EACH(id, &k->of_group, hash)
    {
        const struct kueue_group *g = &k->group[id];
        if (g->queue == w->queue && g->request_class == class && g->priority == w->priority) return id;
    }
    (void)kueue_request_of(k, workload);
    struct kueue_request *r = &k->request[class];
    if (k->free_group > 0) {
        id = k->free_group - 1;
        k->free_group = k->group[id].next;
    } else {
        POL_RESERVE(k->group, k->cap_group, k->n_groups + 1);
        id = (uint32_t)k->n_groups++;
    }
    k->group[id] = (struct kueue_group){
        .queue = w->queue, .request_class = class, .next = r->groups, .priority = w->priority
    };
    r->groups = id + 1;
    map_add(&k->of_group, hash, id);
    return id;
}

static void free_group(struct kueue *k, uint32_t id)
{
    free(k->group[id].at);
    k->group[id] = (struct kueue_group){ .request_class = POL_NONE, .next = k->free_group };
    k->free_group = id + 1;
}

/* Nobody of the class waits.  One that is parked goes when it is unparked. */
void kueue_class_gone(struct kueue *k, uint32_t class)
{
    if (class >= k->cap_request) return;
    struct kueue_request *r = &k->request[class];
    for (uint32_t id, next = r->groups; next > 0;) {
        struct kueue_group *g = &k->group[id = next - 1];
        next = g->next;
        map_del(&k->of_group, hash_of(g->queue, class, g->priority), id);
        g->request_class = POL_NONE;
        if (!g->is_parked) free_group(k, id);
    }
    POL_FREE(r->set, r->set_of);
    *r = (struct kueue_request){ .set = NULL };
}

void kueue_join(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    w->state = KUEUE_WAITS;
    w->group = group_of(k, id);
    struct kueue_group *g = &k->group[w->group];
    struct kueue_queue *q = kueue_queue_of(k, w->queue);
    const bool was_empty = g->n == 0;
    POL_RESERVE(g->at, g->cap, g->n + 1);
    members_push(k, g->at, g->n, id);
    g->n++;
    if (g->is_parked) return;
    if (!was_empty) {
        groups_rise(k, q->group, g->pos);
        return;
    }
    POL_RESERVE(q->group, q->cap_group, q->n_groups + 1);
    groups_push(k, q->group, q->n_groups, w->group);
    q->n_groups++;
}

void kueue_leave(struct kueue *k, uint32_t id)
{
    struct kueue_workload *w = &k->workload[id];
    struct kueue_group *g = &k->group[w->group];
    struct kueue_queue *q = kueue_queue_of(k, w->queue);
    if (q->sticky == id) q->sticky = POL_NONE;
    if (g->n == 1 && !g->is_parked) groups_take(k, q->group, q->n_groups--, g->pos);
    members_take(k, g->at, g->n, w->pos);
    g->n--;
    if (g->n > 0 && !g->is_parked) groups_sink(k, q->group, q->n_groups, g->pos);
}

uint32_t kueue_head(const struct kueue *k, uint32_t pool)
{
    const struct kueue_queue *q = kueue_queue_of(k, pool);
    if (q->sticky != POL_NONE) return q->sticky;
    return q->n_groups > 0 ? k->group[q->group[0]].at[0] : POL_NONE;
}

void kueue_park(struct kueue *k, uint32_t id)
{
    struct kueue_group *g = &k->group[k->workload[id].group];
    struct kueue_queue *q = kueue_queue_of(k, g->queue);
    if (q->sticky == id) q->sticky = POL_NONE;
    groups_take(k, q->group, q->n_groups--, g->pos);
    g->is_parked = true;
    POL_PUSH(q->parked, q->n_parked, q->cap_parked, k->workload[id].group);
}

void kueue_unpark(struct kueue *k, uint32_t pool)
{
    const struct kueue_tree *t = &k->config.tree;
    const uint32_t root = kueue_root(t, pool);
    for (uint32_t p = t->n_cohorts; p < t->n_pools; p++) {
        struct kueue_queue *q = kueue_queue_of(k, p);
        if (q->n_parked == 0 || kueue_root(t, p) != root) continue;
        POL_RESERVE(q->group, q->cap_group, q->n_groups + q->n_parked);
        for (size_t i = 0; i < q->n_parked; i++) {
            struct kueue_group *g = &k->group[q->parked[i]];
            g->is_parked = false;
            if (g->n == 0 && g->request_class == POL_NONE) free_group(k, q->parked[i]);
            if (g->n == 0) continue;
            groups_push(k, q->group, q->n_groups, q->parked[i]);
            q->n_groups++;
        }
        q->n_parked = 0;
    }
}

void kueue_queue_fini(struct kueue *k)
{
    for (size_t i = 0; i < k->n_groups; i++) free(k->group[i].at);
    map_fini(&k->of_group);
    free(k->group);
}
