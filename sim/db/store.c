#include "db/store.h"

#include <stdarg.h>
#include <string.h>
#include <sqlite3.h>

#include "base/mem.h"
#include "base/version.h"
#include "model/cluster/cluster.h"
#include "base/embed.h"

enum { APP_ID = 0x46574159 /* "FWAY" */, SCHEMA_VERSION = 6 };

/* Rows between commits.  A batch (some 10 MB) fits the page cache, so that a
 * reader is kept waiting only while one commits. */
enum { BATCH_ROWS = 65536, CACHE_KIB = 32768, BUSY_MS = 10000 };

enum sql {
    SQL_BEGIN, SQL_COMMIT, SQL_HAS_RUN, SQL_DELETE_RUN, SQL_RUN, SQL_RUN_END,
    SQL_JOB, SQL_ATTEMPT, SQL_CALL, SQL_TRANSFER, SQL_STAGE, SQL_SERIES, SQL_METRIC, SQL_WALL, SQL_NOTE, SQL_DECISION, SQL_REPAIR, SQL_NODE,
    SQL_REQUEST, SQL_CORES, SQL_CAPABILITY, SQL_WORD, SQL_OUTAGE, SQL_PHASE,
    N_SQL
};

static const char *const sql_text[N_SQL] = {
    [SQL_BEGIN]      = "BEGIN IMMEDIATE",
    [SQL_COMMIT]     = "COMMIT",
    [SQL_HAS_RUN]    = "SELECT 1 FROM run WHERE key = ? AND status = 'done'",
    [SQL_DELETE_RUN] = "DELETE FROM run WHERE key = ?",
    [SQL_RUN]        = "INSERT INTO run (id, key, scenario, title, variant, scenario_text, trace_path, trace_hash, policy, policy_spec,"
                       " policy_source, clairvoyant, by_count, seed, version, status) VALUES (nullif(?,0),?,?,?,?,?,?,?,?,?,?,?,?,?,?,'running')",
    [SQL_RUN_END]    = "UPDATE run SET status = ?2, digest = ?3, message = ?4 WHERE id = ?1",
    [SQL_JOB]        = "INSERT INTO job (run, ordinal, id, user, queue, class, model, status, counted, submit_us, start_us,"
                       " end_us, nominal_us, limit_us, lost_us, n_tasks, cpu_milli, gpu_milli, n_gpu, n_preempted, n_failed,"
                       " ideal_whole_us, ideal_share_us, rho, stage_wait_us) VALUES"
                       " (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,nullif(?,-1),nullif(?,-1),?,nullif(?,-1))",
    [SQL_ATTEMPT]    = "INSERT INTO attempt VALUES (?,?,?,?,?,?,?,?,?,?,nullif(?,-1))",
    [SQL_CALL]       = "INSERT INTO call VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [SQL_TRANSFER]   = "INSERT INTO transfer VALUES (?,?,?,?,?)",
    [SQL_STAGE]      = "INSERT INTO stage VALUES (?,?,?,?,?,?,?,?,?,?,?)",
    [SQL_SERIES]     = "INSERT INTO series (run, at_us, name, value) VALUES (?,?,?,?)",
    [SQL_METRIC]     = "INSERT INTO metric VALUES (?,?,?,?,?)",
    [SQL_WALL]       = "INSERT INTO wall VALUES (?,?,?,?)",
    [SQL_NOTE]       = "INSERT INTO note VALUES (?,?,?,?,?)",
    [SQL_DECISION]   = "INSERT INTO decision VALUES (?,?,?,?,?,?,?,?)",
    [SQL_REPAIR]     = "INSERT INTO repair VALUES (?,?,?,?)",
    [SQL_NODE]       = "INSERT INTO node VALUES (?,?,?,?,?,?,?,?)",
    [SQL_REQUEST]    = "INSERT INTO request VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
    [SQL_CORES]      = "INSERT INTO cores VALUES (?,?,?,?,?,?,?)",
    [SQL_CAPABILITY] = "INSERT INTO capability VALUES (?,?,?,?,?,?,?,?,?)",
    [SQL_WORD]       = "INSERT INTO word VALUES (?,?,?,?)",
    [SQL_OUTAGE]     = "INSERT INTO outage VALUES (?,?,?,?)",
    [SQL_PHASE]      = "INSERT INTO phase VALUES (?,?,?,?,?,?)",
};

