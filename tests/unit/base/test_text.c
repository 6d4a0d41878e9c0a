/* Unit tests of sim/base/text: quantities as users write them. */
#include <criterion/criterion.h>
#include <string.h>
#include "base/text.h"

static char error[256];

static void is(const char *s, enum text_dimension dimension, int64_t unit, int64_t want)
{
    int64_t got = -1;
    cr_expect(text_parse(s, dimension, unit, &got, error, sizeof error), "'%s': %s", s, error);
    cr_expect_eq(got, want, "'%s' is %lld, expected %lld", s, (long long)got, (long long)want);
}

static void fails(const char *s, enum text_dimension dimension, int64_t unit, const char *reason)
{
    int64_t got = -1;
    cr_expect_not(text_parse(s, dimension, unit, &got, error, sizeof error), "'%s' gave %lld", s, (long long)got);
    cr_expect(strstr(error, reason) != NULL, "'%s': '%s' lacks '%s'", s, error, reason);
    cr_expect_eq(got, -1);
}

Test(text, durations_have_seven_units)
{
    is("3us", TEXT_DURATION, 0, 3);
    is("450ms", TEXT_DURATION, 0, 450000);
    is("2s", TEXT_DURATION, 0, 2000000);
    is("4m", TEXT_DURATION, 0, 240000000);
    is("1.5h", TEXT_DURATION, 0, INT64_C(5400000000));
    is("2 d", TEXT_DURATION, 0, INT64_C(172800000000));
    is("1w", TEXT_DURATION, 0, INT64_C(604800000000));
    is("90", TEXT_DURATION, TICK_SEC, 90000000);
    is("0", TEXT_DURATION, TICK_SEC, 0);
}

Test(text, durations_and_bytes_round_to_nearest)
{
    is("0.0000004", TEXT_DURATION, TICK_SEC, 0);
    is("0.0000005", TEXT_DURATION, TICK_SEC, 1);
    is("1.4B", TEXT_BYTES, 0, 1);
    is("0.3KiB", TEXT_BYTES, 0, 307);
}

Test(text, bytes_know_decimal_and_binary_units)
{
    is("25GB", TEXT_BYTES, 0, INT64_C(25000000000));
    is("16GiB", TEXT_BYTES, 0, INT64_C(17179869184));
    is("187000M", TEXT_BYTES, 0, INT64_C(187000) << 20);     /* as Slurm has it */
    is("500G", TEXT_BYTES, 0, INT64_C(500) << 30);
    is("2T", TEXT_BYTES, 0, INT64_C(2) << 40);
    is("1kB", TEXT_BYTES, 0, 1000);
    is("64", TEXT_BYTES, INT64_C(1) << 20, INT64_C(64) << 20);
}

Test(text, rates_count_bytes_and_bits)
{
    is("25GB/s", TEXT_RATE, 0, INT64_C(25000000000));
    is("1Gb/s", TEXT_RATE, 0, 125000000);
    is("8b/s", TEXT_RATE, 0, 1);
    is("1GiB/s", TEXT_RATE, 0, INT64_C(1) << 30);
    fails("1b/s", TEXT_RATE, 0, "not whole");
}

Test(text, thousandths_are_exact)
{
    is("0.5", TEXT_MILLI, 1000, 500);
    is("2", TEXT_MILLI, 1000, 2000);
    is("250m", TEXT_MILLI, 1000, 250);
    is(".001", TEXT_MILLI, 1000, 1);
    fails("0.0005", TEXT_MILLI, 1000, "not whole");
}

Test(text, counts_have_powers_of_ten)
{
    is("12", TEXT_COUNT, 1, 12);
    is("5k", TEXT_COUNT, 1, 5000);
    is("1.5M", TEXT_COUNT, 1, 1500000);
    fails("1.5", TEXT_COUNT, 1, "not whole");
}

Test(text, what_is_not_a_quantity_is_refused_with_a_reason)
{
    fails("", TEXT_DURATION, TICK_SEC, "not a quantity");
    fails("h", TEXT_DURATION, TICK_SEC, "not a quantity");
    fails(".", TEXT_DURATION, TICK_SEC, "not a quantity");
    fails("-1s", TEXT_DURATION, TICK_SEC, "negative");
    fails("4hours", TEXT_DURATION, TICK_SEC, "unknown unit 'hours'");
    fails("4h 5", TEXT_DURATION, TICK_SEC, "unknown unit");
    fails("1.2.3", TEXT_DURATION, TICK_SEC, "unknown unit '.3'");
    fails("90", TEXT_DURATION, 0, "no unit");
    fails("16Gib", TEXT_BYTES, 0, "unknown unit");
    fails("1e9", TEXT_COUNT, 1, "unknown unit");
    fails("nan", TEXT_COUNT, 1, "not a quantity");
}

