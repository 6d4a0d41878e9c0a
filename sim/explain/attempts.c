/*
 * attempts.c -- the steps of a job between its arrival and its end: it waited, started, was stopped.
 *
 * The job's own record (attempts, phases, decisions), what the policy held back
 * and the replayed ledger are walked together, instant by instant.  At each the
 * ledger takes its step, then the job's own events are applied, then what the
 * policy stated it holds; and if a task waits then, wait.c finds the reason.
 */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

/* ---- the job's own record ---- */

enum own_type { OWN_BLOCKED, OWN_READY, OWN_START, OWN_STOP };
enum task_is { IS_WAITING, IS_RUNNING, IS_DONE, IS_BLOCKED };

struct own_event { int64_t at; uint32_t task, attempt; enum own_type type; uint32_t node; char outcome[12]; bool restores; };
struct decision { int64_t at, seq; char *verb, *reason; };

struct life {
    struct explain_state *l;
    struct own_event *own;  size_t n_own, cap_own, at_own;
    struct decision *decision; size_t n_decisions, cap_decisions;
    sqlite3_stmt *holds;        /* heads, and holds of this job, in order */
    int64_t holds_at;
    uint8_t *is;                /* [n_tasks] enum task_is; of an elastic job those beyond its size are blocked */
    char   **hold;              /* [n_tasks] the policy's reason to hold the task; NULL: it does not */
    uint32_t n_tasks, n_waiting;
    int64_t  cut;               /* the run was cut off then; INT64_MAX: it was not */
    size_t   wait;              /* index of the open wait's step + 1; 0 none */
    /* By ordinal: the number of the wait in which that job was counted as having passed this one. */
    uint32_t *passed; size_t cap_passed; uint32_t n_waits;
};

static int by_time(const void *a, const void *b)
{
    const struct own_event *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    if (x->attempt != y->attempt) return x->attempt < y->attempt ? -1 : 1;
    return (x->type > y->type) - (x->type < y->type);
}

static struct own_event *own_add(struct life *f, enum own_type type, int64_t at, uint32_t task, uint32_t attempt)
{
    struct own_event *o = MEM_NEXT(f->own, f->n_own, f->cap_own);
    *o = (struct own_event){ .at = at, .type = type, .task = task, .attempt = attempt, .node = NONE };
    return o;
}

