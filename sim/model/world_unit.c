/*
 * world_unit.c -- the life of a unit: it starts, goes from phase to phase, ends, or
 * is interrupted.  A unit is a gang, driven by its first task, or a task alone.
 */
#include "model/world_priv.h"

/* ---- phases ---- */

static const struct phases *phases_of_models(const struct world *w)
{
    return w->cfg.profiles != NULL && w->cfg.profiles->phases.n > 0 ? &w->cfg.profiles->phases : NULL;
}

static uint32_t model_phase_at(const struct world *w, const struct task *t, sim_work done)
{
    const struct phases *p = phases_of_models(w);
    return p != NULL ? phases_at(p, w->jobs.job[t->job].model, total_work(t), done) : 0;
}

/* How much is done when the unit's computing next comes to an end: of its work, or of a phase of its model. */
static sim_work until(const struct world *w, const struct task *t)
{
    const struct phases *p = phases_of_models(w);
    return p != NULL ? phases_end(p, w->jobs.job[t->job].model, t->model_phase, total_work(t)) : total_work(t);
}

sim_work world_unit_progress(const struct world *w, const struct task *t)
{
    if (t->state != TASK_RUNNING || t->phase < PHASE_COMPUTE) return t->done;
    if (w->jobs.job[t->job].calls != NULL) return t->done;
    return t->phase == PHASE_WRITE ? total_work(t) : until(w, t) - act_left(&t->act, w->loop.now);
}

static inline void begin_phase(struct world *w, uint32_t t, enum task_phase phase, sim_work work, sim_rate rate)
{
    struct task *k = task_at(w, t);
    k->phase = (uint8_t)phase;
    TELL(w, phase, t);
    act_start(&k->act, &w->loop.q, ev_slot(SLOT_ACT, t), order_of(w, t), work, rate, w->loop.now);
}

static void read_inputs(struct world *w, uint32_t t)
{
    if (job_of(w, t)->graph != NULL) world_data_read(w, t);
    else world_unit_compute(w, t);
}

void world_unit_compute(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    if (job_of(w, t)->calls != NULL) {
        k->phase = PHASE_COMPUTE;
        TELL(w, phase, t);
        if (w->calls->run[t].at == world_n_calls(w, t)) world_data_write(w, t);       /* interrupted while it wrote */
        else world_notify(w, NOTICE_CALL, k->job, t, NONE);
        return;
    }
    k->model_phase = (uint8_t)model_phase_at(w, k, k->done);
    speed_begin(w->speed, t, w->loop.now);
    begin_phase(w, t, PHASE_COMPUTE, until(w, k) - k->done, speed_rate(w->speed, t));
    TELL(w, rated, t);
}

/*
 * The phase of its model is over: the unit goes on as the next has it, from that share of its work; what it did in
 * the rest of the microsecond counts for nothing.  False: all its work is done.
 */
static bool turns(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    sim_work done = until(w, k);
    if (done == total_work(k)) return false;
    k->model_phase = (uint8_t)model_phase_at(w, k, done);
    speed_turned(w->speed, t, w->loop.now);
    act_start(&k->act, &w->loop.q, ev_slot(SLOT_ACT, t), order_of(w, t), until(w, k) - done, speed_rate(w->speed, t),
              w->loop.now);
    TELL(w, rated, t);
    return true;
}

void world_unit_phase_over(struct world *w, uint32_t t)
{
    switch ((enum task_phase)task_at(w, t)->phase) {
    case PHASE_FAIL:    world_unit_finish(w, t, STOP_MISMATCH); return;
    case PHASE_RESTORE: read_inputs(w, t); return;
    case PHASE_READ:    world_data_step_over(w, t); return;
    case PHASE_COMPUTE:
        if (job_of(w, t)->calls != NULL) { world_calls_over(w, t); return; }
        if (turns(w, t)) return;
        if (job_of(w, t)->graph != NULL) {
            speed_end(w->speed, t, w->loop.now);
            world_data_write(w, t);
        } else {
            world_unit_finish(w, t, STOP_DONE);
        }
        return;
    case PHASE_WRITE:   world_unit_finish(w, t, STOP_DONE); return;
    }
}

/* ---- stopping ---- */

