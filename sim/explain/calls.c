/*
 * calls.c -- the steps of a job whose tasks make API calls, task by task, then all in order of time.
 *
 * A task waits with the master until a decision `send` puts it into a node's
 * queue, and there until `start`; both are recorded with their reasons.  It
 * comes back to the master when it is stopped, or when the node fails in whose
 * queue it is, which only the outage tells.
 */
#include "explain/explain_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/text.h"
#include "db/query.h"

struct task_state {
    struct explain_state *l;
    uint32_t task;
    enum { WITH_MASTER, IN_QUEUE, RUNS, ENDED } at;
    uint32_t node;                  /* whose queue, or where it runs */
    int64_t  since;                 /* begin of that; while it runs, end of the call before */
    int64_t  seq;                   /* of the decision that sent it */
    int64_t  master, queue, idle;   /* us in all: waiting with the master, in queues, for engines */
    int64_t  exec, way;             /* and of calls that were done: executing, on the way to another node and back */
    uint32_t n_calls, n_cross;
};

static const char *node_name(const struct task_state *s, uint32_t node)
{
    const struct cluster *c = &s->l->replay.cluster;
    return node < c->n_nodes ? intern_name(&c->node_names, node) : "?";
}

static struct explain_step *step(const struct task_state *s, enum explain_step_type type, int64_t at, const char *reason)
{
    struct explain_step *o = explain_step_add(s->l->e, type, at);
    o->task = s->task;
    o->n_tasks = 1;
    if (reason != NULL && reason[0] != '\0') o->reason = mem_strdup(reason);
    return o;
}

enum st explain_calls_any(const struct explain_state *l, bool *is, struct diag *d)
{
    int64_t found = 0;
    TRY(query_int(l->store, &found, d, "SELECT EXISTS (SELECT 1 FROM decision WHERE run = %" PRId64 " AND verb = 'send'"
                  " AND ordinal = %" PRId64 ")", l->e->run->run, (int64_t)l->e->ordinal));
    *is = found != 0;
    return ST_OK;
}

/* A number by a query of the run, with a, b and c as its ?2 to ?4; -1 when there is none. */
static enum st ask(const struct task_state *s, const char *sql, int64_t a, int64_t b, int64_t c, int64_t *out, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(explain_query(s->l, sql, &q, d));
    (void)sqlite3_bind_int64(q, 2, a);
    (void)sqlite3_bind_int64(q, 3, b);
    (void)sqlite3_bind_int64(q, 4, c);
    *out = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) != SQLITE_NULL ? sqlite3_column_int64(q, 0) : -1;
    return query_end(s->l->store, q, d);
}

/* Did the node whose queue it is in fail before `at`?  Then it is back with the master. */
static enum st look_for_outage(struct task_state *s, int64_t at, struct diag *d)
{
    int64_t down;
    if (s->at != IN_QUEUE) return ST_OK;
    TRY(ask(s, "SELECT min(down_us) FROM outage WHERE run = ?1 AND node = ?2 AND down_us >= ?3 AND down_us <= ?4", s->node, s->since, at, &down, d));
    if (down < 0) return ST_OK;
    struct explain_step *o = step(s, EXPLAIN_QUEUED, down, NULL);
    o->text = mem_printf("back with the master, as %s failed", node_name(s, s->node));
    s->queue += down - s->since;
    s->at = WITH_MASTER;
    s->since = down;
    return ST_OK;
}

static void set_time_before(struct explain_step *o, int64_t us, const char *where)
{
    char time[48];
    if (us > 0) o->more = mem_printf("after %s %s", text_duration(time, sizeof time, us), where);
}

static enum st sent(struct task_state *s, int64_t at, int64_t seq, uint32_t node, const char *reason, struct diag *d)
{
    TRY(look_for_outage(s, at, d));
    struct explain_step *o = step(s, EXPLAIN_QUEUED, at, reason);
    if (s->at == IN_QUEUE) {
        o->text = mem_printf("moved from the queue of %s to that of %s", node_name(s, s->node), node_name(s, node));
        set_time_before(o, at - s->since, "there");
        s->queue += at - s->since;
    } else {
        o->text = mem_printf("sent to the queue of %s", node_name(s, node));
        set_time_before(o, at - s->since, "with the master");
        s->master += at - s->since;
    }
    explain_names_add(&o->nodes, node_name(s, node));
    s->at = IN_QUEUE;
    s->node = node;
    s->since = at;
    s->seq = seq;
    return ST_OK;
}

