/* check.c -- the rows of a run against schema.def, and against each other. */
#include "db/check.h"

#include <inttypes.h>
#include <sqlite3.h>

#include "db/query.h"
#include "db/schema.h"

/* What a row may name: nodes are numbered from 0, a node has so many cards, a job so many tasks. */
static const struct { const char *table, *sql; } relation[] = {
#define NODE(column)  "NOT EXISTS (SELECT 1 FROM node n WHERE n.run = t.run AND n.node = t." column ")"
#define TASK(column)  "NOT EXISTS (SELECT 1 FROM job j WHERE j.run = t.run AND j.ordinal = t.ordinal AND t." column " < j.n_tasks)"
    { "node", "SELECT 'node is ' || node || ', and there are fewer' FROM node t WHERE run = ?1"
              " AND node >= (SELECT count(*) FROM node WHERE run = ?1) LIMIT 1" },
    { "node", "SELECT 'n_gpu is ' || n_gpu || ', of a gpu_type that is not there' FROM node WHERE run = ?1 AND n_gpu > 0"
              " AND coalesce(gpu_type, '') = '' LIMIT 1" },
    { "attempt", "SELECT 'node is ' || t.node || ' and cards is ' || t.cards || ', which are not there' FROM attempt t LEFT JOIN node n"
                 " ON n.run = t.run AND n.node = t.node WHERE t.run = ?1 AND (n.node IS NULL"
                 " OR (n.n_gpu < 64 AND (t.cards < 0 OR t.cards >> n.n_gpu <> 0))) LIMIT 1" },
    { "attempt", "SELECT 'task is ' || task || ', which is not there' FROM attempt t WHERE run = ?1 AND " TASK("task") " LIMIT 1" },
    { "call", "SELECT 'node is ' || node || ', home is ' || home || ', which are not there' FROM call t WHERE run = ?1 AND (" NODE("node") " OR " NODE("home") ") LIMIT 1" },
    { "call", "SELECT 'task is ' || task || ', which is not there' FROM call t WHERE run = ?1 AND " TASK("task") " LIMIT 1" },
    { "decision", "SELECT 'node is ' || node || ', which is not there' FROM decision t WHERE run = ?1 AND node <> -1 AND " NODE("node") " LIMIT 1" },
    { "request", "SELECT 'task0 is ' || task0 || ', which is not there' FROM request t WHERE run = ?1 AND " TASK("task0") " LIMIT 1" },
    { "cores", "SELECT 'task is ' || task || ', which is not there' FROM cores t WHERE run = ?1 AND " TASK("task") " LIMIT 1" },
    { "phase", "SELECT 'task is ' || task || ', which is not there' FROM phase t WHERE run = ?1 AND " TASK("task") " LIMIT 1" },
    { "capability", "SELECT 'node is ' || node || ', which is not there' FROM capability t WHERE run = ?1 AND " NODE("node") " LIMIT 1" },
    { "outage", "SELECT 'node is ' || node || ', which is not there' FROM outage t WHERE run = ?1 AND " NODE("node") " LIMIT 1" },
    { "score", "SELECT 'node is ' || node || ', which is not there' FROM score t WHERE run = ?1 AND " NODE("node") " LIMIT 1" },
    { "score", "SELECT 'task is ' || task || ', which is not there' FROM score t WHERE run = ?1 AND " TASK("task") " LIMIT 1" },
#undef NODE
#undef TASK
};

/* The query finds nothing, or what is wrong. */
static enum st check(struct store *s, int64_t run, const char *table, sqlite3_stmt *q, struct diag *d)
{
    (void)sqlite3_bind_int64(q, 1, run);
    if (sqlite3_step(q) == SQLITE_ROW) {
        (void)diag_at(d, ST_EWORLD, sqlite3_db_filename(store_db(s), "main"), 0, 0, "run %" PRId64 " is damaged: table '%s' has a row whose %s", run, table, query_text(q, 0));
        diag_hint(d, "something else than fairway wrote it; run it again");
    }
    return query_end(s, q, d);
}

enum st check_run(struct store *s, int64_t run, struct diag *d)
{
    for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) {
        sqlite3_stmt *q;
        if (schema_prepare_check(store_db(s), t, &q) != SQLITE_OK) return store_failed(s, d);
        TRY(check(s, run, schema_table_name(t), q, d));
    }
    for (size_t i = 0; i < ARRAY_LEN(relation); i++) {
        sqlite3_stmt *q;
        TRY(query_begin(s, relation[i].sql, &q, d));
        TRY(check(s, run, relation[i].table, q, d));
    }
    return ST_OK;
}
