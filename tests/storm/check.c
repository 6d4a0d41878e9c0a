/*
 * check.c -- the rows of a run, read back and held against each other and against the case.
 *
 *   jobs       every job that was given has one row; one that is done has each of its tasks done once, in the order
 *              that the job asks for, and ends with the last of them; a rejected one never ran
 *   waiting    a job that waits for others begins when they have begun, or ended as it asks
 *   sizes      an elastic job has at any time one of its sizes, of its first tasks, which begin and end together
 *   attempts   one task's never overlap; a gang's begin and end together; within the limit where limits are kept;
 *              of a done task they are together at least as long as its work, where nothing is faster than nominal
 *   nodes      none has an attempt or a call while it is down; labels and types are as asked; at no time do all on it
 *              hold more than it has, of cores, memory, each card's share, memory and cores, engines and places;
 *              an exclusive task finds its node empty and holds all of it
 *   licences   at no time are more in use than there are
 *   calls      of a done attempt each is done once, in order, within it
 *
 * Amounts are summed at every instant at which something begins: O(attempts^2) on each node.
 */
#include "storm/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include "base/mem.h"

enum { NODES = 16, TASKS = 16 };

struct row_request {
    int64_t cpu, mem, gpu_mem;
    uint64_t types, need_all, need_any;
    int32_t n_gpu, milli, cores, engine[ENGINE_TYPES_MAX];
    bool gang, exclusive;
};
struct row_attempt {
    uint32_t job, task, number, node;
    uint64_t cards;
    int64_t from, to;
    bool done, ended, is_short;
    const struct row_request *q;
};
struct row_call {
    uint32_t job, task, number, home, node;
    int engine;
    int64_t from, to;
    bool done;
};
struct row_node {
    int64_t cpu, mem, gpu_mem;
    uint64_t labels;
    uint32_t n_gpu, cores, max_tasks;
    int type;
    int32_t engine[ENGINE_TYPES_MAX];
};
struct row_cores {
    uint32_t job, task, number;
    int64_t at, cpu;
};
struct row_outage {
    uint32_t node;
    int64_t down, up;
};
struct row_job {
    char status[16];
    uint32_t at;                /* in the case */
    int64_t start, end, ran, n_tasks;
};

struct rows {
    const struct storm_case *c;
    uint32_t n_jobs, n_nodes;
    struct row_job job[CONFORM_JOBS];
    struct row_request request[CONFORM_JOBS][TASKS];
    struct row_node node[NODES];
    struct row_attempt *attempt;
    size_t n_attempts, cap_attempts;
    struct row_call *call;
    size_t n_calls, cap_calls;
    struct row_cores *cores;
    size_t n_cores, cap_cores;
    struct row_outage *outage;
    size_t n_outages, cap_outages;
    char *wrong;
    size_t cap;
    bool is_wrong;
};

static void __attribute__((format(printf, 2, 3))) wrong(struct rows *r, const char *fmt, ...)
{
    if (r->is_wrong) return;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(r->wrong, r->cap, fmt, ap);
    va_end(ap);
    r->is_wrong = true;
}

static const struct conform_job *asked_of(const struct rows *r, uint32_t job)
{
    return &r->c->base->job[r->job[job].at];
}

/* ---- reading ---- */

static sqlite3_stmt *query(struct store *s, const char *sql, int64_t run)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(s), sql, -1, &q, NULL);
    SIM_ASSERT(rc == SQLITE_OK);
    rc = sqlite3_bind_int64(q, 1, run);
    SIM_ASSERT(rc == SQLITE_OK);
    return q;
}

static bool step(sqlite3_stmt *q)
{
    int rc = sqlite3_step(q);
    if (rc == SQLITE_ROW) return true;
    SIM_ASSERT(rc == SQLITE_DONE);
    (void)sqlite3_finalize(q);
    return false;
}

static int64_t num(sqlite3_stmt *q, int i) { return sqlite3_column_int64(q, i); }
static uint32_t idx(sqlite3_stmt *q, int i) { return (uint32_t)sqlite3_column_int64(q, i); }
static const char *text(sqlite3_stmt *q, int i)
{
    const char *t = (const char *)sqlite3_column_text(q, i);
    return t != NULL ? t : "";
}

