/*
 * timeline.c -- a run for Perfetto: counters of the cluster, and for each node tracks of its cards.
 *
 * One query gives every event in order of time, so that what is kept is only
 * who is on which track now.  A card that several jobs share needs a lane for
 * each of them: slices of one track may nest, but not overlap.  Lanes are
 * handed out lowest first, and are free again at the end of their slice.
 */
#include "explain/timeline.h"

#include <inttypes.h>
#include <string.h>
#include <sqlite3.h>

#include "base/jsonout.h"
#include "base/mem.h"
#include "db/query.h"
#include "model/cluster/cluster.h"

enum { PID_CLUSTER = 1, PID_NODE0 = 2 };
/* Tracks of a node: whether it is down, its cards, tasks without a card; LANES numbers for the lanes of each. */
enum { LANES = 10000, TID_DOWN = 1, TID_CARD0 = LANES, TID_CPU = (NODE_GPUS_MAX + 1) * LANES };

/* Rows of the query, of one attempt in this order. */
enum row_type { ROW_CHANGE, ROW_DOWN, ROW_SLICE, ROW_PHASE, ROW_LEAVE, ROW_RETURN };

struct lane { int64_t end; uint64_t ordinal; uint32_t task, attempt; };
struct track { struct lane *lane; size_t n, cap; };
struct timeline_node { struct track *track; uint32_t n_gpu; };     /* [n_gpu + 1]: cards, then tasks without one */

struct timeline {
    FILE   *to;
    struct store *store;
    int64_t run;
    struct timeline_node *node; uint32_t n_nodes;
    bool    is_first;
    int64_t waiting, running, jobs, held, total;    /* counters now; held, total: thousandths of cards */
    int64_t changed_at;                             /* counters not yet written since; -1: none */
};

enum st timeline_check(struct store *s, const struct selection *p, struct diag *d)
{
    int64_t ok = 0;
    TRY(select_jobs_kept(s, p->run, d));
    TRY(query_int(s, &ok, d, "SELECT EXISTS (SELECT 1 FROM attempt WHERE run = %" PRId64 ")"
                  " OR NOT EXISTS (SELECT 1 FROM job WHERE run = %" PRId64 " AND start_us >= 0)", p->run, p->run));
    if (ok != 0) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "run %" PRId64 " (%s/%" PRIu64 ") has no record of what ran where", p->run, p->policy, p->seed);
    return diag_hint(d, "run it again with `fairway run SCENARIO.yaml --set output.attempts=true`");
}

/* ---- events ---- */

static void begin(struct timeline *t, char type, uint32_t pid, uint32_t tid)
{
    (void)fprintf(t->to, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32, t->is_first ? "\n" : ",\n", type, pid, tid);
    t->is_first = false;
}

static void text(struct timeline *t, const char *key, const char *value)
{
    (void)fprintf(t->to, "%s\"%s\":", key[0] == '{' ? "{" : ",", key[0] == '{' ? key + 1 : key);
    jsonout_string(value != NULL ? value : "", t->to);
}

static void number(struct timeline *t, const char *key, int64_t value) { (void)fprintf(t->to, ",\"%s\":%" PRId64, key, value); }

static void name_it(struct timeline *t, uint32_t pid, uint32_t tid, const char *what, const char *name, int64_t order)
{
    begin(t, 'M', pid, tid);
    text(t, "name", what);
    (void)fputs(",\"args\":", t->to);
    text(t, "{name", name);
    (void)fputs("}}", t->to);
    begin(t, 'M', pid, tid);
    (void)fprintf(t->to, ",\"name\":\"%.*s_sort_index\",\"args\":{\"sort_index\":%" PRId64 "}}", (int)strcspn(what, "_"), what, order);
}

static void count(struct timeline *t, const char *name, const char *unit, double value)
{
    begin(t, 'C', PID_CLUSTER, 0);
    number(t, "ts", t->changed_at);
    text(t, "name", name);
    (void)fprintf(t->to, ",\"args\":{\"%s\":%.10g}}", unit, value);
}

