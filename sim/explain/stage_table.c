/* stage_table.c -- the table of stage_table.h, from the view v_stage. */
#include "explain/stage_table.h"

#include <sqlite3.h>

#include "base/text.h"
#include "db/query.h"
#include "db/select.h"

static enum st first_run(struct store *s, int64_t *run, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_begin(s, "SELECT min(run) FROM v_stage", &q, d));
    bool none = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) == SQLITE_NULL;
    *run = sqlite3_column_int64(q, 0);
    TRY(query_end(s, q, d));
    if (!none) return ST_OK;
    (void)diag_set(d, ST_EINPUT, "no finished run of the database reserved anything");
    return diag_hint(d, "the policy 'workflow' reserves for jobs whose tasks have an order");
}

static enum st print_heading(struct store *s, int64_t run, enum table_format f, FILE *to, struct diag *d)
{
    sqlite3_stmt *q;
    TRY(query_run(s, run, "SELECT scenario, policy, seed FROM v_run WHERE id = ?1", &q, d));
    bool found = sqlite3_step(q) == SQLITE_ROW;
    if (found && (f == TABLE_TEXT || f == TABLE_MARKDOWN)) {
        text_line(to, "run %lld: %s, %s, seed %lld", (long long)run, query_text(q, 0), query_text(q, 1), (long long)sqlite3_column_int64(q, 2));
        (void)fputc('\n', to);
    }
    TRY(query_end(s, q, d));
    return found ? ST_OK : diag_set(d, ST_EINPUT, "the database has no finished run %lld", (long long)run);
}

enum st stage_table_print(struct store *s, int64_t run, const char *resource, enum table_format f, FILE *to, struct diag *d)
{
    enum { ID, STAGE, AT, RESOURCE, RESERVED, FIRST_NUMBER = RESERVED, N_COLS = 9 };
    if (run < 0) TRY(first_run(s, &run, d));
    TRY(print_heading(s, run, f, to, d));
    sqlite3_stmt *q;
    TRY(query_run(s, run, "SELECT id, stage, at, resource, reserved, need, lendable, reclaimed, usable FROM v_stage"
                  " WHERE run = ?1 AND (?2 IS NULL OR resource = ?2) ORDER BY ordinal, seq", &q, d));
    (void)sqlite3_bind_text(q, 2, resource, -1, SQLITE_STATIC);
    struct table *t = table_of("workflow|#stage|#at, s|resource|#reserved|#needed|#can be shared|#taken back|#usable on entry");
    size_t n = 0;
    for (; sqlite3_step(q) == SQLITE_ROW; n++) {
        table_cell(t, "%s", query_text(q, ID));
        table_cell(t, "%lld", (long long)sqlite3_column_int64(q, STAGE));
        table_cell(t, "%.12g", sqlite3_column_double(q, AT));
        table_cell(t, "%s", query_text(q, RESOURCE));
        for (int i = FIRST_NUMBER; i < N_COLS; i++) table_cell(t, "%.12g", sqlite3_column_double(q, i));
    }
    enum st st = query_end(s, q, d);
    if (st == ST_OK && n == 0) st = select_jobs_kept(s, run, d);
    if (st == ST_OK && n == 0)
        st = diag_set(d, ST_EINPUT, "run %lld reserved nothing%s%s", (long long)run, resource ? " of " : "", resource ? resource : "");
    if (st == ST_OK) table_print(t, f, to);
    table_destroy(t);
    return st;
}
