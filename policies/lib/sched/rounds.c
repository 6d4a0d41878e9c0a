/*
 * rounds.c -- when rounds begin, and how leases are carried out, see rounds.h.
 *
 * Invariant: between rounds_begin and rounds_end the plan holds whoever runs on and whoever was placed.  Outside it
 * is the view's; places of units that move are taken anew in the next round of the instant.
 */
#include "lib/sched/rounds.h"
#include "lib/util.h"

enum fate { UNDECIDED, KEPT, LEASED };

/* ---- the clock ---- */

void rounds_clock_init(struct rounds_clock *c, int64_t length, bool on_clock)
{
    *c = (struct rounds_clock){ .length = length, .on_clock = on_clock, .began = -1, .asked = -1 };
}

bool rounds_clock_begin(struct rounds_clock *c, int64_t now, bool runs)
{
    if (c->began == now && runs) return false;
    if (c->on_clock ? now % c->length != 0 : runs && c->began >= 0 && now < c->ends) return false;
    c->began = now;
    c->ends = pol_after(now, c->length);
    return true;
}

void rounds_clock_ask(struct rounds_clock *c, const struct pol_host *host, int64_t now, bool runs, bool waits)
{
    /* What waits while nothing runs has found no place in this round: something must happen before it does. */
    if (!runs && !(waits && c->on_clock && c->began != now)) return;
    int64_t at = c->on_clock ? pol_after(now, c->length - now % c->length) : c->ends;
    if (at <= now || at >= POL_NEVER - 1 || at == c->asked) return;
    c->asked = at;
    host->wake(host->ctx, at);
}

/* ---- leases ---- */

void rounds_init(struct rounds *r, struct sched *d, const struct rounds_rule *rule)
{
    *r = (struct rounds){ .sched = d, .rule = *rule, .first.id = POL_NONE };
    rounds_clock_init(&r->clock, rule->length, rule->on_clock && !rule->is_each);
}

void rounds_fini(struct rounds *r)
{
    POL_FREE(r->candidate, r->given, r->fate, r->term, r->leased, r->moving, r->place, r->to, r->taken);
}

int64_t rounds_run_key(void *self, const struct unit *u) { (void)self, (void)u; return 0; }

/* What a task asks, with the cores of its place. */
static struct pol_shape shape_at(const struct sched *d, uint32_t task, const struct pol_place *place)
{
    struct pol_shape s = d->plan.shape[d->held[task].shape];
    if (place->cpu_milli > 0) s.cpu_milli = place->cpu_milli;
    return s;
}