static void read_engines(int32_t *engine, const char *list)
{
    for (int k = 0; k < ENGINE_TYPES_MAX && *list != '\0'; k++) {
        char *end;
        engine[k] = (int32_t)strtol(list, &end, 10);
        list = *end == ',' ? end + 1 : end;
    }
}

static void read_nodes(struct rows *r, struct store *s, int64_t run)
{
    sqlite3_stmt *q = query(
        s,
        "SELECT n.node, n.cpu_milli - c.cpu_reserved_milli, n.mem_b - c.mem_reserved_b, c.gpu_mem_b, c.labels, n.n_gpu,"
        " c.gpu_cores, c.max_tasks, coalesce(w.bit, -1), c.engines FROM node n JOIN capability c USING (run, node)"
        " LEFT JOIN word w ON w.run = n.run AND w.kind = 'gpu_type' AND w.name = n.gpu_type WHERE n.run = ?1",
        run);
    while (step(q)) {
        struct row_node *n = &r->node[idx(q, 0)];
        SIM_ASSERT(idx(q, 0) < NODES);
        *n = (struct row_node){ .cpu = num(q, 1),
                                .mem = num(q, 2),
                                .gpu_mem = num(q, 3),
                                .labels = (uint64_t)num(q, 4),
                                .n_gpu = idx(q, 5),
                                .cores = idx(q, 6),
                                .max_tasks = idx(q, 7),
                                .type = (int)num(q, 8) };
        read_engines(n->engine, text(q, 9));
        r->n_nodes++;
    }
}

static void read_requests(struct rows *r, struct store *s, int64_t run)
{
    sqlite3_stmt *q = query(s,
                            "SELECT ordinal, task0, cpu_milli, mem_b, gpu_mem_b, gpu_types, need_all, need_any, n_gpu, "
                            "gpu_milli, gpu_cores,"
                            " gang, exclusive, engines FROM request WHERE run = ?1 ORDER BY ordinal, task0",
                            run);
    while (step(q)) {
        SIM_ASSERT(idx(q, 0) < CONFORM_JOBS && idx(q, 1) < TASKS);
        struct row_request x = { .cpu = num(q, 2),
                                 .mem = num(q, 3),
                                 .gpu_mem = num(q, 4),
                                 .types = (uint64_t)num(q, 5),
                                 .need_all = (uint64_t)num(q, 6),
                                 .need_any = (uint64_t)num(q, 7),
                                 .n_gpu = (int32_t)num(q, 8),
                                 .milli = (int32_t)num(q, 9),
                                 .cores = (int32_t)num(q, 10),
                                 .gang = num(q, 11) != 0,
                                 .exclusive = num(q, 12) != 0 };
        read_engines(x.engine, text(q, 13));
        for (uint32_t t = idx(q, 1); t < TASKS; t++) r->request[idx(q, 0)][t] = x;
    }
}

static void read_jobs(struct rows *r, struct store *s, int64_t run)
{
    sqlite3_stmt *q = query(
        s,
        "SELECT ordinal, status, start_us, end_us, ran_us, n_tasks, id FROM job WHERE run = ?1 ORDER BY ordinal",
        run);
    while (step(q)) {
        if (num(q, 0) != r->n_jobs) wrong(r, "job %" PRId64 " has the row of job %u", num(q, 0), r->n_jobs);
        struct row_job *j = &r->job[r->n_jobs++];
        *j = (struct row_job){ .start = num(q, 2), .end = num(q, 3), .ran = num(q, 4), .n_tasks = num(q, 5) };
        (void)snprintf(j->status, sizeof j->status, "%s", text(q, 1));
        j->at = storm_case_find(r->c, text(q, 6));
        SIM_ASSERT(j->at != NONE);
    }
}

