/*
 * easy.c -- EASY backfill.  README.md, easy.
 *
 * The first unit that does not fit is the head.  Its shadow time is when enough
 * running units are expected to have ended for it to fit; it is computed only when
 * some later unit fits now.
 *
 * Invariant: what was computed stays right while only arrivals happen, so then
 * only the new units are tried.  A unit that was started because it ends by the
 * shadow time does not move it: at the shadow time the unit has ended, so as much
 * is free as without it; before that, less is free than without it, so a head
 * whose request class is monotone cannot fit earlier.
 *
 * The common plan (what the present and the shadow both have free) differs from
 * the present only on the nodes reserved for the head: on all others at least as
 * much is free at the shadow time as now.  So it is made by lowering those few
 * nodes in the plan, and undone afterwards.
 *
 * Cost: a shadow O(running units released x a placement of the head); a decision
 * after arrivals alone O(new units), else O(starts + those too long for the gap that nothing
 * refused speaks for + kinds of request waiting) searches (lib/sched/queue.h).
 * Source: Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem &
 * Feitelson, IEEE TPDS 12(6), 2001.
 */
#include "lib/sched/list.h"
#include "lib/sched/room.h"
#include "builtin.h"
#include "lib/util.h"

/* The head's reservation. */
struct reservation {
    bool     is_known;
    int64_t  shadow;                /* POL_NEVER: nothing is reserved */
    int64_t  until;                 /* the first expected end after the shadow was computed; it is right before that */
    struct plan_snap *snap; size_t cap_snap; uint32_t n_snaps;      /* the nodes of the head, at the shadow time */
    uint32_t *snap_node; size_t cap_snap_node;
    uint64_t serial;                /* number of this reservation */
    uint64_t *refused; size_t cap_refused;      /* [request class] the serial in whose common plan it did not fit */
    struct request_kind *refused_kind; size_t cap_refused_kind;  /* [kind] the same: what asks no less does not either */
    bool     is_stale;              /* something was started in the common plan: refusals may be out of date */
};

struct easy {
    struct sched sched;
    struct reservation res;
    /* At the end of the last decision; generation: of the placement's costs. */
    struct { uint64_t change_epoch, head_ordinal; uint32_t head, generation; } last;
    /* scratch */
    uint32_t *node; size_t cap_node;
    struct room room;               /* for a gang as the head */
    struct pol_place *place; size_t cap_place;
};

static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_ESTIMATE_PARAM };

static int64_t run_key(void *self, const struct unit *u) { (void)self; return pol_after(u->started, u->est); }

/* ---- the shadow ---- */

/*
 * Can the head be placed, now that something was released?  If so its placement is in
 * e->place and allocated in the plan.
 *   node [n]  where something was released just now; before that the head did not fit
 */
static bool head_fits(struct easy *e, const struct request_class *k, const uint32_t *node, size_t n)
{
    struct sched *d = &e->sched;
    POL_RESERVE(e->place, e->cap_place, k->n_tasks);
    if (k->n_tasks == 1) {          /* it can only be on one of them */
        if (!placement_among(&d->placement, k->shape[0], node, n, e->place)) return false;
        plan_allocate(&d->plan, e->place->node, &d->plan.shape[k->shape[0]], e->place->cards);
        return true;
    }
    if (k->is_monotone) {
        for (size_t i = 0; i < n; i++) room_node(&e->room, node[i]);
        if (e->room.all < k->n_tasks) return false;
    }
    return placement_all(&d->placement, k->shape, k->n_tasks, e->place);
}

static void reserve_nodes(struct easy *e, uint32_t n_tasks)
{
    for (uint32_t i = 0; i < n_tasks; i++) {
        bool seen = false;
        for (uint32_t j = 0; j < e->res.n_snaps && !seen; j++) seen = e->res.snap_node[j] == e->place[i].node;
        if (seen) continue;
        POL_RESERVE(e->res.snap, e->res.cap_snap, (size_t)e->res.n_snaps + 1);
        POL_RESERVE(e->res.snap_node, e->res.cap_snap_node, (size_t)e->res.n_snaps + 1);
        plan_snap(&e->res.snap[e->res.n_snaps], &e->sched.plan, e->place[i].node);
        e->res.snap_node[e->res.n_snaps++] = e->place[i].node;
    }
}

/*
 * Release running units by expected end, those of one instant together, until
 * the head fits.
 */