/* One task leaves its node; the unit's bookkeeping is its caller's. */
static void leave_node(struct world *w, uint32_t t, enum stop_reason reason)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    world_fold(w, FACT_STOP, order_of(w, t), reason, 0);
    TELL(w, stopped, t, reason);
    if (j->graph != NULL) TELL(w, graph_stopped, t, reason);
    if (k->loan != NULL) TELL(w, returning, t, reason);
    k->attained += w->loop.now - k->started_at;
    if (j->reservation != NULL || k->loan != NULL) reservations_releasing(&w->reservations, t);
    cluster_release(w->cluster, t);
    k->state = reason == STOP_DONE || reason == STOP_TIMEOUT || reason == STOP_MISMATCH ? TASK_DONE : TASK_WAITING;
    if (--j->n_running == 0) j->ran += w->loop.now - j->ran_since;
    w->n_running--;
    if (k->state == TASK_DONE) {
        j->n_done++;
    } else {
        k->ready_at = w->loop.now;
        j->n_waiting++;
        w->n_waiting++;
        if (j->calls != NULL) call_queue_wait(w->calls, t);
    }
}

/* Whatever the unit was doing ends now; what a transfer moved so far was in vain. */
static inline void halt(struct world *w, uint32_t t)
{
    if (job_of(w, t)->graph != NULL) world_data_stop(w, t);
    if (job_of(w, t)->calls != NULL) world_calls_stop(w, t);
    else speed_end(w->speed, t, w->loop.now);
    evq_cancel(&w->loop.q, ev_slot(SLOT_ACT, t));
    if (w->cfg.enforce_limits) evq_cancel(&w->loop.q, ev_slot(SLOT_LIMIT, t));
}

void world_unit_finish(struct world *w, uint32_t t, enum stop_reason reason)
{
    uint32_t job = w->jobs.task[t].job;
    halt(w, t);
    if (reason == STOP_TIMEOUT) w->jobs.job[job].timed_out = true;
    if (reason == STOP_MISMATCH) w->jobs.job[job].mismatched = true;
    UNIT_EACH(w, t, k) {
        uint32_t node = w->cluster->hold[k].node;
        leave_node(w, k, reason);
        world_notify(w, NOTICE_TASK_ENDED, job, k, node);
        if (job_of(w, k)->graph != NULL) world_data_unblock(w, k, node);
    }
    struct job *j = &w->jobs.job[job];
    if (j->n_done < j->n_tasks) return;
    world_end_job(w, job, j->mismatched ? JOB_FAILED : j->timed_out ? JOB_TIMEOUT : JOB_DONE);
    world_notify(w, NOTICE_JOB_ENDED, job, NONE, NONE);
}

/* Calls that are done survive a preemption where anything does; of a lost node their results are lost. */
static bool keeps_calls(const struct world *w, enum stop_reason reason) { return w->cfg.checkpoint_interval >= 0 && reason == STOP_PREEMPTED; }

/* What of p survives by world_config.checkpoint_interval, which is not negative.  p may be: work was added. */
static sim_work checkpointed(const struct world *w, const struct task *t, sim_work p, enum stop_reason reason)
{
    sim_work every = w->cfg.checkpoint_interval << RATE_BITS;
    if (every == 0) return reason == STOP_FAILED ? t->done : p;
    return p > 0 ? p / every * every : p;
}

/* Progress that survives an interruption now. */
static sim_work kept_progress(const struct world *w, uint32_t lead, enum stop_reason reason)
{
    const struct task *t = &w->jobs.task[lead];
    const struct job *j = &w->jobs.job[t->job];
    sim_work p = world_unit_progress(w, t);
    if (w->cfg.checkpoint_interval < 0) return 0;
    if (j->calls != NULL) return keeps_calls(w, reason) ? p : 0;
    sim_work kept = checkpointed(w, t, p, reason), cost = world_restore_cost(w, j) << RATE_BITS;
    if (j->elastic.max > 0 && world_scale_has_restart(w, lead)) return kept;    /* that is what a restart costs it */
    if (w->cfg.restore_as == RESTORE_WORK && total_work(t) - kept <= INT64_MAX / 2 - cost) return kept - cost;
    if (w->cfg.restore_as != RESTORE_SAVE || reason == STOP_FAILED) return kept;
    return p - cost > t->done ? p - cost : t->done;
}

void world_unit_leave(struct world *w, uint32_t t, enum stop_reason reason)
{
    const struct task *head = task_at(w, t);
    struct job *j = job_of(w, t);
    sim_work p = world_unit_progress(w, head), kept = kept_progress(w, t, reason);
    halt(w, t);
    j->lost += ((p - kept) >> RATE_BITS) * (j->gang ? j->n_asked : 1);
    UNIT_EACH(w, t, k) leave_node(w, k, reason);
    task_at(w, t)->done = kept;
    task_at(w, t)->model_phase = (uint8_t)model_phase_at(w, head, kept);
}