static void read_rest(struct rows *r, struct store *s, int64_t run)
{
    sqlite3_stmt *q = query(
        s,
        "SELECT ordinal, task, attempt, node, cards, start_us, end_us, outcome, is_short FROM attempt WHERE run = ?1"
        " ORDER BY ordinal, task, attempt",
        run);
    while (step(q)) {
        MEM_RESERVE(r->attempt, r->cap_attempts, r->n_attempts + 1);
        const char *how = text(q, 7);
        if (idx(q, 0) >= r->n_jobs || idx(q, 1) >= TASKS || idx(q, 3) >= r->n_nodes) {
            wrong(r, "an attempt of a job, task or node that is not there");
            continue;
        }
        r->attempt[r->n_attempts++] = (struct row_attempt){ idx(q, 0),
                                                            idx(q, 1),
                                                            idx(q, 2),
                                                            idx(q, 3),
                                                            (uint64_t)num(q, 4),
                                                            num(q, 5),
                                                            num(q, 6),
                                                            strcmp(how, "done") == 0,
                                                            strcmp(how, "done") == 0 || strcmp(how, "timeout") == 0 ||
                                                                strcmp(how, "mismatch") == 0,
                                                            num(q, 8) != 0,
                                                            &r->request[idx(q, 0)][idx(q, 1)] };
    }
    q = query(s,
              "SELECT ordinal, task, call, home, node, w.bit, start_us, end_us, done FROM call c JOIN word w ON w.run "
              "= c.run AND w.kind = 'engine'"
              " AND w.name = c.engine WHERE c.run = ?1 ORDER BY ordinal, task, start_us, call",
              run);
    while (step(q)) {
        MEM_RESERVE(r->call, r->cap_calls, r->n_calls + 1);
        r->call[r->n_calls++] = (struct row_call){ idx(q, 0),      idx(q, 1), idx(q, 2), idx(q, 3),     idx(q, 4),
                                                   (int)num(q, 5), num(q, 6), num(q, 7), num(q, 8) != 0 };
    }
    q = query(s, "SELECT ordinal, task, attempt, at_us, cpu_milli FROM cores WHERE run = ?1 ORDER BY seq", run);
    while (step(q)) {
        MEM_RESERVE(r->cores, r->cap_cores, r->n_cores + 1);
        r->cores[r->n_cores++] = (struct row_cores){ idx(q, 0), idx(q, 1), idx(q, 2), num(q, 3), num(q, 4) };
    }
    q = query(s, "SELECT node, down_us, up_us FROM outage WHERE run = ?1", run);
    while (step(q)) {
        MEM_RESERVE(r->outage, r->cap_outages, r->n_outages + 1);
        r->outage[r->n_outages++] = (struct row_outage){ idx(q, 0), num(q, 1), num(q, 2) < 0 ? INT64_MAX : num(q, 2) };
    }
}

/* ---- one attempt by itself ---- */

#define OF(a) (a)->task, (a)->job, (a)->number /* for "task %u of job %u, attempt %u" */
#define WHICH "task %u of job %u, attempt %u, "

static uint32_t n_bits(uint64_t x)
{
    uint32_t n = 0;
    for (; x != 0; x &= x - 1) n++;
    return n;
}

static void check_attempt(struct rows *r, const struct row_attempt *a)
{
    const struct row_request *q = a->q;
    const struct row_node *n = &r->node[a->node];
    if (a->to < a->from) wrong(r, WHICH "ends before it begins", OF(a));
    uint32_t cards = q->exclusive ? n->n_gpu : (uint32_t)q->n_gpu;
    if (n_bits(a->cards) != cards) wrong(r, WHICH "has %u cards and not %u", OF(a), n_bits(a->cards), cards);
    if (n->n_gpu < 64 && a->cards >> n->n_gpu != 0) wrong(r, WHICH "is on cards that its node has not", OF(a));
    if ((q->need_all & ~n->labels) != 0 || (q->need_any != 0 && (q->need_any & n->labels) == 0))
        wrong(r, WHICH "is on a node without its labels", OF(a));
    if (q->n_gpu > 0 && q->types != 0 && (n->type < 0 || (q->types >> n->type & 1) == 0))
        wrong(r, WHICH "is on cards of another type", OF(a));
    for (size_t i = 0; i < r->n_outages; i++) {
        const struct row_outage *o = &r->outage[i];
        if (o->node != a->node || o->up == o->down) continue;
        if (a->from < o->up && a->to > o->down)
            wrong(r, WHICH "is on node %u, which is down from %" PRId64, OF(a), a->node, o->down);
        if (a->from >= o->down && a->from < o->up)
            wrong(r, WHICH "begins on node %u, which is down from %" PRId64, OF(a), a->node, o->down);
    }
    for (size_t i = 0; i < r->n_attempts && q->exclusive; i++) {
        const struct row_attempt *b = &r->attempt[i];
        if (b->node == a->node && b->from < a->from && b->to > a->from)
            wrong(r, WHICH "is exclusive, and not the first on its node", OF(a));
    }
    const struct conform_job *j = asked_of(r, a->job);
    if (r->c->base->cfg.enforce_limits && j->limit >= 0 && a->to - a->from > j->limit)
        wrong(r, WHICH "is longer than its limit", OF(a));
}

