/* feed.c -- the virtual table of feed.h. */
#include "db/feed.h"

#include "base/mem.h"

struct feed_table { sqlite3_vtab base; struct feed *feed; };
struct feed_cursor { sqlite3_vtab_cursor base; int rc; };

static struct feed *feed_of(const sqlite3_vtab_cursor *c)
{
    return ((const struct feed_table *)(const void *)c->pVtab)->feed;
}

static int create(sqlite3 *db, void *feed, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    (void)argc; (void)argv; (void)error;
    char sql[8 * FEED_COLUMNS];
    int at = snprintf(sql, sizeof sql, "CREATE TABLE feed (c0");
    for (int i = 1; i < FEED_COLUMNS; i++) at += snprintf(sql + at, sizeof sql - (size_t)at, ", c%d", i);
    (void)snprintf(sql + at, sizeof sql - (size_t)at, ")");
    (void)sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
    int rc = sqlite3_declare_vtab(db, sql);
    if (rc != SQLITE_OK) return rc;
    struct feed_table *t;
    MEM_NEW(t);
    t->feed = feed;
    *out = &t->base;
    return SQLITE_OK;
}

static int leave(sqlite3_vtab *t)
{
    mem_free(t);
    return SQLITE_OK;
}

static int plan(sqlite3_vtab *t, sqlite3_index_info *info)
{
    (void)t; (void)info;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *t, sqlite3_vtab_cursor **out)
{
    (void)t;
    struct feed_cursor *c;
    MEM_NEW(c);
    *out = &c->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *c)
{
    mem_free(c);
    return SQLITE_OK;
}

static int next(sqlite3_vtab_cursor *base)
{
    struct feed_cursor *c = (struct feed_cursor *)(void *)base;
    struct feed *f = feed_of(base);
    c->rc = f->from != NULL ? f->from->next(f->from->ctx) : SQLITE_DONE;
    f->n_rows += c->rc == SQLITE_ROW;
    return c->rc == SQLITE_ROW || c->rc == SQLITE_DONE ? SQLITE_OK : c->rc;
}

static int filter(sqlite3_vtab_cursor *c, int index, const char *name, int argc, sqlite3_value **argv)
{
    (void)index; (void)name; (void)argc; (void)argv;
    return next(c);
}

static int is_over(sqlite3_vtab_cursor *c) { return ((struct feed_cursor *)(void *)c)->rc != SQLITE_ROW; }

static int column(sqlite3_vtab_cursor *c, sqlite3_context *to, int i)
{
    const struct feed_source *from = feed_of(c)->from;
    from->column(from->ctx, to, i);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *row)
{
    *row = feed_of(c)->n_rows;
    return SQLITE_OK;
}

/* xCreate is not xConnect: else the table is there without being created, in every schema, for views of a file too. */
static int join(sqlite3 *db, void *feed, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
{
    return create(db, feed, argc, argv, out, error);
}

static const sqlite3_module module = {
    .xCreate = create, .xConnect = join, .xDestroy = leave, .xDisconnect = leave, .xBestIndex = plan, .xOpen = open_cursor, .xClose = close_cursor,
    .xFilter = filter, .xNext = next, .xEof = is_over, .xColumn = column, .xRowid = rowid,
};

int feed_open(sqlite3 *db, struct feed *f)
{
    int rc = sqlite3_create_module_v2(db, "feed", &module, f, NULL);
    return rc == SQLITE_OK ? sqlite3_exec(db, "CREATE VIRTUAL TABLE temp.feed USING feed", NULL, NULL, NULL) : rc;
}

int feed_run(struct feed *f, sqlite3_stmt *insert, const struct feed_source *from)
{
    f->from = from;
    f->n_rows = 0;
    int rc = sqlite3_step(insert), end = sqlite3_reset(insert);
    f->from = NULL;
    return rc != SQLITE_DONE ? rc : end;
}
