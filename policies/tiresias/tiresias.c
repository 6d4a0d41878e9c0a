/*
 * tiresias.c -- Tiresias' two-dimensional scheduling as its authors' simulator runs it.  README.md, tiresias.
 *
 * Units stand in queues by attained service, and in a queue in one order: those that run before those that wait,
 * by when they started (or by arrival, Gittins index or entry to the queue).  A decision goes through that order and
 * takes whatever fits beside what it took before; who runs and was not taken is preempted.  To leave who runs where it
 * is, a waiting unit is first tried beside all that run; only where that fails are later ones released, from the last,
 * and then put back in order where their places are still free.
 *
 * The position of a unit in its queue is a rank: of running ones by start, of waiting ones after these; who is
 * preempted goes to the head of those that wait, a newcomer of the queue to their end.
 *
 * Cost of a decision: O(log R) of R running units; where somebody does not fit beside them O(R log R) once, and for
 * each such request class at most R releases and placements; O(R) with every= or foresee=, O(waiting) with a knob.
 * Source: Gu et al., Tiresias, NSDI 2019; its simulator, github.com/SymbioticLab/Tiresias, dlas_sim_jobs.
 */
#include "lib/heap.h"
#include "lib/sched/choose.h"
#include "lib/sched/list.h"
#include "builtin.h"
#include "lib/util.h"
#include "tiresias/gittins.h"
#include "tiresias/skew.h"

enum { LIMITS_MAX = 15, CARD = 1000, LEVEL_BIT = 58 };
#define SECOND INT64_C(1000000)
#define WAITING (INT64_C(1) << 56)      /* ranks of waiting units are around it, of running ones far below */
#define LAST    (INT64_C(1) << 57)

enum order { BY_START, BY_SUBMIT, BY_GITTINS, BY_ENTRY };
enum foresee { EXACT, LATE, WHOLE_SECOND };

/* A unit's place in the queues, by task slot. */
struct stand {
    uint64_t ordinal;
    uint32_t index, level;
    int64_t  rank;
    int64_t  entry;             /* to its queue: which of all entries to any, from 1 */
    int64_t  base;              /* running time that no longer counts: it had it when it was promoted */
    int64_t  waited, since;     /* after having run, since then; and when the present wait began */
    int64_t  rank_run;          /* before it was preempted: it keeps it if it goes on at that instant elsewhere */
    bool     is_known, is_ranked;       /* ranked: when it was preempted */
    int64_t  limit_at;          /* when it reaches its queue's limit if it runs on; POL_NEVER: it will not */
    uint32_t place;             /* in `limits` */
};

/* A running unit, in the order of a decision. */
struct runner { int64_t key; uint64_t ordinal; uint32_t index, id; int64_t gpu_milli; bool is_out, was_out; };
struct chosen { uint32_t id; size_t place; };

struct tiresias {
    struct sched sched;
    int64_t limit[LIMITS_MAX];  /* service at which queue i ends, thousandths of a card times us */
    uint32_t n_limits;
    bool    by_gpu;
    enum foresee foresee;
    enum order order;
    enum choose choose;
    double  knob;
    int64_t every;
    struct stand *stand; size_t cap_stand;
    int64_t started, tail, front, entered;      /* ranks and entries given so far */
    int64_t due, asked, reviewed;       /* when a unit changes queues next; the last wake; the last review */
    uint64_t seen;              /* the plan's freed_epoch after the last decision */
    bool    is_stirred;         /* a unit came, started or stopped since */
    struct runner *run; size_t cap_run; uint32_t n_run;
    bool    is_ordered;         /* `run` has those that run, or nobody is to be in it */
    bool    is_late;            /* somebody who runs was demoted, and has a rank of those that wait */
    uint32_t *limits; size_t cap_limits; uint32_t n_limits_at;  /* foresee=exact: who runs, as a heap by limit_at */
    uint32_t *list; size_t cap_list;
    uint32_t *stopped; size_t cap_stopped; uint32_t n_stopped;      /* choose=anew: in order, when `renewed` */
    int64_t renewed;
    struct chosen *chosen; size_t cap_chosen; uint32_t n_chosen;
    struct pol_place *place; size_t cap_place, n_place;
    uint32_t *taken; size_t cap_taken; uint32_t n_taken;        /* nodes that those chosen take whole */
    struct gittins gittins;
    bool    learns;             /* its samples are those of this run */
    struct skew skew;
};

