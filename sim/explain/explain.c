#include "explain/explain_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

/* ---- helpers ---- */

enum st explain_query(const struct explain_state *l, const char *sql, sqlite3_stmt **q, struct diag *d)
{
    return query_run(l->store, l->e->run->run, sql, q, d);
}

char *explain_text(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *text = mem_vprintf(fmt, ap);
    va_end(ap);
    return text;
}

void explain_names_add(struct explain_names *n, const char *name)
{
    if (n->all++ >= EXPLAIN_NAMES) return;
    MEM_RESERVE(n->at, n->cap, n->n + 1);
    n->at[n->n++] = mem_strdup(name);
}

void explain_names_add_job(const struct explain_state *l, struct explain_names *n, uint64_t ordinal)
{
    sqlite3_stmt *q;
    struct diag ignored = { 0 };
    if (n->all >= EXPLAIN_NAMES) { n->all++; return; }
    if (explain_query(l, "SELECT id FROM job WHERE run = ?1 AND ordinal = ?2", &q, &ignored) == ST_OK && q != NULL) {
        (void)sqlite3_bind_int64(q, 2, (int64_t)ordinal);
        explain_names_add(n, sqlite3_step(q) == SQLITE_ROW ? (const char *)sqlite3_column_text(q, 0) : "?");
    }
    (void)sqlite3_finalize(q);
}

struct explain_step *explain_step_add(struct explain *e, enum explain_step_type type, int64_t at)
{
    MEM_RESERVE(e->step, e->cap_steps, e->n_steps + 1);
    struct explain_step *s = &e->step[e->n_steps++];
    *s = (struct explain_step){ .type = type, .at = at, .until = at, .task = -1, .call.call = -1 };
    return s;
}

static void names_fini(struct explain_names *n)
{
    for (size_t i = 0; i < n->n; i++) mem_free(n->at[i]);
    mem_free(n->at);
}

void explain_fini(struct explain *e)
{
    for (size_t i = 0; i < e->n_steps; i++) {
        struct explain_step *s = &e->step[i];
        for (size_t k = 0; k < s->n_stretches; k++) {
            mem_free(s->stretch[k].text);
            mem_free(s->stretch[k].reason);
            names_fini(&s->stretch[k].jobs);
        }
        mem_free(s->text); mem_free(s->more); mem_free(s->reason); mem_free(s->stretch);
        mem_free(s->call.api); mem_free(s->call.engine);
        names_fini(&s->nodes);
        names_fini(&s->jobs);
    }
    mem_free(e->step); mem_free(e->id); mem_free(e->user); mem_free(e->klass); mem_free(e->status); mem_free(e->request);
    memset(e, 0, sizeof *e);
}

/* ---- the job's own record ---- */

enum own_type { OWN_BLOCKED, OWN_READY, OWN_START, OWN_STOP };
enum task_is { IS_WAITING, IS_RUNNING, IS_DONE, IS_BLOCKED };

struct own { int64_t at; uint32_t task, attempt; enum own_type type; uint32_t node; char outcome[12]; bool restores; };
struct decision { int64_t at, seq; char *verb, *reason; };

struct life {
    struct explain_state l;
    struct own  *own;  size_t n_own, cap_own, at_own;
    struct decision *decision; size_t n_decisions, cap_decisions;
    sqlite3_stmt *holds;         /* heads, and holds of this job, in order */
    int64_t holds_at;
    uint8_t *is;                /* [n_tasks] enum task_is */
    char   **hold;              /* [n_tasks] the policy's reason to hold the task; NULL: it does not */
    uint32_t n_waiting;
    int64_t  cut;               /* the run was cut off then; INT64_MAX: it was not */
    size_t   wait;              /* index of the open wait's step + 1; 0 none */
    uint32_t *passed; size_t cap_passed; uint32_t n_waits;     /* by ordinal: the wait in which it was counted as having passed */
};

static int by_time(const void *a, const void *b)
{
    const struct own *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    if (x->task != y->task) return x->task < y->task ? -1 : 1;
    if (x->attempt != y->attempt) return x->attempt < y->attempt ? -1 : 1;
    return (x->type > y->type) - (x->type < y->type);
}

