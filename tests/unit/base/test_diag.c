/* Diagnostics: the first error wins, is shown where it is, and suggests. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/diag.h"

static const char *printed(const struct diag *d)
{
    static char buf[4096];
    memset(buf, 0, sizeof buf);
    FILE *f = fmemopen(buf, sizeof buf - 1, "w");
    diag_print(d, f);
    (void)fclose(f);
    return buf;
}

Test(diag, the_first_error_wins)
{
    struct diag d = { 0 };
    cr_assert_eq(diag_set(&d, ST_EINPUT, "first %d", 1), ST_EINPUT);
    cr_assert_eq(diag_at(&d, ST_EWORLD, "f", 1, 1, "second"), ST_EINPUT);
    cr_assert_str_eq(d.msg, "first 1");
    diag_hint(&d, "do this");
    diag_hint(&d, "or that");
    cr_assert_str_eq(d.hint, "do this");
    cr_assert_str_eq(printed(&d), "fairway: error: first 1\n  hint: do this\n");
}

Test(diag, nothing_is_printed_when_nothing_went_wrong)
{
    struct diag d = { 0 };
    cr_assert_str_eq(printed(&d), "");
}

Test(diag, a_place_is_file_line_and_column_as_far_as_known)
{
    struct diag a = { 0 }, b = { 0 }, c = { 0 };
    (void)diag_at(&a, ST_EINPUT, "/nonexistent/x.csv", 12, 7, "bad");
    (void)diag_at(&b, ST_EINPUT, "/nonexistent/x.csv", 12, 0, "bad");
    (void)diag_at(&c, ST_EINPUT, "/nonexistent/x.csv", 0, 0, "bad");
    cr_assert_str_eq(printed(&a), "/nonexistent/x.csv:12:7: error: bad\n");
    cr_assert_str_eq(printed(&b), "/nonexistent/x.csv:12: error: bad\n");
    cr_assert_str_eq(printed(&c), "/nonexistent/x.csv: error: bad\n");
}

Test(diag, the_caret_stands_under_its_column_tabs_included)
{
    char path[] = "/tmp/fairway-diag-XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0);
    FILE *f = fdopen(fd, "w");
    fputs("one\r\n\ttwo: three\nlast", f);
    (void)fclose(f);
    struct diag d = { 0 }, e = { 0 }, past = { 0 };
    char want[512];
    (void)diag_at(&d, ST_EINPUT, path, 2, 7, "bad");
    (void)snprintf(want, sizeof want, "%s:2:7: error: bad\n    \ttwo: three\n    \t     ^\n", path);
    cr_assert_str_eq(printed(&d), want);
    (void)diag_at(&e, ST_EINPUT, path, 3, 1, "bad");
    (void)snprintf(want, sizeof want, "%s:3:1: error: bad\n    last\n    ^\n", path);
    cr_assert_str_eq(printed(&e), want);
    (void)diag_at(&past, ST_EINPUT, path, 9, 1, "bad");
    (void)snprintf(want, sizeof want, "%s:9:1: error: bad\n", path);
    cr_assert_str_eq(printed(&past), want);
    (void)unlink(path);
}

Test(diag, a_line_longer_than_the_buffer_counts_once)
{
    char path[] = "/tmp/fairway-diag-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "w");
    for (int i = 0; i < 10000; i++) fputc('x', f);
    fputs("\nhere\n", f);
    (void)fclose(f);
    struct diag d = { 0 };
    (void)diag_at(&d, ST_EINPUT, path, 2, 1, "bad");
    cr_assert_not_null(strstr(printed(&d), "    here\n    ^\n"));
    (void)unlink(path);
}

Test(diag, what_is_printed_cannot_steer_a_terminal)
{
    struct diag d = { 0 };
    char path[] = "/tmp/fairway-diag-XXXXXX", want[256];
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && write(fd, "a\033b\there\n", 9) == 9 && close(fd) == 0);
    (void)diag_at(&d, ST_EINPUT, path, 1, 5, "found 'a\033b\nfairway: error: x'");
    diag_hint(&d, "not \033");
    (void)snprintf(want, sizeof want, "%s:1:5: error: found 'a\\x1bb\\nfairway: error: x'\n    a\\x1bb\there\n          \t^\n  hint: not \\x1b\n", path);
    cr_expect_str_eq(printed(&d), want, "%s", printed(&d));
    (void)unlink(path);
}

Test(diag, a_message_too_long_is_cut_not_overrun)
{
    static char longer[4000];
    memset(longer, 'm', sizeof longer - 1);
    struct diag d = { 0 };
    (void)diag_at(&d, ST_EINPUT, longer, 1, 1, "%s", longer);
    cr_assert_eq(strlen(d.msg), sizeof d.msg - 1);
    cr_assert_eq(strlen(d.file), sizeof d.file - 1);
}

Test(diag, nearest_allows_slips_and_rejects_strangers)
{
    static const char *const words[] = { "cluster", "trace", "policies", "faults", "gpu" };
    cr_assert_str_eq(diag_nearest("clutser", words, 5), "cluster");     /* a transposition is one */
    cr_assert_str_eq(diag_nearest("traces", words, 5), "trace");
    cr_assert_str_eq(diag_nearest("polices", words, 5), "policies");
    cr_assert_null(diag_nearest("zzzzzz", words, 5));
    cr_assert_null(diag_nearest("", words, 5));
    cr_assert_null(diag_nearest("abc", words, 5), "three letters of three wrong is no slip");
    cr_assert_null(diag_nearest("x", NULL, 0));
}

Test(diag, nearest_breaks_ties_by_order)
{
    static const char *const words[] = { "node_a", "node_b" };
    cr_assert_str_eq(diag_nearest("node_c", words, 2), "node_a");
}

Test(diag, exit_statuses_are_the_documented_ones)
{
    cr_assert_eq(diag_exit_status(ST_OK), 0);
    cr_assert_eq(diag_exit_status(ST_EINPUT), 2);
    cr_assert_eq(diag_exit_status(ST_EWORLD), 3);
    cr_assert_eq(diag_exit_status(ST_EPOLICY), 4);
    cr_assert_eq(diag_exit_status(ST_EINTR), 130);
}