struct store {
    sqlite3      *db;
    sqlite3_stmt *stmt[N_SQL];
    char         *path;
    const char   *mode;         /* pragmas of a writer's connection */
    bool          in_batch;
    uint32_t      n_batch;      /* rows in the open batch */
    int64_t       seq;          /* of the run's notes and decisions */
    struct diag   broken;       /* the first failure since store_run_begin */
};

/* ---- failing ---- */

static enum st sql_failed(struct store *s, struct diag *d)
{
    int rc = sqlite3_errcode(s->db);
    switch (rc) {
    case SQLITE_NOTADB:
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "this is not a Fairway database, nor any SQLite database");
    case SQLITE_BUSY: case SQLITE_LOCKED:
        (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "another program has been writing this database for %d s", BUSY_MS / 1000);
        diag_hint(d, "wait until it is done, or give another file with -d");
        return ST_EWORLD;
    case SQLITE_FULL:
        (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "cannot write the database: %s", sqlite3_errmsg(s->db));
        diag_hint(d, "make room on the disk; the runs that were finished are in the file");
        return ST_EWORLD;
    default:
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "the database failed: %s", sqlite3_errmsg(s->db));
    }
}

/* A write failed: forget the batch, remember why. */
static enum st broke(struct store *s, struct diag *d)
{
    (void)sql_failed(s, &s->broken);
    if (sqlite3_get_autocommit(s->db) == 0) (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_batch = false;
    if (d->code == ST_OK) *d = s->broken;
    return ST_EWORLD;
}

/* ---- statements ---- */

/*
 * Bind by one letter an argument and run to the end: t text (NULL allowed),
 * i int64_t, d double (NaN becomes NULL).  Text is borrowed: the statement is
 * run and reset before this returns.  *row: did it give one?  NULL: none expected.
 */
static bool run_sql(struct store *s, enum sql which, bool *row, const char *types, va_list ap)
{
    sqlite3_stmt **stmt = &s->stmt[which];
    if (*stmt == NULL && sqlite3_prepare_v3(s->db, sql_text[which], -1, SQLITE_PREPARE_PERSISTENT, stmt, NULL) != SQLITE_OK)
        return false;
    int rc = SQLITE_OK;
    for (int i = 0; types[i] != '\0' && rc == SQLITE_OK; i++) {
        if (types[i] == 't') rc = sqlite3_bind_text(*stmt, i + 1, va_arg(ap, const char *), -1, SQLITE_STATIC);
        else if (types[i] == 'i') rc = sqlite3_bind_int64(*stmt, i + 1, va_arg(ap, int64_t));
        else rc = sqlite3_bind_double(*stmt, i + 1, va_arg(ap, double));
    }
    if (rc == SQLITE_OK) rc = sqlite3_step(*stmt);
    if (row != NULL) *row = rc == SQLITE_ROW;
    int end = sqlite3_reset(*stmt);
    return (rc == SQLITE_DONE || rc == SQLITE_ROW) && end == SQLITE_OK;
}

static bool sql(struct store *s, enum sql which, const char *types, ...)
{
    va_list ap;
    va_start(ap, types);
    bool ok = run_sql(s, which, NULL, types, ap);
    va_end(ap);
    return ok;
}

static enum st batch_end(struct store *s, struct diag *d)
{
    if (!s->in_batch) return ST_OK;
    if (!sql(s, SQL_COMMIT, "")) return broke(s, d);
    s->in_batch = false;
    return ST_OK;
}

/* One more row of the run, in the open batch or a new one. */
static enum st row(struct store *s, struct diag *d, enum sql which, const char *types, ...)
{
    if (s->broken.code != ST_OK) {
        if (d->code == ST_OK) *d = s->broken;
        return ST_EWORLD;
    }
    if (!s->in_batch) {
        if (!sql(s, SQL_BEGIN, "")) return broke(s, d);
        s->in_batch = true;
        s->n_batch = 0;
    }
    va_list ap;
    va_start(ap, types);
    bool ok = run_sql(s, which, NULL, types, ap);
    va_end(ap);
    if (!ok) return broke(s, d);
    return ++s->n_batch >= BATCH_ROWS ? batch_end(s, d) : ST_OK;
}

/* ---- opening ---- */

static bool get_int(struct store *s, const char *query, int64_t *out)
{
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(s->db, query, -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
    if (ok) *out = sqlite3_column_int64(q, 0);
    return sqlite3_finalize(q) == SQLITE_OK && ok;
}

/* What file is it?  *is_new: an empty one. */
static enum st check_file(struct store *s, bool *is_new, struct diag *d)
{
    int64_t app, version, n_tables;
    if (!get_int(s, "PRAGMA application_id", &app) || !get_int(s, "PRAGMA user_version", &version)
        || !get_int(s, "SELECT count(*) FROM sqlite_schema", &n_tables))
        return sql_failed(s, d);
    *is_new = app == 0 && version == 0 && n_tables == 0;
    if (*is_new) return ST_OK;
    if (app != APP_ID) return diag_at(d, ST_EWORLD, s->path, 0, 0, "this database belongs to another program");
    if (version == SCHEMA_VERSION) return ST_OK;
    (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "the database has schema version %lld; this program knows version %d",
                  (long long)version, SCHEMA_VERSION);
    diag_hint(d, version > SCHEMA_VERSION ? "a newer fairway wrote it: use that one, or another file with -d"
                                          : "an older fairway wrote it: run again into a new file");
    return ST_EWORLD;
}

static enum st create_schema(struct store *s, struct diag *d)
{
    char pragma[96];
    (void)snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APP_ID, SCHEMA_VERSION);
    if (sqlite3_exec(s->db, embed_text("schema.sql"), NULL, NULL, NULL) != SQLITE_OK
        || sqlite3_exec(s->db, pragma, NULL, NULL, NULL) != SQLITE_OK)
        return broke(s, d);
    return ST_OK;
}

static enum st connect(struct store *s, int flags, struct diag *d)
{
    /* SQLite takes "" and ":memory:" for databases that are gone when closed, and "file:" for a URI: a path never begins so. */
    if (*s->path == '\0') return diag_set(d, ST_EINPUT, "the database has no name");
    size_t cap = strlen(s->path) + sizeof "./";
    char *name;
    MEM_ARRAY(name, cap);
    (void)snprintf(name, cap, "%s%s", *s->path == '/' ? "" : "./", s->path);
    int rc = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    mem_free(name);
    if (rc != SQLITE_OK) {
        int why = sqlite3_system_errno(s->db);
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "cannot open the database: %s", why != 0 ? strerror(why) : sqlite3_errmsg(s->db));
    }
    (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    return ST_OK;
}

static enum st open_db(struct store **out, const char *path, int flags, struct diag *d)
{
    struct store *s;
    MEM_NEW(s);
    s->path = mem_strdup(path);
    *out = s;
    return connect(s, flags, d);
}

static enum st prepare_writing(struct store *s, struct diag *d)
{
    char setup[256];
    (void)snprintf(setup, sizeof setup, "PRAGMA page_size = 8192; PRAGMA cache_size = -%d; %s;"
                   "PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE", CACHE_KIB, s->mode);
    bool is_new;
    if (sqlite3_exec(s->db, setup, NULL, NULL, NULL) != SQLITE_OK) return sql_failed(s, d);
    /* Two programs may create the same file at once: look again under the lock. */
    TRY(check_file(s, &is_new, d));
    if (is_new) return create_schema(s, d);
    return sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK ? ST_OK : sql_failed(s, d);
}

static enum st open_writing(struct store **out, const char *path, const char *mode, struct diag *d)
{
    struct store *s;
    enum st st = open_db(&s, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, d);
    s->mode = mode;
    if (st == ST_OK) st = prepare_writing(s, d);
    if (st != ST_OK) { store_close(s); s = NULL; }
    *out = s;
    return st;
}

enum st store_open(struct store **out, const char *path, struct diag *d) { return open_writing(out, path, "PRAGMA synchronous = NORMAL", d); }

enum st store_open_part(struct store **out, const char *path, struct diag *d) { return open_writing(out, path, "PRAGMA synchronous = OFF", d); }

/* Opened for writing although it only reads: after a kill it is the next
 * reader that rolls the unfinished batch back, from the journal beside the
 * file.  SQLite itself falls back to reading where writing is not allowed. */
enum st store_open_read(struct store **out, const char *path, struct diag *d)
{
    struct store *s;
    bool is_new = false;
    enum st st = open_db(&s, path, SQLITE_OPEN_READWRITE, d);
    if (st == ST_OK) st = check_file(s, &is_new, d);
    if (st == ST_OK && is_new) st = diag_at(d, ST_EWORLD, path, 0, 0, "this is not a Fairway database: it is empty");
    if (st == ST_OK && sqlite3_exec(s->db, "PRAGMA query_only = ON", NULL, NULL, NULL) != SQLITE_OK) st = sql_failed(s, d);
    if (st != ST_OK) { store_close(s); s = NULL; }
    *out = s;
    return st;
}

void store_leave(struct store *s)
{
    SIM_ASSERT(!s->in_batch);
    for (size_t i = 0; i < N_SQL; i++) { (void)sqlite3_finalize(s->stmt[i]); s->stmt[i] = NULL; }
    (void)sqlite3_close(s->db);
    s->db = NULL;
}

enum st store_return(struct store *s, struct diag *d)
{
    s->broken = (struct diag){ .code = ST_OK };
    TRY(connect(s, SQLITE_OPEN_READWRITE, d));
    return prepare_writing(s, d);
}

void store_close(struct store *s)
{
    if (s == NULL) return;
    for (size_t i = 0; i < N_SQL; i++) (void)sqlite3_finalize(s->stmt[i]);
    (void)sqlite3_close(s->db);
    mem_free(s->path);
    mem_free(s);
}

struct sqlite3 *store_db(struct store *s)
{
    return s->db;
}

enum st store_failed(struct store *s, struct diag *d)
{
    return sql_failed(s, d);
}

/* ---- runs ---- */

enum st store_has_run(struct store *s, const char *key, bool *yes, struct diag *d)
{
    sqlite3_stmt **q = &s->stmt[SQL_HAS_RUN];
    if (*q == NULL && sqlite3_prepare_v2(s->db, sql_text[SQL_HAS_RUN], -1, q, NULL) != SQLITE_OK) return sql_failed(s, d);
    (void)sqlite3_bind_text(*q, 1, key, -1, SQLITE_STATIC);
    *yes = sqlite3_step(*q) == SQLITE_ROW;
    return sqlite3_reset(*q) == SQLITE_OK ? ST_OK : sql_failed(s, d);
}

enum st store_run_begin(struct store *s, const struct store_run *r, int64_t *run_id, struct diag *d)
{
    SIM_ASSERT(!s->in_batch);
    s->broken = (struct diag){ .code = ST_OK };
    s->seq = 0;
    TRY(row(s, d, SQL_DELETE_RUN, "t", r->key));
    TRY(row(s, d, SQL_RUN, "ittttttttttiiit", r->id, r->key, r->scenario, r->title, r->variant != NULL ? r->variant : "",
            r->scenario_text, r->trace_path, r->trace_hash, r->policy, r->policy_spec, r->policy_source, (int64_t)r->clairvoyant, (int64_t)r->by_count,
            (int64_t)r->seed, FAIRWAY_VERSION));
    *run_id = sqlite3_last_insert_rowid(s->db);
    return batch_end(s, d);
}

enum st store_run_end(struct store *s, int64_t run, enum store_status st, uint64_t digest,
                      const char *message, double wall_s, struct diag *d)
{
    static const char *const word[] = { [STORE_DONE] = "done", [STORE_FAILED] = "failed", [STORE_INTERRUPTED] = "interrupted" };
    char hex[17];
    (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)digest);
    if (s->broken.code != ST_OK) {      /* rows are missing: whatever the run was, it is not done */
        (void)sql(s, SQL_RUN_END, "ittt", run, word[STORE_FAILED], (const char *)NULL, s->broken.msg);
        if (d->code == ST_OK) *d = s->broken;
        return ST_EWORLD;
    }
    TRY(store_wall(s, run, "run_time", wall_s, "s", d));
    TRY(row(s, d, SQL_RUN_END, "ittt", run, word[st], hex, message));
    return batch_end(s, d);
}