static enum st started(struct task_state *s, int64_t at, int64_t seq, const char *reason, struct diag *d)
{
    char time[48];
    int64_t before;
    TRY(ask(s, "SELECT count(*) FROM decision WHERE run = ?1 AND seq > ?2 AND seq < ?3 AND verb = 'start' AND node = ?4", s->seq, seq, s->node, &before, d));
    struct explain_step *o = step(s, EXPLAIN_STARTED, at, reason);
    o->text = mem_strdup("started");
    explain_names_add(&o->nodes, node_name(s, s->node));
    if (at > s->since) o->more = mem_printf("after %s in its queue, where %" PRId64 " started before it", text_duration(time, sizeof time, at - s->since), before);
    s->queue += at - s->since;
    s->at = RUNS;
    s->since = at;
    return ST_OK;
}

/* The row of table call that q stands at: this task's, begun by a decision at `at`. */
static void called(struct task_state *s, sqlite3_stmt *q, const char *reason)
{
    char wait[48], took[48], way_text[48];
    int64_t at = sqlite3_column_int64(q, 0), end = sqlite3_column_int64(q, 1), exec = sqlite3_column_int64(q, 2), way = sqlite3_column_int64(q, 3);
    uint32_t node = (uint32_t)sqlite3_column_int64(q, 4);
    bool is_done = sqlite3_column_int(q, 5) != 0;
    struct explain_step *o = step(s, EXPLAIN_CALLED, at, reason);
    o->call = (struct explain_call){ .call = sqlite3_column_int64(q, 6), .waited = at - s->since, .exec = exec, .way = way,
        .api = mem_strdup((const char *)sqlite3_column_text(q, 7)), .engine = mem_strdup((const char *)sqlite3_column_text(q, 8)) };
    explain_names_add(&o->nodes, node_name(s, node));
    o->text = mem_printf("%s call %" PRId64 ", %s, on %s", is_done ? "made" : "lost", o->call.call, o->call.api, o->call.engine);
    (void)text_duration(took, sizeof took, end - at);
    if (o->call.waited > 0) (void)snprintf(wait, sizeof wait, "%s", text_duration(way_text, sizeof way_text, o->call.waited));
    o->more = mem_printf("%s%s%s%s%s%s", o->call.waited > 0 ? "waited " : "", o->call.waited > 0 ? wait : "", o->call.waited > 0 ? "; " : "", took,
                     way > 0 ? ", on the way " : "", way > 0 ? text_duration(way_text, sizeof way_text, way) : "");
    s->idle += at - s->since;
    s->since = end;
    if (!is_done) return;
    s->exec += exec;
    s->way += way;
    s->n_calls++;
    s->n_cross += node != s->node;
}

/* Its attempt is over. */
static void stopped(struct task_state *s, int64_t at, const char *outcome, const char *reason)
{
    char a[48], b[48], c[48], e[48], w[48];
    const char *outcome_text = explain_outcome(outcome);
    struct explain_step *o = step(s, outcome_text != NULL ? EXPLAIN_STOPPED : EXPLAIN_TASK_ENDED, at, outcome_text != NULL && strcmp(outcome, "preempted") == 0 ? reason : NULL);
    if (outcome_text != NULL) {
        o->text = mem_strdup(outcome_text);
        explain_names_add(&o->nodes, node_name(s, s->node));
        s->at = strcmp(outcome, "preempted") == 0 || strcmp(outcome, "failed") == 0 ? WITH_MASTER : ENDED;
    } else {
        o->text = mem_strdup("done");
        o->more = mem_printf("%s with the master, %s in queues, %s waiting for engines, %s in %" PRIu32 " call%s and %s on their way, %" PRIu32 " on other nodes",
                         text_duration(a, sizeof a, s->master), text_duration(b, sizeof b, s->queue), text_duration(c, sizeof c, s->idle),
                         text_duration(e, sizeof e, s->exec), s->n_calls, s->n_calls == 1 ? "" : "s", text_duration(w, sizeof w, s->way), s->n_cross);
        s->at = ENDED;
    }
    s->since = at;
}

static enum st call_rows(const struct task_state *s, sqlite3_stmt **q, struct diag *d)
{
    TRY(explain_query(s->l, "SELECT start_us, end_us, exec_us, way_us, node, done, call, api, engine FROM call WHERE run = ?1 AND ordinal = ?2 AND task = ?3"
                 " ORDER BY start_us, call", q, d));
    (void)sqlite3_bind_int64(*q, 3, s->task);
    return ST_OK;
}

static enum st attempt_rows(const struct task_state *s, sqlite3_stmt **q, struct diag *d)
{
    TRY(explain_query(s->l, "SELECT end_us, outcome FROM attempt WHERE run = ?1 AND ordinal = ?2 AND task = ?3 ORDER BY attempt", q, d));
    (void)sqlite3_bind_int64(*q, 3, s->task);
    return ST_OK;
}

