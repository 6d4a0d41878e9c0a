/*
 * store.c -- one writer's connection, its statements and the batch of rows that is open.
 *
 * A row stays in memory until there are some of its table, a chunk, which one statement writes (feed.h): columns in
 * which all rows are alike, such as those that a run does not use, are parameters of it.  A thread writes
 * them (writer.h), once the run has its row and until it ends, or anything else needs the connection, which is the
 * thread's as long as there is one.  Chunks, statements and transactions are the same as without it.
 *
 * Invariant: after the first failure of a run no batch is open, no row is in memory, and `broken` says what it was.
 */
#include "db/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/version.h"
#include "db/feed.h"
#include "db/schema.h"
#include "db/writer.h"

enum { APP_ID = 0x46574159 /* "FWAY" */ };

/* Rows between commits.  A batch (some 10 MB) fits the page cache, so that a
 * reader is kept waiting only while one commits. */
enum { BATCH_ROWS = 65536, CACHE_KIB = 32768, BUSY_MS = 10000 };
/* What of one table is in memory at most. */
enum { ROWS_MOST = 256, TEXT_MOST = 1 << 20 };

/* The statements of a connection: these, then an INSERT for each table. */
enum sql { SQL_BEGIN, SQL_COMMIT, SQL_HAS_RUN, SQL_DELETE_RUN, SQL_RUN_END, SQL_INSERT, N_SQL = SQL_INSERT + SCHEMA_TABLES };

static const char *const sql_text[SQL_INSERT] = {
    [SQL_BEGIN]      = "BEGIN IMMEDIATE",
    [SQL_COMMIT]     = "COMMIT",
    [SQL_HAS_RUN]    = "SELECT 1 FROM run WHERE key = ? AND status = 'done'",
    [SQL_DELETE_RUN] = "DELETE FROM run WHERE key = ?",
    [SQL_RUN_END]    = "UPDATE run SET status = ?, digest = ?, message = ? WHERE id = ?",
};

/* What is in a column of struct store_TABLE, and the range of an integer. */
struct form { enum { FORM_INT, FORM_INT_OR_NULL, FORM_REAL, FORM_TEXT, FORM_SEQ } is; const char *name; int64_t least, most; };

#define TABLE(table, comment, key)  static const struct form table##_form[] = { { FORM_INT, "run", INT64_MIN, INT64_MAX },
#define TABLE_OF_RUNS(table, comment, key) static const struct form table##_form[] = {
#define END                         };
#define INT_MOST                    INT64_C(4611686018427387903)
#define INT(name, comment)          { FORM_INT, #name, -1, INT_MOST },
#define INT_OR_NULL(name, comment)  { FORM_INT_OR_NULL, #name, -1, INT_MOST },
#define COUNT(name, comment)        { FORM_INT, #name, 0, INT32_MAX },
#define COUNT_TO(name, most, comment) { FORM_INT, #name, 0, most },
#define INDEX(name, comment)        { FORM_INT, #name, -1, INT32_MAX },
#define FLAG(name, comment)         { FORM_INT, #name, 0, 1 },
#define UINT(name, comment)         { FORM_INT, #name, INT64_MIN, INT64_MAX },
#define SEQ(name, comment)          { FORM_SEQ, #name, 0, INT_MOST },
#define REAL(name, comment)         { FORM_REAL, #name, 0, 0 },
#define REAL_OR_NULL                REAL
#define TEXT(name, comment)         { FORM_TEXT, #name, 0, 0 },
#define TEXT_OR_NULL                TEXT
#define ROWID(name, comment)        { FORM_INT_OR_NULL, #name, 0, INT_MOST },
#include "db/schema.def"

static const struct form *const forms[] = {
#define TABLE(table, comment, key)  [SCHEMA_##table] = table##_form,
#define TABLE_OF_RUNS               TABLE
#include "db/schema.def"
};

/* A value, by its column's form; a text is from `at` in the table's, n bytes. */
enum { NO_TEXT = -1 };
union cell { int64_t i; double r; struct { uint32_t at; int32_t n; } text; const char *borrowed; };
_Static_assert(sizeof(union cell) == 8, "members of struct store_TABLE are cells");
/* Rows of a table that are not written yet, cell after cell. */
struct rows { union cell *cell; char *text; size_t n, cap, n_text, cap_text; uint32_t n_rows; };
/* What a writer has to do: write the rows of a table, or (is_end) end the batch. */
struct chunk { struct rows rows; enum schema_table table; bool is_end; };