void world_unit_interrupt(struct world *w, uint32_t t, enum stop_reason reason)
{
    uint32_t job = task_at(w, t)->job;
    struct job *j = &w->jobs.job[job];
    world_unit_leave(w, t, reason);
    if (j->calls != NULL && !keeps_calls(w, reason)) call_queue_restart(w->calls, t);     /* also of those that take no time */
    if (reason == STOP_PREEMPTED) { j->n_preempted++; w->count.preemptions++; }
    else { j->n_failed++; w->count.task_failures++; }
    world_notify(w, NOTICE_READY, job, j->gang ? NONE : t, NONE);
}

void world_unit_abandon(struct world *w, uint32_t t)
{
    task_at(w, t)->done = world_unit_progress(w, task_at(w, t));
    halt(w, t);
    UNIT_EACH(w, t, k) leave_node(w, k, STOP_HORIZON);
}

/* ---- acts ---- */

static enum pol_refusal check_start(const struct world *w, uint32_t task)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return POL_REFUSAL_NO_TASK;
    if (w->jobs.task[task].state == TASK_RUNNING) return POL_REFUSAL_RUNNING;
    if (w->jobs.task[task].state == TASK_DONE) return POL_REFUSAL_DONE;
    if (w->jobs.task[task].state == TASK_BLOCKED) return POL_REFUSAL_BLOCKED;
    if (w->jobs.task[task].state == TASK_SPARE) return POL_REFUSAL_GANG;
    return POL_OK;
}

/* The task holds its place; make it run.  Do its cards lack what it asks? */
static bool occupy(struct world *w, uint32_t t)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    const struct hold *h = &w->cluster->hold[t];
    if (j->calls != NULL) world_calls_unqueue(w, t);
    k->state = TASK_RUNNING;
    k->attempts++;
    k->started_at = w->loop.now;
    j->n_waiting--;
    if (j->n_running++ == 0) j->ran_since = w->loop.now;
    w->n_waiting--;
    w->n_running++;
    if (w->count.starts++ == 0) w->count.first_start = w->loop.now;
    w->count.mismatches += h->is_short;
    if (j->first_start < 0) {
        j->first_start = w->loop.now;
        world_after_started(w, j);
    }
    if (j->reservation != NULL) reservations_allocated(&w->reservations, t);
    world_fold(w, FACT_START, order_of(w, t), h->node, h->cards);
    const struct shape *asked = &w->shapes.at[k->shape];
    if (h->cpu_milli != asked->cpu_milli && !asked->exclusive) world_fold(w, FACT_RESIZE, order_of(w, t), (uint64_t)h->cpu_milli, 0);
    if (h->mem_b != asked->mem_b && !asked->exclusive)
        world_fold(w, FACT_MEMORY, order_of(w, t), (uint64_t)h->mem_b, 0);
    TELL(w, started, t);
    if (j->graph != NULL) TELL(w, graph_started, t);
    return h->is_short;
}

/* is_short: the cards of one of its tasks lack what it asks. */
static void set_going(struct world *w, uint32_t t, bool is_short)
{
    struct task *k = task_at(w, t);
    struct job *j = job_of(w, t);
    sim_tick restart = j->elastic.max > 0 ? world_scale_restart(w, t) : -1;
    if (restart < 0) restart = k->done > 0 && w->cfg.restore_as == RESTORE_TIME ? world_restore_cost(w, j) : 0;
    k->restores = !is_short && restart > 0;
    if (is_short) {
        begin_phase(w, t, PHASE_FAIL, (sim_work)w->cfg.mismatch_after << RATE_BITS, RATE_ONE);
    } else if (restart > 0) {
        begin_phase(w, t, PHASE_RESTORE, restart << RATE_BITS, RATE_ONE);
    } else {
        read_inputs(w, t);
    }
    if (w->cfg.enforce_limits && j->limit >= 0)
        evq_set(&w->loop.q, (struct ev){ .at = w->loop.now + j->limit, .subject = order_of(w, t),
                                           .slot = ev_slot(SLOT_LIMIT, t), .cls = EV_TIMER });
}

/* The ledger allocates its place, with other cores or memory than the shape's where the place says so. */
static enum pol_refusal allocate(struct world *w, uint32_t task, const struct world_place *p)
{
    const struct shape *asked = &w->shapes.at[w->jobs.task[task].shape], *s = asked;
    struct shape own;
    if (p->cpu_milli < 0) return POL_REFUSAL_CPU_BELOW_0;
    if (p->cpu_milli > 0 && asked->exclusive) return POL_REFUSAL_CPU_OF_ALL;
    if (p->mem_b < 0) return POL_REFUSAL_MEM_BELOW_0;
    if (p->mem_b > 0 && asked->exclusive) return POL_REFUSAL_MEM_OF_ALL;
    if (p->cpu_milli > 0 || p->mem_b > 0) {
        own = *asked;
        if (p->cpu_milli > 0) own.cpu_milli = p->cpu_milli;
        if (p->mem_b > 0) own.mem_b = p->mem_b;
        s = &own;
    }
    return (p->by_count ? cluster_allocate_by_count : cluster_allocate)(w->cluster, task, p->node, s, p->cards);
}