/* ---- what is held at once ---- */

static int64_t cpu_at(const struct rows *r, const struct row_attempt *a, int64_t at)
{
    int64_t cpu = a->q->exclusive ? r->node[a->node].cpu : a->q->cpu;
    for (size_t i = 0; i < r->n_cores; i++) {
        const struct row_cores *k = &r->cores[i];
        if (k->job == a->job && k->task == a->task && k->number == a->number && k->at <= at) cpu = k->cpu;
    }
    return cpu;
}

/* All that is on the node at `at`; what lasts no time is nowhere. */
static void check_node_at(struct rows *r, uint32_t node, int64_t at)
{
    const struct row_node *n = &r->node[node];
    int64_t cpu = 0, mem = 0, card_mem[NODE_GPUS_MAX] = { 0 };
    int32_t milli[NODE_GPUS_MAX] = { 0 }, cores[NODE_GPUS_MAX] = { 0 }, engine[ENGINE_TYPES_MAX] = { 0 };
    uint32_t n_tasks = 0;
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct row_attempt *a = &r->attempt[i];
        if (a->node != node || a->from > at || a->to <= at) continue;
        n_tasks++;
        cpu += cpu_at(r, a, at);
        mem += a->q->exclusive ? n->mem : a->q->mem;
        for (int k = 0; k < ENGINE_TYPES_MAX; k++) engine[k] += a->q->engine[k];
        for (uint32_t k = 0; k < NODE_GPUS_MAX; k++) {
            if ((a->cards >> k & 1) == 0) continue;
            milli[k] += a->q->exclusive ? GPU_WHOLE : a->q->milli;
            card_mem[k] += a->is_short ? 0 : a->q->gpu_mem;
            cores[k] += a->is_short ? 0 : a->q->cores;
        }
    }
    for (size_t i = 0; i < r->n_calls; i++) {
        const struct row_call *k = &r->call[i];
        if (k->node == node && k->from <= at && k->to > at && k->engine >= 0 && k->engine < ENGINE_TYPES_MAX)
            engine[k->engine]++;
    }
    if (cpu > n->cpu)
        wrong(r, "t=%" PRId64 ": node %u has %" PRId64 " thousandths of cores, and %" PRId64 " are held", at, node,
              n->cpu, cpu);
    if (mem > n->mem)
        wrong(r, "t=%" PRId64 ": node %u has %" PRId64 " bytes, and %" PRId64 " are held", at, node, n->mem, mem);
    if (n->max_tasks > 0 && n_tasks > n->max_tasks)
        wrong(r, "t=%" PRId64 ": node %u takes %u tasks, and has %u", at, node, n->max_tasks, n_tasks);
    for (int k = 0; k < ENGINE_TYPES_MAX; k++)
        if (engine[k] > n->engine[k])
            wrong(r, "t=%" PRId64 ": node %u has %d engines of kind %d, and %d are held", at, node, n->engine[k], k,
                  engine[k]);
    for (uint32_t k = 0; k < n->n_gpu; k++) {
        if (milli[k] > GPU_WHOLE)
            wrong(r, "t=%" PRId64 ": card %u of node %u is given out %d thousandths", at, k, node, milli[k]);
        if (n->gpu_mem > 0 && card_mem[k] > n->gpu_mem)
            wrong(r, "t=%" PRId64 ": the memory of card %u of node %u is given out twice", at, k, node);
        if (n->cores > 0 && cores[k] > (int32_t)n->cores)
            wrong(r, "t=%" PRId64 ": the cores of card %u of node %u are given out twice", at, k, node);
    }
}

static const struct task_group *group_of(const struct conform_job *j, uint32_t task)
{
    uint32_t g = 0;
    if (j->elastic.max > 0) return &j->group[0];
    while (task >= j->group[g].n) task -= j->group[g++].n;
    return &j->group[g];
}

