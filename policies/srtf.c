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
 * Cost: preempt_run's (lib/sched/preempt.h).
 * Source: Schrage, A proof of the optimality of the shortest remaining processing
 * time discipline, Operations Research 16(3), 1968.
 */
#include "lib/sched/list.h"
#include "lib/sched/preempt.h"
#include "builtin.h"
#include "lib/util.h"

struct srtf { struct sched sched; struct preempt preempt; bool by_gpu; };

enum { P_PLACE, P_MODE, P_ESTIMATE, P_BY };
static const struct pol_param params[] = { PLACEMENT_PARAM, LIST_MODE_PARAM("skip"), LIST_ESTIMATE_PARAM, LIST_BY_PARAM };

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
    return ((const struct srtf *)self)->by_gpu ? left_by_gpu(self, u) : left(self, u);
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

static void decide(void *self)
{
    struct srtf *s = self;
    struct preempt_rule rule = { .victim_bound = victim_bound, .reason = "a shorter unit needs the room" };
    if (s->by_gpu) rule.fresh = left_by_gpu;
    else if (s->sched.estimate == SCHED_TRUE) rule.fresh = true_left;
    preempt_run(&s->preempt, &s->sched, &rule, s->sched.mode == LIST_SKIP);
}

static bool init(void *self, const union pol_value *value, char *error, size_t cap)
{
    (void)error, (void)cap;
    ((struct srtf *)self)->by_gpu = value[P_BY].i == LIST_BY_GPU;
    return true;
}

static void fini(void *self) { preempt_fini(&((struct srtf *)self)->preempt); }

static const struct sched_ops ops = { .wait_key = wait_key, .run_key = run_key, .size = sizeof(struct srtf), .init = init, .decide = decide, .fini = fini };

LIST_POLICY(pol_srtf, ops, params,
            .name = "srtf", .source = "shortest remaining processing time (Schrage 1968), with make-room on many machines",
            .summary = "units by what is left of them; preempts longer ones",
            .flags = POL_PREEMPTS | POL_USES_LIMITS | POL_CLAIRVOYANT);