static enum st load_own(struct life *f, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(explain_query(f->l, "SELECT task, attempt, node, start_us, end_us, outcome, EXISTS (SELECT 1 FROM phase p WHERE p.run = a.run"
                 " AND p.ordinal = a.ordinal AND p.task = a.task AND p.at_us = a.start_us AND p.phase = 'restore')"
                 " FROM attempt a WHERE run = ?1 AND ordinal = ?2", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        uint32_t task = (uint32_t)sqlite3_column_int64(q, 0), attempt = (uint32_t)sqlite3_column_int64(q, 1);
        struct own_event *o = own_add(f, OWN_START, sqlite3_column_int64(q, 3), task, attempt);
        o->node = (uint32_t)sqlite3_column_int64(q, 2);
        o->restores = sqlite3_column_int(q, 6) != 0;
        o = own_add(f, OWN_STOP, sqlite3_column_int64(q, 4), task, attempt);
        o->node = (uint32_t)sqlite3_column_int64(q, 2);
        (void)snprintf(o->outcome, sizeof o->outcome, "%s", (const char *)sqlite3_column_text(q, 5));
    }
    TRY(query_end(f->l->store, q, d));
    TRY(explain_query(f->l, "SELECT task, at_us, phase FROM phase WHERE run = ?1 AND ordinal = ?2 AND phase IN ('blocked', 'ready')", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW)
        (void)own_add(f, strcmp((const char *)sqlite3_column_text(q, 2), "ready") == 0 ? OWN_READY : OWN_BLOCKED,
                      sqlite3_column_int64(q, 1), (uint32_t)sqlite3_column_int64(q, 0), 0);
    TRY(query_end(f->l->store, q, d));
    if (f->n_own > 0) qsort(f->own, f->n_own, sizeof *f->own, by_time);
    TRY(explain_query(f->l, "SELECT at_us, seq, verb, coalesce(reason, '') FROM decision WHERE run = ?1 AND ordinal = ?2"
                 " AND verb IN ('start', 'preempt', 'scale') ORDER BY seq", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_PUSH(f->decision, f->n_decisions, f->cap_decisions,
                 (struct decision){ sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
            mem_strdup((const char *)sqlite3_column_text(q, 2)), mem_strdup((const char *)sqlite3_column_text(q, 3)) });
    }
    return query_end(f->l->store, q, d);
}

static void next_hold(struct life *f)
{
    f->holds_at = sqlite3_step(f->holds) == SQLITE_ROW ? sqlite3_column_int64(f->holds, 0) : INT64_MAX;
}

static enum st open_holds(struct life *f, struct diag *d)
{
    TRY(explain_query(f->l, "SELECT at_us, verb, ordinal, task, reason FROM decision WHERE run = ?1 AND (verb = 'head' OR (verb = 'hold' AND ordinal = ?2))"
                      " ORDER BY seq", &f->holds, d));
    next_hold(f);
    return ST_OK;
}

static const struct decision *decision_at(const struct life *f, int64_t at, const char *verb)
{
    for (size_t i = 0; i < f->n_decisions; i++)
        if (f->decision[i].at == at && strcmp(f->decision[i].verb, verb) == 0) return &f->decision[i];
    return NULL;
}

/* The unit that a policy makes room for is the next one that it starts. */
static void name_cause(const struct life *f, struct explain_names *n, const struct decision *preempt)
{
    sqlite3_stmt *q;
    struct diag ignored = { 0 };
    if (explain_query(f->l, "SELECT ordinal FROM decision WHERE run = ?1 AND seq > ?2 AND seq < ?2 + 100000 AND at_us = ?3 AND verb = 'start'"
                 " AND ordinal <> ?4 ORDER BY seq LIMIT 1", &q, &ignored) == ST_OK) {
        (void)sqlite3_bind_int64(q, 2, preempt->seq);
        (void)sqlite3_bind_int64(q, 3, preempt->at);
        (void)sqlite3_bind_int64(q, 4, (int64_t)f->l->e->ordinal);
        if (sqlite3_step(q) == SQLITE_ROW) explain_names_add_job(f->l, n, (uint64_t)sqlite3_column_int64(q, 0));
    }
    (void)sqlite3_finalize(q);
}

static const char *node_name(const struct life *f, uint32_t node)
{
    return node < f->l->replay.cluster.n_nodes ? intern_name(&f->l->replay.cluster.node_names, node) : "?";
}

static void name_node(struct explain_names *n, const char *name)
{
    for (size_t i = 0; i < n->n; i++)
        if (strcmp(n->at[i], name) == 0) return;
    explain_names_add(n, name);
}

/* The placement rule among the policy's parameters; "" when it has none. */
static void place_rule(const char *spec, char *buf, size_t cap)
{
    const char *at = strstr(spec, "place=");
    (void)snprintf(buf, cap, "%.*s", at != NULL ? (int)strcspn(at, ",") : 0, at != NULL ? at : "");
}

/* Own starts, or own stops of one outcome, of this instant as one step; o [n] are its events. */
static void add_steps(struct life *f, const struct own_event *o, size_t n, enum own_type type, const char *outcome)
{
    struct explain *e = f->l->e;
    struct explain_step *s = NULL;
    bool restores = false;
    uint32_t node = NONE;
    for (size_t i = 0; i < n; i++) {
        if (o[i].type != type || (outcome != NULL && strcmp(o[i].outcome, outcome) != 0)) continue;
        if (s == NULL) s = explain_step_add(e, type == OWN_START ? EXPLAIN_STARTED : EXPLAIN_STOPPED, o[i].at);
        s->n_tasks++;
        node = o[i].node;
        restores = restores || o[i].restores;
        name_node(&s->nodes, node_name(f, node));
    }
    if (s == NULL) return;
    const struct decision *decision = decision_at(f, s->at, type == OWN_START ? "start" : "preempt");
    if (decision == NULL && type == OWN_START) decision = decision_at(f, s->at, "scale");
    if (decision != NULL && decision->reason[0] != '\0' && (type == OWN_START || strcmp(outcome, "preempted") == 0)) s->reason = mem_strdup(decision->reason);
    if (type == OWN_START) {
        char rule[64], left[96] = "";
        const struct pol_node *at = node < f->l->replay.cluster.n_nodes && s->nodes.all == 1 ? &f->l->replay.cluster.node[node] : NULL;
        /* Every start by a policy is a decision, and those are recorded: another was bound. */
        if (decision == NULL) (void)snprintf(rule, sizeof rule, "bound there when it arrived, by no policy");
        else place_rule(e->run->spec, rule, sizeof rule);
        if (at != NULL && at->n_gpu > 0) {
            uint32_t idle = 0;
            for (uint32_t k = 0; k < at->n_gpu; k++) idle += f->l->replay.cluster.card[at->card0 + k].milli_free >= GPU_WHOLE;
            (void)snprintf(left, sizeof left, "%s%" PRIu32 " of %" PRIu32 " cards idle there now", rule[0] ? ", " : "", idle, at->n_gpu);
        }
        s->text = mem_strdup(restores ? "started again, restoring a checkpoint first," : "started");
        if (rule[0] != '\0' || left[0] != '\0') s->more = mem_printf("%s%s", rule, left);
        return;
    }
    if (strcmp(outcome, "preempted") == 0 && decision != NULL) name_cause(f, &s->jobs, decision);
    s->text = mem_strdup(explain_outcome(outcome));
}

/* ---- walking through the run ---- */

static void set_task(struct life *f, uint32_t task, enum task_is is)
{
    if (task >= f->n_tasks) return;
    f->n_waiting += (uint32_t)(is == IS_WAITING) - (uint32_t)(f->is[task] == IS_WAITING);
    f->is[task] = (uint8_t)is;
}

static void hold(struct life *f, uint32_t task, const char *reason)
{
    if (task >= f->n_tasks) return;
    mem_free(f->hold[task]);
    f->hold[task] = reason != NULL ? mem_strdup(reason) : NULL;
}

static void apply_own(struct life *f, int64_t at)
{
    size_t from = f->at_own;
    for (; f->at_own < f->n_own && f->own[f->at_own].at == at; f->at_own++) {
        const struct own_event *o = &f->own[f->at_own];
        bool again = strcmp(o->outcome, "preempted") == 0 || strcmp(o->outcome, "failed") == 0;
        bool scales = strcmp(o->outcome, "scaled") == 0;        /* if it is to go on, it starts at this instant */
        set_task(f, o->task, o->type == OWN_BLOCKED || scales ? IS_BLOCKED : o->type == OWN_READY ? IS_WAITING
                             : o->type == OWN_START ? IS_RUNNING : again ? IS_WAITING : IS_DONE);
        if (o->type == OWN_START) hold(f, o->task, NULL);
    }
    const struct own_event *o = &f->own[from];
    static const char *const outcomes[] = { "preempted", "scaled", "failed", "mismatch", "timeout", "horizon" };
    for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) add_steps(f, o, f->at_own - from, OWN_STOP, outcomes[i]);
    add_steps(f, o, f->at_own - from, OWN_START, NULL);
}

static void apply_hold(struct life *f)
{
    bool is_head = strcmp((const char *)sqlite3_column_text(f->holds, 1), "head") == 0;
    uint64_t ordinal = (uint64_t)sqlite3_column_int64(f->holds, 2);
    int64_t task = sqlite3_column_int64(f->holds, 3);
    const char *reason = (const char *)sqlite3_column_text(f->holds, 4);
    if (is_head) {
        mem_free(f->l->head.reason);
        f->l->head.reason = reason != NULL ? mem_strdup(reason) : NULL;
        f->l->head.ordinal = ordinal;
        f->l->head.task = (uint32_t)task;
        f->l->head.is_set = !replay_holds(&f->l->replay, ordinal, task);
    } else if (task >= 0 && task < f->n_tasks && f->is[task] == IS_WAITING) {
        hold(f, (uint32_t)task, reason != NULL ? reason : "");
    }
    next_hold(f);
}

static void watch_starts(struct life *f)
{
    const struct replay *r = &f->l->replay;
    for (size_t i = 0; i < r->n_started; i++) {
        uint64_t j = r->started[i].ordinal;
        if (f->l->head.is_set && j == f->l->head.ordinal && r->started[i].task == f->l->head.task) f->l->head.is_set = false;
        if (f->wait == 0 || j <= f->l->e->ordinal) continue;
        MEM_RESERVE(f->passed, f->cap_passed, (size_t)j + 1);
        if (f->passed[j] == f->n_waits) continue;
        f->passed[j] = f->n_waits;
        explain_names_add_job(f->l, &f->l->e->step[f->wait - 1].jobs, j);
    }
}

static void close_wait(struct life *f, int64_t at)
{
    struct explain_step *w = &f->l->e->step[f->wait - 1];
    w->until = at;
    if (w->n_stretches > 0) w->stretch[w->n_stretches - 1].to = at;
    w->text = mem_strdup(w->n_tasks < f->l->e->n_tasks ? "tasks waited" : "waited");
    f->wait = 0;
}

static uint32_t first_waiting(const struct life *f)
{
    uint32_t t = 0;
    while (f->is[t] != IS_WAITING) t++;
    return t;
}

static void account(struct life *f, int64_t at)
{
    bool waits = f->n_waiting > 0 && at < f->cut;
    if (!waits && f->wait != 0) close_wait(f, at);
    if (!waits) return;
    if (f->wait == 0) {
        struct explain_step *w = explain_step_add(f->l->e, EXPLAIN_WAITED, at);
        w->n_tasks = f->n_waiting;
        f->wait = f->l->e->n_steps;
        f->n_waits++;
    }
    uint32_t first = first_waiting(f), t = first;
    while (t < f->n_tasks && (f->is[t] != IS_WAITING || f->hold[t] == NULL)) t++;
    f->l->hold = t < f->n_tasks ? f->hold[t] : NULL;
    explain_wait_at(f->l, &f->l->e->step[f->wait - 1], at, first);
}

static enum st walk(struct life *f, struct diag *d)
{
    struct explain *e = f->l->e;
    int64_t last = e->submit, end = e->end >= 0 ? e->end : INT64_MAX;
    bool began = false;
    for (;;) {
        int64_t own = f->at_own < f->n_own ? f->own[f->at_own].at : INT64_MAX;
        int64_t at = i64_min(own, i64_min(f->l->replay.next_at, f->holds_at));
        if (!began) at = i64_min(at, e->submit);
        if (at == INT64_MAX || (at >= end && at > own)) break;
        f->l->replay.n_started = 0;
        if (f->l->replay.next_at == at) TRY(replay_step(&f->l->replay, d));
        watch_starts(f);
        began = began || at == e->submit;
        if (own == at) apply_own(f, at);
        while (f->holds_at == at) apply_hold(f);
        if (at >= e->submit) account(f, at);
        last = i64_max(last, at);
        if (at >= end) break;
    }
    if (f->wait != 0) close_wait(f, end < INT64_MAX ? end : last);
    struct explain_step *s = explain_step_add(e, EXPLAIN_ENDED, end < INT64_MAX ? end : last);
    s->text = mem_strdup(e->status);
    return ST_OK;
}

enum st explain_attempts_steps(struct explain_state *l, struct diag *d)
{
    const uint32_t asked = l->e->n_tasks, n_tasks = l->e->max_tasks;
    struct life f = { .l = l, .holds_at = INT64_MAX, .cut = INT64_MAX, .n_tasks = n_tasks, .n_waiting = asked };
    MEM_ARRAY(f.is, n_tasks + 1);
    MEM_ARRAY(f.hold, n_tasks + 1);
    for (uint32_t t = asked; t < n_tasks; t++) f.is[t] = IS_BLOCKED;
    enum st st = load_own(&f, d);
    if (st == ST_OK)
        st = query_int(l->store, &f.cut, d, "SELECT end_us FROM attempt WHERE run = %" PRId64 " AND outcome = 'horizon' LIMIT 1", l->e->run->run);
    if (st == ST_OK) st = open_holds(&f, d);
    if (st == ST_OK) st = walk(&f, d);
    st = query_end(l->store, f.holds, d);
    for (size_t i = 0; i < f.n_decisions; i++) { mem_free(f.decision[i].verb); mem_free(f.decision[i].reason); }
    for (uint32_t t = 0; t < n_tasks; t++) mem_free(f.hold[t]);
    mem_free(f.decision); mem_free(f.own); mem_free(f.is); mem_free(f.passed); mem_free(f.hold);
    return st;
}