/* Take the unit's places in the plan, if they are free; or false and no change. */
static bool take(struct rounds *r, uint32_t id, const struct pol_place *place)
{
    struct sched *d = r->sched;
    struct plan_mark m = plan_mark(&d->plan);
    uint32_t t = id;
    for (uint32_t i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next) {
        const struct pol_shape s = shape_at(d, t, &place[i]);
        bool ok = true;
        for (uint32_t k = 0; k < r->n_taken; k++) ok &= r->taken[k] != place[i].node;   /* who asks nothing would fit */
        if (!ok || !pol_node_fits_on(&d->plan.node[place[i].node].n, plan_cards_of(&d->plan, place[i].node), &s,
                                     place[i].cards)) {
            plan_undo(&d->plan, m);
            return false;
        }
        plan_allocate(&d->plan, place[i].node, &s, place[i].cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

static void give_back(struct rounds *r, uint32_t id, const struct pol_place *place)
{
    struct sched *d = r->sched;
    uint32_t t = id;
    for (uint32_t i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next) {
        const struct pol_shape s = shape_at(d, t, &place[i]);
        plan_release(&d->plan, place[i].node, &s, place[i].cards);
    }
}

static void note_whole_nodes(struct rounds *r, uint32_t id, const struct pol_place *place)
{
    struct sched *d = r->sched;
    uint32_t t = id;
    for (uint32_t i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next)
        if (d->plan.shape[d->held[t].shape].exclusive) POL_PUSH(r->taken, r->n_taken, r->cap_taken, place[i].node);
}

/* The unit's places as it runs; in r->place, behind those that are used. */
static struct pol_place *held_places(struct rounds *r, uint32_t id)
{
    struct sched *d = r->sched;
    uint32_t n = sched_unit(d, id)->n_tasks, t = id;
    POL_RESERVE(r->place, r->cap_place, r->n_place + n);
    for (uint32_t i = 0; i < n; i++, t = d->held[t].next)
        r->place[r->n_place + i] = (struct pol_place){ .node = d->held[t].node, .cards = d->held[t].cards,
                                                          .cpu_milli = d->held[t].cpu_milli };
    return r->place + r->n_place;
}

static void give(struct rounds *r, uint32_t id)
{
    const struct sched *d = r->sched;
    int64_t ends = r->rule.is_each ? pol_after(d->view->now_us, r->term[id]) : r->clock.ends;
    POL_RESERVE(r->given, r->cap_given, (size_t)id + 1);
    r->given[id] = (struct rounds_given){ .ordinal = sched_unit(d, id)->ordinal, .ends = ends };
    if (r->first.id != POL_NONE && ends < r->first.ends) r->first = (struct rounds_first){ id, ends };
}

static bool is_leased(const struct rounds *r, uint32_t id)
{
    return id < r->cap_given && r->given[id].ordinal == sched_unit(r->sched, id)->ordinal;
}

/* When the first lease of one that runs is over; POL_NEVER: none has one.  O(1) while that one runs on. */
static int64_t first_end(struct rounds *r)
{
    struct sched *d = r->sched;
    const uint32_t known = r->first.id;
    if (known != POL_NONE && sched_unit(d, known)->state == UNIT_RUNNING && is_leased(r, known) &&
        r->given[known].ends == r->first.ends)
        return r->first.ends;
    r->first = (struct rounds_first){ POL_NONE, POL_NEVER };
    POL_RESERVE(r->candidate, r->cap_candidate, (size_t)d->running.n + 1);
    unit_set_list(&d->running, &d->units, r->candidate);
    for (uint32_t i = 0; i < d->running.n; i++) {
        const uint32_t id = r->candidate[i];
        if (is_leased(r, id) && r->given[id].ends < r->first.ends)
            r->first = (struct rounds_first){ id, r->given[id].ends };
    }
    return r->first.ends;
}

static void start(struct rounds *r, uint32_t id, const struct pol_place *place, const char *reason)
{
    struct sched *d = r->sched;
    uint32_t n = sched_unit(d, id)->n_tasks;
    POL_RESERVE(d->place, d->cap_place, n);
    memcpy(d->place, place, n * sizeof *place);
    sched_start(d, id, reason);
    give(r, id);
}

/* Those that were preempted to go on elsewhere start there; where that is no longer free they wait. */
static void start_moving(struct rounds *r)
{
    struct sched *d = r->sched;
    for (uint32_t i = 0; i < r->n_moving; i++) {
        const struct rounds_leased *l = &r->moving[i];
        const struct unit *u = sched_unit(d, l->id);
        if (u->state != UNIT_WAITING || u->ordinal != l->ordinal || !take(r, l->id, r->to + l->place)) continue;
        note_whole_nodes(r, l->id, r->to + l->place);
        start(r, l->id, r->to + l->place, "its lease goes on here");
    }
    r->n_moving = 0;
    r->n_to = 0;
}

static void add(struct rounds *r, uint32_t id)
{
    POL_RESERVE(r->fate, r->cap_fate, (size_t)id + 1);
    POL_RESERVE(r->term, r->cap_term, (size_t)id + 1);
    r->fate[id] = UNDECIDED;
    r->term[id] = r->rule.length;
    POL_PUSH(r->candidate, r->n_candidates, r->cap_candidate, id);
}

/* Those that run and whose lease is over, by arrival; of one that somebody else started, too. */
static void add_due(struct rounds *r)
{
    struct sched *d = r->sched;
    if (!r->is_new && first_end(r) > d->view->now_us) return;
    POL_RESERVE(r->candidate, r->cap_candidate, (size_t)d->running.n + 1);
    unit_set_list(&d->running, &d->units, r->candidate);
    uint32_t n = d->running.n;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = r->candidate[i];
        if (r->is_new || !is_leased(r, id) || r->given[id].ends <= d->view->now_us) add(r, id);
    }
    r->n_due = r->n_candidates;
}

static void add_waiting(struct rounds *r)
{
    struct sched *d = r->sched;
    struct queue_walk *w = &d->walk;
    uint32_t id;
    queue_walk_open(w, &d->wait, &d->units, NULL, NULL);
    for (; (id = queue_walk_top(w)) != POL_NONE; queue_walk_step(w, &d->units, POL_NEVER)) add(r, id);
}

bool rounds_begin(struct rounds *r)
{
    struct sched *d = r->sched;
    int64_t now = d->view->now_us;
    r->n_candidates = r->n_due = r->n_leased = 0;
    r->n_place = 0;
    r->n_taken = 0;
    bool moved = r->n_moving > 0;
    start_moving(r);
    if (moved && d->running.n == 0) r->clock.began = -1;        /* their nodes were lost meanwhile: once more */
    r->is_new = false;
    if (d->running.n + d->wait.n == 0 || (r->rule.is_each && d->wait.n == 0)) return false;
    if (!r->rule.is_each) r->is_new = rounds_clock_begin(&r->clock, now, d->running.n > 0);
    if (!r->is_new && !r->rule.is_each && !(r->rule.fills && now < r->clock.ends)) return false;
    if (r->is_new || r->rule.is_each) add_due(r);
    if (d->wait.n > 0) add_waiting(r);
    for (uint32_t i = 0; i < r->n_due; i++) sched_release(d, r->candidate[i]);
    return r->n_candidates > 0;
}

static bool is_due(const struct rounds *r, uint32_t id)
{
    return sched_unit(r->sched, id)->state == UNIT_RUNNING && id < r->cap_fate && r->fate[id] == UNDECIDED;
}

bool rounds_keep(struct rounds *r, uint32_t id)
{
    if (!is_due(r, id)) return false;
    const struct pol_place *place = held_places(r, id);
    if (!take(r, id, place)) return false;
    note_whole_nodes(r, id, place);
    r->fate[id] = KEPT;
    return true;
}

bool rounds_lease(struct rounds *r, uint32_t id)
{
    struct sched *d = r->sched;
    uint32_t n = sched_unit(d, id)->n_tasks;
    note_whole_nodes(r, id, d->place);
    bool is_same = is_due(r, id);
    const struct pol_place *held = is_same ? held_places(r, id) : NULL;
    for (uint32_t i = 0; i < n && is_same; i++)
        is_same = held[i].node == d->place[i].node && held[i].cards == d->place[i].cards;
    r->fate[id] = is_same ? KEPT : LEASED;
    if (is_same) return true;
    POL_RESERVE(r->place, r->cap_place, r->n_place + n);
    memcpy(r->place + r->n_place, d->place, n * sizeof *d->place);
    POL_PUSH(r->leased, r->n_leased, r->cap_leased,
             (struct rounds_leased){ id, sched_unit(d, id)->ordinal, r->n_place });
    r->n_place += n;
    return true;
}

void rounds_last(struct rounds *r, uint32_t id, int64_t length) { r->term[id] = length; }

int64_t rounds_ends(const struct rounds *r, uint32_t id)
{
    const struct sched *d = r->sched;
    int64_t now = d->view->now_us;
    if (id < r->cap_given && r->given[id].ordinal == d->units.at[id].ordinal && r->given[id].ends > now)
        return r->given[id].ends;
    return id < r->cap_fate && r->fate[id] == KEPT ? pol_after(now, r->term[id]) : now;
}

/* The unit stops now, and starts at these places in the next round of the instant; until then they are free. */
static void move(struct rounds *r, uint32_t id, const struct pol_place *place, const char *reason)
{
    struct sched *d = r->sched;
    uint32_t n = sched_unit(d, id)->n_tasks;
    POL_RESERVE(r->to, r->cap_to, r->n_to + n);
    memcpy(r->to + r->n_to, place, n * sizeof *place);
    POL_PUSH(r->moving, r->n_moving, r->cap_moving, (struct rounds_leased){ id, sched_unit(d, id)->ordinal, r->n_to });
    r->n_to += n;
    give_back(r, id, place);
    sched_preempt(d, id, reason);
}

void rounds_end(struct rounds *r, const char *reason)
{
    struct sched *d = r->sched;
    for (uint32_t i = 0; i < r->n_candidates; i++) {
        uint32_t id = r->candidate[i];
        if (sched_unit(d, id)->state != UNIT_RUNNING) continue;
        if (r->fate[id] == UNDECIDED) sched_preempt(d, id, "its lease is over");
        else if (r->fate[id] == KEPT && !r->rule.restarts) give(r, id);
        else if (r->fate[id] == KEPT) move(r, id, held_places(r, id), "its lease is over, and is not extended");
    }
    for (uint32_t i = 0; i < r->n_leased; i++) {
        const struct rounds_leased *l = &r->leased[i];
        if (sched_unit(d, l->id)->state == UNIT_RUNNING)
            move(r, l->id, r->place + l->place, "its lease is for another place");
    }
    for (uint32_t i = 0; i < r->n_leased; i++) {
        const struct rounds_leased *l = &r->leased[i];
        if (sched_unit(d, l->id)->state == UNIT_WAITING) start(r, l->id, r->place + l->place, reason);
    }
    r->n_candidates = r->n_due = r->n_leased = 0;
    if (!r->rule.is_each) {
        rounds_clock_ask(&r->clock, d->host, d->view->now_us, d->running.n + r->n_moving > 0, d->wait.n > 0);
        return;
    }
    /* Units that somebody else started have no lease, and are due whenever anything is. */
    if (d->wait.n == 0) return;
    const int64_t at = first_end(r);
    if (at <= d->view->now_us || at >= POL_NEVER - 1 || at == r->clock.asked) return;
    r->clock.asked = at;
    d->host->wake(d->host->ctx, at);
}
