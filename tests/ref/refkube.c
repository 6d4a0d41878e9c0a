/*
 * refkube.c -- the world around refkube_rule.c: lives of pods, failing nodes, time; see refkube.h.
 *
 * There is no queue of events: at each step every unit is asked when its next event is.
 */
#include "ref/refkube.h"

#include <stdlib.h>
#include <string.h>

struct run {
    struct rk_world w;
    struct wf_log *log;
    sim_tick now;
    bool is_short[KC_JOBS][KC_TASKS];       /* of the unit that runs: it will fail */
    bool failed[KC_JOBS], ended[KC_JOBS];
    int  n_arrived, next_fault[KC_NODES];   /* -1: none */
    bool is_ready;                          /* a unit waits again */
    bool is_over;                           /* what waits will wait for ever */
};

static void line(struct run *r, const char *verb, int job, int task, const char *rest)
{
    if (task < 0) wfcase_log_add(r->log, r->now, "%s %d %s", verb, job, rest);
    else wfcase_log_add(r->log, r->now, "%s %d.%d %s", verb, job, task, rest);
}

static bool heads(const struct run *r, int j, int t) { return t == 0 || !r->w.c->job[j].gang; }

/* When the unit of this first task is done, or fails. */
static sim_tick end_of(const struct run *r, int j, int t)
{
    sim_tick left = r->is_short[j][t] ? r->w.c->mismatch_after : r->w.c->job[j].task[t].dur - r->w.kept[j][t];
    return r->w.began[j][t] + left;
}

static void stop(struct run *r, struct rk_unit u, const char *why, enum rk_state then)
{
    for (int k = 0; k < rk_size(r->w.c, u); k++) {
        SIM_ASSERT(r->w.state[u.job][u.task + k] == RK_RUNS);
        line(r, "stop", u.job, u.task + k, why);
        r->w.state[u.job][u.task + k] = then;
        r->w.l.hold[u.job][u.task + k].node = -1;
    }
}

static void end_job(struct run *r, int j, const char *how)
{
    line(r, "end", j, -1, how);
    r->ended[j] = true;
}

static void finish(struct run *r, struct rk_unit u)
{
    r->failed[u.job] |= r->is_short[u.job][u.task];
    stop(r, u, r->is_short[u.job][u.task] ? "mismatch" : "done", RK_DONE);
    for (int t = 0; t < r->w.c->job[u.job].n; t++)
        if (r->w.state[u.job][t] != RK_DONE) return;
    end_job(r, u.job, r->failed[u.job] ? "failed" : "done");
}

/* By the policy it keeps what it did, if the case says so; when its node fails, what it kept before. */
static void interrupt(struct run *r, struct rk_unit u, bool by_policy)
{
    sim_tick *kept = &r->w.kept[u.job][u.task];
    if (!r->w.c->keeps) *kept = 0;
    else if (by_policy && !r->is_short[u.job][u.task]) *kept += r->now - r->w.began[u.job][u.task];
    stop(r, u, by_policy ? "preempted" : "failed", RK_WAITS);
    r->is_ready = true;
}

static void start(struct run *r, const struct rk_decision *d)
{
    char rest[48];
    bool is_short = false;
    for (int k = 0; k < rk_size(r->w.c, d->u); k++) {
        int t = d->u.task + k;
        SIM_ASSERT(r->w.state[d->u.job][t] == RK_WAITS);
        rk_take(r->w.c, &r->w.l, d->u.job, t, d->at[k].node, d->at[k].cards);
        is_short |= r->w.l.hold[d->u.job][t].is_short;
        r->w.state[d->u.job][t] = RK_RUNS;
        r->w.began[d->u.job][t] = r->now;
        (void)snprintf(rest, sizeof rest, "n%d %x", d->at[k].node, d->at[k].cards);
        line(r, "start", d->u.job, t, rest);
    }
    r->is_short[d->u.job][d->u.task] = is_short;
}

/* On the empty cluster, as the policy sees it: each task alone, a gang's all at once, each on the first with room. */
static bool feasible(const struct run *r, int j)
{
    const struct kubecase *c = r->w.c;
    struct rk_ledger l;
    for (int t = 0; t < c->job[j].n; t++) {
        if (t == 0 || !c->job[j].gang) {
            memset(&l, 0, sizeof l);
            for (int n = 0; n < c->n_nodes; n++) l.up[n] = true;
            for (int i = 0; i < KC_JOBS; i++)
                for (int k = 0; k < KC_TASKS; k++) l.hold[i][k].node = -1;
        }
        int n = 0;
        while (n < c->n_nodes && !rk_fits(c, &l, n, &c->job[j].task[t].shape)) n++;
        if (n == c->n_nodes) return false;
        rk_take(c, &l, j, t, n, rk_pick_cards(c, &l, n, &c->job[j].task[t].shape));
    }
    return true;
}

static void arrive(struct run *r)
{
    int j = r->n_arrived++;
    if (!feasible(r, j)) { end_job(r, j, "rejected"); return; }
    for (int t = 0; t < r->w.c->job[j].n; t++) r->w.state[j][t] = RK_WAITS;
}