/* ---- rows ---- */

enum st store_job(struct store *s, int64_t run, const struct store_job *j, struct diag *d)
{
    return row(s, d, SQL_JOB, "iittttttiiiiiiiiiiiiiiidi", run, (int64_t)j->ordinal, j->id, j->user, j->queue, j->klass, j->model,
               j->status, (int64_t)j->counted, j->submit_us, j->start_us, j->end_us, j->nominal_us, j->limit_us, j->lost_us,
               (int64_t)j->n_tasks, j->cpu_milli, j->gpu_milli, (int64_t)j->n_gpu, (int64_t)j->n_preempted,
               (int64_t)j->n_failed, j->ideal_whole_us, j->ideal_share_us, j->rho, j->stage_wait_us);
}

enum st store_attempt(struct store *s, int64_t run, const struct store_attempt *a, struct diag *d)
{
    return row(s, d, SQL_ATTEMPT, "iiiiiiiitii", run, (int64_t)a->job_ordinal, (int64_t)a->task, (int64_t)a->attempt,
               (int64_t)a->node, (int64_t)a->cards, a->start_us, a->end_us, a->outcome, (int64_t)a->is_short, a->lender);
}

enum st store_transfer(struct store *s, int64_t run, uint64_t job_ordinal, const char *level, int64_t read_b, int64_t vain_b,
                       struct diag *d)
{
    return row(s, d, SQL_TRANSFER, "iitii", run, (int64_t)job_ordinal, level, read_b, vain_b);
}

