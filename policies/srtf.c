/*
 * srtf.c -- the shortest remaining time first, preemptive.  README.md, srtf.
 *
 * With estimates, what is left of a running unit is E - now, where E = start +
 * estimate - attained before this start.  So the running set is ordered by E,
 * which does not change as time passes.  With true times, what is left falls at
 * the speed of the node, which a policy does not know: it is read from the host
 * when needed, and the running set is ordered by when each unit would end at
 * nominal speed, as a first approximation that preempt.c corrects.  By time x GPUs
 * what is left falls at each unit's own pace, so it is computed when needed, too.
 *
 * Cost: preempt_run's (lib/sched/preempt.h); choose=count sorts all units at each decision, choose=anew starts all
 * that run again.
 * Source: Schrage, A proof of the optimality of the shortest remaining processing
 * time discipline, Operations Research 16(3), 1968.
 */
#include "lib/sched/choose.h"
#include "lib/sched/list.h"
#include "lib/sched/preempt.h"
#include "builtin.h"
#include "lib/util.h"

struct srtf {
    struct sched sched;
    struct preempt preempt;
    bool    by_gpu;
    enum choose choose;
    int64_t every;              /* of choose=count */
    int64_t decided, asked;     /* when it last decided so, or stopped all; the last wake */
    uint64_t seen;              /* choose=anew: the plan's freed_epoch after the last decision */
    bool    is_stirred;         /* a unit came, started or stopped since */
    struct chooser *order; size_t cap_order; uint32_t n_order;
    uint32_t *list; size_t cap_list;
};

enum { P_PLACE, P_MODE, P_ESTIMATE, P_BY, P_CHOOSE, P_EVERY };
static const struct pol_param params[] = {
    PLACEMENT_PARAM, LIST_MODE_PARAM("skip"), LIST_ESTIMATE_PARAM, LIST_BY_PARAM, CHOOSE_PARAM,
    { .name = "every", .type = POL_DURATION, .dflt = "0s", .help = "choose=count decides only at multiples of this" },
};

/* Longest over the unit's tasks. */
static int64_t true_left(void *self, const struct unit *u)
{
    const struct srtf *s = self;
    const struct pol_host *h = s->sched.host;
    int64_t most = 0;
    pol_task t = u->task;
    for (uint32_t i = 0; i < u->n_tasks; i++) {
        const struct pol_task_info *ti = h->task(h->ctx, t);
        if (ti->true_left_us > most) most = ti->true_left_us;
        t = ti->next;
    }
    return most;
}

/* What is left of a unit, now. */
static int64_t left(void *self, const struct unit *u)
{
    const struct srtf *s = self;
    if (s->sched.estimate == SCHED_TRUE) return true_left(self, u);
    if (u->est == POL_NEVER) return POL_NEVER;
    int64_t ran = u->attained + (u->state == UNIT_RUNNING ? s->sched.view->now_us - u->started : 0);
    return u->est > ran ? u->est - ran : 0;
}

static int64_t left_by_gpu(void *self, const struct unit *u) { return list_by_gpu(self, u, left(self, u)); }

static int64_t wait_key(void *self, const struct unit *u)
{
    ((struct srtf *)self)->is_stirred = true;
    return ((const struct srtf *)self)->by_gpu ? left_by_gpu(self, u) : left(self, u);
}

static void moved(void *self, const struct unit *u, int sign)
{
    (void)u, (void)sign;
    ((struct srtf *)self)->is_stirred = true;
}

static int64_t run_key(void *self, const struct unit *u)
{
    const struct srtf *s = self;
    if (s->by_gpu) return left_by_gpu(self, u);
    if (s->sched.estimate == SCHED_TRUE) return pol_after(u->started, true_left(self, u));
    return u->est == POL_NEVER ? POL_NEVER : pol_after(u->started, u->est - u->attained);
}

/* Running units with more left than the waiting one: E - now > key. */
static int64_t victim_bound(void *self, const struct unit *u)
{
    const struct srtf *s = self;
    return s->by_gpu || s->sched.estimate == SCHED_TRUE ? u->key : pol_after(s->sched.view->now_us, u->key);
}

/* ---- choose=count ---- */

/* All units in order of what is left of them now. */
static void list_all(struct srtf *s)
{
    struct sched *d = &s->sched;
    struct queue_walk *w = &d->walk;
    uint32_t id, n = d->running.n;
    POL_RESERVE(s->list, s->cap_list, (size_t)n + 1);
    unit_set_list(&d->running, &d->units, s->list);
    queue_walk_open(w, &d->wait, &d->units, NULL, NULL);
    for (; (id = queue_walk_top(w)) != POL_NONE; queue_walk_step(w, &d->units, POL_NEVER))
        POL_PUSH(s->list, n, s->cap_list, id);
    s->n_order = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct unit *u = sched_unit(d, s->list[i]);
        const struct chooser c = { .key = wait_key(s, u), .ordinal = u->ordinal, .index = u->index, .id = s->list[i] };
        POL_PUSH(s->order, s->n_order, s->cap_order, c);
    }
    if (s->n_order > 0) qsort(s->order, s->n_order, sizeof *s->order, choose_order);
}

