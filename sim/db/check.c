/* check.c -- the rows of a run against schema.def, and against each other; those of a search against each other. */
#include "db/check.h"

#include <inttypes.h>
#include <sqlite3.h>

#include "db/query.h"
#include "db/schema.h"

/* What a row may name: nodes are numbered from 0, a node has so many cards, a job so many tasks. */
static const struct { enum schema_table table; const char *wrong, *when; } relation[] = {
#define NO_NODE(column)  "NOT EXISTS (SELECT 1 FROM node n WHERE n.run = t.run AND n.node = t." #column ")"
#define NO_TASK(column)  "NOT EXISTS (SELECT 1 FROM job j WHERE j.run = t.run AND j.ordinal = t.ordinal AND t." #column " < max(j.n_tasks," \
                         " coalesce((SELECT max_tasks FROM elastic e WHERE e.run = t.run AND e.ordinal = t.ordinal), 0)))"
#define A_NODE(table)    { SCHEMA_##table, "'node is ' || node || ', which is not there'", NO_NODE(node) }
#define A_TASK(table, column) { SCHEMA_##table, "'" #column " is ' || " #column " || ', which is not there'", NO_TASK(column) }
    { SCHEMA_node, "'node is ' || node || ', and there are fewer'", "node >= (SELECT count(*) FROM node WHERE run = ?1)" },
    { SCHEMA_node, "'n_gpu is ' || n_gpu || ', of a gpu_type that is not there'", "n_gpu > 0 AND coalesce(gpu_type, '') = ''" },
    { SCHEMA_attempt, "'node is ' || node || ' and cards is ' || cards || ', which are not there'",
      NO_NODE(node) " OR EXISTS (SELECT 1 FROM node n WHERE n.run = t.run AND n.node = t.node AND n.n_gpu < 64"
      " AND (t.cards < 0 OR t.cards >> n.n_gpu <> 0))" },
    A_TASK(attempt, task),
    { SCHEMA_call, "'node is ' || node || ', home is ' || home || ', which are not there'", NO_NODE(node) " OR " NO_NODE(home) },
    A_TASK(call, task),
    { SCHEMA_decision, "'node is ' || node || ', which is not there'", "node <> -1 AND " NO_NODE(node) },
    { SCHEMA_request, "'n_gpu is ' || n_gpu || ' and gpu_milli is ' || gpu_milli || ', a share that is not there'",
      "n_gpu > 0 AND gpu_milli NOT BETWEEN 1 AND 1000" },
    A_TASK(request, task0), A_TASK(cores, task), A_TASK(speed, task), A_TASK(phase, task),
    A_NODE(capability), A_NODE(outage), A_NODE(score), A_TASK(score, task),
};

/*
 * Of which rows of a table the story of job ?2 is made, NULL: of none.  Beside its own those of whatever ran
 * while it was in the system, from ?3 to ?4, of the cluster, and what the policy called the head of its order.
 */
static const char *const of_job[SCHEMA_TABLES] = {
#define BESIDE "start_us < ?4 AND end_us > ?3"
#define OF_BESIDE "ordinal = ?2 OR ordinal IN (SELECT ordinal FROM attempt WHERE run = ?1 AND " BESIDE ")"
    [SCHEMA_run] = "1", [SCHEMA_node] = "1", [SCHEMA_capability] = "1", [SCHEMA_word] = "1", [SCHEMA_outage] = "1",
    [SCHEMA_dependency] = "ordinal = ?2",
    [SCHEMA_job] = "ordinal = ?2", [SCHEMA_elastic] = "ordinal = ?2", [SCHEMA_call] = "ordinal = ?2", [SCHEMA_phase] = "ordinal = ?2",
    [SCHEMA_score] = "ordinal = ?2", [SCHEMA_speed] = "ordinal = ?2", [SCHEMA_decision] = "ordinal = ?2 OR verb = 'head'",
    [SCHEMA_attempt] = "ordinal = ?2 OR (" BESIDE ")", [SCHEMA_request] = OF_BESIDE, [SCHEMA_cores] = OF_BESIDE,
};

/* The rows to look at: all of the run, or those for a job. */
struct scope { int64_t run; bool is_job; int64_t ordinal, from, to; };

/* A row of `table` that tells what is wrong: of a run, or of a search. */
static enum st damaged(struct store *s, const char *of, int64_t id, const char *table, const char *wrong,
                       const char *again, struct diag *d)
{
    (void)diag_at(d, ST_EWORLD, store_path(s), 0, 0,
                  "%s %" PRId64 " is damaged: table '%s' has a row whose %s", of, id, table, wrong);
    return diag_hint(d, "something else than fairway wrote it; %s", again);
}

/* The query finds nothing, or what is wrong. */
static enum st check(struct store *s, const struct scope *of, enum schema_table t, sqlite3_stmt *q, struct diag *d)
{
    const int64_t bound[] = { of->run, of->ordinal, of->from, of->to };
    for (int i = 0; i < sqlite3_bind_parameter_count(q); i++) (void)sqlite3_bind_int64(q, i + 1, bound[i]);
    if (sqlite3_step(q) == SQLITE_ROW)
        (void)damaged(s, "run", of->run, schema_table_name(t), query_text(q, 0), "run it again", d);
    return query_end(s, q, d);
}

