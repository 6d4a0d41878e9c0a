/*
 * rearrange.c -- who runs: a decision goes through the order of the queues and takes whatever fits beside what it took
 * before, and who runs and was not taken is preempted.
 *
 * Cost: as tiresias.c has it.
 */
#include "tiresias/state.h"

/* ---- those that run, in order ---- */

int tiresias_by_arrival(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int in_order(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : tiresias_by_arrival(a, b);
}

static struct runner runner(const struct unit *u, uint32_t id, int64_t key)
{
    return (struct runner){ .key = key, .ordinal = u->ordinal, .index = u->index, .id = id };
}

void tiresias_add_runner(struct tiresias *l, const struct unit *u, uint32_t id, int64_t key)
{
    POL_PUSH(l->run, l->n_run, l->cap_run, runner(u, id, key));
}

void tiresias_add_late(struct tiresias *l, uint32_t id)
{
    const struct unit *u = sched_unit(&l->sched, id);
    POL_PUSH(l->late, l->n_late, l->cap_late, runner(u, id, tiresias_key(l, u)));
}

/* GPU shares that a task of the shape holds on a node. */
static int64_t held_milli(const struct sched *d, const struct pol_shape *s, uint32_t node)
{
    return s->exclusive ? (int64_t)d->plan.node[node].n.n_gpu * CARD : (int64_t)s->n_gpu * s->gpu_milli;
}

void tiresias_list_running(struct tiresias *l)
{
    POL_RESERVE(l->list, l->cap_list, (size_t)l->sched.running.n + 1);
    unit_set_list(&l->sched.running, &l->sched.units, l->list);
}

/* Those that run, in the order of a decision; in l->run. */
static void order_running(struct tiresias *l)
{
    l->n_run = 0;
    tiresias_list_running(l);
    for (uint32_t i = 0; i < l->sched.running.n; i++) {
        const struct unit *u = sched_unit(&l->sched, l->list[i]);
        tiresias_add_runner(l, u, l->list[i], tiresias_key(l, u));
    }
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, in_order);
}

/* ---- through the order ---- */

/* Put a released running unit back where it runs; false, and it may be there in part: that is no longer free. */
static bool put_back(struct tiresias *l, uint32_t id)
{
    struct sched *d = &l->sched;
    uint32_t t = id;
    for (uint32_t i = 0; i < sched_unit(d, id)->n_tasks; i++, t = d->held[t].next) {
        const struct sched_held *h = &d->held[t];
        const struct pol_shape s = sched_held_shape(d, t);
        const struct pol_node *n = &d->plan.node[h->node].n;
        const struct pol_card *card = plan_cards_of(&d->plan, h->node);
        if (!pol_node_fits_beside_cards(n, &s)) return false;
        for (uint32_t k = 0; k < l->n_taken; k++)       /* what asks for nothing would fit there */
            if (l->taken[k] == h->node) return false;
        for (uint32_t k = 0; k < n->n_gpu; k++)
            if ((h->cards >> k & 1) != 0 && !pol_node_card_fits(&card[k], &s)) return false;
        plan_allocate(&d->plan, h->node, &s, h->cards);
    }
    return true;
}

/* As preempt_would_fit, of a gang that must be on few nodes as well. */
static bool would_fit(struct tiresias *l, uint32_t unit, uint32_t last)
{
    if (skew_holds(&l->skew, sched_unit(&l->sched, unit))) return skew_fits(&l->skew, unit);
    return preempt_would_fit(&l->room, &l->sched, unit, last);
}

/*
 * Release running units from the last to `from` until the unit fits, put back in order those beside whom it still
 * does, and place it.
 */
static bool make_room(struct tiresias *l, uint32_t unit, uint32_t from, int64_t ask, int64_t *free_milli)
{
    struct sched *d = &l->sched;
    struct plan_mark m = plan_mark(&d->plan);
    int64_t was = *free_milli;
    uint32_t last = POL_NONE;
    bool fits = false;
    preempt_open_room(&l->room, d, unit);
    for (uint32_t k = l->n_run; k-- > from && !fits;) {
        struct runner *r = &l->run[k];
        r->was_out = r->is_out;
        if (r->is_out) continue;
        sched_release(d, last = r->id);
        preempt_moved(&l->room, d, unit, last);
        r->is_out = true;
        *free_milli += r->gpu_milli;
        fits = *free_milli >= ask && would_fit(l, unit, last);
    }
    if (!fits) {
        plan_undo(&d->plan, m);
        for (uint32_t k = from; k < l->n_run; k++) l->run[k].is_out = l->run[k].was_out;
        *free_milli = was;
        if (!skew_holds(&l->skew, sched_unit(d, unit))) sched_note_failed(d, sched_unit(d, unit)->request_class);
        return false;
    }
    for (uint32_t k = from; k < l->n_run; k++) {
        struct runner *r = &l->run[k];
        if (!r->is_out || *free_milli - r->gpu_milli < ask) continue;
        struct plan_mark one = plan_mark(&d->plan);
        const bool is_back = put_back(l, r->id);
        preempt_moved(&l->room, d, unit, r->id);
        if (!is_back || !would_fit(l, unit, last)) {
            plan_undo(&d->plan, one);
            preempt_moved(&l->room, d, unit, r->id);
            continue;
        }
        plan_keep(&d->plan, one);
        r->is_out = false;
        *free_milli -= r->gpu_milli;
    }
    for (uint32_t k = from; k < l->n_run; k++) {
        struct stand *p = &l->stand[l->run[k].id];
        if (l->run[k].is_out && !p->is_out) refuse_log(l, l->run[k].id, p->level);
        p->is_out = l->run[k].is_out;
    }
    plan_keep(&d->plan, m);
    if (skew_place(&l->skew, unit)) return true;
    d->host->fail(d->host->ctx, "the plugin of place= gives two answers to one question");
    return false;
}