static void find_fault(struct run *r, int node, int from)
{
    r->next_fault[node] = -1;
    for (int i = from; i < r->w.c->n_faults && r->next_fault[node] < 0; i++)
        if (r->w.c->fault[i].node == node && r->w.c->fault[i].up != r->w.l.up[node]) r->next_fault[node] = i;
}

static void turn(struct run *r, int node)
{
    const struct kubecase *c = r->w.c;
    int i = r->next_fault[node];
    for (int j = 0; j < c->n_jobs && !c->fault[i].up; j++)
        for (int t = 0; t < c->job[j].n; t++)
            if (r->w.l.hold[j][t].node == node) interrupt(r, (struct rk_unit){ j, c->job[j].gang ? 0 : t }, false);
    r->w.l.up[node] = c->fault[i].up;
    find_fault(r, node, i + 1);
}

/* The first thing that is due: ends, nodes down, nodes up, arrivals. */
static bool apply_one(struct run *r)
{
    const struct kubecase *c = r->w.c;
    for (int j = 0; j < c->n_jobs; j++)
        for (int t = 0; t < c->job[j].n; t++)
            if (heads(r, j, t) && r->w.state[j][t] == RK_RUNS && end_of(r, j, t) == r->now) {
                finish(r, (struct rk_unit){ j, t });
                return true;
            }
    for (int up = 0; up < 2; up++)
        for (int n = 0; n < c->n_nodes; n++) {
            int i = r->next_fault[n];
            if (i < 0 || c->fault[i].at != r->now || c->fault[i].up != (up != 0)) continue;
            turn(r, n);
            return true;
        }
    if (r->n_arrived == c->n_jobs || c->job[r->n_arrived].submit != r->now) return false;
    arrive(r);
    return true;
}

static sim_tick next_time(const struct run *r)
{
    const struct kubecase *c = r->w.c;
    sim_tick at = TICK_NEVER;
    for (int j = 0; j < c->n_jobs; j++)
        for (int t = 0; t < c->job[j].n; t++)
            if (heads(r, j, t) && r->w.state[j][t] == RK_RUNS) at = i64_min(at, end_of(r, j, t));
    for (int n = 0; n < c->n_nodes; n++)
        if (r->next_fault[n] >= 0) at = i64_min(at, c->fault[r->next_fault[n]].at);
    if (r->n_arrived < c->n_jobs) at = i64_min(at, c->job[r->n_arrived].submit);
    return at;
}

/* Nothing runs, arrives or may come back, and pods wait: nodes kept apart may do that, and else it is a mistake. */
static void look_for_end(struct run *r)
{
    const struct kubecase *c = r->w.c;
    int n_waiting = 0;
    for (int n = 0; n < c->n_nodes; n++)
        if (!r->w.l.up[n]) return;
    for (int j = 0; j < c->n_jobs; j++)
        for (int t = 0; t < c->job[j].n; t++) {
            if (r->w.state[j][t] == RK_RUNS) return;
            n_waiting += r->w.state[j][t] == RK_WAITS;
        }
    if (r->n_arrived < c->n_jobs || n_waiting == 0) return;
    r->is_over = true;
    if (c->policy != KC_SPLIT) wfcase_log_add(r->log, r->now, "stuck");
}

static void instant(struct run *r, struct rk_decision *scratch)
{
    for (;;) {
        bool any = r->is_ready;
        while (apply_one(r)) any = true;
        if (!any) return;
        r->is_ready = false;
        int n = rk_decide(&r->w, scratch);
        for (int i = 0; i < n; i++) {
            if (scratch[i].stops) interrupt(r, scratch[i].u, true);
            else start(r, &scratch[i]);
        }
    }
}

void refkube_run(const struct kubecase *c, struct wf_log *log)
{
    struct run *r = calloc(1, sizeof *r);
    struct rk_decision *scratch = calloc(RK_DECISIONS, sizeof *scratch);
    SIM_ASSERT(r != NULL && scratch != NULL);
    r->w.c = c;
    r->log = log;
    for (int n = 0; n < c->n_nodes; n++) r->w.l.up[n] = true;
    for (int n = 0; n < c->n_nodes; n++) find_fault(r, n, 0);
    for (int j = 0; j < KC_JOBS; j++)
        for (int t = 0; t < KC_TASKS; t++) r->w.l.hold[j][t].node = -1;
    for (int n_ended = 0; n_ended < c->n_jobs && !r->is_over;) {
        sim_tick at = next_time(r);
        if (at == TICK_NEVER) break;
        r->now = at;
        instant(r, scratch);
        look_for_end(r);
        n_ended = 0;
        for (int j = 0; j < c->n_jobs; j++) n_ended += r->ended[j];
    }
    for (int j = 0; j < c->n_jobs; j++)
        if (!r->ended[j] && (!r->is_over || c->policy == KC_SPLIT)) end_job(r, j, "unfinished");
    free(scratch);
    free(r);
    wfcase_log_sort(log);
}
