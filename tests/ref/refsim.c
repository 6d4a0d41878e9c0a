#include "ref/refsim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ref/refdice.h"
#include "ref/refplan.h"

void ref_log_add(struct ref_log *log, struct ref_event e)
{
    if (log->n == log->cap) {
        log->cap = log->cap ? 2 * log->cap : 64;
        log->ev = realloc(log->ev, log->cap * sizeof *log->ev);
        SIM_ASSERT(log->ev != NULL);
    }
    log->ev[log->n++] = e;
}

void ref_log_fini(struct ref_log *log)
{
    free(log->ev);
    memset(log, 0, sizeof *log);
}

/* ---- units ---- */

int ref_unit_size(const struct ref_world *w, struct ref_unit u) { return w->job[u.job].gang ? w->job[u.job].n : 1; }

sim_tick ref_attained(const struct ref_world *w, int job, int task)
{
    const struct ref_live *l = &w->live[job][task];
    return l->attained + (l->state == REF_RUNNING ? w->now - l->started : 0);
}

/* Work done by the unit, in microseconds << RATE_BITS; asked of its first task. */
sim_work ref_progress(const struct ref_world *w, int job, int task)
{
    const struct ref_live *l = &w->live[job][task];
    if (l->state != REF_RUNNING || l->restoring) return l->kept;
    sim_work did = (w->now - l->phase_began) * (sim_work)l->rate;
    return l->kept + l->did + (did < l->left ? did : l->left);
}

static sim_tick phase_end(const struct ref_live *l)
{
    sim_work rate = l->rate;
    return l->phase_began + (l->left + rate - 1) / rate;
}

/* Does this task stand for a unit that runs? */
static bool heads_running_unit(const struct ref_world *w, int j, int t)
{
    return w->live[j][t].state == REF_RUNNING && (t == 0 || !w->job[j].gang);
}

static void record(struct ref_world *w, enum ref_type type, int job, int task, int node, uint64_t cards, const char *reason)
{
    ref_log_add(w->log, (struct ref_event){ .at = w->now, .type = type, .job = job, .task = task, .node = node,
                                            .cards = cards, .reason = reason });
}

static void start_computing(struct ref_world *w, struct ref_unit u)
{
    struct ref_live *l = &w->live[u.job][u.task];
    l->restoring = false;
    l->phase_began = w->now;
    l->model_phase = ref_phase_at(w, u, l->kept);
    l->left = ref_phase_end(w, u) - l->kept;
    ref_speed_begin(w, u);
}

/* A phase of its model is over, exactly there; false: so is its work. */
static bool turn(struct ref_world *w, struct ref_unit u)
{
    struct ref_live *l = &w->live[u.job][u.task];
    sim_work done = ref_phase_end(w, u);
    if (done == (sim_work)w->job[u.job].task[u.task].dur << RATE_BITS) return false;
    l->model_phase = ref_phase_at(w, u, done);
    l->did = done - l->kept;
    l->left = ref_phase_end(w, u) - done;
    l->phase_began = w->now;
    ref_speed_turn(w, u);
    return true;
}

static sim_tick cost_of(const struct ref_world *w, struct ref_unit u)
{
    return w->job[u.job].restore.is_own ? w->job[u.job].restore.cost : w->c->restore_cost;
}

/* What a restart costs by the scaling of the model's phase k, else by the job's own; -1: neither says. */
static sim_tick scaling_cost(const struct ref_world *w, struct ref_unit u, int k)
{
    const struct ref_job *j = &w->job[u.job];
    if (j->max == 0) return -1;
    const struct ref_phases *p = w->c->has_profiles && j->model >= 0 ? &w->c->phases[j->model] : NULL;
    int of = p != NULL && k < p->n ? p->scaling[k] : -1;
    sim_tick now = of >= 0 ? w->c->scaling[of].restart : -1;
    return now >= 0 ? now : w->c->scaling[j->scaling].restart;
}

/* What it spends before it computes: a scaling's own cost at every start but the first, or what restoring takes. */
static sim_tick restart_of(const struct ref_world *w, struct ref_unit u)
{
    const struct ref_live *l = &w->live[u.job][u.task];
    sim_tick own = scaling_cost(w, u, ref_phase_at(w, u, l->kept));
    if (own >= 0) return l->attempts > 1 ? own : 0;
    return l->kept > 0 && w->c->restore_as == RESTORE_TIME ? cost_of(w, u) : 0;
}