static void check_licences_at(struct rows *r, int64_t at)
{
    const struct cluster *cl = &r->c->base->cluster;
    for (uint32_t k = 0; k < cl->licences.n; k++) {
        int64_t used = 0;
        for (size_t i = 0; i < r->n_attempts; i++) {
            const struct row_attempt *a = &r->attempt[i];
            if (a->from <= at && a->to > at) used += group_of(asked_of(r, a->job), a->task)->shape.licence[k];
        }
        if (used > cl->licence_total[k])
            wrong(r, "t=%" PRId64 ": %" PRId64 " licences are in use, and there are %" PRId64, at, used,
                  cl->licence_total[k]);
    }
}

/* ---- a job ---- */

/* A task ends once: done, by its limit, or on cards that will not do. */
struct of_task {
    uint32_t n_ended, n_done;
    int64_t first, ended, sum;
};

static void gather(struct rows *r, uint32_t job, struct of_task *t, int64_t *first, int64_t *last)
{
    const struct row_attempt *before = NULL;
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct row_attempt *a = &r->attempt[i];
        if (a->job != job) continue;
        struct of_task *k = &t[a->task];
        if (before != NULL && before->task == a->task && a->from < before->to)
            wrong(r, WHICH "begins while the one before it runs", OF(a));
        if (a->number != (before != NULL && before->task == a->task ? before->number + 1 : 1))
            wrong(r, WHICH "does not follow the one before it", OF(a));
        if (k->n_ended > 0) wrong(r, WHICH "comes after the task has ended", OF(a));
        if (k->first < 0) k->first = a->from;
        k->sum += a->to - a->from;
        k->n_done += a->done;
        if (a->ended) {
            k->n_ended++;
            k->ended = a->to;
        }
        *first = *first < 0 ? a->from : i64_min(*first, a->from);
        *last = i64_max(*last, a->to);
        before = a;
    }
}

static void check_gang(struct rows *r, uint32_t job)
{
    const struct row_attempt *lead[TASKS * 64] = { NULL };
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct row_attempt *a = &r->attempt[i];
        if (a->job != job || a->number >= ARRAY_LEN(lead)) continue;
        if (lead[a->number] == NULL) lead[a->number] = a;
        else if (lead[a->number]->from != a->from || lead[a->number]->to != a->to)
            wrong(r, WHICH "is not together with its gang", OF(a));
    }
}

/* Nothing is faster than nominal where no model says so: the work of a done task takes at least its time. */
static bool is_never_faster(const struct storm_case *c, uint32_t at)
{
    for (uint32_t t = 0; t < c->base->cluster.gpu_types.n; t++)
        if (c->base->cluster.gpu_speed[t] > 1) return false;
    return c->model[at] == NONE && c->base->job[at].n_calls == 0;
}

/* At any time it has tasks 0 to n - 1, n one of its sizes, and these are there together. */
static void check_sizes(struct rows *r, uint32_t job, const struct elastic *e)
{
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct row_attempt *a = &r->attempt[i];
        uint32_t n = 0, most = 0;
        if (a->job != job || a->to == a->from) continue;
        for (size_t k = 0; k < r->n_attempts; k++) {
            const struct row_attempt *b = &r->attempt[k];
            if (b->job != job || b->to == b->from || b->to <= a->from || b->from >= a->to) continue;
            if (b->from != a->from || b->to != a->to) wrong(r, WHICH "is not together with its gang", OF(b));
            n++;
            most = b->task > most ? b->task : most;
        }
        if (n < e->min || n > e->max || most + 1 != n)
            wrong(r, WHICH "is one of %u tasks, the last of them number %u", OF(a), n, most);
    }
}

/* The most that it may go at, over what it asks. */
static double fastest(const struct rows *r, const struct conform_job *j)
{
    const struct scaling *s = &r->c->base->cfg.profiles->scaling;
    double most = 0;
    for (size_t i = 0; i < s->n; i++)
        for (uint32_t n = j->elastic.min; n <= j->elastic.max; n++)
            for (uint32_t far = 0; far < 2; far++) {
                uint32_t gpus = (uint32_t)j->group[0].shape.n_gpu, count[256];
                SIM_ASSERT(n * gpus <= ARRAY_LEN(count));
                const struct spread where = scaling_spread(&s->at[i], n * gpus, far, count);
                double v = scaling_speed(&s->at[i], j->group[0].n * gpus, &where);
                if (v > most) most = v;
            }
    return most;
}