static void foresee(struct easy *e)
{
    struct sched *d = &e->sched;
    const struct request_class *k = &d->classes.at[sched_unit(d, e->last.head)->request_class];
    const int64_t now = d->view->now_us;
    struct plan_mark m = plan_mark(&d->plan);
    if (k->n_tasks > 1 && k->is_monotone) room_open(&e->room, &d->placement, &d->plan.shape[k->shape[0]]);
    e->res.is_known = true;
    e->res.is_stale = false;
    e->res.shadow = e->res.until = POL_NEVER;
    e->res.n_snaps = 0;
    e->res.serial++;
    uint32_t v = unit_set_first(&d->running, &d->units);
    /* An expected end that has passed counts as now + 1, so a shadow made with it is right in this decision only. */
    if (v != POL_NONE) e->res.until = sched_unit(d, v)->key;
    while (v != POL_NONE && sched_unit(d, v)->key != POL_NEVER) {
        int64_t end = sched_unit(d, v)->key;
        if (end <= now) end = now + 1;
        size_t n = 0;
        for (; v != POL_NONE && sched_unit(d, v)->key <= end; v = unit_set_next(&d->running, &d->units, v)) {
            sched_release(d, v);
            uint32_t t = v;
            for (uint32_t i = 0; i < sched_unit(d, v)->n_tasks; i++, t = d->held[t].next) {
                POL_PUSH(e->node, n, e->cap_node, d->held[t].node);
            }
        }
        if (head_fits(e, k, e->node, n)) {
            e->res.shadow = end;
            reserve_nodes(e, k->n_tasks);
            break;
        }
    }
    plan_undo(&d->plan, m);
}

/* ---- backfill ---- */

/* Of one task: did it, or something that asks no more, not fit in this reservation's common plan? */
static bool is_refused(struct easy *e, const struct unit *u, const struct request_class *k)
{
    const struct request_refusals at = { .freed_epoch = e->res.serial };
    if (!k->is_monotone) return false;
    if (e->res.refused[u->request_class] == e->res.serial) return true;
    POL_RESERVE(e->res.refused_kind, e->res.cap_refused_kind, (size_t)k->kind + 1);
    return sched_shares_refusals(&e->sched, u->request_class) &&
           request_kind_is_refused(&e->res.refused_kind[k->kind], at, k->cpu_milli, k->mem_b);
}

static void note_refused(struct easy *e, const struct unit *u, const struct request_class *k)
{
    const struct request_refusals at = { .freed_epoch = e->res.serial };
    e->res.refused[u->request_class] = e->res.serial;
    if (k->is_monotone && k->n_tasks == 1) request_kind_refuse(&e->res.refused_kind[k->kind], at, k->cpu_milli, k->mem_b);
}

/*
 * Place a unit in the common plan; its placement is in d->place, and allocated in the present and at the
 * shadow time.
 */
static bool place_common(struct easy *e, uint32_t id)
{
    struct sched *d = &e->sched;
    const struct unit *u = sched_unit(d, id);
    const struct request_class *k = &d->classes.at[u->request_class];
    POL_RESERVE(e->res.refused, e->res.cap_refused, (size_t)u->request_class + 1);
    if (is_refused(e, u, k)) {
        e->res.refused[u->request_class] = e->res.serial;
        return false;
    }
    struct plan_mark m = plan_mark(&d->plan);
    for (uint32_t i = 0; i < e->res.n_snaps; i++) plan_limit(&d->plan, e->res.snap_node[i], &e->res.snap[i]);
    bool ok = sched_place(d, id);
    plan_undo(&d->plan, m);
    if (!ok) {
        note_refused(e, u, k);
        return false;
    }
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_place *at = &d->place[i];
        plan_allocate(&d->plan, at->node, &d->plan.shape[k->shape[i]], at->cards);
        for (uint32_t j = 0; j < e->res.n_snaps; j++)
            if (e->res.snap_node[j] == at->node) plan_snap_allocate(&e->res.snap[j], &d->plan.shape[k->shape[i]], at->cards);
    }
    e->res.is_stale = true;
    return true;
}

enum verdict { PLACED, NO_FIT, TOO_LONG };

static enum verdict attempt(struct easy *e, uint32_t id, const char **reason)
{
    struct sched *d = &e->sched;
    const struct unit *u = sched_unit(d, id);
    if (sched_skip(d, u->request_class)) return NO_FIT;
    if (!e->res.is_known) {
        /* What does not fit now needs no shadow; but a class that is not monotone might fit in the common plan. */
        if (d->classes.at[u->request_class].is_monotone && !sched_fits(d, id)) return NO_FIT;
        foresee(e);
    }
    if (e->res.shadow == POL_NEVER || u->est <= e->res.shadow - d->view->now_us) {
        *reason = e->res.shadow == POL_NEVER ? "backfill: nothing is reserved" : "backfill: ends before the head is due to start";
        if (!sched_place(d, id)) return NO_FIT;
    } else {
        *reason = "backfill: leaves room for the head";
        if (!place_common(e, id)) return sched_known_unschedulable(d, u->request_class) ? NO_FIT : TOO_LONG;
    }
    int64_t end = pol_after(d->view->now_us, u->est);
    if (end < e->res.until) e->res.until = end;
    return PLACED;
}

/* The longest estimate with which further units of this request class are worth a try. */
static int64_t worth(const struct easy *e, uint32_t class)
{
    bool refused = e->res.is_known && e->sched.classes.at[class].is_monotone && class < e->res.cap_refused && e->res.refused[class] == e->res.serial;
    return refused && e->res.shadow != POL_NEVER ? e->res.shadow - e->sched.view->now_us : POL_NEVER;
}

