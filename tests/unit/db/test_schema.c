/* schema.def is all there is to a column: what is written under its name is read under its name, in every table. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>
#include <sqlite3.h>
#include <unistd.h>
#include "db/merge.h"
#include "db/schema.h"
#include "ref/temp.h"

enum { ROWS = 2 };      /* in each table */

static char dir[TEMP_PATH];
static struct diag d;

static void set_up(void)
{
    temp_dir(dir);
    memset(&d, 0, sizeof d);
}

static void tear_down(void) { temp_drop(dir); }

TestSuite(schema, .init = set_up, .fini = tear_down);

static struct store *made(const char *name)
{
    struct store *s;
    char path[TEMP_PATH + 16];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
    return s;
}

/* A number that no other column has; it grows by row, so that rows keep their order. */
static int64_t number(const char *column, int64_t row)
{
    uint64_t h = 0;
    for (; *column != '\0'; column++) h = h * 131 + (unsigned char)*column;
    return (int64_t)(h & 0xffffffffff) * ROWS + row;
}

/* Of a column that may hold only certain words: the first. */
static const char *allowed(const char *constraint, char word[32])
{
    const char *from = strchr(constraint, '\'');
    (void)snprintf(word, 32, "%.*s", from ? (int)strcspn(from + 1, "'") : 31, from ? from + 1 : "any");
    return word;
}

/* job_row(k) and so on: row k of a table; the odd ones without what may be NULL. */
#define TABLE(t, comment, key) \
    static struct store_##t t##_row(int64_t k) { struct store_##t r; memset(&r, 0, sizeof r); (void)k;
#define TABLE_OF_RUNS(t, comment, key)  TABLE(t, comment, key)
#define END                             return r; }
#define INT(c, comment)                 r.c = number(#c, k);
#define COUNT_TO(c, most, comment)      r.c = k % 2 ? most : 0;
#define INT_OR_NULL(c, comment)         r.c = k % 2 ? -1 : number(#c, k);
#define COUNT(c, comment)               r.c = number(#c, k) & INT32_MAX;
#define INDEX(c, comment)               r.c = number(#c, k) & INT32_MAX;
#define FLAG(c, comment)                r.c = k % 2;
#define UINT(c, comment)                r.c = (uint64_t)number(#c, k) | UINT64_C(1) << 63;
#define REAL(c, comment)                r.c = (double)number(#c, k);
#define REAL_OR_NULL(c, comment)        r.c = k % 2 ? NAN : (double)number(#c, k);
#define TEXT(c, comment)                r.c = k % 2 ? "odd " #c : "even " #c;
#define TEXT_WITH(c, constraint, comment) { static char word[32]; r.c = allowed(constraint, word); }
#define TEXT_OR_NULL(c, comment)        r.c = k % 2 ? NULL : #c;
#include "db/schema.def"

static sqlite3_stmt *rows;              /* stands at the row that is read */

static int column(const char *name)
{
    for (int i = 0; i < sqlite3_column_count(rows); i++)
        if (strcmp(sqlite3_column_name(rows, i), name) == 0) return i;
    cr_assert_fail("no column '%s'", name);
    return -1;
}

static void same_int(const char *c, int64_t x, bool is_null)
{
    int i = column(c);
    cr_expect_eq(sqlite3_column_type(rows, i), is_null ? SQLITE_NULL : SQLITE_INTEGER, "%s", c);
    if (!is_null) cr_expect_eq(sqlite3_column_int64(rows, i), x, "%s", c);
}

static void same_real(const char *c, double x)
{
    int i = column(c);
    cr_expect_eq(sqlite3_column_type(rows, i), isnan(x) ? SQLITE_NULL : SQLITE_FLOAT, "%s", c);
    if (!isnan(x)) cr_expect_eq(sqlite3_column_double(rows, i), x, "%s", c);
}

static void same_text(const char *c, const char *x)
{
    const char *found = (const char *)sqlite3_column_text(rows, column(c));
    cr_expect(x == NULL ? found == NULL : found != NULL && strcmp(found, x) == 0, "%s: '%s', not '%s'", c, found, x);
}