/* What changed before `now` is final. */
static void flush_counters(struct timeline *t, int64_t now)
{
    if (t->changed_at < 0 || t->changed_at >= now) return;
    count(t, "tasks waiting", "tasks", (double)t->waiting);
    count(t, "tasks running", "tasks", (double)t->running);
    count(t, "jobs in the system", "jobs", (double)t->jobs);
    if (t->total > 0) count(t, "GPUs held", "%", 100.0 * (double)t->held / (double)t->total);
    t->changed_at = -1;
}

/* ---- tracks ---- */

static struct track *track_at(struct timeline *t, uint32_t node, int card)
{
    struct timeline_node *n = &t->node[node];
    return &n->track[card >= 0 && (uint32_t)card < n->n_gpu ? (uint32_t)card : n->n_gpu];
}

static uint32_t tid_of(int card, size_t lane) { return (card < 0 ? TID_CPU : TID_CARD0 + (uint32_t)card * LANES) + (uint32_t)lane; }

static size_t take_lane(struct timeline *t, uint32_t node, int card, const struct lane *l, int64_t at)
{
    struct track *k = track_at(t, node, card);
    size_t i = 0;
    while (i < k->n && k->lane[i].end > at) i++;
    if (i == k->n) {
        char name[64];
        MEM_RESERVE(k->lane, k->cap, ++k->n);
        SIM_ASSERT(k->n <= LANES);
        if (card < 0) (void)snprintf(name, sizeof name, "no GPU, lane %zu", i);
        else if (i == 0) (void)snprintf(name, sizeof name, "GPU %d", card);
        else (void)snprintf(name, sizeof name, "GPU %d, shared %zu", card, i);
        name_it(t, PID_NODE0 + node, tid_of(card, i), "thread_name", name, tid_of(card, i));
    }
    k->lane[i] = *l;
    return i;
}

/* The lowest card of the mask, -1: none. */
static int first_card(uint64_t cards) { return cards == 0 ? -1 : __builtin_ctzll(cards); }

/* The lane that this attempt was given; the attempt has been shown. */
static uint32_t find_tid(struct timeline *t, uint32_t node, uint64_t cards, const struct lane *l)
{
    int card = first_card(cards);
    const struct track *k = track_at(t, node, card);
    for (size_t i = 0; i < k->n; i++)
        if (k->lane[i].ordinal == l->ordinal && k->lane[i].task == l->task && k->lane[i].attempt == l->attempt) return tid_of(card, i);
    return NONE;
}

/* ---- rows ---- */

enum col { C_AT, C_TYPE, C_NODE, C_CARDS, C_END, C_ORDINAL, C_TASK, C_ATTEMPT, C_TEXT, C_ID, C_USER, C_CLASS, C_MILLI,
           C_WAITING = C_NODE, C_RUNNING = C_CARDS, C_JOBS = C_END, C_HELD = C_ORDINAL, C_TOTAL = C_TASK };

