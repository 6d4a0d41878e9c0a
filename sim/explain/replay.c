/*
 * replay.c -- the ledger of replay.h, from one query over attempts, outages and changes of cores and memory.
 *
 * Rows come in the order of time; at one instant what frees comes before what
 * takes, so that the ledger never holds more than there is.  It refuses what
 * contradicts it: then the record is damaged, or was written by another cluster.
 */
#include "explain/replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "db/query.h"

/* In this order at one instant: what frees before what takes.  A change of cores and memory is in the query as both
 * SHRINK and GROW: first each goes to the lesser of what it was and will be. */
enum row_type { ROW_STOP, ROW_UP, ROW_DOWN, ROW_SHRINK, ROW_START, ROW_GROW };
enum { COL_SHAPE = 6, COL_CORES = 17, COL_MEMORY = 18, COL_SHORT = 19 };

const char replay_request_columns[] =
    "q.cpu_milli, q.mem_b, q.n_gpu, q.gpu_milli, q.gpu_mem_b, q.gpu_types, q.need_all, q.need_any, q.engines, q.exclusive, q.gpu_cores";

static void engines(const char *text, int32_t *out)
{
    for (int k = 0; k < ENGINE_TYPES_MAX; k++) {
        char *end = NULL;
        out[k] = text != NULL ? (int32_t)strtol(text, &end, 10) : 0;
        text = end != NULL && *end == ',' ? end + 1 : NULL;
    }
}

void replay_shape(sqlite3_stmt *q, int col, struct shape *s)
{
    memset(s, 0, sizeof *s);
    s->cpu_milli = sqlite3_column_int64(q, col);
    s->mem_b = sqlite3_column_int64(q, col + 1);
    s->n_gpu = sqlite3_column_int(q, col + 2);
    s->gpu_milli = sqlite3_column_int(q, col + 3);
    s->gpu_mem_b = sqlite3_column_int64(q, col + 4);
    s->gpu_types = (uint64_t)sqlite3_column_int64(q, col + 5);
    s->need_all = (uint64_t)sqlite3_column_int64(q, col + 6);
    s->need_any = (uint64_t)sqlite3_column_int64(q, col + 7);
    engines((const char *)sqlite3_column_text(q, col + 8), s->engine);
    s->exclusive = (uint32_t)sqlite3_column_int(q, col + 9);
    s->gpu_cores = sqlite3_column_int(q, col + 10);
}

/* ---- opening ---- */

/* Labels, GPU types and engines must have the bits of the run: names are interned in its order, before any node. */
static enum st load_names(struct replay *r, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(r->store, r->run, "SELECT kind, name FROM word WHERE run = ? ORDER BY kind, bit", &q, d));
    while (sqlite3_step(q) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(q, 0), *name = (const char *)sqlite3_column_text(q, 1);
        struct intern *of = strcmp(type, "label") == 0 ? &r->cluster.labels : strcmp(type, "gpu_type") == 0 ? &r->cluster.gpu_types : &r->cluster.engines;
        (void)intern_id(of, name);
    }
    return query_end(r->store, q, d);
}

static enum st load_nodes(struct replay *r, struct diag *d)
{
    sqlite3_stmt *q;
    enum st st = ST_OK;
    TRY(query_run(r->store, r->run, "SELECT name, rack, gpu_type, n_gpu, cpu_milli, mem_b, labels, gpu_mem_b, engines,"
              " gpu_cores, max_tasks, cpu_reserved_milli, mem_reserved_b FROM node JOIN capability USING (run, node)"
              " WHERE run = ? ORDER BY node", &q, d));
    while (st == ST_OK && sqlite3_step(q) == SQLITE_ROW) {
        struct node_spec n = {
            .name = (const char *)sqlite3_column_text(q, 0), .rack = (const char *)sqlite3_column_text(q, 1),
            .gpu_type = (const char *)sqlite3_column_text(q, 2), .n_gpu = (uint32_t)sqlite3_column_int(q, 3),
            .cpu_milli = sqlite3_column_int64(q, 4), .mem_b = sqlite3_column_int64(q, 5),
            .labels = (uint64_t)sqlite3_column_int64(q, 6), .gpu_mem_b = sqlite3_column_int64(q, 7),
            .gpu_cores = sqlite3_column_int(q, 9), .max_tasks = (uint32_t)sqlite3_column_int(q, 10),
            .cpu_reserved = sqlite3_column_int64(q, 11), .mem_reserved = sqlite3_column_int64(q, 12),
        };
        engines((const char *)sqlite3_column_text(q, 8), n.engine);
        st = cluster_add(&r->cluster, &n, d);
    }
    st = query_end(r->store, q, d);
    cluster_seal(&r->cluster);
    return st;
}