static struct own *own_add(struct life *f, enum own_type type, int64_t at, uint32_t task, uint32_t attempt)
{
    MEM_RESERVE(f->own, f->cap_own, f->n_own + 1);
    struct own *o = &f->own[f->n_own++];
    *o = (struct own){ .at = at, .type = type, .task = task, .attempt = attempt, .node = NONE };
    return o;
}

static enum st load_own(struct life *f, struct diag *d)
{
    sqlite3_stmt *q;
    int64_t me = (int64_t)f->l.e->ordinal;
    TRY(explain_query(&f->l, "SELECT task, attempt, node, start_us, end_us, outcome, EXISTS (SELECT 1 FROM phase p WHERE p.run = a.run"
                 " AND p.ordinal = a.ordinal AND p.task = a.task AND p.at_us = a.start_us AND p.phase = 'restore')"
                 " FROM attempt a WHERE run = ?1 AND ordinal = ?2", &q, d));
    (void)sqlite3_bind_int64(q, 2, me);
    while (sqlite3_step(q) == SQLITE_ROW) {
        uint32_t task = (uint32_t)sqlite3_column_int64(q, 0), attempt = (uint32_t)sqlite3_column_int64(q, 1);
        struct own *o = own_add(f, OWN_START, sqlite3_column_int64(q, 3), task, attempt);
        o->node = (uint32_t)sqlite3_column_int64(q, 2);
        o->restores = sqlite3_column_int(q, 6) != 0;
        o = own_add(f, OWN_STOP, sqlite3_column_int64(q, 4), task, attempt);
        o->node = (uint32_t)sqlite3_column_int64(q, 2);
        (void)snprintf(o->outcome, sizeof o->outcome, "%s", (const char *)sqlite3_column_text(q, 5));
    }
    TRY(query_end(f->l.store, q, d));
    TRY(explain_query(&f->l, "SELECT task, at_us, phase FROM phase WHERE run = ?1 AND ordinal = ?2 AND phase IN ('blocked', 'ready')", &q, d));
    (void)sqlite3_bind_int64(q, 2, me);
    while (sqlite3_step(q) == SQLITE_ROW)
        (void)own_add(f, strcmp((const char *)sqlite3_column_text(q, 2), "ready") == 0 ? OWN_READY : OWN_BLOCKED,
                      sqlite3_column_int64(q, 1), (uint32_t)sqlite3_column_int64(q, 0), 0);
    TRY(query_end(f->l.store, q, d));
    if (f->n_own > 0) qsort(f->own, f->n_own, sizeof *f->own, by_time);
    TRY(explain_query(&f->l, "SELECT at_us, seq, verb, coalesce(why, '') FROM decision WHERE run = ?1 AND ordinal = ?2"
                 " AND verb IN ('start', 'preempt') ORDER BY seq", &q, d));
    (void)sqlite3_bind_int64(q, 2, me);
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(f->decision, f->cap_decisions, f->n_decisions + 1);
        f->decision[f->n_decisions++] = (struct decision){ sqlite3_column_int64(q, 0), sqlite3_column_int64(q, 1),
            mem_strdup((const char *)sqlite3_column_text(q, 2)), mem_strdup((const char *)sqlite3_column_text(q, 3)) };
    }
    return query_end(f->l.store, q, d);
}

static enum st load_cut(struct life *f, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(explain_query(&f->l, "SELECT end_us FROM attempt WHERE run = ?1 AND outcome = 'horizon' LIMIT 1", &q, d));
    if (sqlite3_step(q) == SQLITE_ROW) f->cut = sqlite3_column_int64(q, 0);
    return query_end(f->l.store, q, d);
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
    if (explain_query(&f->l, "SELECT ordinal FROM decision WHERE run = ?1 AND seq > ?2 AND seq < ?2 + 100000 AND at_us = ?3 AND verb = 'start'"
                 " AND ordinal <> ?4 ORDER BY seq LIMIT 1", &q, &ignored) == ST_OK) {
        (void)sqlite3_bind_int64(q, 2, preempt->seq);
        (void)sqlite3_bind_int64(q, 3, preempt->at);
        (void)sqlite3_bind_int64(q, 4, (int64_t)f->l.e->ordinal);
        if (sqlite3_step(q) == SQLITE_ROW) explain_names_add_job(&f->l, n, (uint64_t)sqlite3_column_int64(q, 0));
    }
    (void)sqlite3_finalize(q);
}