static void start_unit(struct ref_world *w, const struct ref_decision *d)
{
    struct ref_unit u = d->u;
    if (w->begun_at[u.job] < 0) w->begun_at[u.job] = w->now;
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        struct shape s = w->job[u.job].task[u.task + k].shape;
        if (d->cpu[k] > 0) s.cpu_milli = d->cpu[k];
        ref_take(w->c, &w->ledger, u.job, u.task + k, d->node[k], &s, d->cards[k]);
    }
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        struct ref_live *l = &w->live[u.job][u.task + k];
        SIM_ASSERT(l->state == REF_WAITING);
        l->state = REF_RUNNING;
        l->started = w->now;
        l->attempts++;
        l->did = 0;
        record(w, REF_START, u.job, u.task + k, d->node[k], w->ledger.hold[u.job][u.task + k].cards, "");
    }
    struct ref_live *l = &w->live[u.job][u.task];
    sim_tick restart = restart_of(w, u);
    if (restart > 0) {
        l->restoring = true;
        l->phase_began = w->now;
        l->left = (sim_work)restart << RATE_BITS;
        l->rate = RATE_ONE;
    } else {
        start_computing(w, u);
    }
}

/* All tasks of the unit leave their nodes, for good or to wait again. */
static void stop_unit(struct ref_world *w, struct ref_unit u, const char *reason, enum ref_state then)
{
    if (w->mq != NULL) ref_mq_left(w, u);
    for (int k = 0; k < ref_unit_size(w, u); k++) {
        struct ref_live *l = &w->live[u.job][u.task + k];
        const struct ref_hold *h = &w->ledger.hold[u.job][u.task + k];
        SIM_ASSERT(l->state == REF_RUNNING);
        record(w, REF_STOP, u.job, u.task + k, h->node, h->cards, reason);
        l->attained += w->now - l->started;
        l->state = then;
        l->computes = false;
        l->bw = 0;
        ref_give(w->c, &w->ledger, u.job, u.task + k);
    }
}

static void end_job(struct ref_world *w, int j, const char *reason)
{
    record(w, REF_END, j, -1, -1, 0, reason);
    w->ended[j] = true;
    w->ended_at[j] = w->now;
    w->is_ok[j] = strcmp(reason, "done") == 0;
    w->n_ended++;
}

static void finish_unit(struct ref_world *w, struct ref_unit u, const char *reason)
{
    if (strcmp(reason, "timeout") == 0) w->timed_out[u.job] = true;
    stop_unit(w, u, reason, REF_DONE);
    for (int k = 0; k < w->job[u.job].n; k++)
        if (w->live[u.job][k].state != REF_DONE) return;
    end_job(w, u.job, w->timed_out[u.job] ? "timeout" : "done");
}

/* One task holds other cores from now on. */
static void resize_task(struct ref_world *w, struct ref_unit u, int64_t cpu)
{
    struct ref_hold *h = &w->ledger.hold[u.job][u.task];
    struct ref_hold was = *h;
    struct shape s = h->got;
    s.cpu_milli = cpu;
    ref_give(w->c, &w->ledger, u.job, u.task);
    ref_take(w->c, &w->ledger, u.job, u.task, was.node, &s, was.cards);
    record(w, REF_RESIZE, u.job, u.task, was.node, (uint64_t)cpu, "");
}

/* It leaves its nodes, with what it keeps of its progress. */
static void leave(struct ref_world *w, struct ref_unit u, bool by_policy, const char *reason)
{
    struct ref_live *l = &w->live[u.job][u.task];
    sim_work now_done = ref_progress(w, u.job, u.task), every = w->c->checkpoint_interval;
    sim_work cost = (sim_work)cost_of(w, u) << RATE_BITS, before = l->kept;
    bool is_paid = scaling_cost(w, u, l->restoring ? ref_phase_at(w, u, l->kept) : l->model_phase) < 0;
    if (every < 0) l->kept = 0;
    else if (every > 0 && now_done > 0) { every <<= RATE_BITS; l->kept = now_done - now_done % every; }
    else if (every > 0 || by_policy) l->kept = now_done;
    if (is_paid && w->c->restore_as == RESTORE_WORK) l->kept -= cost;
    if (is_paid && w->c->restore_as == RESTORE_SAVE && by_policy)
        l->kept = now_done - cost > before ? now_done - cost : before;
    stop_unit(w, u, reason, REF_WAITING);
}

