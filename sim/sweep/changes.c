/* changes.c -- the tables change_sweep and change_run, made in the file when a sweep first writes into them. */
#include "sweep/changes.h"

#include <sqlite3.h>
#include "base/hash.h"
#include "db/query.h"

static const char tables[] =
    "CREATE TABLE IF NOT EXISTS change_sweep ("
    " id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, scenario TEXT NOT NULL) STRICT;"
    "CREATE TABLE IF NOT EXISTS change_run ("
    " sweep INTEGER NOT NULL REFERENCES change_sweep, place INTEGER NOT NULL, name TEXT NOT NULL, sets TEXT NOT NULL,"
    " key TEXT NOT NULL, PRIMARY KEY (sweep, place, key)) STRICT, WITHOUT ROWID;";

static void key_of(const struct grid *g, char hex[HASH_HEX])
{
    struct hash128 h;
    hash_init(&h);
    for (size_t k = 0; k < g->sweep.n_cases; k++) {
        hash_text(&h, sweep_change(&g->sweep, k));
        hash_text(&h, g->at[k].text);
    }
    hash_hex(&h, hex);
}

static enum st write_runs(const struct grid *g, struct store *s, int64_t id, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(s, "INSERT OR REPLACE INTO change_run VALUES (?, ?, ?, ?, ?)", &q, d));
    for (size_t i = 0; i < g->n; i++) {
        const size_t k = g->run[i].kase;
        (void)sqlite3_bind_int64(q, 1, id);
        (void)sqlite3_bind_int64(q, 2, (int64_t)k);
        (void)sqlite3_bind_text(q, 3, sweep_change(&g->sweep, k), -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(q, 4, g->at[k].variant, -1, SQLITE_STATIC);
        (void)sqlite3_bind_text(q, 5, g->run[i].key, -1, SQLITE_STATIC);
        if (sqlite3_step(q) != SQLITE_DONE) break;
        (void)sqlite3_reset(q);
    }
    return query_end(s, q, d);
}

static enum st write_sweep(const struct grid *g, struct store *s, struct diag *d)
{
    char key[HASH_HEX];
    sqlite3_stmt *q;
    int64_t id = 0;
    key_of(g, key);
    TRY(query_exec(s, tables, d));
    TRY(query_begin(s, "INSERT INTO change_sweep (key, scenario) VALUES (?, ?) ON CONFLICT (key) DO NOTHING", &q, d));
    (void)sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(q, 2, g->at[0].name, -1, SQLITE_STATIC);
    (void)sqlite3_step(q);
    TRY(query_end(s, q, d));
    TRY(query_int(s, &id, d, "SELECT id FROM change_sweep WHERE key = '%s'", key));
    return write_runs(g, s, id, d);
}

enum st changes_keep(const struct results *r, struct diag *d)
{
    if (r->grid->sweep.changes == NULL) return ST_OK;
    TRY(query_exec(r->store, "BEGIN IMMEDIATE", d));
    const enum st st = write_sweep(r->grid, r->store, d);
    if (st == ST_OK) return query_exec(r->store, "COMMIT", d);
    (void)sqlite3_exec(store_db(r->store), "ROLLBACK", NULL, NULL, NULL);
    return st;
}
