/* Unit tests of numbers, spans and dates as files of others write them. */
#include <criterion/criterion.h>
#include <stdio.h>
#include "input/text/value.h"

static int64_t us;
static enum value_form form;
static bool rounded;

static bool span(const char *s) { rounded = false; return value_span(s, DUR_MAX, &us, &form, &rounded); }
static bool date(const char *s, const char *pattern, const char *zone)
{
    const struct value_dates f = { .pattern = pattern, .zone = zone };
    rounded = false;
    return value_date(s, &f, &us, &rounded);
}

Test(value, numbers_are_exact_and_rounding_is_told)
{
    sim_wide v;
    cr_expect(span("475.00000000000006") && us == 475 * TICK_SEC && rounded && form == VALUE_NUMBER);
    cr_expect(span("1.7e3") && us == 1700 * TICK_SEC && !rounded);
    cr_expect(span("25e-1") && us == 2500000 && !rounded);
    cr_expect(span("1e-7") && us == 0 && rounded);
    cr_expect(span("0e999") && us == 0);
    rounded = false;
    cr_expect(value_number("1.0", 1, 10, &v, &rounded) && v == 1 && !rounded);
    cr_expect(value_number("1.5", 1, 10, &v, &rounded) && v == 2 && rounded);
    cr_expect_not(value_number("11", 1, 10, &v, NULL));
    cr_expect_not(span("1e60"));
    cr_expect_not(span("1e99999999999"));
    cr_expect_not(span("99999999999999999999999999999999999999999999"));
    cr_expect_not(span("nan"));
    cr_expect_not(span(""));
}

/* An exponent of 0 takes the way that numbers of any length take. */
Test(value, short_numbers_are_read_as_long_ones_are)
{
    static const char *const text[] = { "0", "7", "007", "1.", ".5", "651507.0", "651507.25", "0.000001", "0.3333333",
                                        "999999999999999999", "9999999999999999999", "123456789.123456789",
                                        "0.000000000000000001", "12.5.", "1.2.3", ".", "", "-1", "1x" };
    static const int64_t unit[] = { 1, 3, 1000, TICK_SEC, INT64_C(1000000000000) };
    for (size_t i = 0; i < ARRAY_LEN(text); i++) {
        for (size_t k = 0; k < ARRAY_LEN(unit); k++) {
            char longer[64];
            sim_wide a = -1, b = -1, most = (sim_wide)1000000 * INT64_C(1000000000000);
            bool off[2] = { false, false };
            (void)snprintf(longer, sizeof longer, "%se0", text[i]);
            const bool is = value_number(text[i], unit[k], most, &a, &off[0]);
            cr_expect_eq(is, value_number(longer, unit[k], most, &b, &off[1]), "'%s'", text[i]);
            cr_expect(a == b && off[0] == off[1], "'%s' times %lld", text[i], (long long)unit[k]);
        }
    }
}