/* Decide again at the first multiple of `every` that is not before `at`. */
static void ask(struct srtf *s, int64_t at)
{
    const struct pol_host *h = s->sched.host;
    at = pol_after(at, s->every - 1);
    at -= at % s->every;
    if (at >= POL_NEVER - s->every || at == s->asked) return;
    s->asked = at;
    h->wake(h->ctx, at);
}

/*
 * In order, who finds its cards among those left by count is to run; the others stop, and only then is it placed.
 * Who that is does not change as time passes: a unit that runs and comes before one that waits leaves it fewer cards
 * than before, and both have theirs if both were to run.  So only what was added to a unit that stopped, or an event,
 * is a reason to decide again.
 */
static void decide_by_count(struct srtf *s)
{
    struct sched *d = &s->sched;
    int64_t now = d->view->now_us, left = choose_cards(d);
    if (now % s->every != 0 || now == s->decided) {
        ask(s, now + 1);
        return;
    }
    s->decided = now;
    list_all(s);
    uint32_t n_stopped = 0, n_taken = 0;
    for (uint32_t i = 0; i < s->n_order; i++) {
        const struct unit *u = sched_unit(d, s->order[i].id);
        bool takes = choose_takes(d, u, &left);
        if (u->state == UNIT_WAITING && takes) s->list[n_taken++] = s->order[i].id;
        if (u->state != UNIT_RUNNING || takes) continue;
        choose_stop(d, s->order[i].id, "shorter units take its cards, by count");
        n_stopped++;
    }
    for (uint32_t i = 0; i < n_taken; i++) (void)sched_try(d, s->list[i], "has its cards by count, fits");
    if (n_stopped > 0) ask(s, now + 1);
}

/* ---- choose=anew ---- */

/* At the first decision of an instant at which something happened all stop; at the next, as they wait, all start. */
static void decide_anew(struct srtf *s)
{
    struct sched *d = &s->sched;
    uint32_t n = d->running.n;
    if (!s->is_stirred && s->seen == d->plan.freed_epoch) return;
    if (s->decided != d->view->now_us && n > 0) {
        s->decided = d->view->now_us;
        POL_RESERVE(s->list, s->cap_list, n);
        unit_set_list(&d->running, &d->units, s->list);
        for (uint32_t i = 0; i < n; i++) choose_stop(d, s->list[i], "all are placed anew");
        return;
    }
    list_run(d, (enum list_mode)d->mode);
    s->seen = d->plan.freed_epoch;
    s->is_stirred = false;
}

static void decide(void *self)
{
    struct srtf *s = self;
    if (s->choose == CHOOSE_COUNT) { decide_by_count(s); return; }
    if (s->choose == CHOOSE_ANEW) { decide_anew(s); return; }
    struct preempt_rule rule = { .victim_bound = victim_bound, .reason = "a shorter unit needs the room" };
    if (s->by_gpu) rule.fresh = left_by_gpu;
    else if (s->sched.estimate == SCHED_TRUE) rule.fresh = true_left;
    preempt_run(&s->preempt, &s->sched, &rule, s->sched.mode == LIST_SKIP);
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    struct srtf *s = self;
    s->by_gpu = value[P_BY].i == LIST_BY_GPU;
    s->choose = (enum choose)value[P_CHOOSE].i;
    s->every = value[P_EVERY].i;
    s->decided = s->asked = -1;
    if (s->every > 0 && s->choose != CHOOSE_COUNT)
        return pol_error(error, cap, "every is read with choose=count alone");
    if (s->choose == CHOOSE_COUNT && s->sched.mode != LIST_SKIP)
        return pol_error(error, cap, "choose=count passes over what does not fit: mode=skip");
    if (s->every == 0) s->every = 1;
    return true;
}

static void fini(void *self)
{
    struct srtf *s = self;
    preempt_fini(&s->preempt);
    POL_FREE(s->order, s->list);
}

static const struct sched_ops ops = {
    .wait_key = wait_key, .run_key = run_key, .moved = moved,
    .size = sizeof(struct srtf), .init = init, .decide = decide, .fini = fini,
};

LIST_POLICY(pol_srtf, ops, params,
            .name = "srtf", .source = "shortest remaining processing time (Schrage 1968), with make-room on many machines",
            .summary = "units by what is left of them; preempts longer ones",
            .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT);
