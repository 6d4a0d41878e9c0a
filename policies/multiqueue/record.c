/*
 * record.c -- why units wait although there may be room for them.  It decides nothing:
 * the reasons go into the run's record.
 *
 * A reason is true when it is told, or there is none: it is found from the plan at the end of the
 * decision, once for each request class and number of cores.  Units are told when they begin to wait, and all of
 * them when something else than before was met that holds a request class back, or the situation changed.
 */
#include "multiqueue/state.h"

#include "lib/util.h"

static const char array[]     = "its array of GPUs is exhausted, and jobs wait for the other";
static const char kept_gpus[] = "GPUs are kept for the first job that waits for the other array";
static const char too_many[]  = "no node has the cores that its search begins with";
static const char together[]  = "its tasks, placed one after the other, find no room together";
static const char kept[]      = "cores are kept for GPU jobs, of which some wait";
static const char closed[]    = "cores are closed: the traffic of CPU jobs slowed a GPU job";
static const char both[]      = "cores are kept on some nodes for GPU jobs, of which some wait, and closed on others, as traffic slowed one";
static const char in_order[]  = "strict order: others of its user wait before it";
static const char after_stopped[] = "strict order: CPU jobs that were stopped go first";

void record_hold(struct mq *m, uint32_t request_class, enum mq_hold hold)
{
    if (!m->is_recorded) return;
    (void)mq_request(m, request_class);
    struct mq_request *k = &m->request[request_class];
    if (k->hold == hold || (hold == MQ_HOLD_ARRAY && m->param.lend_unused && !m->gpu.is_lending)) return;    /* it may yet be lent */
    k->hold = (uint8_t)hold;
    if (hold != MQ_HOLD_NONE) m->told.holds_changed = true;
}

/* What rules may hold units back: whether GPU units of a class wait, or its array is exhausted; whether cores are closed. */
static uint32_t situation(const struct mq *m)
{
    return (uint32_t)!mq_gpu_idle(m) | (uint32_t)!mq_may_take(m, MQ_SINGLE, 1) << 1 | (uint32_t)!mq_may_take(m, MQ_MULTI, 1) << 2 |
           (uint32_t)(m->cores.n_closures > 0) << 3 | (uint32_t)(m->n_waiting[MQ_SINGLE] > 0) << 4 | (uint32_t)(m->n_waiting[MQ_MULTI] > 0) << 5;
}

/* Is there room somewhere for a task of the shape, whatever the rules?  *is_allowed: on a node whose GPUs the class may use. */
static bool has_room(const struct mq *m, enum mq_class class, const struct pol_shape *s, bool *is_allowed)
{
    bool any = false;
    *is_allowed = false;
    for (uint32_t i = 0; i < m->sched.plan.n_nodes && !*is_allowed; i++) {
        if (!plan_fits(&m->sched.plan, i, s)) continue;
        any = true;
        *is_allowed = class == MQ_CPU || mq_use_of(m, class, s, i) != MQ_USE_NOT;
    }
    return any;
}

/* Of a CPU task: what keeps it off the nodes that have room for it; NULL: nothing, or there are none. */
static const char *rule_of(const struct mq *m, const struct pol_shape *s)
{
    bool is[FIT_CLOSED + 1] = { false };
    for (uint32_t i = 0; i < m->sched.plan.n_nodes; i++) is[fit_verdict(m, s, i)] = true;
    if (is[FIT_YES]) return NULL;
    return is[FIT_KEPT] && is[FIT_CLOSED] ? both : is[FIT_KEPT] ? kept : is[FIT_CLOSED] ? closed : NULL;
}

static const char *find_reason(const struct mq *m, const struct mq_request *x, const struct request_class *k, uint32_t cores)
{
    const char *rule = NULL;
    if (x->class != MQ_CPU && !mq_may_take(m, (enum mq_class)x->class, x->gpu_milli)) return array;
    bool is_more = false, is_allowed;
    for (uint32_t i = 0; i < k->n_tasks; i++) {
        const struct pol_shape *s = &m->sched.plan.shape[k->shape[i]];
        is_more |= (int64_t)cores * 1000 > s->cpu_milli;
        if (i > 0 && k->shape[i] == k->shape[i - 1]) continue;
        if (!has_room(m, (enum mq_class)x->class, s, &is_allowed)) return NULL;
        if (!is_allowed) return m->param.lend_unused ? kept_gpus : array;
        if (x->class == MQ_CPU && rule == NULL) rule = rule_of(m, s);
    }
    if (rule != NULL) return rule;
    return x->class != MQ_CPU && is_more ? too_many : k->n_tasks > 1 ? together : NULL;
}

static void say(const struct mq *m, uint32_t id, const char *reason)
{
    const struct pol_host *h = m->sched.host;
    if (reason != NULL) h->hold(h->ctx, sched_unit(&m->sched, id)->task, false, reason);
}

static void tell(struct mq *m, uint32_t id)
{
    const struct unit *u = sched_unit(&m->sched, id);
    if (u->state != UNIT_WAITING) return;
    (void)mq_request(m, u->request_class);
    struct mq_request *x = &m->request[u->request_class];
    uint32_t cores = x->class == MQ_CPU ? 0 : tune_cores(m, id);
    if (x->reason.round != m->sched.round || x->reason.cores != cores) {
        x->reason.round = m->sched.round;
        x->reason.cores = cores;
        x->reason.words = find_reason(m, x, &m->sched.classes.at[u->request_class], cores);
        if (x->reason.words == NULL) x->hold = MQ_HOLD_NONE;    /* what was met has passed within the decision */
    }
    say(m, id, x->reason.words);
}

/* In strict order the first unit of a queue waits for the reason of its request class, the others for the first. */
static void tell_strict(struct mq *m)
{
    for (uint32_t i = 0; i < m->sched.n_fresh; i++) {
        uint32_t id = m->sched.fresh[i];
        const struct unit *u = sched_unit(&m->sched, id);
        if (u->state != UNIT_WAITING) continue;
        const struct queue *q = mq_unit(m, id)->was_stopped ? &m->returned : &m->user[u->user].wait[mq_class(m, u->request_class)];
        if (queue_first(q) != id) say(m, id, in_order);
    }
    if (m->returned.n > 0) tell(m, queue_first(&m->returned));
    for (uint32_t i = 0; i < m->n_users; i++)
        for (int c = 0; c < MQ_CLASSES; c++) {
            uint32_t first = queue_first(&m->user[i].wait[c]);
            if (first == POL_NONE) continue;
            if (c == MQ_CPU && m->returned.n > 0) say(m, first, after_stopped);
            else tell(m, first);
        }
}

void record_waiting(struct mq *m)
{
    const struct sched *d = &m->sched;
    uint32_t now = situation(m);
    bool all = m->told.holds_changed || now != m->told.situation;
    m->told = (struct mq_told){ .situation = now };
    if (m->param.strict) tell_strict(m);
    else if (all) for (uint32_t id = 0; id < d->units.cap; id++) tell(m, id);
    else for (uint32_t i = 0; i < d->n_fresh; i++) tell(m, d->fresh[i]);
}
