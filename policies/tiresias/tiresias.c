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
 * Cost of a decision: O(log R) of R running units, and what refuse.h says for each kind of request that waits; where
 * room must be made O(R log R) once, and for each such request class at most R releases and a placement, and with
 * order=start one search of the queue for each kind that waits; O(R) with every= or foresee=, O(waiting) with a knob.
 * With order=start a refusal is remembered while the room that could be made is no more; else in its decision alone.
 * Source: Gu et al., Tiresias, NSDI 2019; its simulator, github.com/SymbioticLab/Tiresias, dlas_sim_jobs.
 */
#include "builtin.h"
#include "lib/heap.h"
#include "lib/sched/list.h"
#include "tiresias/state.h"

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

int64_t tiresias_key(const struct tiresias *l, const struct unit *u)
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
    return tiresias_key(l, u);
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
    struct stand *p = &l->stand[u->task.slot];
    l->is_stirred = true;
    watch(l, u, sign);
    if (sign < 0) refuse_let_go(l, u->task.slot);
    p->is_out = false;
    if (sign > 0) {
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

/* Those that wait, for which `is` holds, by arrival; in l->run. */
static void list_waiting(struct tiresias *l, bool (*is)(const struct tiresias *, const struct unit *))
{
    struct sched *d = &l->sched;
    struct queue_walk *w = &d->walk;
    l->n_run = 0;
    uint32_t id;
    queue_walk_open(w, &d->wait, &d->units, NULL, NULL);
    for (; (id = queue_walk_top(w)) != POL_NONE; queue_walk_step(w, &d->units, POL_NEVER))
        if (is == NULL || is(l, sched_unit(d, id))) tiresias_add_runner(l, sched_unit(d, id), id, 0);
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, tiresias_by_arrival);
}

static bool is_promoted(const struct tiresias *l, const struct unit *u) { return until_promoted(l, u) == 0; }

void tiresias_rekey(struct tiresias *l, uint32_t id)
{
    struct sched *d = &l->sched;
    queue_del(&d->wait, &d->units, id);
    sched_unit(d, id)->key = tiresias_key(l, sched_unit(d, id));
    queue_add(&d->wait, &d->units, id);
}

/* Those that run and may have reached a limit, by arrival; in l->list.  Who is in the heap is taken off it. */
static uint32_t list_due(struct tiresias *l)
{
    if (!has_heap(l)) {
        tiresias_list_running(l);
        return l->sched.running.n;
    }
    l->n_run = 0;
    while (l->n_limits_at > 0 && l->stand[l->limits[0]].limit_at <= l->sched.view->now_us) {
        tiresias_add_runner(l, sched_unit(&l->sched, l->limits[0]), l->limits[0], 0);
        limits_take(l, l->limits, l->n_limits_at--, 0);
    }
    if (l->n_run > 0) qsort(l->run, l->n_run, sizeof *l->run, tiresias_by_arrival);
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
        if (p->level < l->n_limits && has >= l->limit[p->level]) refuse_log(l, l->list[i], p->level);
        while (p->level < l->n_limits && has >= l->limit[p->level]) {
            p->level++;
            p->rank = d->wait.n > 0 ? WAITING + ++l->tail : ++l->started;
            p->entry = ++l->entered;
            if (l->foresee != EXACT) break;
        }
        if (tiresias_is_late(l, l->list[i])) tiresias_add_late(l, l->list[i]);
        if (has_heap(l)) watch(l, u, +1);
    }
    if (l->knob <= 0) return;
    list_waiting(l, is_promoted);
    for (uint32_t i = 0; i < l->n_run; i++) {
        uint32_t id = l->run[i].id;
        l->stand[id] = (struct stand){ .ordinal = l->run[i].ordinal, .index = l->run[i].index, .is_known = true,
                                       .rank = WAITING + ++l->tail, .entry = ++l->entered,
                                       .base = sched_unit(d, id)->attained, .since = now };
        tiresias_rekey(l, id);
    }
}

/* ---- a decision ---- */

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
            tiresias_list_running(l);
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
        for (uint32_t i = 0; i < l->n_run; i++) tiresias_rekey(l, l->run[i].id);
    }
    if (l->choose == CHOOSE_ANEW && l->renewed != d->view->now_us) {
        l->renewed = d->view->now_us;
        if (tiresias_stop_all(l)) return;                /* the host tells of it at this instant */
    }
    if (d->wait.n > 0) tiresias_rearrange(l);
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
    l->order = (enum tiresias_order)value[P_ORDER].i;
    l->knob = value[P_KNOB].x;
    l->gittins.delta = value[P_DELTA].i;
    l->every = value[P_EVERY].i;
    l->foresee = (enum tiresias_foresee)value[P_FORESEE].i;
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
    refuse_fini(l);
    room_fini(&l->room);
    gittins_fini(&l->gittins);
    POL_FREE(l->stand, l->limits, l->run, l->late, l->list, l->stopped, l->chosen, l->place, l->taken);
}

static void class_gone(void *self, uint32_t class, uint32_t kind)
{
    struct skew *s = &((struct tiresias *)self)->skew;
    if (kind != POL_NONE) refuse_forget(self, kind);
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
