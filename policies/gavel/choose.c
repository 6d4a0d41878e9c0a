/*
 * choose.c -- a round of gavel: on each type in turn, rows in order of the time that they should have over the time
 * that they had, as many as there are cards; then places for them, the widest first.
 * Source: scheduler.py of the authors, _schedule_jobs_on_workers.
 */
#include "gavel/state.h"

/* ---- who runs on what ---- */

static int in_order(const void *a, const void *b)
{
    const struct gavel_entry *x = a, *y = b;
    if (x->priority != y->priority) return x->priority > y->priority ? -1 : 1;
    if (x->deficit != y->deficit) return x->deficit > y->deficit ? -1 : 1;
    if (x->x != y->x) return x->x > y->x ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Who has no time on a type runs there if cards are left; under fifo nobody passes whom there was no room for. */
static bool may_run_on(const struct gavel *g, uint32_t id, uint32_t k)
{
    const struct gavel_book *b = &g->book[id];
    return !g->chosen[id] && b->job != POL_NONE && b->speed[k] > 0 && (g->objective != GAVEL_FIFO || b->x[k] > 0);
}

/* Is the unit of a pair one of this round? */
static bool is_here(const struct gavel *g, uint32_t id, uint64_t ordinal)
{
    const struct unit *u = &g->sched.units.at[id];
    return (u->state == UNIT_RUNNING || u->state == UNIT_WAITING) && u->ordinal == ordinal && gavel_is_current(g, id);
}

static void list_entries(struct gavel *g, uint32_t k)
{
    g->n_entries = 0;
    for (uint32_t i = 0; i < g->n_units; i++) {
        uint32_t id = g->unit[i];
        const struct gavel_book *b = &g->book[id];
        if (!may_run_on(g, id, k)) continue;
        const struct gavel_entry e = { .priority = b->x[k] / b->received[k], .deficit = b->deficit[k], .x = b->x[k],
            .id = id, .partner = POL_NONE, .pair = POL_NONE, .seq = g->n_entries };
        POL_PUSH(g->entry, g->n_entries, g->cap_entry, e);
    }
    for (uint32_t i = 0; i < g->n_pairs; i++) {
        const struct gavel_pair *p = &g->pair[i];
        bool is_there = p->x[k] > 0;
        for (uint32_t m = 0; m < 2; m++)
            is_there &= is_here(g, p->id[m], p->ordinal[m]) && g->chosen[p->id[m]] == 0;
        if (!is_there) continue;
        const struct gavel_entry e = { .priority = p->x[k] / p->received[k], .x = p->x[k], .id = p->id[0],
            .partner = p->id[1], .pair = i, .seq = g->n_entries };
        POL_PUSH(g->entry, g->n_entries, g->cap_entry, e);
    }
    if (g->n_entries > 0) qsort(g->entry, g->n_entries, sizeof *g->entry, in_order);
}

static void choose_on(struct gavel *g, uint32_t k)
{
    int64_t left = (int64_t)(g->cards[k] * GAVEL_CARD + 0.5);
    list_entries(g, k);
    for (uint32_t i = 0; i < g->n_entries && left > 0; i++) {
        const struct gavel_entry *e = &g->entry[i];
        int64_t cards = gavel_cards_milli(g, sched_unit(&g->sched, e->id));
        if (g->chosen[e->id] || (e->partner != POL_NONE && g->chosen[e->partner]) || cards > left) continue;
        left -= cards;
        g->chosen[e->id] = 1;
        if (e->partner != POL_NONE) g->chosen[e->partner] = 1;
        const struct gavel_choice c = { .id = e->id, .partner = e->partner, .pair = e->pair, .type = k, .cards = cards,
            .seq = g->n_choices };
        POL_PUSH(g->choice, g->n_choices, g->cap_choice, c);
    }
}

/* ---- places ---- */

static int widest_first(const void *a, const void *b)
{
    const struct gavel_choice *x = a, *y = b;
    if (x->cards != y->cards) return x->cards > y->cards ? -1 : 1;
    return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Are these cards of the node idle? */
static bool is_idle(const struct gavel *g, uint32_t node, uint64_t cards)
{
    const struct pol_card *c = plan_cards_of(&g->sched.plan, node);
    for (; cards != 0; cards &= cards - 1)
        if (c[__builtin_ctzll(cards)].milli_free < GAVEL_CARD) return false;
    return true;
}

/* The first n idle cards of the node; 0: there are not so many. */
static uint64_t idle_cards(const struct gavel *g, uint32_t node, int32_t n)
{
    const struct pol_node *o = &g->sched.plan.node[node].n;
    uint64_t cards = 0;
    for (uint32_t k = 0; k < o->n_gpu && n > 0; k++)
        if (is_idle(g, node, UINT64_C(1) << k)) {
            cards |= UINT64_C(1) << k;
            n--;
        }
    return n == 0 ? cards : 0;
}

/* It runs on the type, on cards that it will have to itself where that is asked. */
static bool may_keep(const struct gavel *g, uint32_t id, uint32_t k)
{
    const struct sched *d = &g->sched;
    uint32_t t = id;
    if (d->units.at[id].state != UNIT_RUNNING) return false;
    for (uint32_t i = 0; i < d->units.at[id].n_tasks; i++, t = d->held[t].next) {
        if (d->plan.shape[d->held[t].shape].n_gpu == 0) continue;
        if (d->held[t].node == POL_NONE || g->node_type[d->held[t].node] != k) return false;
        if (g->has_pairs && !is_idle(g, d->held[t].node, d->held[t].cards)) return false;
    }
    return true;
}

/* Do both run on the same cards? */
static bool is_together(const struct gavel *g, uint32_t a, uint32_t b)
{
    const struct sched *d = &g->sched;
    if (d->units.at[a].state != UNIT_RUNNING || d->units.at[b].state != UNIT_RUNNING) return false;
    for (uint32_t i = 0, s = a, t = b; i < d->units.at[a].n_tasks; i++, s = d->held[s].next, t = d->held[t].next)
        if (d->held[s].node != d->held[t].node || d->held[s].cards != d->held[t].cards) return false;
    return true;
}

/* The first node from `from` on that has room for the task on cards of the type, and which; POL_NONE. */
static uint32_t first_node(struct gavel *g, const struct pol_shape *s, uint32_t k, uint32_t from, uint64_t *cards)
{
    const struct plan *p = &g->sched.plan;
    const bool needs_idle = g->has_pairs && !s->exclusive;
    *cards = 0;
    if (!needs_idle) {
        struct pol_shape of_type = *s;          /* only where there is one type its nodes may not name it */
        if (s->n_gpu > 0 && g->n_types > 1) of_type.gpu_types = UINT64_C(1) << g->type[k];
        const uint32_t at = placement_index_first(&g->sched.placement, &of_type);
        if (at != POL_NONE) *cards = plan_pick_cards(p, at, s);
        return at;
    }
    for (uint32_t at = from; at < p->n_nodes; at++) {
        if ((s->n_gpu > 0 && g->node_type[at] != k) || !plan_fits(p, at, s)) continue;
        *cards = idle_cards(g, at, s->n_gpu);
        if ((*cards != 0 || s->n_gpu == 0) && pol_node_fits_on(&p->node[at].n, plan_cards_of(p, at), s, *cards))
            return at;
    }
    return POL_NONE;
}

/* Places on the first nodes of the type that have room, in d->place and the plan; or false and no change. */
static bool place(struct gavel *g, uint32_t id, uint32_t k)
{
    struct sched *d = &g->sched;
    const struct unit *u = sched_unit(d, id);
    const struct request_class *c = &d->classes.at[u->request_class];
    struct plan_mark m = plan_mark(&d->plan);
    uint32_t at = 0;                    /* nodes before it have no room for a task like the last */
    POL_RESERVE(d->place, d->cap_place, u->n_tasks);
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_shape *s = &d->plan.shape[c->shape[i]];
        uint64_t cards;
        if (i == 0 || c->shape[i] != c->shape[i - 1]) at = 0;
        at = first_node(g, s, k, at, &cards);
        if (at == POL_NONE) {
            plan_undo(&d->plan, m);
            return false;
        }
        d->place[i] = (struct pol_place){ .node = at, .cards = cards };
        plan_allocate(&d->plan, at, s, cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

/* The same places for another unit; d->place stays.  Or false and no change. */
static bool join(struct gavel *g, uint32_t id)
{
    struct sched *d = &g->sched;
    const struct request_class *c = &d->classes.at[sched_unit(d, id)->request_class];
    struct plan_mark m = plan_mark(&d->plan);
    for (uint32_t i = 0; i < c->n_tasks; i++) {
        const struct pol_shape *s = &d->plan.shape[c->shape[i]];
        const struct pol_place *at = &d->place[i];
        if (!pol_node_fits_on(&d->plan.node[at->node].n, plan_cards_of(&d->plan, at->node), s, at->cards)) {
            plan_undo(&d->plan, m);
            return false;
        }
        plan_allocate(&d->plan, at->node, s, at->cards);
    }
    plan_keep(&d->plan, m);
    return true;
}

/* They run so from now on. */
static void note(struct gavel *g, const struct gavel_choice *c, bool is_pair)
{
    for (uint32_t m = 0; m < (is_pair ? 2u : 1u); m++) {
        struct gavel_book *b = &g->book[m == 0 ? c->id : c->partner];
        b->partner = is_pair ? (m == 0 ? c->pair : POL_NONE) : POL_NONE;
        b->type = is_pair && m == 1 ? POL_NONE : c->type;
        b->counted = g->sched.view->now_us;
    }
}

static bool keep(struct gavel *g, const struct gavel_choice *c)
{
    if (!may_keep(g, c->id, c->type)) return false;
    if (c->partner != POL_NONE && !is_together(g, c->id, c->partner)) return false;
    if (!rounds_keep(&g->rounds, c->id)) return false;
    note(g, c, c->partner != POL_NONE && rounds_keep(&g->rounds, c->partner));
    return true;
}

static bool lease(struct gavel *g, const struct gavel_choice *c)
{
    if (!place(g, c->id, c->type)) return false;
    rounds_lease(&g->rounds, c->id);
    bool is_pair = c->partner != POL_NONE && join(g, c->partner);
    if (is_pair) rounds_lease(&g->rounds, c->partner);
    else if (c->partner != POL_NONE) g->chosen[c->partner] = 0;
    note(g, c, is_pair);
    return true;
}

/* Those of one width that can stay do, before others of it are placed; narrower ones come after. */
static void place_all(struct gavel *g)
{
    if (g->n_choices > 0) qsort(g->choice, g->n_choices, sizeof *g->choice, widest_first);
    for (uint32_t i = 0, to; i < g->n_choices; i = to) {
        for (to = i; to < g->n_choices && g->choice[to].cards == g->choice[i].cards; to++)
            g->choice[to].is_placed = keep(g, &g->choice[to]);
        for (uint32_t c = i; c < to; c++)
            if (!g->choice[c].is_placed && !lease(g, &g->choice[c])) {
                g->chosen[g->choice[c].id] = 0;
                if (g->choice[c].partner != POL_NONE) g->chosen[g->choice[c].partner] = 0;
            }
    }
}

static int64_t free_milli(const struct gavel *g, uint32_t k)
{
    const struct plan *p = &g->sched.plan;
    int64_t sum = 0;
    if (g->n_types == 1) return p->gpu_free;
    for (uint32_t n = 0; n < p->n_nodes; n++)
        if (g->node_type[n] == k && p->node[n].n.is_up) sum += p->node[n].gpu_free;
    return sum;
}

/* Cards that are left, as nodes are not one heap of cards, go to whoever fits, by arrival. */
static void fill(struct gavel *g)
{
    for (uint32_t k = 0; k < g->n_types; k++) {
        int64_t left = -1;              /* nobody asked yet */
        for (uint32_t i = 0; i < g->n_units && left != 0; i++) {
            uint32_t id = g->unit[i];
            const struct gavel_choice c = { .id = id, .partner = POL_NONE, .pair = POL_NONE, .type = k };
            int64_t ask = sched_gpu_milli(&g->sched, sched_unit(&g->sched, id));
            if (!may_run_on(g, id, k)) continue;
            if (left < 0) left = free_milli(g, k);
            if (ask > left) continue;
            if (!keep(g, &c) && !lease(g, &c)) continue;
            g->chosen[id] = 1;
            left -= ask;
        }
    }
}

/* Where nobody runs although some wait, no type alone holds their gangs: the first that fits runs on several. */
static void mix(struct gavel *g)
{
    for (uint32_t i = 0; i < g->n_units; i++)
        if (g->chosen[g->unit[i]]) return;
    for (uint32_t i = 0; i < g->n_units; i++) {
        struct gavel_book *b = &g->book[g->unit[i]];
        if (!sched_place(&g->sched, g->unit[i])) continue;
        rounds_lease(&g->rounds, g->unit[i]);
        b->type = b->partner = POL_NONE;
        return;
    }
}

void gavel_choose(struct gavel *g)
{
    uint32_t order[GAVEL_TYPES_MAX];
    g->n_choices = 0;
    for (uint32_t i = 0; i < g->n_units; i++) {
        POL_RESERVE(g->chosen, g->cap_chosen, (size_t)g->unit[i] + 1);
        g->chosen[g->unit[i]] = 0;
    }
    for (uint32_t k = 0; k < g->n_types; k++) order[k] = k;
    /* Who does not look at types has no reason to begin with the same one every time. */
    for (uint32_t k = g->n_types; k > 1 && !g->is_aware; k--) {
        uint32_t i = pol_draw_below(&g->draws, k), last = order[k - 1];
        order[k - 1] = order[i];
        order[i] = last;
    }
    for (uint32_t k = 0; k < g->n_types; k++) choose_on(g, order[k]);
    place_all(g);
    fill(g);
    mix(g);
}