static void interrupt_unit(struct ref_world *w, struct ref_unit u, bool by_policy)
{
    leave(w, u, by_policy, by_policy ? "preempted" : "failed");
    w->someone_ready = true;
}

void ref_preempt(struct ref_world *w, struct ref_unit u) { interrupt_unit(w, u, true); }

/* ---- other sizes ---- */

static void set_size(struct ref_world *w, int job, int n)
{
    w->job[job].n = n;
    for (int k = 0; k < w->job[job].max; k++) w->live[job][k].state = k < n ? REF_WAITING : REF_ABSENT;
}

/* Would its first n tasks fit on those nodes, all of them?  Leaves the ledger as it was. */
static bool would_fit(struct ref_world *w, struct ref_unit u, const int *node, int n)
{
    int k = 0;
    for (; k < n; k++) {
        const struct shape *s = &w->job[u.job].task[u.task + k].shape;
        if (!ref_fits(w->c, &w->ledger, node[k], s)) break;
        ref_take(w->c, &w->ledger, u.job, u.task + k, node[k], s, 0);
    }
    for (int i = 0; i < k; i++) ref_give(w->c, &w->ledger, u.job, u.task + i);
    return k == n;
}

static void start_on(struct ref_world *w, struct ref_unit u, const int *node)
{
    struct ref_decision d = { .what = REF_DO_START, .u = u };
    for (int k = 0; k < ref_unit_size(w, u); k++) d.node[k] = node[k];
    start_unit(w, &d);
}

bool ref_try_start(struct ref_world *w, struct ref_unit u, const int *node, int n)
{
    if (!would_fit(w, u, node, n)) return false;
    if (w->job[u.job].max > 0) set_size(w, u.job, n);
    start_on(w, u, node);
    return true;
}

bool ref_try_scale(struct ref_world *w, struct ref_unit u, const int *node, int n)
{
    static struct ref_ledger was;
    was = w->ledger;
    for (int k = 0; k < w->job[u.job].n; k++) ref_give(w->c, &w->ledger, u.job, k);
    bool ok = would_fit(w, u, node, n);
    w->ledger = was;
    if (!ok) return false;
    leave(w, u, true, "scaled");
    set_size(w, u.job, n);
    start_on(w, u, node);
    return true;
}

/* ---- arrivals ---- */

static bool same_shape(const struct shape *a, const struct shape *b)
{
    for (int e = 0; e < ENGINE_TYPES_MAX; e++)
        if (a->engine[e] != b->engine[e]) return false;
    return a->cpu_milli == b->cpu_milli && a->mem_b == b->mem_b && a->gpu_mem_b == b->gpu_mem_b &&
           a->gpu_types == b->gpu_types && a->need_all == b->need_all && a->need_any == b->need_any &&
           a->n_gpu == b->n_gpu && a->gpu_milli == b->gpu_milli && a->exclusive == b->exclusive;
}

static int shape_id(struct ref_world *w, const struct shape *s)
{
    for (int i = 0; i < w->n_seen; i++)
        if (same_shape(&w->seen[i], s)) return i;
    w->seen[w->n_seen] = *s;
    w->seen_tasks[w->n_seen] = 0;
    return w->n_seen++;
}

/* The types that the model runs on, when they are not all of them. */
static void restrict_types(const struct ref_case *c, struct ref_job *j)
{
    uint64_t can = 0, all = 0;
    for (int t = 0; t < c->n_types; t++) {
        all |= UINT64_C(1) << t;
        if ((j->model < 0 ? c->type_rate[t] : c->rate[j->model][t]) > 0) can |= UINT64_C(1) << t;
    }
    if (can == all) return;
    for (int k = 0; k < (j->max > 0 ? j->max : j->n); k++) {
        struct shape *s = &j->task[k].shape;
        if (s->n_gpu == 0) continue;
        s->gpu_types = s->gpu_types ? s->gpu_types & can : can;
        if (s->gpu_types == 0) s->gpu_types = UINT64_C(1) << c->n_types;    /* a type that no node has */
    }
}