/* sched_may_fit, and once something is reserved, what is too long for the gap fits in the common plan. */
static bool may_start(void *easy, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    struct easy *e = easy;
    const struct request_refusals at = { .freed_epoch = e->res.serial };
    const uint32_t kind = e->sched.classes.at[class].kind;
    if (!sched_may_fit(&e->sched, class, cpu_milli, mem_b, est)) return false;
    if (!e->res.is_known || e->res.shadow == POL_NEVER || est <= e->res.shadow - e->sched.view->now_us) return true;
    return !sched_is_searchable(&e->sched, class) || kind >= e->res.cap_refused_kind ||
           !request_kind_is_refused(&e->res.refused_kind[kind], at, cpu_milli, mem_b);
}

static bool skip(void *easy, uint32_t class) { return sched_skip(&((struct easy *)easy)->sched, class); }

static void backfill_all(struct easy *e)
{
    struct sched *d = &e->sched;
    struct queue_walk *w = &d->walk;
    uint32_t id;
    const struct queue_filter f = { .skip = skip, .may_fit = may_start, .ctx = e };
    for (queue_walk_search(w, &d->wait, &d->units, &f); (id = queue_walk_top(w)) != POL_NONE;) {
        const uint32_t class = sched_unit(d, id)->request_class;
        const char *reason = NULL;
        enum verdict v = id == e->last.head ? TOO_LONG : attempt(e, id, &reason);
        if (v == NO_FIT) {
            sched_pass(d, w);
            continue;
        }
        queue_walk_step(w, &d->units, worth(e, class));
        if (v == PLACED) sched_start(d, id, reason);
    }
}

/* The same for those units alone that began to wait in this round: nothing else happened. */
static void backfill_fresh(struct easy *e)
{
    struct sched *d = &e->sched;
    for (uint32_t i = 1; i < d->n_fresh; i++) {
        uint32_t id = d->fresh[i], at = i;
        for (; at > 0 && unit_before(sched_unit(d, id), sched_unit(d, d->fresh[at - 1])); at--) d->fresh[at] = d->fresh[at - 1];
        d->fresh[at] = id;
    }
    for (uint32_t i = 0; i < d->n_fresh; i++) {
        const char *reason;
        uint32_t id = d->fresh[i];
        if (sched_unit(d, id)->state == UNIT_WAITING && id != e->last.head && attempt(e, id, &reason) == PLACED) sched_start(d, id, reason);
    }
}

/* ---- the policy ---- */

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    (void)value, (void)error, (void)cap;
    ((struct easy *)self)->last.head = POL_NONE;
    return true;
}

static void decide(void *self)
{
    struct easy *e = self;
    struct sched *d = &e->sched;
    bool quiet = d->plan.change_epoch == e->last.change_epoch && d->n_non_monotone == 0;
    uint32_t id;
    while ((id = queue_first(&d->wait)) != POL_NONE && sched_try(d, id, "first in order, fits")) quiet = false;
    if (id == POL_NONE) {
        e->last.head = POL_NONE;
        return;
    }
    quiet = quiet && id == e->last.head && sched_unit(d, id)->ordinal == e->last.head_ordinal &&
            (!e->res.is_known || (!e->res.is_stale && d->view->now_us < e->res.until && d->placement.generation == e->last.generation));
    e->last.head = id;
    e->last.head_ordinal = sched_unit(d, id)->ordinal;
    if (quiet) {
        backfill_fresh(e);
    } else {
        e->res.is_known = false;
        backfill_all(e);
    }
    sched_head(d, id, "first in order; later units start only where they leave its reservation be");
    e->last.change_epoch = d->plan.change_epoch;
    e->last.generation = d->placement.generation;
}

static void fini(void *self)
{
    struct easy *e = self;
    for (size_t i = 0; i < e->res.cap_snap; i++) free(e->res.snap[i].card);
    room_fini(&e->room);
    POL_FREE(e->res.snap, e->res.snap_node, e->res.refused, e->res.refused_kind, e->node, e->place);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct easy *e = self;
    if (class < e->res.cap_refused) e->res.refused[class] = 0;
    if (kind < e->res.cap_refused_kind) e->res.refused_kind[kind] = (struct request_kind){ 0 };
}

static const struct sched_ops ops = { .run_key = run_key, .class_gone = class_gone,
                                      .size = sizeof(struct easy), .init = init, .decide = decide, .fini = fini };

LIST_POLICY(pol_easy, ops, params,
            .name = "easy", .source = "Lifka, The ANL/IBM SP scheduling system, JSSPP 1995; Mu'alem & Feitelson, IEEE TPDS 12(6), 2001",
            .summary = "order of arrival with a reservation for the first that waits; later units fill in behind it",
            .flags = POL_USES_LIMITS | POL_CLAIRVOYANT);