/* Every column of every branch is named in the first. */
static const char events[] =
    "WITH a AS (SELECT t.*, j.id, j.user, j.class, j.gpu_milli / max(1, j.n_gpu) AS milli FROM attempt t"
    "  JOIN job j ON j.run = t.run AND j.ordinal = t.ordinal WHERE t.run = ?1),"
    " p AS (SELECT ordinal, task, seq, at_us, phase,"
    "   lead(at_us) OVER (PARTITION BY ordinal, task ORDER BY seq) AS next_us,"
    "   (SELECT max(attempt) FROM attempt b WHERE b.run = f.run AND b.ordinal = f.ordinal AND b.task = f.task"
    "     AND b.start_us <= f.at_us AND b.end_us >= f.at_us) AS attempt FROM phase f WHERE run = ?1),"
    /* Counters: tasks waiting and running, jobs, thousandths of cards held and up. */
    " c AS ("
    "  SELECT submit_us AS at, n_tasks AS w, 0 AS r, 1 AS j, 0 AS h, 0 AS g FROM job WHERE run = ?1"
    "  UNION ALL SELECT CASE WHEN status IN ('rejected', 'never_eligible') THEN submit_us ELSE end_us END,"
    "    -(n_tasks - (SELECT count(*) - count(*) FILTER (WHERE outcome IN ('preempted', 'failed', 'scaled')) FROM attempt a"
    "      WHERE a.run = job.run AND a.ordinal = job.ordinal)"
    "      + (SELECT count(*) FILTER (WHERE phase = 'ready') - count(*) FILTER (WHERE phase = 'blocked') FROM phase p"
    "      WHERE p.run = job.run AND p.ordinal = job.ordinal)), 0, -1, 0, 0"
    "    FROM job WHERE run = ?1 AND status <> 'unfinished'"
    "  UNION ALL SELECT start_us, -1, 1, 0, bits(cards) * milli, 0 FROM a"
    "  UNION ALL SELECT end_us, outcome IN ('preempted', 'failed', 'scaled', 'horizon'), -1, 0, -bits(cards) * milli, 0 FROM a"
    "  UNION ALL SELECT at_us, CASE phase WHEN 'ready' THEN 1 ELSE -1 END, 0, 0, 0, 0 FROM phase WHERE run = ?1 AND phase IN ('ready', 'blocked')"
    "  UNION ALL SELECT 0, 0, 0, 0, 0, 1000 * sum(n_gpu) FROM node WHERE run = ?1"
    "  UNION ALL SELECT down_us, 0, 0, 0, 0, -1000 * n_gpu FROM outage JOIN node USING (run, node) WHERE run = ?1"
    "  UNION ALL SELECT up_us, 0, 0, 0, 0, 1000 * n_gpu FROM outage JOIN node USING (run, node) WHERE run = ?1 AND up_us >= 0)"
    " SELECT * FROM (SELECT at, 0 AS kind, sum(w), sum(r), sum(j), sum(h) AS ordinal, sum(g) AS task, 0 AS attempt, NULL, NULL, NULL, NULL, 0 AS seq FROM c GROUP BY at"
    " UNION ALL SELECT down_us, 1, node, 0, CASE WHEN up_us < 0 THEN max(down_us, (SELECT max(end_us) FROM a)) ELSE up_us END,"
    "  0, 0, 0, NULL, NULL, NULL, NULL, 0 FROM outage WHERE run = ?1"
    " UNION ALL SELECT start_us, 2, node, cards, end_us, ordinal, task, attempt, outcome, id, user, class, milli FROM a"
    " UNION ALL SELECT p.at_us, 3, a.node, a.cards, min(a.end_us, coalesce(p.next_us, a.end_us)), a.ordinal, a.task, a.attempt, phase,"
    "   NULL, NULL, NULL, p.seq FROM p JOIN attempt a ON a.run = ?1 AND a.ordinal = p.ordinal AND a.task = p.task AND a.attempt = p.attempt"
    "   WHERE phase NOT IN ('blocked', 'ready') AND min(a.end_us, coalesce(p.next_us, a.end_us)) > p.at_us"
    " UNION ALL SELECT max(start_us, end_us - 1), 4, node, cards, 0, ordinal, task, attempt, outcome, id, NULL, NULL, 0 FROM a"
    "   WHERE EXISTS (SELECT 1 FROM attempt n WHERE n.run = a.run AND n.ordinal = a.ordinal AND n.task = a.task AND n.attempt = a.attempt + 1)"
    " UNION ALL SELECT start_us, 5, node, cards, 0, ordinal, task, attempt, (SELECT outcome FROM attempt n WHERE n.run = a.run AND"
    "   n.ordinal = a.ordinal AND n.task = a.task AND n.attempt = a.attempt - 1), id, NULL, NULL, 0 FROM a WHERE attempt > 1"
    /* All of an attempt together: one that lasts no time gives its lane to the next at once. */
    ") ORDER BY at, min(kind, 2), ordinal, task, attempt, kind, seq";