static void clear(const struct ref_case *c, struct ref_ledger *l)
{
    memset(l, 0, sizeof *l);
    for (int n = 0; n < c->n_nodes; n++) {
        l->up[n] = true;
        l->cpu[n] = c->node[n].cpu;
        l->mem[n] = c->node[n].mem;
        memcpy(l->engine[n], c->node[n].engine, sizeof l->engine[n]);
        for (int k = 0; k < c->node[n].n_gpu; k++) { l->milli[n][k] = GPU_WHOLE; l->gpu_mem[n][k] = c->node[n].gpu_mem; }
    }
    for (int j = 0; j < REF_JOBS; j++)
        for (int t = 0; t < REF_TASKS; t++) l->hold[j][t].node = -1;
}

/* On the empty cluster: every task alone, or a gang's all at once, each on the first node with room. */
static bool feasible(const struct ref_case *c, const struct ref_job *j)
{
    struct ref_ledger l;
    clear(c, &l);
    for (int k = 0; k < j->n; k++) {
        if (!j->gang) clear(c, &l);
        int n = 0;
        while (n < c->n_nodes && !ref_fits(c, &l, n, &j->task[k].shape)) n++;
        if (n == c->n_nodes) return false;
        ref_take(c, &l, 0, k, n, &j->task[k].shape, 0);
    }
    return true;
}

/* It is in the system: it waits, or ends at once. */
static void enter(struct ref_world *w, int place, const char *ending)
{
    int j = w->n_arrived++;
    struct ref_job *job = &w->job[j];
    *job = w->c->job[place];
    job->submit = w->now;
    restrict_types(w->c, job);
    w->arrived_as[place] = j;
    w->is_held[place] = false;
    if (ending != NULL) { end_job(w, j, ending); return; }
    for (int k = 0; k < job->n; k++) {
        w->live[j][k].state = REF_WAITING;
        w->seen_tasks[shape_id(w, &job->task[k].shape)]++;
    }
    w->arrived_tasks += job->n;
}

static void submit(struct ref_world *w)
{
    int place = w->n_submitted++;
    struct ref_job job = w->c->job[place];
    restrict_types(w->c, &job);
    for (int k = 0; k < job.n; k++) (void)shape_id(w, &job.task[k].shape);
    bool ok = feasible(w->c, &job);
    if (!ok && !w->c->reject_infeasible) { (void)snprintf(w->log->error, sizeof w->log->error, "infeasible"); return; }
    if (w->user_rank[job.user] < 0) w->user_rank[job.user] = w->n_users++;
    if (ok && job.n_after > 0) w->is_held[place] = true;
    else enter(w, place, ok ? NULL : "rejected");
}

/* When a condition is met: TICK_NEVER never, -1 not known yet. */
static sim_tick met_at(const struct ref_world *w, const struct ref_after *a)
{
    int j = w->arrived_as[a->before];
    if (j < 0) return -1;
    if (a->kind == REF_BEGUN && w->begun_at[j] >= 0) return w->begun_at[j] + a->delay;
    if (w->ended_at[j] < 0) return -1;
    if ((a->kind == REF_OK && !w->is_ok[j]) || (a->kind == REF_NOT_OK && w->is_ok[j])) return TICK_NEVER;
    return w->ended_at[j] + a->delay;
}

/* When a job that waits for others is eligible: TICK_NEVER never, -1 not known yet. */
static sim_tick eligible_at(const struct ref_world *w, int place)
{
    const struct ref_job *o = &w->c->job[place];
    sim_tick first = TICK_NEVER, last = o->submit;
    bool any_open = false, any_never = false;
    for (int i = 0; i < o->n_after; i++) {
        sim_tick at = met_at(w, &o->after[i]);
        any_open = any_open || at < 0;
        any_never = any_never || at == TICK_NEVER;
        if (at < 0) continue;
        first = i64_min(first, at);
        last = i64_max(last, at);
    }
    if (o->after_any) return first != TICK_NEVER ? i64_max(first, o->submit) : any_open ? -1 : TICK_NEVER;
    return any_never ? TICK_NEVER : any_open ? -1 : last;
}