#define SLOW 0.9
#define SLOW_TEXT "0.9"
enum {
    P_PLACE, P_LIMITS, P_GPU, P_ORDER, P_KNOB, P_SAMPLES, P_DELTA, P_EVERY, P_FORESEE, P_CHOOSE, P_CONSOLIDATE, P_SLOW
};
static const struct pol_param params[] = {
    PLACEMENT_PARAM,
    { .name = "limits", .type = POL_TEXT, .dflt = "3250;7200",
      .help = "service at which each queue but the last ends, whole seconds of one card, rising" },
    { .name = "gpu", .type = POL_BOOL, .dflt = "true", .help = "service is running time x cards; false: running time" },
    { .name = "order", .type = POL_CHOICE, .dflt = "start", .choices = "start|submit|gittins|entry",
      .help = "in a queue: as they started, as they arrived, by Gittins index, or as they entered it" },
    { .name = "knob", .type = POL_NUMBER, .dflt = "0",
      .help = "back to the first queue after waiting so many times its running time; 0: never" },
    { .name = "samples", .type = POL_TEXT, .dflt = "",
      .help = "services the index is made of, whole seconds of one card, a;b;...; none: those of units that ended" },
    { .name = "delta", .type = POL_DURATION, .dflt = "3250s", .help = "quantum of service the index looks ahead" },
    { .name = "every", .type = POL_DURATION, .dflt = "0s",
      .help = "decide only at multiples of this; 0: at every event" },
    { .name = "foresee", .type = POL_CHOICE, .dflt = "exact", .choices = "exact|late|second",
      .help = "when a unit reaches a limit: then, as late as the authors' simulator has it, or at the next second" },
    CHOOSE_PARAM,
    { .name = "consolidate", .type = POL_CHOICE, .dflt = "none", .choices = "none|skew|all",
      .help = "gangs that run on as few nodes as may be, or wait: those of models that are slow on several, or all" },
    { .name = "slow", .type = POL_NUMBER, .dflt = SLOW_TEXT,
      .help = "consolidate=skew: of models whose measured speed on several nodes is below this, over that on one" },
};

/* ---- service ---- */

static int64_t cards_of(const struct tiresias *l, const struct unit *u)
{
    int64_t milli = sched_gpu_milli(&l->sched, u);
    return l->by_gpu && milli > 0 ? milli : CARD;
}

/* Running time that counts, now. */
static int64_t executed(const struct tiresias *l, const struct unit *u)
{
    int64_t now = u->state == UNIT_RUNNING ? l->sched.view->now_us - u->started : 0;
    return u->attained + now - l->stand[u->task.slot].base;
}

static int64_t service(const struct tiresias *l, const struct unit *u)
{
    pol_wide s = (pol_wide)executed(l, u) * cards_of(l, u);
    return s < POL_NEVER ? (int64_t)s : POL_NEVER - 1;
}

/* ---- places in the queues ---- */

static int64_t key_of(const struct tiresias *l, const struct unit *u)
{
    const struct stand *p = &l->stand[u->task.slot];
    int64_t in = l->order == BY_START ? p->rank : l->order == BY_ENTRY ? p->entry :
                 l->order == BY_GITTINS ? LAST - gittins_index(&l->gittins, service(l, u), LAST / 2) : 0;
    return (int64_t)p->level << LEVEL_BIT | in;
}

static int64_t wait_key(void *self, const struct unit *u)
{
    struct tiresias *l = self;
    POL_RESERVE(l->stand, l->cap_stand, (size_t)u->task.slot + 1);
    struct stand *p = &l->stand[u->task.slot];
    if (!p->is_known || p->ordinal != u->ordinal || p->index != u->index)
        *p = (struct stand){ .ordinal = u->ordinal, .index = u->index, .rank = WAITING + ++l->tail,
                             .entry = ++l->entered, .is_known = true };
    else if (!p->is_ranked)             /* its node was lost */
        *p = (struct stand){ .ordinal = u->ordinal, .index = u->index, .level = p->level, .base = p->base,
                             .waited = p->waited, .rank = WAITING - ++l->front, .entry = p->entry, .is_known = true };
    p->is_ranked = false;
    p->since = l->sched.view->now_us;
    l->is_stirred = true;
    return key_of(l, u);
}

static int64_t run_key(void *self, const struct unit *u) { (void)self, (void)u; return 0; }     /* by arrival */

static void waits(void *self, const struct unit *u, int sign)
{
    struct tiresias *l = self;
    struct stand *p = &l->stand[u->task.slot];
    if (sign < 0 && u->attained > p->base) p->waited += l->sched.view->now_us - p->since;
}