struct store {
    sqlite3      *db;
    sqlite3_stmt *stmt[N_SQL];
    char         *path;
    const char   *mode;         /* pragmas of a writer's connection */
    bool          in_batch;
    uint32_t      n_batch;      /* rows in the open batch, and in memory */
    struct feed   feed;
    struct rows   rows[SCHEMA_TABLES];
    bool          is_threaded;  /* runs may have a writer */
    bool          may_thread;   /* the one under way may */
    struct writer *writer;      /* NULL: none is at work; else db, stmt, in_batch and feed are its own, and of chunk */
    struct chunk  chunk[WRITER_PLACES];         /* those that it has to do */
    int64_t       seq;          /* of the run: its notes, decisions and stages count together */
    bool          has_checks;   /* the tables' CHECKs are asked */
    uint32_t      texts[SCHEMA_TABLES];         /* bits: columns of text */
    uint32_t      varies[SCHEMA_TABLES];        /* bits: columns in which some rows of one chunk were not alike */
    uint32_t      prepared[SCHEMA_TABLES];      /* that the INSERT was prepared with */
    struct diag   broken;       /* the first failure since store_run_begin */
};

/* ---- failing ---- */

static enum st sql_failed(struct store *s, struct diag *d)
{
    const int rc = sqlite3_errcode(s->db), error = sqlite3_system_errno(s->db);
    switch (rc) {
    case SQLITE_NOTADB:
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "this is not a Fairway database, nor any SQLite database");
    case SQLITE_BUSY: case SQLITE_LOCKED:
        (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "another program has been writing this database for %d s", BUSY_MS / 1000);
        return diag_hint(d, "wait until it is done, or give another file with -d");
    case SQLITE_FULL:
        (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "cannot write the database: %s", sqlite3_errmsg(s->db));
        return diag_hint(d, "make room on the disk; the runs that were finished are in the file");
    case SQLITE_CANTOPEN: case SQLITE_IOERR:            /* the system knows more, such as too many open files */
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "the database failed: %s%s%s", sqlite3_errmsg(s->db),
                       error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
    default:
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "the database failed: %s", sqlite3_errmsg(s->db));
    }
}