/* The first in the case of those that arrive now, with those that never will; false: there is none. */
static bool arrive_one(struct ref_world *w)
{
    for (int place = 0; place < w->n_submitted; place++) {
        if (!w->is_held[place]) continue;
        sim_tick at = eligible_at(w, place);
        if (at != TICK_NEVER && at != w->now) continue;
        enter(w, place, at == TICK_NEVER ? "never_eligible" : NULL);
        return true;
    }
    if (w->n_submitted == w->c->n_jobs || w->c->job[w->n_submitted].submit != w->now) return false;
    submit(w);
    return true;
}

/* When the next job arrives by itself; TICK_NEVER. */
static sim_tick next_arrival(const struct ref_world *w)
{
    sim_tick next = w->n_submitted < w->c->n_jobs ? w->c->job[w->n_submitted].submit : TICK_NEVER;
    for (int place = 0; place < w->n_submitted; place++) {
        sim_tick at = w->is_held[place] ? eligible_at(w, place) : -1;
        if (at >= 0) next = i64_min(next, at);
    }
    return next;
}

/* ---- nodes ---- */

static void find_next_fault(struct ref_world *w, int node, int after)
{
    w->fault_of[node] = -1;
    for (int i = after + 1; i < w->c->n_faults; i++)
        if (w->c->fault[i].node == node && w->c->fault[i].up != w->ledger.up[node]) { w->fault_of[node] = i; return; }
}

static void turn_node(struct ref_world *w, int node)
{
    int i = w->fault_of[node];
    if (!w->c->fault[i].up)
        for (int j = 0; j < w->n_arrived; j++)
            for (int t = 0; t < w->job[j].n; t++)
                if (w->ledger.hold[j][t].node == node)
                    interrupt_unit(w, (struct ref_unit){ .job = j, .task = w->job[j].gang ? 0 : t }, false);
    w->ledger.up[node] = w->c->fault[i].up;
    record(w, w->ledger.up[node] ? REF_UP : REF_DOWN, -1, -1, node, 0, "");
    find_next_fault(w, node, i);
}

/* ---- time ---- */

/* When anything next happens. */
static sim_tick next_time(const struct ref_world *w)
{
    sim_tick at = TICK_NEVER;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            if (!heads_running_unit(w, j, t)) continue;
            at = i64_min(at, phase_end(&w->live[j][t]));
            if (w->c->enforce_limits && w->job[j].limit >= 0) at = i64_min(at, w->live[j][t].started + w->job[j].limit);
        }
    for (int n = 0; n < w->c->n_nodes; n++)
        if (w->fault_of[n] >= 0) at = i64_min(at, w->c->fault[w->fault_of[n]].at);
    at = i64_min(at, next_arrival(w));
    for (int i = 0; i < w->n_wakes; i++)
        if (w->wake[i] >= 0) at = i64_min(at, w->wake[i]);
    return at;
}

/*
 * Apply the first thing due now, in the order of an instant's phases: ends by
 * job and task, nodes down, nodes up, arrivals, limits.  False: nothing is due.
 */
static bool apply_one(struct ref_world *w)
{
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) {
            if (!heads_running_unit(w, j, t) || phase_end(&w->live[j][t]) != w->now) continue;
            struct ref_unit u = { .job = j, .task = t };
            if (w->live[j][t].restoring) start_computing(w, u);
            else if (!turn(w, u)) finish_unit(w, u, "done");
            return true;
        }
    for (int up = 0; up < 2; up++)
        for (int n = 0; n < w->c->n_nodes; n++) {
            int i = w->fault_of[n];
            if (i >= 0 && w->c->fault[i].at == w->now && w->c->fault[i].up == up) { turn_node(w, n); return true; }
        }
    if (arrive_one(w)) return true;
    if (w->c->enforce_limits)
        for (int j = 0; j < w->n_arrived; j++)
            for (int t = 0; t < w->job[j].n; t++) {
                if (!heads_running_unit(w, j, t) || w->job[j].limit < 0) continue;
                if (w->live[j][t].started + w->job[j].limit != w->now) continue;
                finish_unit(w, (struct ref_unit){ .job = j, .task = t }, "timeout");
                return true;
            }
    return false;
}

/* How many tasks are in a state. */
static int count(const struct ref_world *w, enum ref_state s)
{
    int n = 0;
    for (int j = 0; j < w->n_arrived; j++)
        for (int t = 0; t < w->job[j].n; t++) n += w->live[j][t].state == s;
    return n;
}

