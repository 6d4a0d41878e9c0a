#include "room.h"

#include "util.h"

void room_fini(struct room *r)
{
    free(r->victim);
    free(r->back);
}

/*
 * The last running unit before `id` (POL_NONE: of all) with a key above
 * `beyond`.  Keys in the set may be stale, but only too great: a unit that is
 * met gets its present key and is put where that belongs, and the search goes
 * on from the same place.
 */
static uint32_t next_victim(struct desk *d, uint32_t id, int64_t beyond, int64_t (*fresh)(void *, const struct unit *))
{
    for (;;) {
        uint32_t v = id == POL_NONE ? set_last(&d->running, &d->units) : set_prev(&d->running, &d->units, id);
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
        return v;
    }
}

/* Does the unit find a place in the plan as it is?  Leaves the plan as it was. */
static bool would_fit(struct desk *d, uint32_t unit)
{
    const struct kind *k = &d->kinds.at[desk_unit(d, unit)->kind];
    struct pol_place spot;
    if (k->n_tasks == 1) return place_find(&d->place, k->shape[0], &spot);
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
    struct plan_mark all = plan_mark(&d->plan);
    bool fits = false;
    uint32_t at = POL_NONE;
    r->n_victims = 0;
    while (!fits && (at = next_victim(d, at, beyond, fresh)) != POL_NONE) {
        if (desk_unit(d, at)->started_in == d->round) continue;
        POL_RESERVE(r->victim, r->cap_victim, (size_t)r->n_victims + 1);
        r->victim[r->n_victims++] = at;
        desk_release(d, at);
        fits = would_fit(d, unit);
    }
    if (!fits) {
        plan_undo(&d->plan, all);
        /* The trials overwrote what was known of the kind: that it does not fit as things are. */
        struct kind *k = &d->kinds.at[desk_unit(d, unit)->kind];
        k->failed_stamp = d->plan.stamp;
        k->failed_state = d->plan.state;
        return false;
    }
    POL_RESERVE(r->back, r->cap_back, r->n_victims);
    for (uint32_t i = 0; i < r->n_victims; i++) {
        struct plan_mark one = plan_mark(&d->plan);
        desk_retake(d, r->victim[i]);
        r->back[i] = would_fit(d, unit);
        if (r->back[i]) plan_keep(&d->plan, one);
        else plan_undo(&d->plan, one);
    }
    plan_keep(&d->plan, all);
    for (uint32_t i = 0; i < r->n_victims; i++)
        if (!r->back[i]) desk_preempt(d, r->victim[i], why);
    (void)desk_place(d, unit);
    return true;
}

void room_run(struct room *r, struct desk *d, const struct room_rule *rule, bool skip)
{
    struct walk *w = &d->walk;
    uint32_t id;
    for (walk_open(w, &d->wait, &d->units, NULL, NULL); (id = walk_top(w)) != POL_NONE;) {
        const struct unit *u = desk_unit(d, id);
        const char *why = "fits";
        if (!desk_place(d, id)) {
            if (!room_make(r, d, id, rule->beyond(d->self, u), rule->fresh, rule->why)) {
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