/* A write failed, as d says or else SQLite: undo the batch. */
static enum st undo(struct store *s, struct diag *d)
{
    if (d->code == ST_OK) (void)sql_failed(s, d);
    if (sqlite3_get_autocommit(s->db) == 0) (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->in_batch = false;
    return ST_EWORLD;
}

static void empty(struct rows *x) { x->n = x->n_text = x->n_rows = 0; }

/* It was undone, as `broken` says: no rows are left in memory. */
static enum st forget(struct store *s, struct diag *d)
{
    for (int t = 0; t < SCHEMA_TABLES; t++) empty(&s->rows[t]);
    for (int i = 0; i < WRITER_PLACES; i++) empty(&s->chunk[i].rows);
    if (d->code == ST_OK) *d = s->broken;
    return ST_EWORLD;
}

static enum st broke(struct store *s, struct diag *d)
{
    (void)undo(s, &s->broken);
    return forget(s, d);
}

/* ---- statements ---- */

/* A statement whose parameters are bound one after the other; after the first failure nothing more is done. */
struct stmt { sqlite3_stmt *q; int at, rc; };

static struct stmt stmt_open(struct store *s, int which)
{
    sqlite3_stmt **q = &s->stmt[which];
    int rc = SQLITE_OK;
    if (*q == NULL) rc = sqlite3_prepare_v3(s->db, sql_text[which], -1, SQLITE_PREPARE_PERSISTENT, q, NULL);
    return (struct stmt){ .q = *q, .rc = rc };
}

/* An INSERT whose parameters are the columns that are alike in all rows. */
static struct stmt insert_open(struct store *s, enum schema_table t)
{
    sqlite3_stmt **q = &s->stmt[SQL_INSERT + (int)t];
    int rc = SQLITE_OK;
    if (s->prepared[t] != s->varies[t]) {
        (void)sqlite3_finalize(*q);
        *q = NULL;
    }
    if (*q == NULL) rc = schema_prepare_insert(s->db, t, s->varies[t], q);
    s->prepared[t] = s->varies[t];
    return (struct stmt){ .q = *q, .rc = rc };
}

static void bind_int(struct stmt *t, int64_t x)
{
    if (t->rc == SQLITE_OK) t->rc = sqlite3_bind_int64(t->q, ++t->at, x);
}

/* Borrowed until stmt_run; NULL is NULL. */
static void bind_text(struct stmt *t, const char *x)
{
    if (t->rc == SQLITE_OK) t->rc = sqlite3_bind_text(t->q, ++t->at, x, -1, SQLITE_STATIC);
}

/* Run it to its end, or to its first row: *row. */
static bool stmt_run(struct stmt *t, bool *row)
{
    if (t->rc == SQLITE_OK) t->rc = sqlite3_step(t->q);
    if (row != NULL) *row = t->rc == SQLITE_ROW;
    int end = sqlite3_reset(t->q);
    return (t->rc == SQLITE_DONE || t->rc == SQLITE_ROW) && end == SQLITE_OK;
}

static bool run_sql(struct store *s, int which)
{
    struct stmt t = stmt_open(s, which);
    return stmt_run(&t, NULL);
}

static bool batch_begin(struct store *s)
{
    if (!s->in_batch) s->in_batch = run_sql(s, SQL_BEGIN);
    return s->in_batch;
}

/* A change of the run, in the open batch or a new one. */
static struct stmt change_open(struct store *s, int which)
{
    if (s->broken.code != ST_OK || !batch_begin(s)) return (struct stmt){ .rc = SQLITE_ABORT };
    return stmt_open(s, which);
}

static enum st is_broken(const struct store *s, struct diag *d)
{
    if (s->broken.code != ST_OK && d->code == ST_OK) *d = s->broken;
    return s->broken.code == ST_OK ? ST_OK : ST_EWORLD;
}

static enum st change_run(struct store *s, struct stmt *t, struct diag *d)
{
    TRY(is_broken(s, d));
    return t->rc == SQLITE_OK && stmt_run(t, NULL) ? ST_OK : broke(s, d);
}

/* ---- rows in memory ---- */

/* Of a table, the row where a reader stands, and the next; next goes to the first. */
struct reading { const union cell *row, *next, *end; const char *text; const struct form *form; int n_columns; };

static int next_row(void *ctx)
{
    struct reading *r = ctx;
    r->row = r->next;
    r->next += r->n_columns;
    return r->row < r->end ? SQLITE_ROW : SQLITE_DONE;
}

static bool is_null(const struct form *f, const union cell *c)
{
    return f->is == FORM_TEXT ? c->text.n == NO_TEXT : f->is == FORM_INT_OR_NULL && c->i == f->least;
}

static void give_cell(void *ctx, sqlite3_context *to, int i)
{
    const struct reading *r = ctx;
    const struct form *f = &r->form[i];
    const union cell *c = &r->row[i];
    if (is_null(f, c)) return;
    if (f->is == FORM_REAL) sqlite3_result_double(to, c->r);            /* SQLite takes NaN for NULL */
    else if (f->is == FORM_TEXT) sqlite3_result_text(to, r->text + c->text.at, c->text.n, SQLITE_STATIC);
    else sqlite3_result_int64(to, c->i);
}

/* The same as a parameter: of all rows the first's. */
static void bind_cell(struct stmt *q, const struct rows *x, const struct form *f, int i)
{
    const union cell *c = &x->cell[i];
    if (q->rc != SQLITE_OK) return;
    if (is_null(f, c)) q->rc = sqlite3_bind_null(q->q, i + 1);
    else if (f->is == FORM_REAL) q->rc = sqlite3_bind_double(q->q, i + 1, c->r);
    else if (f->is == FORM_TEXT) q->rc = sqlite3_bind_text(q->q, i + 1, x->text + c->text.at, c->text.n, SQLITE_STATIC);
    else q->rc = sqlite3_bind_int64(q->q, i + 1, c->i);
}

static bool is_same(const struct rows *x, const struct form *f, const union cell *a, const union cell *b)
{
    if (f->is != FORM_TEXT || a->text.n != b->text.n || a->text.n == NO_TEXT) return a->i == b->i;
    return memcmp(x->text + a->text.at, x->text + b->text.at, (size_t)a->text.n) == 0;
}

/*
 * Which columns vary, and whether integers are in their ranges: the CHECKs of the tables, which are not asked, took a
 * seventh of the time.
 */
static enum st look_at(struct store *s, enum schema_table t, const struct rows *x, struct diag *d)
{
    const size_t n = (size_t)schema_n_columns(t);
    for (size_t i = 0; i < n; i++) {
        const struct form *f = &forms[t][i];
        bool varies = (s->varies[t] >> i & 1) != 0;
        for (size_t at = i + n; at < x->n && !varies; at += n) varies = !is_same(x, f, &x->cell[at], &x->cell[i]);
        for (size_t at = i; at < (varies ? x->n : i + 1) && f->is != FORM_REAL && f->is != FORM_TEXT; at += n) {
            const int64_t is = x->cell[at].i;
            if (is < f->least || is > f->most)
                return diag_at(d, ST_EWORLD, s->path, 0, 0, "a row of table '%s' cannot be: %s is %lld, expected %lld to %lld",
                               schema_table_name(t), f->name, (long long)is, (long long)f->least, (long long)f->most);
        }
        if (varies) s->varies[t] |= UINT32_C(1) << i;
    }
    return ST_OK;
}

/* A view in place of the table, or a trigger, may keep rows out without a word. */
static enum st feed(struct store *s, sqlite3_stmt *insert, enum schema_table t, const struct feed_source *from,
                    struct diag *d)
{
    if (feed_run(&s->feed, insert, from) != SQLITE_OK) return sql_failed(s, d);
    const int n = sqlite3_changes(s->db);
    if (n == s->feed.n_rows) return ST_OK;
    (void)diag_at(d, ST_EWORLD, s->path, 0, 0, "table '%s' took %d rows of %lld", schema_table_name(t), n,
                  (long long)s->feed.n_rows);
    return diag_hint(d, "something else than fairway changed this file; give another one with -d");
}

static enum st write_rows(struct store *s, enum schema_table t, struct rows *x, struct diag *d)
{
    struct reading r = { NULL, x->cell, x->cell + x->n, x->text, forms[t], schema_n_columns(t) };
    if (look_at(s, t, x, d) != ST_OK || !batch_begin(s)) return undo(s, d);
    struct stmt insert = insert_open(s, t);
    for (int i = 0; i < r.n_columns; i++)
        if ((s->varies[t] >> i & 1) == 0) bind_cell(&insert, x, &forms[t][i], i);
    if (insert.rc != SQLITE_OK) return undo(s, d);
    if (feed(s, insert.q, t, &(struct feed_source){ &r, next_row, give_cell }, d) != ST_OK) return undo(s, d);
    empty(x);
    return ST_OK;
}

static enum st write_end(struct store *s, struct diag *d)
{
    if (!s->in_batch) return ST_OK;
    if (!run_sql(s, SQL_COMMIT)) return undo(s, d);
    s->in_batch = false;
    return ST_OK;
}

/* ---- the writer ---- */

static enum st write_chunk(void *ctx, size_t place, struct diag *d)
{
    struct store *s = ctx;
    struct chunk *c = &s->chunk[place];
    return c->is_end ? write_end(s, d) : write_rows(s, c->table, &c->rows, d);
}

/* Wait for the writer, if there is one: its connection is free again. */
static void settle(struct store *s)
{
    if (s->writer == NULL) return;
    if (writer_stop(s->writer, &s->broken) != ST_OK) (void)forget(s, &s->broken);
    s->writer = NULL;
}

/* Give the rows of a table, or the end of the batch, to the writer.  false: there is none, or it failed. */
static bool hand_over(struct store *s, enum schema_table t, bool is_end)
{
    size_t place;
    if (s->may_thread && s->writer == NULL) s->writer = writer_start(write_chunk, s);
    s->may_thread = s->writer != NULL;
    if (s->writer == NULL) return false;
    if (!writer_place(s->writer, &place)) {
        settle(s);
        return false;
    }
    struct chunk *c = &s->chunk[place];
    const struct rows done = c->rows;
    c->table = t;
    c->is_end = is_end;
    if (!is_end) { c->rows = s->rows[t]; s->rows[t] = done; }
    writer_go(s->writer);
    return true;
}

static enum st rows_write(struct store *s, enum schema_table t, struct diag *d)
{
    if (s->rows[t].n_rows == 0 || hand_over(s, t, false)) return ST_OK;
    TRY(is_broken(s, d));
    return write_rows(s, t, &s->rows[t], &s->broken) == ST_OK ? ST_OK : forget(s, d);
}

static enum st batch_end(struct store *s, struct diag *d)
{
    for (enum schema_table t = 0; t < SCHEMA_TABLES; t++) TRY(rows_write(s, t, d));
    s->n_batch = 0;
    if (hand_over(s, SCHEMA_run, true)) return ST_OK;
    TRY(is_broken(s, d));
    return write_end(s, &s->broken) == ST_OK ? ST_OK : forget(s, d);
}

static void put_text(struct rows *x, union cell *c)
{
    const char *text = c->borrowed;
    const size_t n = text != NULL ? strlen(text) : 0;
    c->text.at = (uint32_t)x->n_text;
    c->text.n = text != NULL ? (int32_t)n : NO_TEXT;
    if (text == NULL) return;
    MEM_ROOM(x->text, x->cap_text, x->n_text + n + 1);
    memcpy(x->text + x->n_text, text, n);
    x->n_text += n;
}

/* A whole row was put. */
static enum st row_end(struct store *s, enum schema_table t, struct diag *d)
{
    struct rows *x = &s->rows[t];
    SIM_ASSERT(x->n_text <= INT32_MAX);
    if (s->broken.code != ST_OK) x->n = x->n_text = 0;
    TRY(is_broken(s, d));
    x->n_rows++;
    if (++s->n_batch >= BATCH_ROWS) return batch_end(s, d);
    return x->n_rows >= ROWS_MOST || x->n_text >= TEXT_MOST ? rows_write(s, t, d) : ST_OK;
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
    return diag_hint(d, version > SCHEMA_VERSION ? "a newer fairway wrote it: use that one, or another file with -d"
                                                 : "an older fairway wrote it: run again into a new file");
}

static enum st create_schema(struct store *s, struct diag *d)
{
    char pragma[96];
    (void)snprintf(pragma, sizeof pragma, "PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT", APP_ID, SCHEMA_VERSION);
    if (schema_create(s->db) != SQLITE_OK || sqlite3_exec(s->db, pragma, NULL, NULL, NULL) != SQLITE_OK) return broke(s, d);
    return ST_OK;
}

/* Where a file cannot be written SQLite tries to read it, and knows only why that failed: not there, as a rule. */
static int why_not(const char *name, bool is_writer, int error)
{
    int fd = open(name, is_writer ? O_RDWR | O_CREAT : O_RDWR, 0644);
    if (fd < 0) return errno;
    (void)close(fd);
    return error;
}

static enum st connect(struct store *s, int flags, struct diag *d)
{
    /* SQLite takes "" and ":memory:" for databases that are gone when closed, and "file:" for a URI: a path never
     * begins so. */
    if (*s->path == '\0') return diag_set(d, ST_EINPUT, "the database has no name");
    size_t cap = strlen(s->path) + sizeof "./";
    char *name;
    MEM_ARRAY(name, cap);
    (void)snprintf(name, cap, "%s%s", *s->path == '/' ? "" : "./", s->path);
    int rc = sqlite3_open_v2(name, &s->db, flags | SQLITE_OPEN_NOMUTEX, NULL), error = 0;
    if (rc != SQLITE_OK) error = why_not(name, (flags & SQLITE_OPEN_CREATE) != 0, sqlite3_system_errno(s->db));
    mem_free(name);
    if (rc != SQLITE_OK) {
        return diag_at(d, ST_EWORLD, s->path, 0, 0, "cannot open the database: %s",
                       error != 0 ? strerror(error) : sqlite3_errmsg(s->db));
    }
    (void)sqlite3_busy_timeout(s->db, BUSY_MS);
    return ST_OK;
}

static enum st open_db(struct store **out, const char *path, int flags, struct diag *d)
{
    struct store *s;
    MEM_NEW(s);
    s->path = mem_strdup(path);
    for (enum schema_table t = 0; t < SCHEMA_TABLES; t++)
        for (int i = 0; i < schema_n_columns(t); i++)
            if (forms[t][i].is == FORM_TEXT) s->texts[t] |= UINT32_C(1) << i;
    *out = s;
    return connect(s, flags, d);
}

static enum st prepare_writing(struct store *s, struct diag *d)
{
    char setup[256];
    (void)snprintf(setup, sizeof setup, "PRAGMA page_size = 8192; PRAGMA cache_size = -%d; %s;"
                   "PRAGMA temp_store = MEMORY; PRAGMA ignore_check_constraints = ON; BEGIN IMMEDIATE", CACHE_KIB, s->mode);
    bool is_new;
    s->has_checks = false;
    if (sqlite3_exec(s->db, setup, NULL, NULL, NULL) != SQLITE_OK) return sql_failed(s, d);
    /* Two programs may create the same file at once: look again under the lock. */
    TRY(check_file(s, &is_new, d));
    if (is_new) TRY(create_schema(s, d));
    else if (sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK) return sql_failed(s, d);
    return feed_open(s->db, &s->feed) == SQLITE_OK ? ST_OK : sql_failed(s, d);
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

enum st store_open(struct store **out, const char *path, struct diag *d)
{
    TRY(open_writing(out, path, "PRAGMA synchronous = NORMAL", d));
    (*out)->is_threaded = base_n_processors() > 1;
    return ST_OK;
}

enum st store_open_part(struct store **out, const char *path, struct diag *d)
{
    return open_writing(out, path, "PRAGMA synchronous = OFF; PRAGMA journal_mode = PERSIST; PRAGMA locking_mode = EXCLUSIVE", d);
}

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
    settle(s);
    SIM_ASSERT(!s->in_batch);
    for (size_t i = 0; i < N_SQL; i++) { (void)sqlite3_finalize(s->stmt[i]); s->stmt[i] = NULL; }
    (void)sqlite3_close(s->db);
    s->db = NULL;
}

enum st store_return(struct store *s, struct diag *d)
{
    s->broken = (struct diag){ .code = ST_OK };
    s->is_threaded = false;     /* the policy's process is watched and limited as one thread */
    TRY(connect(s, SQLITE_OPEN_READWRITE, d));
    return prepare_writing(s, d);
}

void store_close(struct store *s)
{
    if (s == NULL) return;
    settle(s);
    for (size_t i = 0; i < N_SQL; i++) (void)sqlite3_finalize(s->stmt[i]);
    (void)sqlite3_close(s->db);
    for (int t = 0; t < SCHEMA_TABLES; t++) MEM_FREE(s->rows[t].cell, s->rows[t].text);
    for (size_t i = 0; i < WRITER_PLACES; i++) MEM_FREE(s->chunk[i].rows.cell, s->chunk[i].rows.text);
    MEM_FREE(s->path, s);
}

struct sqlite3 *store_db(struct store *s)
{
    settle(s);
    return s->db;
}

const char *store_path(const struct store *s)
{
    return s->path;
}

bool store_may_thread(const struct store *s) { return s->is_threaded; }

enum st store_failed(struct store *s, struct diag *d)
{
    settle(s);
    return sql_failed(s, d);
}

/* The tables' CHECKs are for rows of others. */
static enum st check(struct store *s, bool has_checks, struct diag *d)
{
    const char *sql = has_checks ? "PRAGMA ignore_check_constraints = OFF" : "PRAGMA ignore_check_constraints = ON";
    if (s->has_checks == has_checks) return ST_OK;
    s->has_checks = has_checks;
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? ST_OK : sql_failed(s, d);
}

enum st store_feed(struct store *s, int table, const struct feed_source *from, struct diag *d)
{
    settle(s);
    TRY(check(s, true, d));
    s->varies[table] = UINT32_MAX;
    const struct stmt insert = insert_open(s, (enum schema_table)table);
    if (insert.rc != SQLITE_OK) return sql_failed(s, d);
    return feed(s, insert.q, (enum schema_table)table, from, d);
}

/* ---- rows ---- */

/* A struct store_TABLE, of this size, whose members are the columns but for the run and what is counted here. */
static enum st put_row(struct store *s, enum schema_table t, int64_t run, const void *row, size_t size, struct diag *d)
{
    struct rows *x = &s->rows[t];
    const size_t n = (size_t)schema_n_columns(t);
    MEM_ROOM(x->cell, x->cap, x->n + n);
    union cell *c = &x->cell[x->n];
    size_t first = 0;
    if (t != SCHEMA_run) c[first++].i = run;
    if (forms[t][first].is == FORM_SEQ) c[first++].i = s->seq++;
    SIM_ASSERT(size == (n - first) * sizeof *c);
    memcpy(c + first, row, size);
    for (uint32_t left = s->texts[t]; left != 0; left &= left - 1) put_text(x, &c[__builtin_ctz(left)]);
    x->n += n;
    return row_end(s, t, d);
}

#define TABLE(name, comment, key) \
enum st store_##name(struct store *s, int64_t run, const struct store_##name *row, struct diag *d) \
{ \
    return put_row(s, SCHEMA_##name, run, row, sizeof *row, d); \
}
#define TABLE_OF_RUNS(name, comment, key)
#include "db/schema.def"

/* ---- runs ---- */

enum st store_has_run(struct store *s, const char *key, bool *yes, struct diag *d)
{
    settle(s);
    struct stmt t = stmt_open(s, SQL_HAS_RUN);
    bind_text(&t, key);
    return stmt_run(&t, yes) ? ST_OK : sql_failed(s, d);
}

enum st store_run_begin(struct store *s, const struct store_run *r, int64_t *run_id, struct diag *d)
{
    struct store_run row = *r;
    settle(s);
    s->may_thread = false;
    SIM_ASSERT(!s->in_batch);
    s->broken = (struct diag){ .code = ST_OK };
    TRY(check(s, false, d));
    s->seq = 0;
    struct stmt t = change_open(s, SQL_DELETE_RUN);
    bind_text(&t, r->key);
    TRY(change_run(s, &t, d));
    if (row.variant == NULL) row.variant = "";
    row.version = FAIRWAY_VERSION;
    row.status = "running";
    TRY(put_row(s, SCHEMA_run, 0, &row, sizeof row, d));
    TRY(rows_write(s, SCHEMA_run, d));
    *run_id = sqlite3_last_insert_rowid(s->db);
    s->may_thread = s->is_threaded;
    return batch_end(s, d);     /* the disk is waited for beside the run */
}

static void bind_end(struct stmt *t, int64_t run, enum store_status st, const char *digest, const char *message)
{
    static const char *const word[] = { [STORE_DONE] = "done", [STORE_FAILED] = "failed", [STORE_INTERRUPTED] = "interrupted" };
    bind_text(t, word[st]);
    bind_text(t, digest);
    bind_text(t, message);
    bind_int(t, run);
}

static enum st end_run(struct store *s, int64_t run, enum store_status st, uint64_t digest, const char *message,
                       double wall_s, struct diag *d)
{
    char hex[17];
    (void)snprintf(hex, sizeof hex, "%016llx", (unsigned long long)digest);
    TRY(store_wall(s, run, &(struct store_wall){ .name = "run_time", .value = wall_s, .unit = "s" }, d));
    struct stmt t = change_open(s, SQL_RUN_END);
    bind_end(&t, run, st, hex, message);
    TRY(change_run(s, &t, d));
    return batch_end(s, d);
}

enum st store_run_end(struct store *s, int64_t run, enum store_status st, uint64_t digest,
                      const char *message, double wall_s, struct diag *d)
{
    s->may_thread = false;
    settle(s);
    if (end_run(s, run, st, digest, message, wall_s, d) == ST_OK) return ST_OK;
    /* Rows are missing, its end among them: whatever the run was, it is not done. */
    struct stmt t = stmt_open(s, SQL_RUN_END);
    bind_end(&t, run, STORE_FAILED, NULL, s->broken.msg);
    (void)stmt_run(&t, NULL);
    return is_broken(s, d);
}
