#include "room.h"

#include "util.h"

void room_fini(struct room *r)
{
    free(r->order);
    free(r->victim);
    free(r->back);
}

/*
 * Running unit i from the last, if its key is above `beyond`; POL_NONE if not.
 * The list is kept for the decision: units that come later ask for no more of
 * it.  Keys in the set may be stale, but only too great: a unit that is met
 * gets its present key and is put where that belongs, and the search goes on
 * from the same place.
 */
static uint32_t nth_last(struct room *r, struct desk *d, uint32_t i, int64_t beyond, int64_t (*fresh)(void *, const struct unit *))
{
    if (r->order_in != d->round) r->n_order = 0;
    r->order_in = d->round;
    while (i >= r->n_order) {
        uint32_t v = r->n_order == 0 ? set_last(&d->running, &d->units) : set_prev(&d->running, &d->units, r->order[r->n_order - 1]);
        if (v == POL_NONE) return v;
        struct unit *u = desk_unit(d, v);
        if (u->key <= beyond) return POL_NONE;
        if (fresh != NULL && u->read_in != d->round) {
            int64_t key = fresh(d->self, u);
            u->read_in = d->round;
            if (key != u->key) {
                set_del(&d->running, &d->units, v);
                u->key = key;
                set_add(&d->running, &d->units, v);
                continue;
            }
        }
        POL_RESERVE(r->order, r->cap_order, (size_t)r->n_order + 1);
        r->order[r->n_order++] = v;
    }
    return desk_unit(d, r->order[i])->key > beyond ? r->order[i] : POL_NONE;
}

/*
 * Does the unit find a place in the plan as it is?  Leaves the plan as it was.
 *   touched  a unit just released or taken back.  A unit of one task, which
 *            fitted nowhere before the first release, can only fit where
 *            something was released: at the last, where the last was.
 */
static bool would_fit(struct desk *d, uint32_t unit, uint32_t touched)
{
    const struct kind *k = &d->kinds.at[desk_unit(d, unit)->kind];
    if (k->n_tasks == 1) {
        const struct pol_shape *s = &d->plan.shape[k->shape[0]];
        uint32_t t = touched;
        for (uint32_t i = 0; i < desk_unit(d, touched)->n_tasks; i++, t = d->held[t].next)
            if (plan_fits(&d->plan, d->held[t].node, s)) return true;
        return false;
    }
    struct plan_mark m = plan_mark(&d->plan);
    bool ok = desk_place(d, unit);
    plan_undo(&d->plan, m);
    return ok;
}

/*
 * 1. Release victims one by one until the unit fits.
 * 2. Hand back, in the order taken, each without which it still fits.
 * 3. Preempt the rest, start the unit.
 */
bool room_make(struct room *r, struct desk *d, uint32_t unit, int64_t beyond,
               int64_t (*fresh)(void *self, const struct unit *u), const char *why)
{
    struct kind *k = &d->kinds.at[desk_unit(d, unit)->kind];
    uint32_t v = nth_last(r, d, 0, beyond, fresh), last = POL_NONE;
    if (v == POL_NONE) return false;
    struct plan_mark all = plan_mark(&d->plan);
    bool fits = false;
    r->n_victims = 0;
    for (uint32_t i = 0; !fits && (v = nth_last(r, d, i, beyond, fresh)) != POL_NONE; i++) {
        if (desk_unit(d, v)->started_in == d->round || desk_unit(d, v)->state != UNIT_RUNNING) continue;
        POL_RESERVE(r->victim, r->cap_victim, (size_t)r->n_victims + 1);
        r->victim[r->n_victims++] = last = v;
        desk_release(d, v);
        fits = would_fit(d, unit, v);
    }
    if (!fits) {
        plan_undo(&d->plan, all);
        /* The trials overwrote what was known of the kind: that it does not fit as things are. */
        k->failed_stamp = d->plan.stamp;
        k->failed_state = d->plan.state;
        return false;
    }
    POL_RESERVE(r->back, r->cap_back, r->n_victims);
    for (uint32_t i = 0; i < r->n_victims; i++) {
        struct plan_mark one = plan_mark(&d->plan);
        desk_retake(d, r->victim[i]);
        r->back[i] = would_fit(d, unit, last);
        if (r->back[i]) plan_keep(&d->plan, one);
        else plan_undo(&d->plan, one);
    }
    plan_keep(&d->plan, all);
    for (uint32_t i = 0; i < r->n_victims; i++)
        if (!r->back[i]) desk_preempt(d, r->victim[i], why);
    (void)desk_place(d, unit);
    return true;
}

/*
 * A unit for which no room could be made needs no second look while nothing
 * became free and no running unit's key grew: what was started since came out
 * of what was free then, so the free and the victims' together are no more than
 * they were.  The same goes for units of its kind with keys no smaller.  Only
 * for steady kinds.
 */
static bool no_room_known(const struct room *r, const struct desk *d, const struct unit *u)
{
    const struct kind *k = &d->kinds.at[u->kind];
    return k->is_steady && k->no_room_stamp == d->plan.stamp && k->no_room_epoch == r->epoch && u->key >= k->no_room_key;
}

void room_run(struct room *r, struct desk *d, const struct room_rule *rule, bool skip)
{
    struct walk *w = &d->walk;
    uint32_t id;
    for (walk_open(w, &d->wait, &d->units, NULL, NULL); (id = walk_top(w)) != POL_NONE;) {
        const struct unit *u = desk_unit(d, id);
        const char *why = "fits";
        if (!desk_place(d, id)) {
            if (no_room_known(r, d, u) || !room_make(r, d, id, rule->beyond(d->self, u), rule->fresh, rule->why)) {
                struct kind *k = &d->kinds.at[u->kind];
                if (k->no_room_stamp != d->plan.stamp || k->no_room_epoch != r->epoch || u->key < k->no_room_key) k->no_room_key = u->key;
                k->no_room_stamp = d->plan.stamp;
                k->no_room_epoch = r->epoch;
                if (!skip) return;
                desk_pass(d, w);
                continue;
            }
            why = "room was made";
        }
        walk_step(w, &d->units, POL_NEVER);
        desk_start(d, id, why);
    }
}