enum pol_refusal world_unit_allocate(struct world *w, uint32_t t, const struct world_place *p)
{
    enum pol_refusal refusal = POL_OK;
    uint32_t n = 0, k;
    for (k = t; k != NONE && refusal == POL_OK; k = w->jobs.task[k].next) refusal = allocate(w, k, &p[n++]);
    if (refusal == POL_OK) return POL_OK;
    for (k = t; --n > 0; k = w->jobs.task[k].next) cluster_release(w->cluster, k);
    return refusal;
}

void world_unit_go(struct world *w, uint32_t t)
{
    bool is_short = false;
    UNIT_EACH(w, t, k) is_short |= occupy(w, k);
    set_going(w, t, is_short);
}

enum pol_refusal world_start(struct world *w, uint32_t task, const struct world_place *p)
{
    enum pol_refusal refusal = check_start(w, task);
    if (refusal != POL_OK) return refusal;
    if (job_of(w, task)->gang) return POL_REFUSAL_GANG;
    if (job_of(w, task)->calls != NULL) refusal = world_calls_may_start(w, task, p->node);
    if (refusal != POL_OK) return refusal;
    refusal = allocate(w, task, p);
    if (refusal != POL_OK) return refusal;
    set_going(w, task, occupy(w, task));
    return POL_OK;
}

enum pol_refusal world_start_gang(struct world *w, uint32_t job, const struct world_place *p, uint32_t n)
{
    if (job >= w->jobs.n_job_slots || !w->jobs.job[job].is_live) return POL_REFUSAL_NO_JOB;
    struct job *j = &w->jobs.job[job];
    if (!j->gang) return POL_REFUSAL_NO_GANG;
    enum pol_refusal refusal = check_start(w, j->first_task);
    if (refusal != POL_OK) return refusal;
    uint32_t was = j->n_tasks;
    if (n != was) refusal = world_scale_may(w, job, n);
    if (refusal != POL_OK) return refusal;
    if (n != was) world_scale_set(w, job, n);
    refusal = world_unit_allocate(w, j->first_task, p);
    if (refusal != POL_OK) {
        if (n != was) world_scale_set(w, job, was);
        return refusal;
    }
    world_scale_tell(w, job, was);
    world_unit_go(w, j->first_task);
    return POL_OK;
}

enum pol_refusal world_preempt(struct world *w, uint32_t task)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return POL_REFUSAL_NO_TASK;
    if (w->jobs.task[task].state != TASK_RUNNING) return POL_REFUSAL_NOT_RUNNING;
    world_unit_interrupt(w, unit_lead(w, task), STOP_PREEMPTED);
    return POL_OK;
}

enum pol_refusal world_resize(struct world *w, uint32_t task, int64_t cpu_milli, int64_t mem_b)
{
    if (task >= w->jobs.n_task_slots || !w->jobs.task[task].is_live) return POL_REFUSAL_NO_TASK;
    if (w->jobs.task[task].state != TASK_RUNNING) return POL_REFUSAL_NOT_RUNNING;
    if (w->shapes.at[w->jobs.task[task].shape].exclusive) return POL_REFUSAL_CPU_HELD;
    if (job_of(w, task)->reservation != NULL || world_borrows(w, task)) return POL_REFUSAL_CPU_RESERVED;
    int64_t was = w->cluster->hold[task].cpu_milli, mem_was = w->cluster->hold[task].mem_b;
    enum pol_refusal refusal = cluster_resize(w->cluster, task, cpu_milli, mem_b);
    if (refusal != POL_OK) return refusal;
    world_fold(w, FACT_RESIZE, order_of(w, task), (uint64_t)cpu_milli, 0);
    if (mem_b != 0 && mem_b != mem_was) world_fold(w, FACT_MEMORY, order_of(w, task), (uint64_t)mem_b, 0);
    TELL(w, resized, task, was, mem_was);
    speed_resized(w->speed, unit_lead(w, task), w->loop.now);
    return POL_OK;
}

sim_tick world_attained(const struct world *w, uint32_t task)
{
    const struct task *t = &w->jobs.task[task];
    return t->attained + (t->state == TASK_RUNNING ? w->loop.now - t->started_at : 0);
}

sim_tick world_left(const struct world *w, uint32_t task)
{
    const struct task *t = &w->jobs.task[unit_lead(w, task)];
    if (t->state == TASK_DONE) return 0;
    sim_work left = total_work(t) - world_unit_progress(w, t);
    return (left >> RATE_BITS) + ((left & (RATE_ONE - 1)) != 0);
}