/* ---- when running units reach their limits ---- */

static bool reaches_first(struct tiresias *l, const uint32_t *a, const uint32_t *b)
{
    return l->stand[*a].limit_at != l->stand[*b].limit_at ? l->stand[*a].limit_at < l->stand[*b].limit_at : *a < *b;
}
static void stands(struct tiresias *l, const uint32_t *id, size_t i) { l->stand[*id].place = (uint32_t)i; }
HEAP_INDEXED(limits, 2, struct tiresias *, uint32_t, reaches_first, stands);

/* Else all that run are looked at each time. */
static bool has_heap(const struct tiresias *l) { return l->every == 0 && l->foresee == EXACT; }

static int64_t limit_at(const struct tiresias *l, const struct unit *u)
{
    const struct stand *p = &l->stand[u->task.slot];
    if (p->level >= l->n_limits) return POL_NEVER;
    const int64_t cards = cards_of(l, u), limit = l->limit[p->level];
    return pol_after(u->started - u->attained + p->base, limit / cards + (limit % cards != 0));
}

static void watch(struct tiresias *l, const struct unit *u, int sign)
{
    const uint32_t id = u->task.slot;
    if (!has_heap(l)) return;
    if (sign < 0) {
        limits_take(l, l->limits, l->n_limits_at--, l->stand[id].place);
        return;
    }
    l->stand[id].limit_at = limit_at(l, u);
    POL_RESERVE(l->limits, l->cap_limits, (size_t)l->n_limits_at + 1);
    limits_push(l, l->limits, l->n_limits_at++, id);
}

static void moved(void *self, const struct unit *u, int sign)
{
    struct tiresias *l = self;
    const struct pol_host *h = l->sched.host;
    l->is_stirred = true;
    watch(l, u, sign);
    if (sign > 0) {
        struct stand *p = &l->stand[u->task.slot];
        bool goes_on = p->rank_run > 0 && p->since == l->sched.view->now_us;
        p->rank = goes_on ? p->rank_run : ++l->started;
        p->rank_run = 0;
        return;
    }
    const struct pol_task_info *ti = h->task(h->ctx, u->task);
    if (!l->learns || ti == NULL || ti->is_running || ti->is_waiting) return;
    pol_wide s = (pol_wide)ti->attained_us * cards_of(l, u);
    if (s > 0 && s < POL_NEVER) gittins_add(&l->gittins, (int64_t)s);
}

/* How long a waiting unit has to wait yet until it is promoted; POL_NEVER: it will not be. */
static int64_t until_promoted(const struct tiresias *l, const struct unit *u)
{
    const struct stand *p = &l->stand[u->task.slot];
    int64_t ran = u->attained - p->base;
    if (l->knob <= 0 || p->level == 0 || ran <= 0) return POL_NEVER;
    double need = (double)ran * l->knob - (double)(p->waited + l->sched.view->now_us - p->since);
    return need >= (double)POL_NEVER / 2 ? POL_NEVER : need > 0 ? (int64_t)need : 0;
}

static int by_arrival(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    if (x->ordinal != y->ordinal) return x->ordinal < y->ordinal ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static int in_order(const void *a, const void *b)
{
    const struct runner *x = a, *y = b;
    return x->key != y->key ? (x->key < y->key ? -1 : 1) : by_arrival(a, b);
}

static void add_runner(struct tiresias *l, const struct unit *u, uint32_t id, int64_t key)
{
    const struct runner r = { .key = key, .ordinal = u->ordinal, .index = u->index, .id = id };
    POL_PUSH(l->run, l->n_run, l->cap_run, r);
}

/* GPU shares that a task of the shape holds on a node. */
static int64_t held_milli(const struct sched *d, const struct pol_shape *s, uint32_t node)
{
    return s->exclusive ? (int64_t)d->plan.node[node].n.n_gpu * CARD : (int64_t)s->n_gpu * s->gpu_milli;
}

/* Those that run, by arrival; in l->list. */
static void list_running(struct tiresias *l)
{
    POL_RESERVE(l->list, l->cap_list, (size_t)l->sched.running.n + 1);
    unit_set_list(&l->sched.running, &l->sched.units, l->list);
}

/* Those that run, in the order of a decision; in l->run. */
static void order_running(struct tiresias *l)
{
    l->n_run = 0;
    list_running(l);
    for (uint32_t i = 0; i < l->sched.running.n; i++) {
        const struct unit *u = sched_unit(&l->sched, l->list[i]);
        add_runner(l, u, l->list[i], key_of(l, u));
    }
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, in_order);
}