Test(text, overflow_is_refused_and_the_largest_value_is_not)
{
    is("9223372036854775807", TEXT_COUNT, 1, INT64_MAX);
    fails("9223372036854775808", TEXT_COUNT, 1, "too");
    fails("9223372036854775807", TEXT_DURATION, TICK_SEC, "too large");
    fails("99999999999999999999999999999999999999999999", TEXT_COUNT, 1, "too many digits");
    is("106751991d", TEXT_DURATION, 0, INT64_C(106751991) * 86400 * TICK_SEC);
    fails("106751992d", TEXT_DURATION, 0, "too large");
    fails("0.00000000000000000000001s", TEXT_DURATION, 0, "too many digits");
}

Test(text, int_takes_the_whole_string_and_the_whole_range)
{
    int64_t v;
    cr_expect(text_int("-9223372036854775808", &v) && v == INT64_MIN);
    cr_expect(text_int("9223372036854775807", &v) && v == INT64_MAX);
    cr_expect(text_int("+7", &v) && v == 7);
    cr_expect(text_int("-0", &v) && v == 0);
    const char *bad[] = { "", "-", "+", "1 ", " 1", "1.0", "0x1", "9223372036854775808", "-9223372036854775809" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect_not(text_int(bad[i], &v), "'%s'", bad[i]);
}

Test(text, double_is_finite_and_whole)
{
    double v;
    cr_expect(text_double("0.25", &v) && v >= 0.25 && v <= 0.25);
    cr_expect(text_double("-1e3", &v) && v >= -1000 && v <= -1000);
    const char *bad[] = { "", "1x", "inf", "nan", "0x10", "1e999", "1,5", "--1" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect_not(text_double(bad[i], &v), "'%s'", bad[i]);
}

Test(text, a_duration_is_told_in_its_two_largest_units)
{
    char b[64];
    const struct { sim_tick us; const char *want; } t[] = {
        { 0, "0 s" }, { 7, "7 us" }, { 450000, "450 ms" }, { 2 * TICK_SEC, "2 s" }, { 3250000, "3.250 s" },
        { 192 * TICK_SEC, "3m 12s" }, { 3600 * TICK_SEC, "1h" }, { INT64_C(100800) * TICK_SEC, "1d 4h" },
        { -192 * TICK_SEC, "-3m 12s" }
    };
    for (size_t i = 0; i < ARRAY_LEN(t); i++) cr_expect_str_eq(text_duration(b, sizeof b, t[i].us), t[i].want);
}

/* RFC 4180, section 2: 5 to 7. */
Test(text, a_csv_field_is_quoted_where_it_must_be)
{
    const struct { const char *s; bool always; const char *want; } t[] = {
        { "plain", false, "plain" }, { "", false, "" }, { "", true, "\"\"" }, { " a ", true, "\" a \"" }, { "a,b", false, "\"a,b\"" },
        { "say \"so\"", false, "\"say \"\"so\"\"\"" }, { "two\nlines", false, "\"two\nlines\"" }, { "a\r", false, "\"a\r\"" },
    };
    for (size_t i = 0; i < ARRAY_LEN(t); i++) {
        char b[64] = "";
        FILE *f = fmemopen(b, sizeof b, "w");
        text_csv(t[i].s, t[i].always, f);
        (void)fclose(f);
        cr_expect_str_eq(b, t[i].want);
    }
}

/* RFC 3629, section 4: the first and last sequence of each length, and what stands just outside. */
Test(text, utf8_is_what_the_rfc_says)
{
    static const char *const good[] = { "", "a~", "\xc2\x80\xdf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf" };
    static const char *const bad[] = { "\x80", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xe2\x82" };
    for (size_t i = 0; i < ARRAY_LEN(good); i++) cr_expect_eq(text_utf8(good[i], strlen(good[i])), strlen(good[i]), "good %zu", i);
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        char s[8];
        (void)snprintf(s, sizeof s, "ab%s", bad[i]);
        cr_expect_eq(text_utf8(s, strlen(s)), 2, "bad %zu", i);
    }
}

/* ESC [ 2 J clears a terminal; so does CSI, U+009B, alone as a byte or as UTF-8. */
Test(text, what_is_shown_cannot_steer_a_terminal)
{
    const struct { const char *s, *want; } t[] = {
        { "", "" }, { "plain z\u00fcrich \\", "plain z\u00fcrich \\" }, { "\033[2J", "\\x1b[2J" }, { "a\nb\tc\r\x7f", "a\\nb\\tc\\x0d\\x7f" },
        { "\xc2\x9b" "2J\xc2\xa0", "\\u009b2J\xc2\xa0" }, { "\x9b" "2J", "\\x9b2J" }, { "\xff\xfe\xe2\x82", "\\xff\\xfe\\xe2\\x82" }, { "\x80\u00b1\x01", "\\x80\u00b1\\x01" },
    };
    for (size_t i = 0; i < ARRAY_LEN(t); i++) {
        char *shown = text_shown(t[i].s), line[64] = "", want[64];
        cr_expect_str_eq(shown, t[i].want, "%zu", i);
        free(shown);
        FILE *f = fmemopen(line, sizeof line, "w");
        text_line(f, "%d: %s.", 7, t[i].s);
        (void)fclose(f);
        (void)snprintf(want, sizeof want, "7: %s.\n", t[i].want);
        cr_expect_str_eq(line, want, "%zu", i);
    }
}
