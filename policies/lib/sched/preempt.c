/* preempt.c -- preemption of running units for a waiting one, see preempt.h. */
#include "lib/sched/preempt.h"

#include "lib/util.h"

void preempt_fini(struct preempt *r)
{
    POL_FREE(r->order.at, r->order.all, r->released.node, r->released.node_in);
    plan_fini(&r->released.plan);
    room_fini(&r->room);
    POL_FREE(r->victim, r->back, r->on);
}

/* ---- victims, from the last ---- */

static void append(struct preempt *r, const struct unit *u, uint32_t id, int64_t key)
{
    POL_PUSH(r->order.at, r->order.n, r->order.cap, (struct preempt_unit){ key, u->ordinal, u->index, id });
}

static int last_first(const void *pa, const void *pb)
{
    const struct preempt_unit *a = pa, *b = pb;
    if (a->key != b->key) return a->key < b->key ? 1 : -1;
    if (a->ordinal != b->ordinal) return a->ordinal < b->ordinal ? 1 : -1;
    return (a->index < b->index) - (a->index > b->index);
}

/* If the keys in the set are out of date all are read, once a decision; they are mostly in order already. */
static void read_all(struct preempt *r, struct sched *d, int64_t victim_bound,
                     int64_t (*fresh)(void *, const struct unit *))
{
    POL_RESERVE(r->order.all, r->order.cap_all, d->running.n);
    unit_set_list(&d->running, &d->units, r->order.all);
    bool sorted = true;
    for (uint32_t i = d->running.n; i-- > 0;) {
        int64_t key = fresh(d->self, sched_unit(d, r->order.all[i]));
        if (key <= victim_bound) continue;
        append(r, sched_unit(d, r->order.all[i]), r->order.all[i], key);
        sorted &= r->order.n == 1 || last_first(&r->order.at[r->order.n - 2], &r->order.at[r->order.n - 1]) < 0;
    }
    if (!sorted) qsort(r->order.at, r->order.n, sizeof *r->order.at, last_first);
}

/*
 * Running unit i from the last, if its key is above `victim_bound`; POL_NONE if not.
 * The list is kept for the decision: units that come later ask for no more of it.
 */
uint32_t preempt_nth_last(struct preempt *r, struct sched *d, uint32_t i, int64_t victim_bound,
                          int64_t (*fresh)(void *, const struct unit *))
{
    if (r->order.in != d->round) {
        r->order.in = d->round;
        r->order.n = 0;
        if (fresh != NULL) read_all(r, d, victim_bound, fresh);
    }
    while (i >= r->order.n) {
        if (fresh != NULL) return POL_NONE;
        uint32_t v = r->order.n == 0 ? unit_set_last(&d->running, &d->units)
                                     : unit_set_prev(&d->running, &d->units, r->order.at[r->order.n - 1].id);
        if (v == POL_NONE || sched_unit(d, v)->key <= victim_bound) return POL_NONE;
        append(r, sched_unit(d, v), v, sched_unit(d, v)->key);
    }
    return r->order.at[i].key > victim_bound ? r->order.at[i].id : POL_NONE;
}

/* ---- would preempting all victims be enough? ---- */

bool preempt_would_do(const struct sched *d, const struct plan *p, uint32_t shape, uint32_t node)
{
    return plan_fits(p, node, &d->plan.shape[shape]) && placement_admits(&d->placement, p, shape, node);
}

bool preempt_may_stop(const struct sched *d, uint32_t v)
{
    return sched_unit(d, v)->state == UNIT_RUNNING && sched_unit(d, v)->started_in != d->round;
}

static void release_most(struct preempt *r, struct sched *d, uint32_t v)
{
    uint32_t t = v;
    for (uint32_t i = 0; i < sched_unit(d, v)->n_tasks; i++, t = d->held[t].next) {
        const struct sched_held *h = &d->held[t];
        if (r->released.node_in[h->node] != d->round) {
            r->released.node_in[h->node] = d->round;
            POL_PUSH(r->released.node, r->released.n_nodes, r->released.cap_node, h->node);
            plan_copy_node(&r->released.plan, &d->plan, h->node);
        }
        plan_release(&r->released.plan, h->node, &d->plan.shape[h->shape], h->cards);
    }
}

static void reallocate_most(struct preempt *r, struct sched *d, uint32_t v)
{
    uint32_t t = v;
    for (uint32_t i = 0; i < sched_unit(d, v)->n_tasks; i++, t = d->held[t].next)
        plan_allocate(&r->released.plan, d->held[t].node, &d->plan.shape[d->held[t].shape], d->held[t].cards);
}