/* Those that wait, for which `is` holds, by arrival; in l->run. */
static void list_waiting(struct tiresias *l, bool (*is)(const struct tiresias *, const struct unit *))
{
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    l->n_run = 0;
    uint32_t id;
    queue_walk_open(w, &d->wait, &d->units, NULL, NULL);
    for (; (id = queue_walk_top(w)) != POL_NONE; queue_walk_step(w, &d->units, POL_NEVER))
        if (is == NULL || is(l, sched_unit(d, id))) add_runner(l, sched_unit(d, id), id, 0);
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, by_arrival);
}

static bool is_promoted(const struct tiresias *l, const struct unit *u) { return until_promoted(l, u) == 0; }

static void rekey(struct tiresias *l, uint32_t id)
{
    struct sched *d = &l->sched;
    queue_del(&d->wait, &d->units, id);
    sched_unit(d, id)->key = key_of(l, sched_unit(d, id));
    queue_add(&d->wait, &d->units, id);
}

/* Those that run and may have reached a limit, by arrival; in l->list.  Who is in the heap is taken off it. */
static uint32_t list_due(struct tiresias *l)
{
    if (!has_heap(l)) {
        list_running(l);
        return l->sched.running.n;
    }
    l->n_run = 0;
    while (l->n_limits_at > 0 && l->stand[l->limits[0]].limit_at <= l->sched.view->now_us) {
        add_runner(l, sched_unit(&l->sched, l->limits[0]), l->limits[0], 0);
        limits_take(l, l->limits, l->n_limits_at--, 0);
    }
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, by_arrival);
    POL_RESERVE(l->list, l->cap_list, l->n_run);
    for (uint32_t i = 0; i < l->n_run; i++) l->list[i] = l->run[i].id;
    return l->n_run;
}

/* Units that reached a limit go to the end of the next queue, those that waited too long to that of the first. */
static void review(struct tiresias *l)
{
    struct sched *d = &l->sched;
    int64_t now = d->view->now_us;
    if (l->reviewed == now || (l->every == 0 && l->foresee == EXACT && now < l->due)) return;
    l->reviewed = now;
    const uint32_t n = list_due(l);
    for (uint32_t i = 0; i < n; i++) {
        const struct unit *u = sched_unit(d, l->list[i]);
        struct stand *p = &l->stand[l->list[i]];
        int64_t has = service(l, u);
        while (p->level < l->n_limits && has >= l->limit[p->level]) {
            p->level++;
            p->rank = d->wait.n > 0 ? WAITING + ++l->tail : ++l->started;
            p->entry = ++l->entered;
            l->is_late |= d->wait.n > 0;
            if (l->foresee != EXACT) break;
        }
        if (has_heap(l)) watch(l, u, +1);
    }
    if (l->knob <= 0) return;
    list_waiting(l, is_promoted);
    for (uint32_t i = 0; i < l->n_run; i++) {
        uint32_t id = l->run[i].id;
        l->stand[id] = (struct stand){ .ordinal = l->run[i].ordinal, .index = l->run[i].index, .is_known = true,
                                       .rank = WAITING + ++l->tail, .entry = ++l->entered,
                                       .base = sched_unit(d, id)->attained, .since = now };
        rekey(l, id);
    }
}

/* ---- a decision ---- */

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

/*
 * Release running units from the last to `from` until the unit fits, put back in order those beside whom it still
 * does, and place it.
 */