static void change(struct timeline *t, sqlite3_stmt *q, int64_t at)
{
    t->waiting += sqlite3_column_int64(q, C_WAITING);
    t->running += sqlite3_column_int64(q, C_RUNNING);
    t->jobs += sqlite3_column_int64(q, C_JOBS);
    t->held += sqlite3_column_int64(q, C_HELD);
    t->total += sqlite3_column_int64(q, C_TOTAL);
    t->changed_at = at;
}

static void slice(struct timeline *t, sqlite3_stmt *q, int64_t at, uint32_t node, const struct lane *l)
{
    uint64_t cards = (uint64_t)sqlite3_column_int64(q, C_CARDS);
    const char *id = (const char *)sqlite3_column_text(q, C_ID);
    do {
        int card = first_card(cards);
        size_t lane = take_lane(t, node, card, l, at);
        begin(t, 'X', PID_NODE0 + node, tid_of(card, lane));
        number(t, "ts", at);
        number(t, "dur", l->end - at);
        text(t, "name", id);
        text(t, "cat", (const char *)sqlite3_column_text(q, C_TEXT));
        (void)fputs(",\"args\":", t->to);
        text(t, "{job", id);
        text(t, "user", (const char *)sqlite3_column_text(q, C_USER));
        text(t, "class", (const char *)sqlite3_column_text(q, C_CLASS));
        number(t, "task", l->task);
        number(t, "attempt", l->attempt);
        text(t, "ended", (const char *)sqlite3_column_text(q, C_TEXT));
        if (card >= 0) number(t, "thousandths of the card", sqlite3_column_int64(q, C_MILLI));
        (void)fputs("}}", t->to);
        cards &= cards - 1;
    } while (cards != 0);
}

static void one_track(struct timeline *t, const char *name, const char *cat, uint32_t pid, uint32_t tid, int64_t at, int64_t end)
{
    begin(t, 'X', pid, tid);
    number(t, "ts", at);
    number(t, "dur", end - at);
    text(t, "name", name);
    text(t, "cat", cat);
    (void)fputc('}', t->to);
}

/* An arrow from where a task was stopped to where it goes on. */
static void flow(struct timeline *t, sqlite3_stmt *q, int64_t at, uint32_t pid, uint32_t tid, const struct lane *l, bool leaves)
{
    begin(t, leaves ? 's' : 'f', pid, tid);
    number(t, "ts", at);
    text(t, "name", "resumed");
    text(t, "cat", (const char *)sqlite3_column_text(q, C_TEXT));
    (void)fprintf(t->to, ",\"id\":\"%" PRIu64 ".%" PRIu32 ".%" PRIu32 "\"%s}", l->ordinal, l->task,
                  leaves ? l->attempt : l->attempt - 1, leaves ? "" : ",\"bp\":\"e\"");
}

static void event(struct timeline *t, sqlite3_stmt *q)
{
    int64_t at = sqlite3_column_int64(q, C_AT);
    enum row_type type = (enum row_type)sqlite3_column_int(q, C_TYPE);
    flush_counters(t, at);
    if (type == ROW_CHANGE) { change(t, q, at); return; }
    uint32_t node = (uint32_t)sqlite3_column_int64(q, C_NODE), pid = PID_NODE0 + node;
    if (node >= t->n_nodes) return;
    struct lane l = { .end = sqlite3_column_int64(q, C_END), .ordinal = (uint64_t)sqlite3_column_int64(q, C_ORDINAL),
                      .task = (uint32_t)sqlite3_column_int64(q, C_TASK), .attempt = (uint32_t)sqlite3_column_int64(q, C_ATTEMPT) };
    uint64_t cards = (uint64_t)sqlite3_column_int64(q, C_CARDS);
    if (type == ROW_SLICE) { slice(t, q, at, node, &l); return; }
    if (type == ROW_DOWN) { one_track(t, "down", "outage", pid, TID_DOWN, at, l.end); return; }
    uint32_t tid = find_tid(t, node, cards, &l);
    if (tid == NONE) return;
    if (type == ROW_PHASE) one_track(t, (const char *)sqlite3_column_text(q, C_TEXT), "phase", pid, tid, at, l.end);
    else flow(t, q, at, pid, tid, &l, type == ROW_LEAVE);
}