#define TABLE(t, comment, key)          static void same_##t(const struct store_##t *r) {
#define TABLE_OF_RUNS(t, comment, key)  TABLE(t, comment, key)
#define END                             }
#define INT(c, comment)                 same_int(#c, r->c, false);
#define INT_OR_NULL(c, comment)         same_int(#c, r->c, r->c == -1);
#define UINT(c, comment)                same_int(#c, (int64_t)r->c, false);
#define REAL(c, comment)                same_real(#c, r->c);
#define REAL_OR_NULL                    REAL
#define TEXT(c, comment)                same_text(#c, r->c);
#define TEXT_OR_NULL                    TEXT
#include "db/schema.def"

static void open_rows(struct store *s, enum schema_table t)
{
    char sql[64];
    (void)snprintf(sql, sizeof sql, "SELECT * FROM %s", schema_table_name(t));
    cr_assert_eq(sqlite3_prepare_v2(store_db(s), sql, -1, &rows, NULL), SQLITE_OK);
}

static int count_rows(struct store *s, enum schema_table t)
{
    int n = 0;
    open_rows(s, t);
    while (sqlite3_step(rows) == SQLITE_ROW) n++;
    (void)sqlite3_finalize(rows);
    return n;
}

static void find_row(struct store *s, enum schema_table t, int64_t k)
{
    open_rows(s, t);
    for (int64_t i = 0; i <= k; i++) cr_assert_eq(sqlite3_step(rows), SQLITE_ROW, "%s: no row %d", schema_table_name(t), (int)k);
}

/* Every column of every table; rows lie in the order of their keys, which is that of their numbers. */
static void check_rows(struct store *s)
{
#define TABLE_OF_RUNS(t, comment, key)
#define TABLE(t, comment, key) \
    for (int64_t k = 0; k < ROWS; k++) { \
        struct store_##t r = t##_row(k); \
        find_row(s, SCHEMA_##t, k); \
        same_##t(&r); \
        (void)sqlite3_finalize(rows); \
    }
#include "db/schema.def"
}

Test(schema, what_is_written_in_a_column_is_read_in_it_also_after_a_merge_and_goes_with_its_run)
{
    struct store *s = made("one.db"), *out = made("out.db");
    struct store_run r = run_row(0);
    struct merge_tally tally = { 0 };
    int64_t run;
    cr_assert_eq(store_run_begin(s, &r, &run, &d), ST_OK, "%s", d.msg);
#define TABLE_OF_RUNS(t, comment, key)
#define TABLE(t, comment, key) \
    for (int64_t k = 0; k < ROWS; k++) { \
        struct store_##t row = t##_row(k); \
        cr_assert_eq(store_##t(s, run, &row, &d), ST_OK, #t ": %s", d.msg); \
    }
#include "db/schema.def"
    cr_assert_eq(store_run_end(s, run, STORE_DONE, 0x2a, "a message", 0, &d), ST_OK, "%s", d.msg);

    find_row(s, SCHEMA_run, 0);
    r.version = (const char *)sqlite3_column_text(rows, column("version"));
    r.status = "done";
    r.digest = "000000000000002a";
    r.message = "a message";
    same_run(&r);
    cr_expect_eq(sqlite3_column_int64(rows, column("id")), run);
    (void)sqlite3_finalize(rows);
    check_rows(s);

    cr_assert_eq(merge_parts(out, &s, 1, NULL, &tally, &d), ST_OK, "%s", d.msg);
    check_rows(out);

    r = run_row(0);
    cr_assert_eq(store_run_begin(out, &r, &run, &d), ST_OK, "%s", d.msg);
    cr_expect_eq(count_rows(out, SCHEMA_run), 1);
    for (enum schema_table t = SCHEMA_run + 1; t < SCHEMA_TABLES; t++)
        cr_expect_eq(count_rows(out, t), 0, "%s keeps rows", schema_table_name(t));
    store_close(s);
    store_close(out);
}