Test(value, spans_have_the_forms_that_files_use)
{
    cr_expect(span("00:10:00") && us == 600 * TICK_SEC && form == VALUE_CLOCK);
    cr_expect(span("1-02:03:04") && us == (26 * 3600 + 3 * 60 + 4) * TICK_SEC && form == VALUE_CLOCK);
    cr_expect(span("100:00:00.25") && us == 360000 * TICK_SEC + 250000);
    cr_expect(span("2-12") && us == 60 * 3600 * TICK_SEC);
    cr_expect(span("2-12:30") && us == (60 * 3600 + 1800) * TICK_SEC);
    cr_expect(span("10m") && us == 600 * TICK_SEC && form == VALUE_UNITS);
    cr_expect(span("1.5h") && us == 5400 * TICK_SEC);
    const char *bad[] = { "10:30", "1:60:00", "1:00:60", "1-24:00:00", "-1", "1-", "a", "1-2-3", "1:2:3:4", "1::2", "10 parsecs" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect_not(span(bad[i]), "'%s'", bad[i]);
}

Test(value, dates_have_zones_and_patterns)
{
    const int64_t at = INT64_C(1585699448) * TICK_SEC;      /* date -u -d '2020-04-01 00:04:08' +%s */
    cr_expect(date("2020-04-01 00:04:08", NULL, NULL) && us == at);
    cr_expect(date("2020-04-01T00:04:08Z", NULL, "+08:00") && us == at);      /* its own zone counts */
    cr_expect(date("2020-04-01T08:04:08", NULL, "+08:00") && us == at);
    cr_expect(date("2020/04/01 00:04:08.5 UTC", NULL, NULL) && us == at + 500000);
    cr_expect(date("2020-04-01T00:04:08.1234567-00:00", NULL, NULL) && us == at + 123456 && rounded);
    cr_expect(date("01.04.2020 00:04:08", "DD.MM.YYYY hh:mm:ss", NULL) && us == at);
    cr_expect(date("20200401000408", "YYYYMMDDhhmmss", "Z") && us == at);
    cr_expect(date("2024-02-29", NULL, NULL) && us == INT64_C(1709164800) * TICK_SEC);
    const char *bad[] = { "2023-02-29", "2020-13-01", "2020-04-31", "2020-04-01 24:00", "1969-12-31", "2020-4-1", "04/01/2020", "noon",
                          "2020-04-01T", "2020-04-01 00:04:08+99:00", "2020-04-01 00:04:08 CEST" };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) cr_expect_not(date(bad[i], NULL, NULL), "'%s'", bad[i]);
    cr_expect(value_is_pattern("DD/MM/YYYY"));
    cr_expect_not(value_is_pattern("hh:mm"));
    cr_expect_not(value_is_pattern("YYYY-MM-DD MM"));
}

Test(value, a_date_near_another_is_read_as_it_is_alone)
{
    static const char *const text[] = { "2017-10-09 07:01:55", "2017-10-09 23:59:60", "2017-10-09 24:00:00", "2017-10-09T07:01:55",
                                        "2017-10-09 07:01:5", "2017-10-09 07:01:55Z", "2017-10-09 07:60:55", "2017-10-09 7:01:555",
                                        "2017-10-10 00:00:00", "2017-02-29 00:00:00", "2016-02-29 00:00:00", "2017-03-26 01:30:00",
                                        "2017-03-26 12:00:00", "2017-03-26 00:00:00", "", "1970-01-01 00:00:00", "1970-01-01 23:59:59" };
    static const char *const zone[] = { NULL, "+02:00", "-05:30", "Europe/Berlin" };
    for (size_t z = 0; z < ARRAY_LEN(zone); z++) {
        const struct value_dates f = { .zone = zone[z] };
        struct value_day day = { .begin = 0 };
        for (size_t i = 0; i < 2 * ARRAY_LEN(text) * ARRAY_LEN(text); i++) {     /* each behind each */
            const char *const s = text[i % 2 == 0 ? i / 2 % ARRAY_LEN(text) : i / 2 / ARRAY_LEN(text)];
            int64_t a = -1, b = -1;
            const bool is = value_date(s, &f, &a, NULL);
            cr_expect_eq(value_date_near(s, &f, &day, &b, NULL), is, "'%s'", s);
            cr_expect(!is || a == b, "'%s'", s);
        }
    }
}

Test(value, named_zones_know_summer_time)
{
    cr_expect_not(value_is_zone("Nowhere/At_All"));
    cr_expect_not(value_is_zone("../../etc/passwd"));
    cr_expect(value_is_zone("-05:30"));
    if (!value_is_zone("Europe/Berlin")) cr_skip_test("skipped: no time zones on this machine");
    cr_expect(date("2024-01-01 01:00:00", NULL, "Europe/Berlin") && us == INT64_C(1704067200) * TICK_SEC);
    cr_expect(date("2024-07-01 02:00:00", NULL, "Europe/Berlin") && us == INT64_C(1719792000) * TICK_SEC);
}