static bool make_room(struct tiresias *l, uint32_t unit, uint32_t from, int64_t ask, int64_t *free_milli)
{
    struct sched *d = &l->sched;
    struct plan_mark m = plan_mark(&d->plan);
    int64_t was = *free_milli;
    bool fits = false;
    for (uint32_t k = l->n_run; k-- > from && !fits;) {
        struct runner *r = &l->run[k];
        r->was_out = r->is_out;
        if (r->is_out) continue;
        sched_release(d, r->id);
        r->is_out = true;
        *free_milli += r->gpu_milli;
        fits = *free_milli >= ask && skew_fits(&l->skew, unit);
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
        if (!put_back(l, r->id) || !skew_fits(&l->skew, unit)) {
            plan_undo(&d->plan, one);
            continue;
        }
        plan_keep(&d->plan, one);
        r->is_out = false;
        *free_milli -= r->gpu_milli;
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

/* Go through the order, and plan who is out and who starts. */
static void scan(struct tiresias *l)
{
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    int64_t free_milli = d->plan.gpu_free, later = -1;      /* on nodes; held by those behind it, who are not out */
    uint32_t id, next = 0;
    for (queue_walk_open(w, &d->wait, &d->units, NULL, NULL); (id = queue_walk_top(w)) != POL_NONE;) {
        const struct unit *u = sched_unit(d, id);
        const struct runner at = { .key = u->key, .ordinal = u->ordinal, .index = u->index };
        int64_t ask = sched_gpu_milli(d, u);
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
            if (skew_holds(&l->skew, u)) queue_walk_step(w, &d->units, POL_NEVER);      /* who asks the same may fit */
            else sched_pass(d, w);
            continue;
        }
        free_milli -= choose(l, id);
        queue_walk_step(w, &d->units, POL_NEVER);
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

/* choose=anew: all stop, and keep their places in the queues; false: nobody runs. */
static bool stop_all(struct tiresias *l)
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
        rekey(l, id);
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
    for (uint32_t k = 0; k < l->n_run; k++) {
        struct stand *p = &l->stand[l->run[k].id];
        if (!l->run[k].is_out && p->rank >= WAITING / 2) p->rank = ++l->started;
    }
}

/* How long until a running unit reaches its limit, as far as it is foreseen where that is not exact. */
static int64_t until_demoted(const struct tiresias *l, const struct unit *u)
{
    uint32_t level = l->stand[u->task.slot].level;
    if (level >= l->n_limits) return POL_NEVER;
    int64_t cards = cards_of(l, u), ran = executed(l, u), limit = l->limit[level];
    if (l->foresee == LATE) {
        int64_t left = (limit / CARD - ran) / SECOND * CARD / cards * SECOND;       /* not (limit / cards - ran) */
        return left > SECOND ? left : SECOND;
    }
    int64_t at = limit / cards + (limit % cards != 0), left = (at + SECOND - 1) / SECOND * SECOND - ran;
    return left > 0 ? left : 1;
}

static void ask(struct tiresias *l)
{
    struct sched *d = &l->sched;
    int64_t now = d->view->now_us;
    l->due = POL_NEVER;
    if (l->every > 0) {
        if (d->wait.n > 0) l->due = pol_after(now, l->every - now % l->every);
    } else {
        if (has_heap(l) && l->n_limits_at > 0) {
            const int64_t at = l->stand[l->limits[0]].limit_at;
            l->due = at > now ? at : now + 1;
        } else if (!has_heap(l)) {
            list_running(l);
            for (uint32_t i = 0; i < d->running.n; i++) {
                int64_t at = pol_after(now, until_demoted(l, sched_unit(d, l->list[i])));
                if (at < l->due) l->due = at;
            }
        }
        if (l->knob > 0) list_waiting(l, NULL);
        for (uint32_t i = 0; l->knob > 0 && i < l->n_run; i++) {
            int64_t left = until_promoted(l, sched_unit(d, l->run[i].id)), at = pol_after(now, left > 0 ? left : 1);
            if (at < l->due) l->due = at;
        }
    }
    if (l->due >= POL_NEVER - 1 || l->due == l->asked) return;
    l->asked = l->due;
    d->host->wake(d->host->ctx, l->due);
}

/* Who runs, anew. */
static void rearrange(struct tiresias *l)
{
    l->n_chosen = 0;
    l->n_place = l->n_taken = 0;
    l->n_run = 0;
    l->is_ordered = l->choose == CHOOSE_ANEW;           /* all wait, or have just been placed */
    if (!l->is_ordered && (l->is_late || l->choose == CHOOSE_COUNT)) {
        order_running(l);
        l->is_ordered = true;
    }
    l->is_late = false;
    if (l->choose == CHOOSE_COUNT) scan_by_count(l);
    else scan(l);
    apply(l);
    settle_stopped(l);
}

static void decide(void *self)
{
    struct tiresias *l = self;
    struct sched *d = &l->sched;
    if (l->every > 0 && d->view->now_us % l->every != 0) {
        ask(l);
        return;
    }
    /* A wake that was asked for and is no longer due changes nothing; by count, a lost node does. */
    if (l->choose != CHOOSE_COUNT && !l->is_stirred && l->seen == d->plan.freed_epoch && d->view->now_us < l->due)
        return;
    review(l);
    if (l->order == BY_GITTINS && gittins_learn(&l->gittins)) {
        list_waiting(l, NULL);
        for (uint32_t i = 0; i < l->n_run; i++) rekey(l, l->run[i].id);
    }
    if (l->choose == CHOOSE_ANEW && l->renewed != d->view->now_us) {
        l->renewed = d->view->now_us;
        if (stop_all(l)) return;                /* the host tells of it at this instant */
    }
    if (d->wait.n > 0) rearrange(l);
    ask(l);
    l->seen = d->plan.freed_epoch;
    l->is_stirred = false;
}

/* ---- parameters ---- */

/* Whole seconds of one card, "a;b;...", into service; false: something else stands there. */
static bool read_seconds(const char *text, int64_t **out, size_t *cap_out, uint32_t *n)
{
    for (const char *c = text; *c != '\0';) {
        int64_t v = 0;
        if (*c < '0' || *c > '9') return false;
        for (; *c >= '0' && *c <= '9' && v < POL_NEVER / 100 / SECOND / CARD; c++) v = v * 10 + (*c - '0');
        if ((*c != ';' && *c != '\0') || v > POL_NEVER / 100 / SECOND / CARD) return false;
        POL_PUSH(*out, *n, *cap_out, v * SECOND * CARD);
        if (*c == ';') c++;
    }
    return true;
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct tiresias *l = self;
    l->by_gpu = value[P_GPU].i != 0;
    l->order = (enum order)value[P_ORDER].i;
    l->knob = value[P_KNOB].x;
    l->gittins.delta = value[P_DELTA].i;
    l->every = value[P_EVERY].i;
    l->foresee = (enum foresee)value[P_FORESEE].i;
    l->choose = (enum choose)value[P_CHOOSE].i;
    l->asked = l->reviewed = l->renewed = -1;
    skew_init(&l->skew, &l->sched, (enum skew_who)value[P_CONSOLIDATE].i, value[P_SLOW].x);
    l->due = POL_NEVER;
    if (!(l->knob >= 0)) return pol_error(error, cap, "knob must be 0 or more");
    if (l->gittins.delta < 1 || l->gittins.delta > POL_NEVER / CARD)
        return pol_error(error, cap, "delta must be above 0, and not beyond what 64 bits count");
    int64_t *limit = NULL;
    size_t cap_limit = 0;
    uint32_t n = 0;
    bool ok = read_seconds(value[P_LIMITS].s, &limit, &cap_limit, &n) && n <= LIMITS_MAX;
    for (uint32_t i = 0; ok && i < n; i++) ok = (l->limit[i] = limit[i]) > (i == 0 ? 0 : limit[i - 1]);
    l->n_limits = n;
    free(limit);
    if (!ok) return pol_error(error, cap, "limits must be at most %d whole seconds, rising, as 3250;7200", LIMITS_MAX);
    if (!read_seconds(value[P_SAMPLES].s, &l->gittins.sample, &l->gittins.cap_sample, &l->gittins.n_sample))
        return pol_error(error, cap, "samples must be whole seconds, as 120;3600;7200");
    if (l->gittins.n_sample > 0 && l->order != BY_GITTINS)
        return pol_error(error, cap, "samples is read with order=gittins alone");
    if (!(value[P_SLOW].x > 0 && value[P_SLOW].x <= 1))
        return pol_error(error, cap, "slow must be above 0, and at most 1");
    if (value[P_SLOW].x != SLOW && l->skew.who != SKEW_SLOW)
        return pol_error(error, cap, "slow is read with consolidate=skew alone");
    l->learns = l->order == BY_GITTINS && l->gittins.n_sample == 0;
    return true;
}

static void fini(void *self)
{
    struct tiresias *l = self;
    skew_fini(&l->skew);
    gittins_fini(&l->gittins);
    POL_FREE(l->stand, l->limits, l->run, l->list, l->stopped, l->chosen, l->place, l->taken);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct skew *s = &((struct tiresias *)self)->skew;
    (void)kind;
    if (class < s->cap_least) s->least[class] = 0;
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .run_key = run_key, .waits = waits, .moved = moved, .class_gone = class_gone,
    .size = sizeof(struct tiresias), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_tiresias, ops, params,
            .name = "tiresias", .source = "Gu et al., Tiresias, NSDI 2019, and its simulator: 2D-LAS and 2D-Gittins",
            .summary = "queues by attained service, in one by start; what fits in that order runs, "
                       "the rest is preempted",
            .flags = POL_PREEMPTS);