static void look_ahead(struct replay *r)
{
    r->next_at = sqlite3_step(r->rows) == SQLITE_ROW ? sqlite3_column_int64(r->rows, 0) : INT64_MAX;
}

static enum st open_rows(struct replay *r, int64_t from, int64_t to, struct diag *d)
{
    static const char none[] = "0,0,0,0,0,0,0,0,NULL,0,0";
    char sql[2600];
    /* What each task holds at the end of an instant is all that counts, so of several changes in one only the last. */
    (void)snprintf(sql, sizeof sql,
        "WITH a AS (SELECT * FROM attempt WHERE run = ?1 AND start_us < ?3 AND end_us > ?2 AND end_us > start_us),"
        " c AS (SELECT ordinal, task, attempt, at_us, cpu_milli, mem_b, max(seq) FROM cores WHERE run = ?1"
        "   GROUP BY ordinal, task, attempt, at_us),"
        " z AS (SELECT c.at_us, a.node, a.ordinal, a.task, c.cpu_milli, c.mem_b FROM c"
        "   JOIN a USING (ordinal, task, attempt)"
        "   WHERE c.at_us > a.start_us AND c.at_us < a.end_us AND c.at_us < ?3)"
        " SELECT start_us AS at, %d AS kind, node, cards, a.ordinal AS ordinal, a.task AS task, %s,"
        "   c.cpu_milli, c.mem_b, is_short FROM a"
        "   JOIN request q ON q.run = ?1 AND q.ordinal = a.ordinal AND q.task0 ="
        "     (SELECT max(task0) FROM request z WHERE z.run = ?1 AND z.ordinal = a.ordinal AND z.task0 <= a.task)"
        "   LEFT JOIN c ON c.ordinal = a.ordinal AND c.task = a.task AND c.attempt = a.attempt AND c.at_us = a.start_us"
        " UNION ALL SELECT end_us, %d, node, cards, ordinal, task, %s, NULL, NULL, 0 FROM a WHERE end_us < ?3"
        " UNION ALL SELECT down_us, %d, node, 0, 0, 0, %s, NULL, NULL, 0 FROM outage"
        "   WHERE run = ?1 AND down_us < ?3 AND up_us <> down_us"
        " UNION ALL SELECT up_us, %d, node, 0, 0, 0, %s, NULL, NULL, 0 FROM outage"
        "   WHERE run = ?1 AND up_us >= 0 AND up_us < ?3 AND up_us <> down_us"
        " UNION ALL SELECT at_us, %d, node, 0, ordinal, task, %s, cpu_milli, mem_b, 0 FROM z"
        " UNION ALL SELECT at_us, %d, node, 0, ordinal, task, %s, cpu_milli, mem_b, 0 FROM z"
        " ORDER BY at, kind, ordinal, task", ROW_START, replay_request_columns, ROW_STOP, none, ROW_DOWN, none, ROW_UP, none,
        ROW_SHRINK, none, ROW_GROW, none);
    sqlite3_stmt *q;
    TRY(query_run(r->store, r->run, sql, &q, d));
    r->rows = q;
    (void)sqlite3_bind_int64(q, 2, from);
    (void)sqlite3_bind_int64(q, 3, to);
    look_ahead(r);
    return ST_OK;
}

enum st replay_not_recorded(int64_t run, struct diag *d)
{
    (void)diag_set(d, ST_EINPUT, "run %" PRId64 " did not record its decisions", run);
    return diag_hint(d, "run it again with `fairway run SCENARIO.yaml --set output.decisions=true`");
}

enum st replay_open(struct replay *r, struct store *s, int64_t run, int64_t from, int64_t to, struct diag *d)
{
    memset(r, 0, sizeof *r);
    r->store = s;
    r->run = run;
    TRY(load_names(r, d));
    TRY(load_nodes(r, d));
    if (r->cluster.n_nodes == 0) return replay_not_recorded(run, d);
    return open_rows(r, from, to, d);
}

void replay_close(struct replay *r)
{
    (void)sqlite3_finalize(r->rows);
    cluster_fini(&r->cluster);
    MEM_FREE(r->holder, r->started, r->free_slot);
    memset(r, 0, sizeof *r);
}

/* ---- stepping ---- */

static enum st contradicts(const struct replay *r, uint64_t ordinal, const char *error, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the record of run %" PRId64 " contradicts its cluster at t=%" PRId64 " us, job number %" PRIu64 ": %s",
                    r->run, r->next_at, ordinal, error);
}

