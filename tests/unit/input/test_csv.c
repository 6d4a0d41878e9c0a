/* Unit tests of sim/input/text/csv and sim/input/text/lines: rows, places, limits. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/rng.h"
#include "input/text/csv.h"
#include "input/text/lines.h"
#include "ref/temp.h"

static struct diag d;
static struct csv *c;
static char path[64];
static const char *const names[] = { "a", "b" };

static void put(const char *text, size_t n)
{
    temp_bytes(path, text, n);
    memset(&d, 0, sizeof d);
}

static int at[2];

static void open_text(const char *text)
{
    static const bool need[] = { true, true };
    put(text, strlen(text));
    cr_assert_eq(csv_open(&c, path, ',', &d), ST_OK);
    cr_assert_eq(csv_columns(c, names, need, at, 2, false, NULL, &d), ST_OK, "%s", d.msg);
}

static void done(void)
{
    csv_close(c);
    unlink(path);
}

static void row(const char *a, const char *b, uint32_t line)
{
    cr_assert_eq(csv_next(c, &d), ST_OK, "line %u: %s", d.line, d.msg);
    cr_expect_str_eq(csv_field(c, at[0]), a);
    cr_expect_str_eq(csv_field(c, at[1]), b);
    cr_expect_eq(csv_line(c), line, "line %u, expected %u", csv_line(c), line);
}

Test(csv, crlf_bom_quotes_blank_lines_and_a_missing_newline_are_survived)
{
    open_text("\xEF\xBB\xBF" "b,a\r\n\r\n1,\"x,y\"\r\n\n\"say \"\"hi\"\"\",2\r\n  3 , 4");
    row("x,y", "1", 3);
    row("2", "say \"hi\"", 5);
    row("4", "3", 6);
    cr_expect_eq(csv_next(c, &d), ST_END);
    cr_expect_eq(csv_next(c, &d), ST_END);
    done();
}

Test(csv, a_row_may_span_lines_and_the_next_one_keeps_its_line)
{
    open_text("a,b\n\"1\n2\n\n3\",x\n4,y\n");
    row("1\n2\n\n3", "x", 2);
    row("4", "y", 6);
    done();
}

Test(csv, an_error_names_line_and_column_of_the_field)
{
    int64_t v = 7;
    open_text("a,b\n\"q,\n\"\"\",12x\n");
    cr_assert_eq(csv_next(c, &d), ST_OK);
    cr_expect_eq(csv_int(c, at[1], 0, 100, &v, &d), ST_EINPUT);
    cr_expect_eq(d.line, 3);
    cr_expect_eq(d.col, 5);
    cr_expect_eq(v, 7);
    done();
}

Test(csv, rows_far_longer_than_a_block_arrive_whole)
{
    const size_t n = 200000;
    char *text = calloc(1, n + 64);
    strcpy(text, "a,b\n1,");
    memset(text + 6, 'z', n);
    strcat(text, "\n2,end\n");
    open_text(text);
    cr_assert_eq(csv_next(c, &d), ST_OK);
    cr_expect_eq(strlen(csv_field(c, at[1])), n);
    row("2", "end", 3);
    done();
    free(text);
}

Test(csv, a_row_above_the_limit_is_refused)
{
    char *text = malloc(CSV_ROW_MAX + 64);
    strcpy(text, "a,b\n1,\"");
    memset(text + 7, '\n', CSV_ROW_MAX);        /* a quote left open swallows the file */
    text[7 + CSV_ROW_MAX] = '\0';
    open_text(text);
    cr_expect_eq(csv_next(c, &d), ST_EINPUT);
    cr_expect_eq(d.line, 2);
    done();
    free(text);
}

Test(csv, decimals_are_exact_and_round_once)
{
    int64_t v;
    cr_expect(csv_decimal("0.1", TICK_SEC, &v) && v == 100000);
    cr_expect(csv_decimal("172800.0", TICK_SEC, &v) && v == INT64_C(172800000000));
    cr_expect(csv_decimal("0.0000005", TICK_SEC, &v) && v == 1);
    cr_expect(csv_decimal("0.00000049999999999999999999999", TICK_SEC, &v) && v == 0);
    cr_expect(csv_decimal("9223372036854.775807", TICK_SEC, &v) && v == INT64_MAX);
    cr_expect(csv_decimal("1.7e9", TICK_SEC, &v) && v == INT64_C(1700000000) * TICK_SEC);
    cr_expect(csv_decimal("15E-1", TICK_SEC, &v) && v == 1500000);
    const char *bad[] = { "", ".", "1e", "1e+", "-1", "+1", "1.2.3", "0x1", "9223372036854.775808", "99999999999999999999999", "1 " };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect_not(csv_decimal(bad[i], TICK_SEC, &v), "'%s'", bad[i]);
}