enum st store_stage(struct store *s, int64_t run, const struct store_stage *x, struct diag *d)
{
    return row(s, d, SQL_STAGE, "iitiiiddddd", run, s->seq++, x->resource, (int64_t)x->job_ordinal, (int64_t)x->stage, x->at_us,
               x->reserved, x->need, x->lendable, x->usable, x->reclaimed);
}

enum st store_call(struct store *s, int64_t run, const struct store_call *c, struct diag *d)
{
    return row(s, d, SQL_CALL, "iiiiiittiiiii", run, (int64_t)c->job_ordinal, (int64_t)c->task, (int64_t)c->call, (int64_t)c->home,
               (int64_t)c->node, c->engine, c->api, c->start_us, c->end_us, c->exec_us, c->way_us, (int64_t)c->done);
}

enum st store_series(struct store *s, int64_t run, int64_t at_us, const char *name, double value, struct diag *d)
{
    return row(s, d, SQL_SERIES, "iitd", run, at_us, name, value);
}

enum st store_metric(struct store *s, int64_t run, const char *name, const char *scope, double value, const char *unit, struct diag *d)
{
    return row(s, d, SQL_METRIC, "ittdt", run, name, scope, value, unit);
}

enum st store_wall(struct store *s, int64_t run, const char *name, double value, const char *unit, struct diag *d)
{
    return row(s, d, SQL_WALL, "itdt", run, name, value, unit);
}