static enum st check_rows(struct store *s, const struct scope *of, struct diag *d)
{
    sqlite3_stmt *q;
    for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) {
        if (of->is_job && of_job[t] == NULL) continue;
        if (schema_prepare_check(store_db(s), t, of->is_job ? of_job[t] : "1", &q) != SQLITE_OK) return store_failed(s, d);
        TRY(check(s, of, t, q, d));
    }
    for (size_t i = 0; i < ARRAY_LEN(relation); i++) {
        enum schema_table t = relation[i].table;
        TRY(query_format(s, &q, d, "SELECT %s FROM %s t WHERE run = ?1 AND (%s) AND (%s) LIMIT 1", relation[i].wrong,
                         schema_table_name(t), of->is_job ? of_job[t] : "1", relation[i].when));
        TRY(check(s, of, t, q, d));
    }
    return ST_OK;
}

enum st check_run(struct store *s, int64_t run, struct diag *d) { return check_rows(s, &(struct scope){ .run = run }, d); }

enum st check_job(struct store *s, int64_t run, uint64_t ordinal, struct diag *d)
{
    struct scope of = { .run = run, .is_job = true, .ordinal = (int64_t)ordinal };
    TRY(query_int(s, &of.from, d, "SELECT submit_us FROM job WHERE run = %" PRId64 " AND ordinal = %" PRId64, run, of.ordinal));
    TRY(query_int(s, &of.to, d, "SELECT end_us FROM job WHERE run = %" PRId64 " AND ordinal = %" PRId64, run, of.ordinal));
    of.to = of.to >= 0 && of.to < INT64_MAX ? of.to + 1 : INT64_MAX;
    return check_rows(s, &of, d);
}

/*
 * A search's tables (search/search.sql) are written by the search alone.  A row is wrong when a column has a type, a
 * word or a number that the search does not write, or names a variable, target or set that has no row.
 */
static const struct { const char *table, *wrong, *when; } search_rule[] = {
#define HAS(table, column) "NOT EXISTS (SELECT 1 FROM " #table " x WHERE x.search = t.search AND x." column " = t." column ")"
#define IS_NUMBER(column)  "typeof(" #column ") IN ('real', 'integer')"
    { "search_variable", "'variable is ' || quote(variable) || ', and there are fewer'",
      "typeof(variable) <> 'integer' OR variable < 0"
      " OR variable >= (SELECT count(*) FROM search_variable WHERE search = ?1)" },
    { "search_target", "'is is ' || quote(\"is\")", "\"is\" NOT IN ('=', '<', '>', '~', '?')" },
    { "search_target", "'role is ' || quote(role)", "role NOT IN ('figure', 'metric', 'limit')" },
    { "search_target", "'value, within and weight are ' || quote(value) || ', ' || quote(within) || ', ' || quote(weight)",
      "NOT (" IS_NUMBER(value) " AND " IS_NUMBER(within) " AND " IS_NUMBER(weight) ")" },
    { "search_set", "'set is ' || quote(\"set\")", "typeof(\"set\") <> 'integer' OR \"set\" < 1" },
    { "search_set", "'phase is ' || quote(phase)", "phase NOT IN ('middle', 'end', 'sample', 'simplex', 'fresh', 'size', 'race')" },
    { "search_set", "'objective is ' || quote(objective) || ', and it has no error'",
      "error IS NULL AND NOT " IS_NUMBER(objective) },
    { "search_value", "'set is ' || quote(\"set\") || ', which is not there'", HAS(search_set, "\"set\"") },
    { "search_value", "'variable is ' || quote(variable) || ', which is not there'", HAS(search_variable, "variable") },
    { "search_value", "'at is ' || quote(at)", "NOT (" IS_NUMBER(at) " AND at BETWEEN 0 AND 1)" },
    { "search_ours", "'set is ' || quote(\"set\") || ', which is not there'", HAS(search_set, "\"set\"") },
    { "search_ours", "'target is ' || quote(target) || ', which is not there'", HAS(search_target, "target") },
    { "search_ours", "'error is ' || quote(error)", "NOT (" IS_NUMBER(error) " AND error >= 0)" },
    { "search_interval", "'set is ' || quote(\"set\") || ', which is not there'", HAS(search_set, "\"set\"") },
    { "search_interval", "'target is ' || quote(target) || ', which is not there'", HAS(search_target, "target") },
    { "search_verdict", "'set is ' || quote(\"set\") || ', which is not there'", HAS(search_set, "\"set\"") },
    { "search_verdict", "'verdict is ' || quote(verdict)", "verdict NOT IN ('open', 'kept', 'broken', 'best', 'beaten')" },
    { "search_answer", "'load is ' || quote(load)", "NOT (" IS_NUMBER(load) " AND load >= 1)" },
    { "search_run", "'set is ' || quote(\"set\") || ', which is not there'", HAS(search_set, "\"set\"") },
};

enum st check_search(struct store *s, int64_t search, struct diag *d)
{
    for (size_t i = 0; i < ARRAY_LEN(search_rule); i++) {
        sqlite3_stmt *q;
        int64_t is_there = 0;       /* files of earlier versions have fewer tables */
        TRY(query_int(s, &is_there, d, "SELECT count(*) FROM sqlite_schema WHERE name = '%s'", search_rule[i].table));
        if (is_there == 0) continue;
        TRY(query_format(s, &q, d, "SELECT %s FROM %s t WHERE search = ?1 AND (%s) IS NOT FALSE LIMIT 1",
                         search_rule[i].wrong, search_rule[i].table, search_rule[i].when));
        (void)sqlite3_bind_int64(q, 1, search);
        if (sqlite3_step(q) == SQLITE_ROW)
            (void)damaged(s, "search", search, search_rule[i].table, query_text(q, 0), "search again", d);
        TRY(query_end(s, q, d));
    }
    return ST_OK;
}
