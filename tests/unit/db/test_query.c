/* Queries: the first error stays, whether it came before a query, in a step of it or in between. */
#include <criterion/criterion.h>
#include <string.h>
#include <sqlite3.h>
#include "db/query.h"
#include "ref/temp.h"

static char dir[TEMP_PATH];
static struct store *s;
static struct diag d;

static void setup(void)
{
    char path[TEMP_PATH + 8];
    temp_dir(dir);
    (void)snprintf(path, sizeof path, "%s/a.db", dir);
    memset(&d, 0, sizeof d);
    cr_assert_eq(store_open(&s, path, &d), ST_OK, "%s", d.msg);
}

static void teardown(void)
{
    store_close(s);
    temp_drop(dir);
}

TestSuite(query, .init = setup, .fini = teardown);

Test(query, an_integer_is_that_of_the_first_row_or_stays)
{
    int64_t x = -1;
    cr_expect_eq(query_int(s, &x, &d, "SELECT %d UNION ALL SELECT 9", 7), ST_OK);
    cr_expect_eq(x, 7);
    cr_expect_eq(query_int(s, &x, &d, "SELECT id FROM run WHERE id = 1"), ST_OK);
    cr_expect_eq(x, 7);
    cr_expect_eq(query_int(s, &x, &d, "SELECT id FROM absent"), ST_EWORLD);
    cr_expect_not_null(strstr(d.msg, "the database failed: no such table: absent"), "%s", d.msg);
}

Test(query, an_error_before_the_end_is_the_one_that_is_told)
{
    sqlite3_stmt *q;
    cr_assert_eq(query_begin(s, "SELECT 1", &q, &d), ST_OK);
    (void)sqlite3_step(q);
    (void)diag_set(&d, ST_EINPUT, "in between");
    cr_expect_eq(query_end(s, q, &d), ST_EINPUT);
    cr_expect_str_eq(d.msg, "in between");
}

Test(query, a_step_that_fails_is_told_at_the_end)
{
    sqlite3_stmt *q;
    cr_assert_eq(query_begin(s, "SELECT abs(-9223372036854775807 - 1)", &q, &d), ST_OK);
    cr_expect_eq(sqlite3_step(q), SQLITE_ERROR);
    cr_expect_eq(query_end(s, q, &d), ST_EWORLD);
    cr_expect_not_null(strstr(d.msg, "integer overflow"), "%s", d.msg);
}

Test(query, statements_that_fail_tell_why)
{
    cr_expect_eq(query_exec(s, "CREATE TEMP TABLE t (x)", &d), ST_OK);
    cr_expect_eq(query_exec(s, "INSERT INTO t VALUES (1, 2)", &d), ST_EWORLD);
    cr_expect_not_null(strstr(d.msg, "2 values"), "%s", d.msg);
}
