#include "explain/stage_table.h"

#include <sqlite3.h>

static enum st failed(struct store *s, struct diag *d)
{
    return diag_set(d, ST_EWORLD, "the database failed: %s", sqlite3_errmsg(store_db(s)));
}

static enum st first_run(struct store *s, int64_t *run, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    bool ok = sqlite3_prepare_v2(store_db(s), "SELECT min(run) FROM v_stage", -1, &q, NULL) == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
    bool none = ok && sqlite3_column_type(q, 0) == SQLITE_NULL;
    if (ok) *run = sqlite3_column_int64(q, 0);
    (void)sqlite3_finalize(q);
    if (!ok) return failed(s, d);
    if (!none) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "no finished run of the database reserved anything");
    diag_hint(d, "the policy 'workflow' reserves for jobs whose tasks have an order");
    return ST_EINPUT;
}

static enum st print_heading(struct store *s, int64_t run, enum table_format f, FILE *to, struct diag *d)
{
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(s), "SELECT scenario, policy, seed FROM v_run WHERE id = ?", -1, &q, NULL);
    if (rc == SQLITE_OK) (void)sqlite3_bind_int64(q, 1, run);
    bool found = rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW;
    if (found && (f == TABLE_TEXT || f == TABLE_MARKDOWN))
        (void)fprintf(to, "run %lld: %s, %s, seed %lld\n\n", (long long)run, (const char *)sqlite3_column_text(q, 0),
                      (const char *)sqlite3_column_text(q, 1), (long long)sqlite3_column_int64(q, 2));
    (void)sqlite3_finalize(q);
    if (rc != SQLITE_OK) return failed(s, d);
    return found ? ST_OK : diag_set(d, ST_EINPUT, "the database has no finished run %lld", (long long)run);
}

enum st stage_table_print(struct store *s, int64_t run, const char *resource, enum table_format f, FILE *to, struct diag *d)
{
    enum { ID, STAGE, AT, RESOURCE, RESERVED, FIRST_NUMBER = RESERVED, N_COLS = 9 };
    static const char *const heading[N_COLS] = { "workflow", "stage", "at, s", "resource", "reserved", "needed", "can be shared", "taken back", "usable on entry" };
    if (run < 0) TRY(first_run(s, &run, d));
    TRY(print_heading(s, run, f, to, d));
    sqlite3_stmt *q = NULL;
    int rc = sqlite3_prepare_v2(store_db(s), "SELECT id, stage, at, resource, reserved, need, lendable, reclaimed, usable FROM v_stage"
        " WHERE run = ?1 AND (?2 IS NULL OR resource = ?2) ORDER BY ordinal, seq", -1, &q, NULL);
    if (rc == SQLITE_OK) {
        (void)sqlite3_bind_int64(q, 1, run);
        (void)sqlite3_bind_text(q, 2, resource, -1, SQLITE_STATIC);
    }
    struct table *t = table_create();
    size_t n = 0;
    for (int i = 0; i < N_COLS; i++) table_column(t, heading[i], i == STAGE || i == AT || i >= FIRST_NUMBER);
    for (; rc == SQLITE_OK && sqlite3_step(q) == SQLITE_ROW; n++) {
        table_cell(t, "%s", (const char *)sqlite3_column_text(q, ID));
        table_cell(t, "%lld", (long long)sqlite3_column_int64(q, STAGE));
        table_cell(t, "%.12g", sqlite3_column_double(q, AT));
        table_cell(t, "%s", (const char *)sqlite3_column_text(q, RESOURCE));
        for (int i = FIRST_NUMBER; i < N_COLS; i++) table_cell(t, "%.12g", sqlite3_column_double(q, i));
    }
    enum st st = sqlite3_finalize(q) == SQLITE_OK && rc == SQLITE_OK ? ST_OK : failed(s, d);
    if (st == ST_OK && n == 0)
        st = diag_set(d, ST_EINPUT, "run %lld reserved nothing%s%s", (long long)run, resource ? " of " : "", resource ? resource : "");
    if (st == ST_OK) table_print(t, f, to);
    table_destroy(t);
    return st;
}