/* ---- the whole ---- */

static enum st open_nodes(struct timeline *t, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    size_t cap = 0;
    TRY(query_run(t->store, t->run, "SELECT n.node, name, n_gpu, gpu_type, EXISTS (SELECT 1 FROM outage o WHERE o.run = n.run AND o.node = n.node)"
                   " FROM node n WHERE run = ?1 ORDER BY node", &q, d));
    name_it(t, PID_CLUSTER, 0, "process_name", "cluster", 0);
    while (sqlite3_step(q) == SQLITE_ROW) {
        char name[256];
        uint32_t node = (uint32_t)sqlite3_column_int(q, 0), n_gpu = (uint32_t)sqlite3_column_int(q, 2);
        MEM_RESERVE(t->node, cap, (size_t)node + 1);
        t->n_nodes = node + 1;
        t->node[node].n_gpu = n_gpu;
        MEM_ARRAY(t->node[node].track, n_gpu + 1);
        (void)snprintf(name, sizeof name, n_gpu > 0 ? "%s (%" PRIu32 " %s)" : "%s", (const char *)sqlite3_column_text(q, 1), n_gpu,
                       n_gpu > 0 ? (const char *)sqlite3_column_text(q, 3) : "");
        name_it(t, PID_NODE0 + node, 0, "process_name", name, node + 1);
        if (sqlite3_column_int(q, 4)) name_it(t, PID_NODE0 + node, TID_DOWN, "thread_name", "down", TID_DOWN);
    }
    return query_end(t->store, q, d);
}

/* bits(n): how many are set.  The C type is SQLite's. */
static void bits(sqlite3_context *c, int n, sqlite3_value **v)
{
    (void)n;
    sqlite3_result_int(c, __builtin_popcountll((unsigned long long)sqlite3_value_int64(v[0])));
}

static void header(struct timeline *t, const struct selection *p)
{
    (void)fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":", t->to);
    text(t, "{scenario", p->scenario);
    text(t, "policy", p->policy);
    text(t, "spec", p->spec);
    (void)fprintf(t->to, ",\"seed\":\"%" PRIu64 "\"", p->seed);
    text(t, "digest", p->digest);
    text(t, "fairway", p->version);
    (void)fputs(",\"time\":\"simulated; ts and dur in microseconds since the run began\"},\"traceEvents\":[", t->to);
}

enum st timeline_write(struct store *s, const struct selection *p, FILE *to, struct diag *d)
{
    struct timeline t = { .to = to, .store = s, .run = p->run, .is_first = true, .changed_at = -1 };
    sqlite3_stmt *q = NULL;
    TRY(timeline_check(s, p, d));
    if (sqlite3_create_function(store_db(s), "bits", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, bits, NULL, NULL) != SQLITE_OK) return store_failed(s, d);
    header(&t, p);
    enum st st = open_nodes(&t, d);
    if (st == ST_OK) st = query_run(t.store, t.run, events, &q, d);
    while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) event(&t, q);
    st = query_end(s, q, d);
    flush_counters(&t, INT64_MAX);
    (void)fputs("\n]}\n", to);
    for (uint32_t i = 0; i < t.n_nodes; i++) {
        for (uint32_t k = 0; t.node[i].track != NULL && k <= t.node[i].n_gpu; k++) mem_free(t.node[i].track[k].lane);
        mem_free(t.node[i].track);
    }
    mem_free(t.node);
    return st;
}