/* Those it waits for have begun, or ended as it asks. */
static void check_dependencies(struct rows *r, uint32_t job)
{
    const struct storm_after *a = &r->c->after[r->job[job].at];
    for (uint32_t k = 0; k < a->n && r->job[job].start >= 0; k++) {
        const struct row_job *b = NULL;
        for (uint32_t i = 0; i < r->n_jobs; i++) if (r->job[i].at == a->before[k]) b = &r->job[i];
        if (r->c->plan->dropped[a->before[k]]) continue;
        if (b == NULL) {
            wrong(r, "job %u ran before one that it waits for came", job);
            continue;
        }
        bool is_ok = strcmp(b->status, "done") == 0;
        int64_t from = a->kind[k] == STORM_AFTER && b->start >= 0 ? b->start : b->end;
        if (r->job[job].start < from)
            wrong(r, "job %u began at %" PRId64 ", and waits until %" PRId64, job, r->job[job].start, from);
        if ((a->kind[k] == STORM_AFTER_OK && !is_ok) || (a->kind[k] == STORM_AFTER_NOT_OK && is_ok))
            wrong(r, "job %u ran though one that it waits for did not end so", job);
    }
}

static void check_after(struct rows *r, uint32_t job, const struct of_task *t, uint32_t task, uint32_t before)
{
    if (t[before].n_ended == 1 && t[before].ended <= t[task].first) return;
    wrong(r, "task %u of job %u begins at %" PRId64 ", before task %u has ended", task, job, t[task].first, before);
}

static void check_order(struct rows *r, uint32_t job, const struct conform_job *j, const struct of_task *t)
{
    for (uint32_t k = 0; j->has_graph && k < (uint32_t)r->job[job].n_tasks; k++) {
        if (t[k].first < 0) continue;
        for (uint32_t i = j->after_start[k]; i < j->after_start[k + 1]; i++) check_after(r, job, t, k, j->after[i]);
        for (uint32_t i = j->in_start[k]; i < j->in_start[k + 1]; i++)
            if (j->in[i].block == NONE) check_after(r, job, t, k, j->in[i].task);
    }
}

/* The time in which any of its attempts runs. */
static int64_t ran(const struct rows *r, uint32_t job)
{
    int64_t sum = 0, at = INT64_MIN;
    for (;;) { /* the next stretch without a gap: from the earliest beginning after `at` */
        int64_t from = INT64_MAX, to;
        for (size_t i = 0; i < r->n_attempts; i++)
            if (r->attempt[i].job == job && r->attempt[i].to > at && r->attempt[i].to > r->attempt[i].from)
                from = i64_min(from, i64_max(at, r->attempt[i].from));
        if (from == INT64_MAX) return sum;
        to = from;
        for (bool grows = true; grows;) {
            grows = false;
            for (size_t i = 0; i < r->n_attempts; i++)
                if (r->attempt[i].job == job && r->attempt[i].from <= to && r->attempt[i].to > to) {
                    to = r->attempt[i].to;
                    grows = true;
                }
        }
        sum += to - from;
        at = to;
    }
}

static void check_job(struct rows *r, uint32_t job)
{
    const struct row_job *j = &r->job[job];
    const struct conform_job *asked = asked_of(r, job);
    struct of_task t[TASKS];
    int64_t first = -1, last = -1;
    for (uint32_t k = 0; k < TASKS; k++) t[k] = (struct of_task){ .first = -1, .ended = -1 };
    gather(r, job, t, &first, &last);
    if (j->start != first)
        wrong(r, "job %u says that it began at %" PRId64 ", and its attempts at %" PRId64, job, j->start, first);
    if (strcmp(j->status, "rejected") == 0 && first >= 0) wrong(r, "job %u was rejected, and ran", job);
    if (strcmp(j->status, "done") == 0) {
        const bool is_elastic = asked->elastic.max > 0;
        uint32_t n_done = 0;
        for (uint32_t k = 0; k < TASKS; k++) n_done += t[k].n_done == 1;
        if (is_elastic && (n_done < asked->elastic.min || n_done > asked->elastic.max))
            wrong(r, "job %u is done with %u tasks", job, n_done);
        for (uint32_t k = 0; k < (is_elastic ? n_done : (uint32_t)j->n_tasks); k++) {
            double by = is_elastic ? fastest(r, asked) : 1;
            if (t[k].n_done != 1) wrong(r, "job %u is done, and its task %u %u times", job, k, t[k].n_done);
            /* The first of an elastic job's is in all its sizes. */
            if ((is_elastic && k > 0) || !is_never_faster(r->c, j->at)) continue;
            /* A speed is a multiple of 2^-16. */
            if ((double)t[k].sum * (by + (is_elastic ? 0x1p-16 : 0)) < (double)group_of(asked, k)->dur)
                wrong(r, "task %u of job %u is done in less time than it takes", k, job);
        }
        if (j->end != last)
            wrong(r, "job %u says that it ended at %" PRId64 ", and its last attempt at %" PRId64, job, j->end, last);
    }
    if (j->ran != ran(r, job))
        wrong(r, "job %u says that it ran for %" PRId64 " us, and its attempts for %" PRId64, job, j->ran, ran(r, job));
    if (asked->elastic.max > 0) check_sizes(r, job, &asked->elastic);
    else if (asked->gang) check_gang(r, job);
    if (strcmp(j->status, "never_eligible") == 0 && first >= 0) wrong(r, "job %u can never go, and ran", job);
    check_dependencies(r, job);
    check_order(r, job, asked, t);
}