/* It starts at d->place; returns the GPU shares that it then holds. */
static int64_t choose(struct tiresias *l, uint32_t id)
{
    struct sched *d = &l->sched;
    const struct request_class *c = &d->classes.at[sched_unit(d, id)->request_class];
    int64_t milli = 0;
    for (uint32_t i = 0; i < c->n_tasks; i++) {
        const struct pol_shape *s = &d->plan.shape[c->shape[i]];
        milli += held_milli(d, s, d->place[i].node);
        if (s->exclusive) POL_PUSH(l->taken, l->n_taken, l->cap_taken, d->place[i].node);
    }
    refuse_hold(l, id);
    POL_PUSH(l->chosen, l->n_chosen, l->cap_chosen, (struct chosen){ id, l->n_place });
    uint32_t n = sched_unit(d, id)->n_tasks;
    POL_RESERVE(l->place, l->cap_place, l->n_place + n);
    memcpy(l->place + l->n_place, d->place, n * sizeof *d->place);
    l->n_place += n;
    return milli;
}

/* What those that run hold in all, and each of them; they are put in order where they are not yet. */
static int64_t hold_running(struct tiresias *l)
{
    struct sched *d = &l->sched;
    int64_t sum = 0;
    if (!l->is_ordered) order_running(l);
    l->is_ordered = true;
    for (uint32_t k = 0; k < l->n_run; k++) {
        struct runner *r = &l->run[k];
        uint32_t t = r->id;
        for (uint32_t i = 0; i < sched_unit(d, r->id)->n_tasks; i++, t = d->held[t].next)
            r->gpu_milli += held_milli(d, &d->plan.shape[d->held[t].shape], d->held[t].node);
        sum += r->gpu_milli;
    }
    return sum;
}

/*
 * May a unit of the class and the queue find room, free or made?  Where the walk stands who was refused finds no more
 * in this decision.  Of units of later queues it asks ahead: room made meanwhile may be of units that run before those.
 */
static bool may_place(struct tiresias *l, uint32_t class, uint32_t level, uint32_t n_tasks, int64_t cpu_milli,
                      int64_t mem_b)
{
    struct sched *d = &l->sched;
    if (!sched_is_searchable(d, class)) return true;
    if (sched_is_stranded(d, class)) return false;
    return !refuse_knows(l, d->classes.at[class].kind, level, n_tasks, cpu_milli, mem_b);
}

static bool may_fit(void *tiresias, uint32_t class, int64_t cpu_milli, int64_t mem_b, int64_t est)
{
    struct tiresias *l = tiresias;
    (void)est;
    return may_place(l, class, l->stand[l->sched.walk.from].level, 1, cpu_milli, mem_b);
}

/*
 * It found no room.  has_cards: as many as it asks for are free, or held by those behind it; before: so many that run
 * are before it.  A gang that must be on few nodes says nothing of others, and one of unlike tasks neither.
 */
static void refuse(struct tiresias *l, const struct unit *u, bool has_cards, uint32_t before)
{
    const int64_t waiting = ((int64_t)l->stand[u->task.slot].level << LEVEL_BIT) + WAITING / 2;
    if (skew_holds(&l->skew, u) || !sched_shares_refusals(&l->sched, u->request_class)) return;
    refuse_note(l, u, has_cards, before == 0 || l->run[before - 1].key < waiting);
}

/* Go through the order, and plan who is out and who starts. */
static void scan(struct tiresias *l)
{
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    int64_t free_milli = d->plan.gpu_free, later = -1;      /* on nodes; held by those behind it, who are not out */
    uint32_t id, next = 0;
    const struct queue_filter f = { .may_fit = may_fit, .ctx = l };
    refuse_open(l);
    for (queue_walk_search(w, &d->wait, &d->units, &f); (id = queue_walk_top(w)) != POL_NONE;) {
        const struct unit *u = sched_unit(d, id);
        const struct runner at = { .key = u->key, .ordinal = u->ordinal, .index = u->index };
        int64_t ask = sched_gpu_milli(d, u);
        if (!may_place(l, u->request_class, l->stand[id].level, u->n_tasks, u->cpu_milli, u->mem_b)) {
            sched_pass(d, w);           /* what its bucket was met for is taken; or it is a gang */
            continue;
        }
        bool fits = skew_place(&l->skew, id), made = false;
        if (!fits && later < 0) later = hold_running(l);
        for (; !fits && next < l->n_run && in_order(&l->run[next], &at) < 0; next++)
            if (!l->run[next].is_out) later -= l->run[next].gpu_milli;
        if (!fits && free_milli + later >= ask) {
            int64_t before = free_milli;
            made = make_room(l, id, next, ask, &free_milli);
            later -= free_milli - before;
        }
        if (!fits && !made) {
            refuse(l, u, free_milli + later >= ask, next);
            if (skew_holds(&l->skew, u)) queue_walk_step(w, &d->units, POL_NEVER);      /* who asks the same may fit */
            else sched_pass(d, w);
            continue;
        }
        free_milli -= choose(l, id);
        queue_walk_step(w, &d->units, POL_NEVER);
        if (made && refuse_lasts(l)) queue_walk_renew(w, &d->units, id);    /* those of later queues may have more */
    }
}