static enum st start(struct replay *r, uint32_t node, uint64_t cards, struct replay_holder h, struct diag *d)
{
    struct shape s;
    replay_shape(r->rows, COL_SHAPE, &s);
    if (sqlite3_column_type(r->rows, COL_CORES) != SQLITE_NULL) {
        s.cpu_milli = sqlite3_column_int64(r->rows, COL_CORES);
        s.mem_b = sqlite3_column_int64(r->rows, COL_MEMORY);
    }
    /* It found too little memory or cores on its cards, as the run noted.  Not found out anew: of two that started at
     * one instant, the order of the decisions made one of them the one too many. */
    if (sqlite3_column_int(r->rows, COL_SHORT) != 0) s.gpu_mem_b = s.gpu_cores = 0;
    uint32_t slot = r->n_free > 0 ? r->free_slot[--r->n_free] : r->n_slots++;
    MEM_RESERVE(r->holder, r->cap_holder, (size_t)slot + 1);
    r->holder[slot] = h;
    enum pol_refusal refusal = cluster_allocate(&r->cluster, slot, node, &s, cards);
    if (refusal != POL_OK) return contradicts(r, h.ordinal, pol_refusal_words(refusal), d);
    MEM_PUSH(r->started, r->n_started, r->cap_started, (struct replay_start){ h.ordinal, h.task, node });
    return ST_OK;
}

/* The slot of a task that runs on the node; NONE. */
static uint32_t slot_of(const struct replay *r, uint32_t node, struct replay_holder h)
{
    if (node >= r->cluster.n_nodes) return NONE;
    uint32_t t = r->cluster.own[node].first_hold;
    while (t != NONE && (r->holder[t].ordinal != h.ordinal || r->holder[t].task != h.task)) t = r->cluster.hold[t].next;
    return t;
}

static enum st stop(struct replay *r, uint32_t node, struct replay_holder h, struct diag *d)
{
    uint32_t t = slot_of(r, node, h);
    if (t == NONE) return contradicts(r, h.ordinal, "it stops where it does not run", d);
    cluster_release(&r->cluster, t);
    MEM_PUSH(r->free_slot, r->n_free, r->cap_free, t);
    return ST_OK;
}

static enum st resize(struct replay *r, uint32_t node, struct replay_holder h, bool grows, struct diag *d)
{
    uint32_t t = slot_of(r, node, h);
    int64_t cores = sqlite3_column_int64(r->rows, COL_CORES), memory = sqlite3_column_int64(r->rows, COL_MEMORY);
    if (t == NONE) return contradicts(r, h.ordinal, "its cores change where it does not run", d);
    const struct hold *held = &r->cluster.hold[t];
    if (!grows && cores > held->cpu_milli) cores = held->cpu_milli;
    if (!grows && memory > held->mem_b) memory = held->mem_b;
    enum pol_refusal refusal = cluster_resize(&r->cluster, t, cores, memory);
    return refusal == POL_OK ? ST_OK : contradicts(r, h.ordinal, pol_refusal_words(refusal), d);
}

static enum st turn(struct replay *r, uint32_t node, bool is_up, struct diag *d)
{
    if (node >= r->cluster.n_nodes || r->cluster.node[node].is_up == is_up || r->cluster.node[node].n_tasks > 0)
        return diag_set(d, ST_EWORLD, "the record of run %" PRId64 " contradicts its cluster at t=%" PRId64 " us: node number %" PRIu32 " cannot go %s",
                        r->run, r->next_at, node, is_up ? "up" : "down");
    cluster_set_up(&r->cluster, node, is_up);
    return ST_OK;
}

enum st replay_step(struct replay *r, struct diag *d)
{
    int64_t at = r->next_at;
    r->n_started = 0;
    while (r->next_at == at && at != INT64_MAX) {
        enum row_type type = (enum row_type)sqlite3_column_int(r->rows, 1);
        uint32_t node = (uint32_t)sqlite3_column_int64(r->rows, 2);
        uint64_t cards = (uint64_t)sqlite3_column_int64(r->rows, 3);
        struct replay_holder h = { (uint64_t)sqlite3_column_int64(r->rows, 4), (uint32_t)sqlite3_column_int64(r->rows, 5) };
        if (type == ROW_START) TRY(start(r, node, cards, h, d));
        else if (type == ROW_STOP) TRY(stop(r, node, h, d));
        else if (type == ROW_SHRINK || type == ROW_GROW) TRY(resize(r, node, h, type == ROW_GROW, d));
        else TRY(turn(r, node, type == ROW_UP, d));
        look_ahead(r);
    }
    return ST_OK;
}

bool replay_holds(const struct replay *r, uint64_t ordinal, int64_t task)
{
    for (uint32_t t = 0; t < r->n_slots && t < r->cluster.n_hold; t++)
        if (r->cluster.hold[t].node != NONE && r->holder[t].ordinal == ordinal && (task < 0 || r->holder[t].task == (uint32_t)task)) return true;
    return false;
}

uint32_t replay_spare_slot(const struct replay *r) { return r->n_slots; }