/*
 * Would a unit of one task, which does not fit now, fit if every victim were released?
 * Most waiting units would not, so this is asked before anything is tried.  Units come
 * with growing bounds, that is with fewer victims, so the plan with all victims released
 * is made once a decision, and victims are then only put back into it: the whole decision
 * costs O(victims + request classes x nodes that hold one).
 */
bool preempt_could_fit(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound,
                       int64_t (*fresh)(void *, const struct unit *))
{
    uint32_t v;
    if (r->released.in != d->round) {
        r->released.in = d->round;
        r->released.n = r->released.n_nodes = 0;
        if (r->released.plan.node == NULL) plan_sync(&r->released.plan, d->view);
        POL_RESERVE(r->released.node_in, r->released.cap_node_in, d->plan.n_nodes);
        for (; (v = preempt_nth_last(r, d, r->released.n, victim_bound, fresh)) != POL_NONE; r->released.n++)
            if (preempt_may_stop(d, v)) release_most(r, d, v);
    }
    for (; r->released.n > 0 && r->order.at[r->released.n - 1].key <= victim_bound; r->released.n--)
        if (preempt_may_stop(d, r->order.at[r->released.n - 1].id))
            reallocate_most(r, d, r->order.at[r->released.n - 1].id);
    const uint32_t shape = d->classes.at[sched_unit(d, unit)->request_class].shape[0];
    for (uint32_t i = 0; i < r->released.n_nodes; i++)
        if (preempt_would_do(d, &r->released.plan, shape, r->released.node[i])) return true;
    return false;
}

/* A unit starts: what it takes is no longer free in the plan with all victims released either. */
static void note_start(struct preempt *r, const struct sched *d, uint32_t unit)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    if (r->released.in != d->round) return;
    for (uint32_t i = 0; i < k->n_tasks; i++)
        if (r->released.node_in[d->place[i].node] == d->round)
            plan_allocate(&r->released.plan, d->place[i].node, &d->plan.shape[k->shape[i]], d->place[i].cards);
}

/* ---- preempting ---- */

void preempt_open_room(struct room *room, struct sched *d, uint32_t unit)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    if (k->n_tasks > 1 && k->is_monotone) room_open(room, &d->placement, &d->plan.shape[k->shape[0]]);
}

void preempt_moved(struct room *room, const struct sched *d, uint32_t unit, uint32_t v)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    if (k->n_tasks == 1 || !k->is_monotone) return;
    uint32_t t = v;
    for (uint32_t i = 0; i < sched_unit(d, v)->n_tasks; i++, t = d->held[t].next) room_node(room, d->held[t].node);
}

bool preempt_would_fit(const struct room *room, struct sched *d, uint32_t unit, uint32_t last)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    if (k->n_tasks == 1) {
        uint32_t t = last;
        for (uint32_t i = 0; i < sched_unit(d, last)->n_tasks; i++, t = d->held[t].next)
            if (preempt_would_do(d, &d->plan, k->shape[0], d->held[t].node)) return true;
        return false;
    }
    if (k->is_monotone && room->all < k->n_tasks) return false;
    return sched_fits(d, unit);
}

/*
 * 1. Release victims one by one until the unit fits.
 * 2. Hand back, in the order of their release, each without which it still fits.
 * 3. Preempt the rest, start the unit.
 */
bool preempt_for(struct preempt *r, struct sched *d, uint32_t unit, int64_t victim_bound,
               int64_t (*fresh)(void *self, const struct unit *u), const char *reason)
{
    const struct request_class *k = &d->classes.at[sched_unit(d, unit)->request_class];
    uint32_t v = preempt_nth_last(r, d, 0, victim_bound, fresh), last = POL_NONE;
    if (v == POL_NONE) r->without = d->round;
    if (v == POL_NONE || (k->n_tasks == 1 && !preempt_could_fit(r, d, unit, victim_bound, fresh))) return false;
    struct plan_mark all = plan_mark(&d->plan);
    bool fits = false;
    r->n_victims = 0;
    preempt_open_room(&r->room, d, unit);
    for (uint32_t i = 0; !fits && (v = preempt_nth_last(r, d, i, victim_bound, fresh)) != POL_NONE; i++) {
        if (!preempt_may_stop(d, v)) continue;
        POL_PUSH(r->victim, r->n_victims, r->cap_victim, last = v);
        sched_release(d, v);
        preempt_moved(&r->room, d, unit, v);
        fits = preempt_would_fit(&r->room, d, unit, v);
    }
    if (!fits) {
        plan_undo(&d->plan, all);
        /* The trials overwrote what was noted of the request class: it does not fit as things are. */
        sched_note_failed(d, sched_unit(d, unit)->request_class);
        return false;
    }
    POL_RESERVE(r->back, r->cap_back, r->n_victims);
    for (uint32_t i = 0; i < r->n_victims; i++) {
        struct plan_mark one = plan_mark(&d->plan);
        sched_reallocate(d, r->victim[i]);
        preempt_moved(&r->room, d, unit, r->victim[i]);
        r->back[i] = preempt_would_fit(&r->room, d, unit, last);
        if (r->back[i]) plan_keep(&d->plan, one);
        else plan_undo(&d->plan, one);
        if (!r->back[i]) preempt_moved(&r->room, d, unit, r->victim[i]);
    }
    plan_keep(&d->plan, all);
    for (uint32_t i = 0; i < r->n_victims; i++)
        if (!r->back[i]) sched_preempt(d, r->victim[i], reason);
    if (sched_place(d, unit)) return true;
    d->host->fail(d->host->ctx, "the plugin of place= gives two answers to one question");
    return false;
}