Test(csv, a_missing_file_is_the_users_mistake)
{
    memset(&d, 0, sizeof d);
    cr_expect_eq(csv_open(&c, "/nonexistent/x.csv", ',', &d), ST_EINPUT);
    cr_expect_str_eq(d.file, "/nonexistent/x.csv");
}

Test(lines, words_keep_their_columns)
{
    struct lines l;
    const char *text = "\xEF\xBB\xBFone  two\r\n\n last";
    size_t i = 0;
    put(text, strlen(text));
    cr_assert_eq(lines_open(&l, path, &d), ST_OK);
    cr_assert_eq(lines_next(&l, &d), ST_OK);
    cr_expect_str_eq(lines_word(&l, &i), "one");
    char *w = lines_word(&l, &i);
    cr_expect_str_eq(w, "two");
    cr_expect_eq(w - l.text, 5);
    cr_expect_null(lines_word(&l, &i));
    cr_assert_eq(lines_next(&l, &d), ST_OK);
    i = 0;
    cr_expect_null(lines_word(&l, &i));
    cr_assert_eq(lines_next(&l, &d), ST_OK);
    i = 0;
    cr_expect_str_eq(lines_word(&l, &i), "last");
    cr_expect_eq(l.line, 3);
    cr_expect_eq(lines_next(&l, &d), ST_END);
    lines_close(&l);
    unlink(path);
}

/* Plain lines are split by us, quoted ones by libcsv: the same fields, whatever is in them. */
Test(csv, a_plain_line_is_what_the_quoted_one_is)
{
    static const char *const field[] = { "", "x", "a-b.c", "0.5", "e|f;g", "it's", "$%&*", "-1" };
    char text[4096] = "a,b\r\n";
    for (size_t i = 0; i < ARRAY_LEN(field); i++)
        for (size_t k = 0; k < ARRAY_LEN(field); k++) {
            char *end = text + strlen(text);
            sprintf(end, "%s,%s%s\"%s\",\"%s\"\n", field[i], field[k], k % 2 == 0 ? "\n" : "\r\n", field[i], field[k]);
        }
    open_text(text);
    uint32_t line = 2;
    for (size_t i = 0; i < ARRAY_LEN(field); i++)
        for (size_t k = 0; k < ARRAY_LEN(field); k++) {
            row(field[i], field[k], line++);
            row(field[i], field[k], line++);
        }
    cr_expect_eq(csv_next(c, &d), ST_END);
    done();
}

/* A byte that is not ASCII sends the whole line to libcsv; its other fields, and where they stand, stay as they are. */
Test(csv, plain_lines_are_split_as_libcsv_splits_them)
{
    enum { ROWS = 5000 };
    static const char bytes[] = "ab  0.5-;|\t!#~\x7f";
    static const char *const all[] = { "x", "a", "b" };
    static char plain[ROWS * 40], other[ROWS * 40];
    static struct { char field[2][16]; uint32_t col; } seen[ROWS];
    struct rng g;
    size_t n = 0;
    rng_init(&g, 1, "csv", 0);
    for (size_t i = 0; i < ROWS; i++) {
        n += (size_t)sprintf(plain + n, "xy,");
        for (uint64_t k = rng_below(&g, 12); k > 0; k--) plain[n++] = bytes[rng_below(&g, sizeof bytes - 1)];
        plain[n++] = ',';
        for (uint64_t k = rng_below(&g, 12); k > 0; k--) plain[n++] = bytes[rng_below(&g, sizeof bytes - 1)];
        n += (size_t)sprintf(plain + n, rng_below(&g, 3) == 0 ? "\r\n" : "\n");
    }
    memcpy(other, plain, n);
    for (char *s = other; (s = strstr(s, "xy,")) != NULL;) memcpy(s, "\xC3\xA9", 2);
    for (int pass = 0; pass < 2; pass++) {
        put(pass == 0 ? plain : other, n);
        cr_assert_eq(csv_open(&c, path, ',', &d), ST_OK);
        csv_no_header(c, all, 3);
        for (uint32_t i = 0; i < ROWS; i++) {
            struct diag told = { 0 };
            cr_assert_eq(csv_next(c, &d), ST_OK, "line %u: %s", i + 1, d.msg);
            (void)csv_fail(c, 2, &told, "here");
            for (int k = 0; k < 2 && pass == 0; k++) strcpy(seen[i].field[k], csv_field(c, k + 1));
            if (pass == 0) seen[i].col = told.col;
            for (int k = 0; k < 2; k++) cr_expect_str_eq(csv_field(c, k + 1), seen[i].field[k], "line %u", i + 1);
            cr_expect(told.line == i + 1 && told.col == seen[i].col, "line %u", i + 1);
        }
        cr_expect_eq(csv_next(c, &d), ST_END);
        done();
    }
}
