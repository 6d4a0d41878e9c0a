/*
 * record.c -- why units wait although there may be room for them.  It decides nothing:
 * the reasons go into the run's record.
 *
 * A unit is told its reason when it begins to wait.  When the reason of a request
 * class changes all waiting units are told again, which costs a look at each; so a
 * class starts out with its most likely reason, and keeps it while nothing fits anyway.
 */
#include "multiqueue/state.h"

#include "lib/util.h"

static const char *const hold_words[MQ_HOLDS] = {
    [MQ_HOLD_NONE]     = NULL,
    [MQ_HOLD_ARRAY]    = "its array of GPUs is exhausted, and jobs wait for the other",
    [MQ_HOLD_CORES]    = "no node has the cores that its search begins with",
    [MQ_HOLD_TOGETHER] = "its tasks, placed one after the other, find no room together",
};
static const char kept[] = "cores are kept for GPU jobs, of which some wait";
static const char closed[] = "cores are closed: the traffic of CPU jobs slowed a GPU job";
static const char kept_or_closed[] = "cores are kept for GPU jobs, of which some wait, or closed, as traffic slowed one";
static const char in_order[] = "strict order: others of its user wait before it";
static const char after_stopped[] = "strict order: CPU jobs that were stopped go first";

void record_hold(struct mq *m, uint32_t request_class, enum mq_hold hold)
{
    struct mq_request *k = &m->request[request_class];
    if (k->hold == hold) return;
    m->told.n_other_hold[k->class] += (uint32_t)(hold != MQ_HOLD_ARRAY) - (uint32_t)(k->hold != MQ_HOLD_ARRAY);
    k->hold = (uint8_t)hold;
    m->told.holds_changed = true;
}

void record_exhausted(struct mq *m, enum mq_class class)
{
    for (uint32_t k = 0; m->told.n_other_hold[class] > 0 && k < m->sched.classes.n; k++)
        if (mq_class(m, k) == class) record_hold(m, k, MQ_HOLD_ARRAY);
}

static const char *cpu_hold(const struct mq *m)
{
    if (m->cores.n_closures == 0) return m->param.arrays_on ? kept : NULL;
    return m->param.arrays_on && !mq_gpu_idle(m) ? kept_or_closed : closed;
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
    const struct mq_request *k = mq_request(m, u->request_class);
    const char *reason = k->class != MQ_CPU ? hold_words[k->hold] : m->told.cpu_hold;
    say(m, id, reason != NULL || u->n_tasks == 1 ? reason : hold_words[MQ_HOLD_TOGETHER]);
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
    const char *reason = cpu_hold(m);
    bool all = m->told.holds_changed;
    if (reason != NULL && reason != m->told.cpu_hold) {
        m->told.cpu_hold = reason;
        all = true;
    }
    m->told.holds_changed = false;
    if (m->param.strict) tell_strict(m);
    else if (all) for (uint32_t id = 0; id < d->units.cap; id++) tell(m, id);
    else for (uint32_t i = 0; i < d->n_fresh; i++) tell(m, d->fresh[i]);
}