enum st store_note(struct store *s, int64_t run, int64_t at_us, const char *name, double value, struct diag *d)
{
    return row(s, d, SQL_NOTE, "iiitd", run, s->seq++, at_us, name, value);
}

enum st store_decision(struct store *s, int64_t run, int64_t at_us, const char *verb, uint64_t job_ordinal,
                       int64_t task, int64_t node, const char *why, struct diag *d)
{
    return row(s, d, SQL_DECISION, "iiitiiit", run, s->seq++, at_us, verb, (int64_t)job_ordinal, task, node, why);
}

enum st store_repair(struct store *s, int64_t run, const char *what, uint64_t count, uint32_t first_line, struct diag *d)
{
    return row(s, d, SQL_REPAIR, "itii", run, what, (int64_t)count, (int64_t)first_line);
}

enum st store_node(struct store *s, int64_t run, uint32_t node, const char *name, const char *rack,
                   const char *gpu_type, uint32_t n_gpu, int64_t cpu_milli, int64_t mem_b, struct diag *d)
{
    return row(s, d, SQL_NODE, "iitttiii", run, (int64_t)node, name, rack, gpu_type, (int64_t)n_gpu, cpu_milli, mem_b);
}

/* Counts by kind, as text; NULL when there are none. */
static const char *engines_text(const int32_t *engine, char *buf, size_t cap)
{
    bool any = false;
    size_t at = 0;
    for (int k = 0; k < ENGINE_KINDS_MAX; k++) {
        any = any || engine[k] != 0;
        at += (size_t)snprintf(buf + at, cap - at, "%s%ld", k > 0 ? "," : "", (long)engine[k]);
    }
    return any ? buf : NULL;
}