static void format_request(char *buf, size_t cap, const struct replay *r, const struct explain_group *g)
{
    size_t at = 0;
    const struct shape *s = &g->shape;
    if (g->n > 1) at += (size_t)snprintf(buf + at, cap - at, "%" PRIu32 " tasks of ", g->n);
    if (s->n_gpu == 1 && s->gpu_milli < GPU_WHOLE) at += (size_t)snprintf(buf + at, cap - at, "%g of a GPU", s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0 && s->gpu_milli < GPU_WHOLE) at += (size_t)snprintf(buf + at, cap - at, "%" PRId32 " x %g of a GPU", s->n_gpu, s->gpu_milli / 1000.0);
    else if (s->n_gpu > 0) at += (size_t)snprintf(buf + at, cap - at, "%" PRId32 " GPU%s", s->n_gpu, s->n_gpu > 1 ? "s" : "");
    for (uint32_t i = 0, n = 0; s->n_gpu > 0 && i < r->cluster.gpu_types.n && i < 64 && at < cap; i++)
        if (s->gpu_types >> i & 1) at += (size_t)snprintf(buf + at, cap - at, "%s%s", n++ > 0 ? " or " : " of type ", intern_name(&r->cluster.gpu_types, i));
    if (s->n_gpu > 0 && s->gpu_mem_b > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %.4g GiB of a card", (double)s->gpu_mem_b / 1073741824);
    if (s->n_gpu > 0 && s->gpu_cores > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %" PRId32 " cores of a card", s->gpu_cores);
    if (at < cap) at += (size_t)snprintf(buf + at, cap - at, "%s%g CPUs", s->n_gpu > 0 ? ", " : "", (double)s->cpu_milli / 1000);
    if (s->mem_b > 0 && at < cap) at += (size_t)snprintf(buf + at, cap - at, ", %.4g GiB", (double)s->mem_b / 1073741824);
    for (int k = 0; k < ENGINE_KINDS_MAX && at < cap; k++)
        if (s->engine[k] > 0 && (uint32_t)k < r->cluster.engines.n)
            at += (size_t)snprintf(buf + at, cap - at, ", %" PRId32 " %s", s->engine[k], intern_name(&r->cluster.engines, (uint32_t)k));
    if (s->exclusive && at < cap) (void)snprintf(buf + at, cap - at, ", a node to itself");
}

static enum st load_request(struct life *f, struct diag *d)
{
    char sql[400], text[600] = "", one[256];
    sqlite3_stmt *q;
    struct explain_state *l = &f->l;
    (void)snprintf(sql, sizeof sql, "SELECT task0, gang, %s FROM request q WHERE run = ?1 AND ordinal = ?2 ORDER BY task0", replay_request_columns);
    TRY(explain_query(l, sql, &q, d));
    (void)sqlite3_bind_int64(q, 2, (int64_t)l->e->ordinal);
    while (sqlite3_step(q) == SQLITE_ROW) {
        MEM_RESERVE(l->group, l->cap_groups, l->n_groups + 1);
        struct explain_group *g = &l->group[l->n_groups++];
        g->task0 = (uint32_t)sqlite3_column_int64(q, 0);
        l->e->is_gang = sqlite3_column_int(q, 1) != 0;
        replay_shape(q, 2, &g->shape);
    }
    TRY(query_end(l->store, q, d));
    if (l->n_groups == 0) return diag_set(d, ST_EWORLD, "the record of run %" PRId64 " has no request of job '%s'", l->e->run->run, l->e->id);
    for (size_t i = 0; i < l->n_groups; i++) {
        struct explain_group *g = &l->group[i];
        g->n = (i + 1 < l->n_groups ? g[1].task0 : l->e->n_tasks) - g->task0;
        if (i < 3) {
            format_request(one, sizeof one, &l->replay, g);
            size_t at = strlen(text);
            (void)snprintf(text + at, sizeof text - at, "%s%s", i > 0 ? "; " : "", one);
        }
        if (l->e->run->by_count) g->shape.gpu_mem_b = g->shape.gpu_cores = 0;
    }
    l->e->request = l->n_groups > 3 ? explain_text("%s; and %zu more groups", text, l->n_groups - 3) : mem_strdup(text);
    return ST_OK;
}

/* ---- steps ---- */

static enum st arrived(struct life *f, struct diag *d)
{
    struct explain *e = f->l.e;
    sqlite3_stmt *q;
    struct explain_step *s = explain_step_add(e, EXPLAIN_ARRIVED, e->submit);
    s->n_tasks = e->n_tasks;
    TRY(explain_query(&f->l, "SELECT id FROM job WHERE run = ?1 AND ordinal < ?2 AND status <> 'rejected' AND (start_us < 0 OR start_us > ?3)"
                 " AND (end_us < 0 OR end_us > ?3) ORDER BY ordinal", &q, d));
    (void)sqlite3_bind_int64(q, 2, (int64_t)e->ordinal);
    (void)sqlite3_bind_int64(q, 3, e->submit);
    while (sqlite3_step(q) == SQLITE_ROW) explain_names_add(&s->jobs, (const char *)sqlite3_column_text(q, 0));
    s->text = mem_strdup(s->jobs.all > 0 ? "arrived; had not started yet of those before it" : "arrived; all those before it had started");
    return query_end(f->l.store, q, d);
}

static const char *node_name(const struct life *f, uint32_t node)
{
    return node < f->l.replay.cluster.n_nodes ? intern_name(&f->l.replay.cluster.node_names, node) : "?";
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

const char *explain_outcome(const char *outcome)
{
    static const struct { const char *outcome, *text; } all[] = {
        { "preempted", "preempted" }, { "failed", "interrupted, the node failed," },
        { "mismatch", "failed, its cards have not the memory or cores it asks," }, { "timeout", "cut off at the time limit" },
        { "horizon", "still running when the run was cut off," },
    };
    for (size_t i = 0; i < ARRAY_LEN(all); i++) if (strcmp(all[i].outcome, outcome) == 0) return all[i].text;
    return NULL;
}

/* Own starts, or own stops of one outcome, of this instant as one step; o [n] are its events. */
static void add_steps(struct life *f, const struct own *o, size_t n, enum own_type type, const char *outcome)
{
    struct explain *e = f->l.e;
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
    if (decision != NULL && decision->reason[0] != '\0' && (type == OWN_START || strcmp(outcome, "preempted") == 0)) s->reason = mem_strdup(decision->reason);
    if (type == OWN_START) {
        char rule[64], left[96] = "";
        const struct node *at = node < f->l.replay.cluster.n_nodes && s->nodes.all == 1 ? &f->l.replay.cluster.node[node] : NULL;
        /* Every start by a policy is a decision, and those are recorded: another was bound. */
        if (decision == NULL) (void)snprintf(rule, sizeof rule, "bound there when it arrived, by no policy");
        else place_rule(e->run->spec, rule, sizeof rule);
        if (at != NULL && at->n_gpu > 0) {
            uint32_t idle = 0;
            for (uint32_t k = 0; k < at->n_gpu; k++) idle += f->l.replay.cluster.card[at->card0 + k].milli_free >= GPU_WHOLE;
            (void)snprintf(left, sizeof left, "%s%" PRIu32 " of %" PRIu32 " cards idle there now", rule[0] ? ", " : "", idle, at->n_gpu);
        }
        s->text = mem_strdup(restores ? "started again, restoring a checkpoint first," : "started");
        if (rule[0] != '\0' || left[0] != '\0') s->more = explain_text("%s%s", rule, left);
        return;
    }
    if (strcmp(outcome, "preempted") == 0 && decision != NULL) name_cause(f, &s->jobs, decision);
    s->text = mem_strdup(explain_outcome(outcome));
}

/* ---- walking through the run ---- */

static void set_task(struct life *f, uint32_t task, enum task_is is)
{
    if (task >= f->l.e->n_tasks) return;
    f->n_waiting += (uint32_t)(is == IS_WAITING) - (uint32_t)(f->is[task] == IS_WAITING);
    f->is[task] = (uint8_t)is;
}

static void hold(struct life *f, uint32_t task, const char *reason)
{
    if (task >= f->l.e->n_tasks) return;
    mem_free(f->hold[task]);
    f->hold[task] = reason != NULL ? mem_strdup(reason) : NULL;
}

static void apply_own(struct life *f, int64_t at)
{
    size_t from = f->at_own;
    for (; f->at_own < f->n_own && f->own[f->at_own].at == at; f->at_own++) {
        const struct own *o = &f->own[f->at_own];
        bool again = strcmp(o->outcome, "preempted") == 0 || strcmp(o->outcome, "failed") == 0;
        set_task(f, o->task, o->type == OWN_BLOCKED ? IS_BLOCKED : o->type == OWN_READY ? IS_WAITING
                             : o->type == OWN_START ? IS_RUNNING : again ? IS_WAITING : IS_DONE);
        if (o->type == OWN_START) hold(f, o->task, NULL);
    }
    const struct own *o = &f->own[from];
    static const char *const outcomes[] = { "preempted", "failed", "mismatch", "timeout", "horizon" };
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
        mem_free(f->l.head.reason);
        f->l.head.reason = reason != NULL ? mem_strdup(reason) : NULL;
        f->l.head.ordinal = ordinal;
        f->l.head.task = (uint32_t)task;
        f->l.head.is_set = !replay_holds(&f->l.replay, ordinal, task);
    } else if (task >= 0 && task < f->l.e->n_tasks && f->is[task] == IS_WAITING) {
        hold(f, (uint32_t)task, reason != NULL ? reason : "");
    }
    f->holds_at = sqlite3_step(f->holds) == SQLITE_ROW ? sqlite3_column_int64(f->holds, 0) : INT64_MAX;
}

static void watch_starts(struct life *f)
{
    const struct replay *r = &f->l.replay;
    for (size_t i = 0; i < r->n_started; i++) {
        uint64_t j = r->started[i].ordinal;
        if (f->l.head.is_set && j == f->l.head.ordinal && r->started[i].task == f->l.head.task) f->l.head.is_set = false;
        if (f->wait == 0 || j <= f->l.e->ordinal) continue;
        MEM_RESERVE(f->passed, f->cap_passed, (size_t)j + 1);
        if (f->passed[j] == f->n_waits) continue;
        f->passed[j] = f->n_waits;
        explain_names_add_job(&f->l, &f->l.e->step[f->wait - 1].jobs, j);
    }
}

static void close_wait(struct life *f, int64_t at)
{
    struct explain_step *w = &f->l.e->step[f->wait - 1];
    w->until = at;
    if (w->n_stretches > 0) w->stretch[w->n_stretches - 1].to = at;
    w->text = mem_strdup(w->n_tasks < f->l.e->n_tasks ? "tasks waited" : "waited");
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
        struct explain_step *w = explain_step_add(f->l.e, EXPLAIN_WAITED, at);
        w->n_tasks = f->n_waiting;
        f->wait = f->l.e->n_steps;
        f->n_waits++;
    }
    uint32_t first = first_waiting(f), t = first;
    while (t < f->l.e->n_tasks && (f->is[t] != IS_WAITING || f->hold[t] == NULL)) t++;
    f->l.hold = t < f->l.e->n_tasks ? f->hold[t] : NULL;
    explain_wait_at(&f->l, &f->l.e->step[f->wait - 1], at, first);
}

static enum st walk(struct life *f, struct diag *d)
{
    struct explain *e = f->l.e;
    int64_t last = e->submit, end = e->end >= 0 ? e->end : INT64_MAX;
    bool began = false;
    for (;;) {
        int64_t own = f->at_own < f->n_own ? f->own[f->at_own].at : INT64_MAX;
        int64_t at = i64_min(own, i64_min(f->l.replay.next_at, f->holds_at));
        if (!began) at = i64_min(at, e->submit);
        if (at == INT64_MAX || (at >= end && at > own)) break;
        f->l.replay.n_started = 0;
        if (f->l.replay.next_at == at) TRY(replay_step(&f->l.replay, d));
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

/* ---- the whole ---- */

static enum st load_job(struct life *f, struct diag *d)
{
    struct explain *e = f->l.e;
    sqlite3_stmt *q;
    TRY(explain_query(&f->l, "SELECT id, user, class, status, submit_us, end_us, n_tasks FROM job WHERE run = ?1 AND ordinal = ?2", &q, d));
    (void)sqlite3_bind_int64(q, 2, (int64_t)e->ordinal);
    if (sqlite3_step(q) == SQLITE_ROW) {
        char **const to[] = { &e->id, &e->user, &e->klass, &e->status };
        for (int i = 0; i < (int)ARRAY_LEN(to); i++) *to[i] = mem_strdup((const char *)sqlite3_column_text(q, i));
        e->submit = sqlite3_column_int64(q, 4);
        e->end = sqlite3_column_int64(q, 5);
        e->n_tasks = (uint32_t)sqlite3_column_int64(q, 6);
    }
    TRY(query_end(f->l.store, q, d));
    MEM_ARRAY(f->is, e->n_tasks + 1);
    MEM_ARRAY(f->hold, e->n_tasks + 1);
    f->n_waiting = e->n_tasks;
    return ST_OK;
}

static enum st add_call_steps(struct life *f, struct diag *d)
{
    struct explain *e = f->l.e;
    if (e->task >= e->n_tasks) return diag_set(d, ST_EINPUT, "job '%s' has tasks 0 to %" PRIu32 ", found --task %" PRId64, e->id, e->n_tasks - 1, e->task);
    TRY(explain_calls_steps(&f->l, d));
    if (e->task >= 0) return ST_OK;
    int64_t last = e->submit;
    for (size_t i = 0; i < e->n_steps; i++) last = i64_max(last, e->step[i].at);
    struct explain_step *s = explain_step_add(e, EXPLAIN_ENDED, e->end >= 0 ? e->end : last);
    s->text = mem_strdup(e->status);
    return ST_OK;
}

static enum st build(struct life *f, struct diag *d)
{
    struct explain *e = f->l.e;
    bool rejected;
    TRY(load_job(f, d));
    rejected = strcmp(e->status, "rejected") == 0;
    int64_t to = e->end >= 0 ? e->end + 1 : rejected ? e->submit + 1 : INT64_MAX;
    TRY(replay_open(&f->l.replay, f->l.store, e->run->run, e->submit, to, d));
    TRY(load_request(f, d));
    TRY(arrived(f, d));
    if (rejected) {
        struct explain_step *s = explain_step_add(e, EXPLAIN_ENDED, e->submit);
        s->text = mem_strdup("rejected: it can never fit on this cluster");
        return ST_OK;
    }
    bool calls;
    TRY(explain_calls_any(&f->l, &calls, d));
    if (calls) return add_call_steps(f, d);
    if (e->task >= 0) return diag_set(d, ST_EINPUT, "job '%s' made no API call in run %" PRId64 "; the stories of such tasks are not told apart", e->id, e->run->run);
    TRY(load_own(f, d));
    TRY(load_cut(f, d));
    TRY(explain_query(&f->l, "SELECT at_us, verb, ordinal, task, why FROM decision WHERE run = ?1 AND (verb = 'head' OR (verb = 'hold' AND ordinal = ?2))"
                 " ORDER BY seq", &f->holds, d));
    (void)sqlite3_bind_int64(f->holds, 2, (int64_t)e->ordinal);
    f->holds_at = sqlite3_step(f->holds) == SQLITE_ROW ? sqlite3_column_int64(f->holds, 0) : INT64_MAX;
    return walk(f, d);
}

enum st explain_load(struct explain *e, struct store *s, const struct selection *run, uint64_t ordinal, int64_t task, struct diag *d)
{
    struct life f = { .l = { .e = e, .store = s }, .holds_at = INT64_MAX, .cut = INT64_MAX };
    memset(e, 0, sizeof *e);
    e->run = run;
    e->ordinal = ordinal;
    e->task = task;
    enum st st = build(&f, d);
    (void)sqlite3_finalize(f.holds);
    replay_close(&f.l.replay);
    explain_fit_fini(&f.l.fit);
    for (size_t i = 0; i < f.n_decisions; i++) { mem_free(f.decision[i].verb); mem_free(f.decision[i].reason); }
    mem_free(f.decision); mem_free(f.own); mem_free(f.is); mem_free(f.passed);
    for (uint32_t t = 0; f.hold != NULL && t < e->n_tasks; t++) mem_free(f.hold[t]);
    mem_free(f.hold); mem_free(f.l.group); mem_free(f.l.head.reason);
    if (st != ST_OK) explain_fini(e);
    return st;
}