/* Decisions, calls and attempts come each in order: a start, its calls, its attempt's end, and so on. */
static enum st walk(struct task_state *s, sqlite3_stmt *decision, sqlite3_stmt *call, sqlite3_stmt *attempt, struct diag *d)
{
    bool has_call = sqlite3_step(call) == SQLITE_ROW, has_attempt = sqlite3_step(attempt) == SQLITE_ROW;
    while (sqlite3_step(decision) == SQLITE_ROW) {
        int64_t at = sqlite3_column_int64(decision, 0), seq = sqlite3_column_int64(decision, 1);
        const char *verb = (const char *)sqlite3_column_text(decision, 2), *reason = (const char *)sqlite3_column_text(decision, 4);
        if (strcmp(verb, "preempt") == 0 && has_attempt) {
            stopped(s, at, (const char *)sqlite3_column_text(attempt, 1), reason);
            has_attempt = sqlite3_step(attempt) == SQLITE_ROW;
            continue;
        }
        if (s->at == RUNS && strcmp(verb, "send") == 0 && has_attempt) {        /* its node had failed */
            stopped(s, sqlite3_column_int64(attempt, 0), (const char *)sqlite3_column_text(attempt, 1), NULL);
            has_attempt = sqlite3_step(attempt) == SQLITE_ROW;
        }
        if (strcmp(verb, "send") == 0) TRY(sent(s, at, seq, (uint32_t)sqlite3_column_int64(decision, 3), reason, d));
        else if (strcmp(verb, "start") == 0) TRY(started(s, at, seq, reason, d));
        else if (strcmp(verb, "call") == 0 && has_call && sqlite3_column_int64(call, 0) == at) {
            called(s, call, reason);
            has_call = sqlite3_step(call) == SQLITE_ROW;
        }
    }
    if (s->at == RUNS && has_attempt) stopped(s, sqlite3_column_int64(attempt, 0), (const char *)sqlite3_column_text(attempt, 1), NULL);
    return look_for_outage(s, INT64_MAX, d);
}

static enum st task_steps(struct explain_state *l, uint32_t task, struct diag *d)
{
    struct task_state s = { .l = l, .task = task, .since = l->e->submit };
    sqlite3_stmt *decision = NULL, *call = NULL, *attempt = NULL;
    int64_t ready;
    /* One that waited for others began to wait with the master when they were done. */
    TRY(ask(&s, "SELECT min(at_us) FROM phase p WHERE run = ?1 AND ordinal = ?2 AND task = ?3 AND phase = 'ready' AND EXISTS (SELECT 1 FROM phase b"
            " WHERE b.run = ?1 AND b.ordinal = ?2 AND b.task = ?3 AND b.phase = 'blocked' AND b.seq + ?4 < p.seq)", (int64_t)l->e->ordinal, task, 0, &ready, d));
    if (ready >= 0) s.since = ready;
    enum st st = explain_query(l, "SELECT at_us, seq, verb, node, reason FROM decision WHERE run = ?1 AND ordinal = ?2 AND task = ?3"
                          " AND verb IN ('send', 'start', 'call', 'preempt') ORDER BY seq", &decision, d);
    if (st == ST_OK) {
        (void)sqlite3_bind_int64(decision, 3, task);
        st = call_rows(&s, &call, d);
    }
    if (st == ST_OK) st = attempt_rows(&s, &attempt, d);
    if (st == ST_OK) st = walk(&s, decision, call, attempt, d);
    sqlite3_stmt *const all[] = { decision, call, attempt };
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        st = query_end(l->store, all[i], d);
    return st;
}

struct order { int64_t at; size_t i; };

static int by_time(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->i < y->i ? -1 : 1;
}

enum st explain_calls_steps(struct explain_state *l, struct diag *d)
{
    struct explain *e = l->e;
    const size_t first = e->n_steps;
    for (uint32_t t = 0; t < e->n_tasks; t++)
        if (e->task < 0 || e->task == t) TRY(task_steps(l, t, d));
    /* Each task's steps are in order: all of them by time, ties by task. */
    const size_t n = e->n_steps - first;
    struct order *order;
    struct explain_step *was;
    MEM_ARRAY(order, n + 1);
    MEM_ARRAY(was, n + 1);
    for (size_t i = 0; i < n; i++) {
        was[i] = e->step[first + i];
        order[i] = (struct order){ was[i].at, i };
    }
    if (n > 0) qsort(order, n, sizeof *order, by_time);
    for (size_t i = 0; i < n; i++) e->step[first + i] = was[order[i].i];
    mem_free(order);
    mem_free(was);
    return ST_OK;
}