/* In order, who finds its cards among those left by count is to run; the others stop, and only then is it placed. */
static void scan_by_count(struct tiresias *l)
{
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    int64_t left = choose_cards(d);
    uint32_t id, next = 0, n_taken = 0;
    POL_RESERVE(l->list, l->cap_list, (size_t)d->wait.n + 1);
    for (queue_walk_open(w, &d->wait, &d->units, NULL, NULL);; queue_walk_step(w, &d->units, POL_NEVER)) {
        id = queue_walk_top(w);
        const struct unit *u = id == POL_NONE ? NULL : sched_unit(d, id);
        const struct runner at = { .key = u ? u->key : 0, .ordinal = u ? u->ordinal : 0, .index = u ? u->index : 0 };
        for (; next < l->n_run; next++) {
            struct runner *r = &l->run[next];
            if (u != NULL && in_order(r, &at) > 0) break;
            r->is_out = !choose_takes(d, sched_unit(d, r->id), &left);
        }
        if (u == NULL) break;
        if (choose_takes(d, u, &left)) l->list[n_taken++] = id;
    }
    for (uint32_t k = 0; k < l->n_run; k++)
        if (l->run[k].is_out) sched_release(d, l->run[k].id);
    for (uint32_t i = 0; i < n_taken; i++)
        if (skew_place(&l->skew, l->list[i])) (void)choose(l, l->list[i]);
}

bool tiresias_stop_all(struct tiresias *l)
{
    struct sched *d = &l->sched;
    order_running(l);
    for (uint32_t k = 0; k < l->n_run; k++) {
        struct stand *p = &l->stand[l->run[k].id];
        p->rank_run = p->rank < WAITING / 2 ? p->rank : 0;
        p->is_ranked = true;
        POL_PUSH(l->stopped, l->n_stopped, l->cap_stopped, l->run[k].id);
        choose_stop(d, l->run[k].id, "all are placed anew");
    }
    return l->n_run > 0;
}

/* Of those that were stopped to be placed anew, who waits now goes to the head, as who is preempted does. */
static void settle_stopped(struct tiresias *l)
{
    struct sched *d = &l->sched;
    for (uint32_t k = l->n_stopped; k-- > 0;) {
        uint32_t id = l->stopped[k];
        struct stand *p = &l->stand[id];
        if (sched_unit(d, id)->state != UNIT_WAITING || p->rank_run == 0) continue;
        p->rank = WAITING - ++l->front;
        p->rank_run = 0;
        tiresias_rekey(l, id);
    }
    l->n_stopped = 0;
}

/* Carry it out: who is out goes to the head of those that wait, who starts behind those that run. */
static void apply(struct tiresias *l)
{
    struct sched *d = &l->sched;
    for (uint32_t k = l->n_run; k-- > 0;) {
        struct stand *p = &l->stand[l->run[k].id];
        if (!l->run[k].is_out) continue;
        p->rank_run = p->rank < WAITING / 2 ? p->rank : 0;
        if (p->rank_run > 0) p->rank = WAITING - ++l->front;        /* else it was just demoted, and stays there */
        p->is_ranked = true;
        sched_preempt(d, l->run[k].id, "units before it in the queues take its room");
    }
    for (uint32_t i = 0; i < l->n_chosen; i++) {
        uint32_t id = l->chosen[i].id;
        memcpy(d->place, l->place + l->chosen[i].place, sched_unit(d, id)->n_tasks * sizeof *d->place);
        sched_start(d, id, "fits beside those before it in the queues");
    }
    if (l->n_late > 1) qsort(l->late, l->n_late, sizeof *l->late, in_order);
    for (uint32_t k = 0; k < l->n_late; k++)
        if (tiresias_is_late(l, l->late[k].id)) l->stand[l->late[k].id].rank = ++l->started;
    l->n_late = 0;
}

void tiresias_rearrange(struct tiresias *l)
{
    l->n_chosen = 0;
    l->n_place = l->n_taken = 0;
    l->n_run = 0;
    l->is_ordered = l->choose == CHOOSE_ANEW;           /* all wait, or have just been placed */
    if (l->choose == CHOOSE_COUNT) {
        order_running(l);
        scan_by_count(l);
    } else {
        scan(l);
    }
    apply(l);
    settle_stopped(l);
}