/*
 * A unit that not even all victims made fit needs no second look while nothing became
 * free and no running unit's key grew: what was started since was started in what was
 * free then, so what is free and what victims hold are together no more than they were.
 * The same goes for every unit of its request class whose key is no smaller.  This holds
 * for monotone classes only.
 */
static bool known_without_victims(const struct preempt *r, const struct sched *d, const struct unit *u)
{
    const struct request_class *k = &d->classes.at[u->request_class];
    return k->is_monotone && k->no_victims.freed_epoch == d->plan.freed_epoch &&
           k->no_victims.key_epoch == r->key_epoch && u->key >= k->no_victims.key;
}

static bool make_room(struct preempt *r, struct sched *d, const struct preempt_rule *rule, uint32_t unit)
{
    int64_t bound = rule->victim_bound(d->self, sched_unit(d, unit));
    if (rule->on_node) return preempt_on_node(r, d, unit, bound, rule->reason);
    return preempt_for(r, d, unit, bound, rule->fresh, rule->reason);
}

/* A decision as its walk's filter sees it; key: of the unit that the walk has come to. */
struct deciding { struct preempt *r; struct sched *d; int64_t key; };

/*
 * Could it start, now or with all victims released?  Once a unit has asked for that plan, or has none: later units
 * have no more victims, and what this decision preempts was released there, so nothing comes to fit that does not.
 * A refusal holds for as long as known_without_victims says, for units of no smaller key.
 */
static bool may_fit(void *deciding, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    (void)est;
    const struct deciding *x = deciding;
    const struct preempt *r = x->r;
    struct sched *d = x->d;
    const struct request_class *c = &d->classes.at[class];
    const struct request_refusals at = { d->plan.freed_epoch, r->key_epoch, x->key };
    if (!sched_is_searchable(d, class)) return true;
    if (sched_is_stranded(d, class)) return false;
    if (request_kind_is_refused(&d->classes.kind[c->kind], at, cpu_milli, mem_b)) return false;
    if (r->released.in != d->round && r->without != d->round) return true;
    struct pol_shape s = d->plan.shape[c->shape[0]];
    s.cpu_milli = cpu_milli;
    s.mem_b = mem_b;
    if (placement_index_fits(&d->placement, &s)) return true;
    for (uint32_t i = 0; i < r->released.n_nodes && r->without != d->round; i++)
        if (plan_fits(&r->released.plan, r->released.node[i], &s)) return true;
    request_kind_refuse(&d->classes.kind[c->kind], at, cpu_milli, mem_b);
    return false;
}

void preempt_run(struct preempt *r, struct sched *d, const struct preempt_rule *rule, bool skip)
{
    struct queue_walk *w = &d->walk;
    uint32_t id = queue_first(&d->wait);
    if (id == POL_NONE) return;
    struct deciding x = { r, d, sched_unit(d, id)->key };
    const struct queue_filter f = { .may_fit = skip ? may_fit : NULL, .ctx = &x };
    for (queue_walk_search(w, &d->wait, &d->units, &f); (id = queue_walk_top(w)) != POL_NONE;) {
        const struct unit *u = sched_unit(d, id);
        const char *reason = "fits";
        x.key = u->key;
        if (!sched_place(d, id)) {
            if (known_without_victims(r, d, u) || !make_room(r, d, rule, id)) {
                struct request_class *k = &d->classes.at[u->request_class];
                if (k->no_victims.freed_epoch != d->plan.freed_epoch || k->no_victims.key_epoch != r->key_epoch ||
                    u->key < k->no_victims.key)
                    k->no_victims.key = u->key;
                k->no_victims.freed_epoch = d->plan.freed_epoch;
                k->no_victims.key_epoch = r->key_epoch;
                if (!skip) {
                    sched_head(d, id, "first in order; strict order starts nothing before it");
                    return;
                }
                sched_pass(d, w);
                continue;
            }
            reason = "room was made";
        }
        queue_walk_step(w, &d->units, POL_NEVER);
        note_start(r, d, id);
        sched_start(d, id, reason);
    }
}
