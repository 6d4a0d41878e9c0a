/*
 * drf.c -- dominant resource fairness.  README.md, drf.
 *
 * Each user has a queue.  A decision looks only at users who could start
 * something: a user none of whose units fitted, all of them of monotone request
 * classes, is left out until something becomes free or another of their units
 * begins to wait.
 *
 * Cost: O(log users) a start, O(1) for a user that is left out.
 * Source: Ghodsi et al., Dominant Resource Fairness, NSDI 2011, algorithm 1.
 */
#include "lib/heap.h"
#include "lib/sched/list.h"
#include "lib/sched/share.h"
#include "builtin.h"
#include "lib/util.h"

struct drf_user {
    struct queue wait;
    struct queue_walk  walk;              /* skip: where this decision's search stands */
    uint64_t     walk_in;           /* the decision it was opened in */
    int64_t      held[SHARE_DIMS], weight;
    struct share share;
    uint64_t     blocked;           /* the plan's freed_epoch when nothing of theirs fitted; 0: not known */
    uint32_t     pos;               /* in list of users with units waiting; POL_NONE */
};

struct drf {
    struct sched sched;
    struct share_weights weights;
    struct drf_user *user; size_t cap_user; uint32_t n_users;
    uint32_t *list; size_t cap_list; uint32_t n_list;   /* users with units waiting, any order */
    uint32_t *heap; size_t cap_heap; uint32_t n_heap;   /* users not set aside, by share then id; none between decisions */
};

enum { P_PLACE, P_MODE, P_WEIGHTS };
static const struct pol_param params[] = {
    PLACEMENT_PARAM, LIST_MODE_PARAM("skip"),
    { .name = "weights", .type = POL_TEXT, .dflt = "", .help = "user:weight;user:weight...; others weigh 1" },
};

/* ---- users ---- */

/* Users appear as their first unit does; ids are dense. */
static struct drf_user *user_of(struct drf *f, uint32_t id)
{
    const struct pol_host *h = f->sched.host;
    POL_RESERVE(f->user, f->cap_user, (size_t)id + 1);
    for (; f->n_users <= id; f->n_users++) {
        struct drf_user *u = &f->user[f->n_users];
        u->weight = share_weight(&f->weights, h->name(h->ctx, POL_NAME_USER, f->n_users));
        u->pos = POL_NONE;
    }
    return &f->user[id];
}

static struct queue *queue_of(void *self, const struct unit *u) { return &user_of(self, u->user)->wait; }

static void moved(void *self, const struct unit *u, int sign)
{
    struct drf *f = self;
    const struct sched *d = &f->sched;
    int64_t *held = user_of(f, u->user)->held;
    uint32_t t = u->task.slot;
    for (uint32_t i = 0; i < u->n_tasks; i++, t = d->held[t].next) {
        const struct pol_shape *s = &d->plan.shape[d->held[t].shape];
        const struct pol_node *n = &d->plan.node[d->held[t].node].n;
        held[0] += sign * pol_node_cpu_of(n, s);
        held[1] += sign * pol_node_mem_of(n, s);
        held[2] += sign * (s->exclusive ? (int64_t)n->n_gpu * 1000 : (int64_t)s->n_gpu * s->gpu_milli);
    }
}

/* A unit began to wait: its user may be able to start something. */
static void wake_user(struct drf *f, uint32_t id)
{
    struct drf_user *u = user_of(f, id);
    u->blocked = 0;
    if (u->pos != POL_NONE) return;
    POL_RESERVE(f->list, f->cap_list, (size_t)f->n_list + 1);
    u->pos = f->n_list;
    f->list[f->n_list++] = id;
}

static void unlist(struct drf *f, uint32_t at)
{
    f->user[f->list[at]].pos = POL_NONE;
    f->list[at] = f->list[--f->n_list];
    if (at < f->n_list) f->user[f->list[at]].pos = at;
}

/* ---- the heap ---- */

static bool poorer(const struct drf *f, const uint32_t *a, const uint32_t *b)
{
    int c = share_cmp(&f->user[*a].share, &f->user[*b].share);
    return c != 0 ? c < 0 : *a < *b;
}
HEAP(users, const struct drf *, uint32_t, poorer);

static void reckon(struct drf *f, struct drf_user *u)
{
    const struct pol_view *v = f->sched.view;
    const int64_t total[SHARE_DIMS] = { v->cpu_total, v->mem_total, v->gpu_total };
    u->share = share_dominant(u->held, total, u->weight);
}

static void gather(struct drf *f)
{
    for (uint32_t i = f->n_list; i-- > 0;) {
        uint32_t id = f->list[i];
        struct drf_user *u = &f->user[id];
        if (u->wait.n == 0) {
            unlist(f, i);
            continue;
        }
        if (u->blocked == f->sched.plan.freed_epoch) continue;
        reckon(f, u);
        POL_PUSH(f->heap, f->n_heap, f->cap_heap, id);
    }
    users_make(f, f->heap, f->n_heap);
}

/* ---- the policy ---- */

/* The user's turn: start one unit, or return false: to be set aside. */
static bool serve(struct drf *f, struct drf_user *u)
{
    struct sched *d = &f->sched;
    uint32_t id;
    if (d->mode == LIST_STRICT) return (id = queue_first(&u->wait)) != POL_NONE && sched_try(d, id, "first unit of the user with the smallest share");
    if (u->walk_in != d->round) {
        u->walk_in = d->round;
        const struct queue_filter filter = sched_filter(d);
        queue_walk_search(&u->walk, &u->wait, &d->units, &filter);
    }
    while ((id = queue_walk_top(&u->walk)) != POL_NONE) {
        if (!sched_place(d, id)) {
            sched_pass(d, &u->walk);
            continue;
        }
        queue_walk_step(&u->walk, &d->units, POL_NEVER);
        sched_start(d, id, "unit of the user with the smallest share");
        return true;
    }
    return false;
}

static void decide(void *self)
{
    struct drf *f = self;
    struct sched *d = &f->sched;
    for (uint32_t i = 0; i < d->n_fresh; i++) wake_user(f, sched_unit(d, d->fresh[i])->user);
    gather(f);
    while (f->n_heap > 0) {
        struct drf_user *u = &f->user[f->heap[0]];
        if (serve(f, u)) {
            reckon(f, u);
            users_sink(f, f->heap, f->n_heap, 0);
        } else {
            u->blocked = d->n_non_monotone == 0 ? d->plan.freed_epoch : 0;
            users_take(f, f->heap, f->n_heap--, 0);
        }
    }
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    return share_weights_parse(&((struct drf *)self)->weights, value[P_WEIGHTS].s, error, cap);
}

static void fini(void *self)
{
    struct drf *f = self;
    for (uint32_t i = 0; i < f->n_users; i++) {
        queue_fini(&f->user[i].wait);
        queue_walk_fini(&f->user[i].walk);
    }
    POL_FREE(f->user, f->list, f->heap);
    share_weights_fini(&f->weights);
}

static const struct sched_ops ops = {
    .queue = queue_of, .moved = moved, .knows_licences = true, .size = sizeof(struct drf), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_drf, ops, params,
            .name = "drf", .source = "Ghodsi et al., Dominant Resource Fairness, NSDI 2011, algorithm 1",
            .summary = "the user with the smallest weighted dominant share goes first");