enum st store_request(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task0, bool is_gang, const struct shape *q,
                      struct diag *d)
{
    char engines[ENGINE_KINDS_MAX * 12];
    return row(s, d, SQL_REQUEST, "iiiiiiiiiiiitii", run, (int64_t)job_ordinal, (int64_t)task0, (int64_t)is_gang, q->cpu_milli, q->mem_b,
               (int64_t)q->n_gpu, (int64_t)q->gpu_milli, q->gpu_mem_b, (int64_t)q->gpu_types, (int64_t)q->need_all, (int64_t)q->need_any,
               engines_text(q->engine, engines, sizeof engines), (int64_t)q->exclusive, (int64_t)q->gpu_cores);
}

enum st store_cores(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task, uint32_t attempt, uint64_t seq, int64_t at_us,
                    int64_t cpu_milli, struct diag *d)
{
    return row(s, d, SQL_CORES, "iiiiiii", run, (int64_t)job_ordinal, (int64_t)task, (int64_t)attempt, (int64_t)seq, at_us, cpu_milli);
}

enum st store_capability(struct store *s, int64_t run, uint32_t node, const struct node *n, const struct card *card, struct diag *d)
{
    char engines[ENGINE_KINDS_MAX * 12];
    return row(s, d, SQL_CAPABILITY, "iiiitiiii", run, (int64_t)node, (int64_t)n->labels, n->n_gpu > 0 ? card->mem_total : 0,
               engines_text(n->engine_total, engines, sizeof engines), (int64_t)(n->n_gpu > 0 ? card->core_total : 0), (int64_t)n->max_tasks,
               n->cpu_reserved, n->mem_reserved);
}

enum st store_word(struct store *s, int64_t run, const char *kind, uint32_t bit, const char *name, struct diag *d)
{
    return row(s, d, SQL_WORD, "itit", run, kind, (int64_t)bit, name);
}

enum st store_outage(struct store *s, int64_t run, uint32_t node, int64_t down_us, int64_t up_us, struct diag *d)
{
    return row(s, d, SQL_OUTAGE, "iiii", run, (int64_t)node, down_us, up_us);
}

enum st store_phase(struct store *s, int64_t run, uint64_t job_ordinal, uint32_t task, uint64_t seq, int64_t at_us, const char *phase,
                    struct diag *d)
{
    return row(s, d, SQL_PHASE, "iiiiit", run, (int64_t)job_ordinal, (int64_t)task, (int64_t)seq, at_us, phase);
}