/* ---- calls ---- */

static void check_calls(struct rows *r)
{
    for (size_t i = 0; i < r->n_calls; i++) {
        const struct row_call *c = &r->call[i];
        for (size_t k = 0; k < r->n_outages; k++) {
            const struct row_outage *o = &r->outage[k];
            if (o->node == c->node && c->from < o->up && c->to > o->down && o->up > o->down)
                wrong(r, "call %u of task %u of job %u is on node %u, which is down from %" PRId64, c->number, c->task,
                      c->job, c->node, o->down);
        }
    }
    for (size_t i = 0; i < r->n_attempts; i++) {
        const struct row_attempt *a = &r->attempt[i];
        uint32_t n_calls = asked_of(r, a->job)->n_calls, next = 0;
        int64_t at = a->from;
        for (size_t k = 0; k < r->n_calls && a->done && n_calls > 0; k++) {
            const struct row_call *c = &r->call[k];
            if (c->job != a->job || c->task != a->task || c->from < a->from || c->to > a->to || !c->done) continue;
            if (c->number == next && c->from >= at) {
                next++;
                at = c->to;
            }
        }
        if (a->done && next != n_calls) wrong(r, WHICH "is done with %u of its %u calls", OF(a), next, n_calls);
    }
}

bool storm_check(struct store *s, int64_t run, const struct storm_case *c, char *out, size_t cap)
{
    struct rows *r;
    MEM_NEW(r);
    r->c = c;
    r->wrong = out;
    r->cap = cap;
    read_nodes(r, s, run);
    read_requests(r, s, run);
    read_jobs(r, s, run);
    bool all_came = c->must_end; /* behind one that waits for ever a closed loop lets none in */
    for (uint32_t j = 0; j < r->n_jobs; j++) all_came = all_came && strcmp(r->job[j].status, "unfinished") != 0;
    if (all_came ? r->n_jobs != storm_case_n_jobs(c) : r->n_jobs > storm_case_n_jobs(c))
        wrong(r, "%u jobs were given, and %u have a row", storm_case_n_jobs(c), r->n_jobs);
    if (!r->is_wrong) read_rest(r, s, run);
    for (uint32_t j = 0; j < r->n_jobs && !r->is_wrong; j++) check_job(r, j);
    for (size_t i = 0; i < r->n_attempts && !r->is_wrong; i++) {
        check_attempt(r, &r->attempt[i]);
        check_node_at(r, r->attempt[i].node, r->attempt[i].from);
        if (c->base->cluster.licences.n > 0) check_licences_at(r, r->attempt[i].from);
    }
    for (size_t i = 0; i < r->n_cores && !r->is_wrong; i++)
        for (uint32_t n = 0; n < r->n_nodes; n++) check_node_at(r, n, r->cores[i].at);
    for (size_t i = 0; i < r->n_calls && !r->is_wrong; i++) check_node_at(r, r->call[i].node, r->call[i].from);
    if (!r->is_wrong) check_calls(r);
    bool is_wrong = r->is_wrong;
    mem_free(r->attempt);
    mem_free(r->call);
    mem_free(r->cores);
    mem_free(r->outage);
    mem_free(r);
    return is_wrong;
}
