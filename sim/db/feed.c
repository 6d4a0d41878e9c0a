/* feed.c -- the virtual table of feed.h, eponymous: it is there without being created. */
#include "db/feed.h"

#include "base/mem.h"

struct feed_table { sqlite3_vtab base; struct feed *feed; };
struct feed_cursor { sqlite3_vtab_cursor base; sqlite3_int64 row; int rc; };

static const struct feed_source *source_of(const sqlite3_vtab_cursor *c)
{
    return ((const struct feed_table *)(const void *)c->pVtab)->feed->from;
}

static int join(sqlite3 *db, void *feed, int argc, const char *const *argv, sqlite3_vtab **out, char **error)
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
    const struct feed_source *from = source_of(base);
    c->row++;
    c->rc = from != NULL ? from->next(from->ctx) : SQLITE_DONE;
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
    const struct feed_source *from = source_of(c);
    from->column(from->ctx, to, i);
    return SQLITE_OK;
}

static int rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *row)
{
    *row = ((struct feed_cursor *)(void *)c)->row;
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = join, .xDisconnect = leave, .xBestIndex = plan, .xOpen = open_cursor, .xClose = close_cursor,
    .xFilter = filter, .xNext = next, .xEof = is_over, .xColumn = column, .xRowid = rowid,
};

int feed_open(sqlite3 *db, struct feed *f) { return sqlite3_create_module_v2(db, "feed", &module, f, NULL); }

int feed_run(struct feed *f, sqlite3_stmt *insert, const struct feed_source *from)
{
    f->from = from;
    int rc = sqlite3_step(insert), end = sqlite3_reset(insert);
    f->from = NULL;
    return rc != SQLITE_DONE ? rc : end;
}