/* The policy asks to be called at `at`; the same instant twice is one. */
static void add_wake(struct ref_world *w, sim_tick at)
{
    int free = w->n_wakes;
    for (int i = w->n_wakes; i-- > 0;) {
        if (w->wake[i] == at) return;
        if (w->wake[i] < 0) free = i;
    }
    SIM_ASSERT(free < (int)ARRAY_LEN(w->wake));
    w->wake[free] = at;
    w->n_wakes += free == w->n_wakes;
}

/* Is the policy to be called now? */
static bool take_wakes(struct ref_world *w)
{
    bool any = false;
    for (int i = 0; i < w->n_wakes; i++)
        if (w->wake[i] == w->now) { w->wake[i] = -1; any = true; }
    return any;
}

static void instant(struct ref_world *w, struct ref_decision *scratch)
{
    bool woken = take_wakes(w);
    ref_speed_look(w, w->now);
    for (;;) {
        bool any = woken;
        woken = false;
        while (w->log->error[0] == '\0' && apply_one(w)) any = true;
        if (w->log->error[0] != '\0') return;
        if (!any && !w->someone_ready) break;
        w->someone_ready = false;
        struct ref_plan plan = { .d = scratch };
        ref_decide(w, &plan);
        for (int i = 0; i < plan.n; i++) {
            switch (plan.d[i].what) {
            case REF_DO_START:   start_unit(w, &plan.d[i]); break;
            case REF_DO_RESIZE:  resize_task(w, plan.d[i].u, plan.d[i].cpu[0]); break;
            case REF_DO_PREEMPT: interrupt_unit(w, plan.d[i].u, true); break;
            }
        }
        ref_speed_settle(w);
        sim_tick wake = w->c->policy.order == REF_DICE ? ref_dice_wake(w->now) : ref_next_wake(w);
        if (wake != TICK_NEVER) add_wake(w, wake);
    }
    bool hope = false;
    for (int n = 0; n < w->c->n_nodes; n++) hope = hope || !w->ledger.up[n];
    for (int i = 0; i < w->n_wakes; i++) hope = hope || w->wake[i] >= 0;
    bool is_stuck = next_arrival(w) == TICK_NEVER && !hope && count(w, REF_RUNNING) == 0 && count(w, REF_WAITING) > 0;
    if (is_stuck && w->c->policy.order == REF_KUEUE) w->strands = true;
    else if (is_stuck) (void)snprintf(w->log->error, sizeof w->log->error, "stuck");
}

static void give_up(struct ref_world *w)
{
    for (int place = 0; place < w->n_submitted; place++)
        if (w->is_held[place]) enter(w, place, NULL);
    for (int j = 0; j < w->n_arrived; j++) {
        if (w->ended[j]) continue;
        for (int t = 0; t < w->job[j].n; t++)
            if (heads_running_unit(w, j, t)) stop_unit(w, (struct ref_unit){ .job = j, .task = t }, "horizon", REF_WAITING);
        end_job(w, j, "unfinished");
    }
}

void ref_run(const struct ref_case *c, struct ref_log *log)
{
    struct ref_world *w = calloc(1, sizeof *w);
    struct ref_decision *scratch = calloc(REF_DECISIONS, sizeof *scratch);
    SIM_ASSERT(w != NULL && scratch != NULL);
    w->c = c;
    w->log = log;
    if (c->policy.order == REF_MULTIQUEUE) ref_mq_begin(w);
    if (c->policy.order == REF_KUEUE) ref_kq_begin(w);
    clear(c, &w->ledger);
    for (int u = 0; u < REF_USERS; u++) w->user_rank[u] = -1;
    for (int j = 0; j < REF_JOBS; j++) {
        w->arrived_as[j] = -1;
        w->begun_at[j] = w->ended_at[j] = -1;
    }
    for (int n = 0; n < c->n_nodes; n++) find_next_fault(w, n, -1);
    while (log->error[0] == '\0' && w->n_ended < c->n_jobs) {
        sim_tick at = next_time(w);
        if (at == TICK_NEVER || at > c->horizon) {
            if (at != TICK_NEVER) w->now = c->horizon;
            give_up(w);
            break;
        }
        w->now = at;
        instant(w, scratch);
        if (w->strands) { give_up(w); break; }
    }
    ref_mq_end(w);
    free(w->kq);
    free(scratch);
    free(w);
}
