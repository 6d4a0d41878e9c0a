/* value.c -- numbers, spans and dates of value.h; dates by arithmetic, but for named time zones, which the C library knows. */
#include "input/text/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/text.h"

const char *const value_form_words[VALUE_FORMS] = {
    [VALUE_NUMBER] = "a number", [VALUE_CLOCK] = "hours:minutes:seconds", [VALUE_UNITS] = "a time with its unit",
    [VALUE_DATE] = "a date",
};

enum { EXPONENT_MAX = 60 };     /* beyond it everything is too large, or nothing */
static const sim_wide SCALE_MAX = (sim_wide)1000000000 * 1000000000;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void round_off(bool *rounded) { if (rounded != NULL) *rounded = true; }

/* "e-3" at s, or nothing. */
static bool read_exponent(const char *s, int *out)
{
    *out = 0;
    if (*s == '\0') return true;
    if (*s != 'e' && *s != 'E') return false;
    bool neg = s[1] == '-';
    s += 1 + (s[1] == '-' || s[1] == '+');
    if (!is_digit(*s)) return false;
    for (; is_digit(*s); s++) if (*out <= EXPONENT_MAX) *out = *out * 10 + (*s - '0');
    if (neg) *out = -*out;
    return *s == '\0';
}

/*
 * Digits and a point, so few that 64 bits hold them, as a whole number of *unit: *digits times what is then *unit.
 * False: it is not such a number.
 */
static inline bool read_short(const char *s, uint64_t *unit, uint64_t *digits)
{
    enum { DIGITS = 18 };
    const char *const from = s;
    uint64_t v = 0;
    unsigned digit;
    for (; (digit = (unsigned)*s - '0') <= 9; s++) v = v * 10 + digit;
    const bool dot = *s == '.';
    if (dot)
        for (ptrdiff_t zeros = 0; (digit = (unsigned)*++s - '0') <= 9;) {
            zeros++;
            if (digit == 0) continue;           /* where no others follow they say nothing */
            for (; zeros > 0; zeros--, *unit /= 10, v *= 10)
                if (*unit % 10 != 0) return false;
            v += digit;
        }
    const ptrdiff_t n = s - from - dot;
    *digits = v;
    return *s == '\0' && n > 0 && n <= DIGITS;
}

bool value_short(const char *s, int64_t unit, int64_t *out)
{
    uint64_t left = (uint64_t)unit, digits;
    return read_short(s, &left, &digits) && !__builtin_mul_overflow((int64_t)digits, (int64_t)left, out);
}

bool value_number(const char *s, sim_wide unit, sim_wide max, sim_wide *out, bool *rounded)
{
    uint64_t left = (uint64_t)unit, digits;
    if (read_short(s, &left, &digits)) {
        const sim_wide brief = (sim_wide)digits * (int64_t)left;
        if (brief > max) return false;
        *out = brief;
        return true;
    }
    sim_wide v = 0, scale = 1;
    bool any = false, dot = false;
    int exponent;
    for (; is_digit(*s) || (*s == '.' && !dot); s++) {
        if (*s == '.') { dot = true; continue; }
        any = true;
        if (dot && scale >= SCALE_MAX) {        /* below half of any unit that we have */
            if (*s != '0') round_off(rounded);
            continue;
        }
        if (v > ((sim_wide)1 << 120) / 10) return false;
        v = v * 10 + (*s - '0');
        if (dot) scale *= 10;
    }
    if (!any || !read_exponent(s, &exponent)) return false;
    for (int i = exponent < -EXPONENT_MAX ? -EXPONENT_MAX : exponent; i != 0 && v != 0; i += i > 0 ? -1 : 1) {
        if (i < 0 && scale < SCALE_MAX) scale *= 10;
        else if (i < 0) {
            if (v % 10 != 0) round_off(rounded);
            v /= 10;
        } else if (scale > 1) scale /= 10;
        else if (v > ((sim_wide)1 << 120) / 10) return false;
        else v *= 10;
    }
    sim_wide whole, part = v % scale * unit;
    if (__builtin_mul_overflow(v / scale, unit, &whole)) return false;
    if (part % scale != 0) round_off(rounded);
    whole += (part * 2 + scale) / (2 * scale);
    if (whole > max) return false;
    *out = whole;
    return true;
}

/* ---- spans ---- */

/* [days-]hours:minutes:seconds; with days the smaller parts may be missing. */
static bool read_clock(const char *s, int64_t max, int64_t *us, bool *rounded)
{
    const char *dash = strchr(s, '-');
    int64_t part[4] = { 0 };
    sim_wide seconds = 0;
    size_t n = dash == NULL ? 1 : 0;            /* part: days, hours, minutes */
    for (const char *p = s;; p++) {
        size_t len = strspn(p, "0123456789");
        if (n == 3) {
            if (!is_digit(*p) || strpbrk(p, "eE") != NULL ||
                !value_number(p, TICK_SEC, 60 * TICK_SEC - 1, &seconds, rounded))
                return false;
            break;
        }
        if (len == 0 || len > 9) return false;
        part[n++] = strtol(p, NULL, 10);
        p += len;
        if (*p == '\0' && dash != NULL && n > 1) break;
        if (*p != (p == dash ? '-' : ':')) return false;
    }
    if (part[2] > 59 || (dash != NULL && part[1] > 23)) return false;
    sim_wide all = (sim_wide)((part[0] * 24 + part[1]) * 3600 + part[2] * 60) * TICK_SEC + seconds;
    if (all > max) return false;
    *us = (int64_t)all;
    return true;
}

bool value_span(const char *s, int64_t max, int64_t *us, enum value_form *form, bool *rounded)
{
    char error[128];
    sim_wide v;
    if (value_number(s, TICK_SEC, max, &v, rounded)) {
        *form = VALUE_NUMBER;
        *us = (int64_t)v;
        return true;
    }
    *form = VALUE_CLOCK;
    if (read_clock(s, max, us, rounded)) return true;
    *form = VALUE_UNITS;
    return is_digit(*s) && text_parse(s, TEXT_DURATION, 0, us, error, sizeof error) && *us <= max;
}

/* ---- dates ---- */

int64_t value_days(int64_t y, int64_t m, int64_t day)
{
    /* Hinnant, "chrono-compatible low-level date algorithms". */
    y -= m <= 2;
    int64_t era = y / 400, yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719468;
}

enum part { YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, N_PARTS };
struct moment { int64_t at[N_PARTS], us; const char *zone; };      /* zone: what the text ends with; NULL: nothing */

static bool is_moment(const struct moment *m)
{
    static const int month_days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    const int64_t *p = m->at;
    bool leap = p[YEAR] % 4 == 0 && (p[YEAR] % 100 != 0 || p[YEAR] % 400 == 0);
    return p[YEAR] >= 1970 && p[MONTH] >= 1 && p[MONTH] <= 12 && p[DAY] >= 1 &&
           p[DAY] <= month_days[p[MONTH] - 1] + (leap && p[MONTH] == 2) && p[HOUR] <= 23 && p[MINUTE] <= 59 &&
           p[SECOND] <= 60;
}

/* n digits exactly. */
static inline bool take(const char **s, size_t n, int64_t *out)
{
    int64_t v = 0;
#pragma GCC unroll 4
    for (size_t i = 0; i < n; i++) {
        if (!is_digit((*s)[i])) return false;
        v = v * 10 + ((*s)[i] - '0');
    }
    *s += n;
    *out = v;
    return true;
}

/* Letters of a pattern: how many, and what they are. */
static const struct { const char *letters; enum part part; } patterns[] = {
    { "YYYY", YEAR }, { "MM", MONTH }, { "DD", DAY }, { "hh", HOUR }, { "mm", MINUTE }, { "ss", SECOND },
};

static size_t pattern_at(const char *f)
{
    size_t i = 0;
    while (i < ARRAY_LEN(patterns) && strncmp(f, patterns[i].letters, strlen(patterns[i].letters)) != 0) i++;
    return i;
}

bool value_is_pattern(const char *f)
{
    unsigned seen = 0;
    while (*f != '\0') {
        size_t i = pattern_at(f);
        if (i < ARRAY_LEN(patterns) && (seen >> patterns[i].part & 1) != 0) return false;
        if (i < ARRAY_LEN(patterns)) seen |= 1u << patterns[i].part;
        f += i < ARRAY_LEN(patterns) ? strlen(patterns[i].letters) : 1;
    }
    return (seen & 7) == 7;
}

static bool read_pattern(const char *s, const char *f, struct moment *m)
{
    while (*f != '\0') {
        size_t i = pattern_at(f);
        if (i == ARRAY_LEN(patterns)) {
            if (*s++ != *f++) return false;
            continue;
        }
        if (!take(&s, strlen(patterns[i].letters), &m->at[patterns[i].part])) return false;
        f += strlen(patterns[i].letters);
    }
    return *s == '\0' && is_moment(m);
}

static bool read_iso(const char *s, struct moment *m, bool *rounded)
{
    if (!take(&s, 4, &m->at[YEAR]) || (*s != '-' && *s != '/')) return false;
    char sep = *s++;
    if (!take(&s, 2, &m->at[MONTH]) || *s++ != sep || !take(&s, 2, &m->at[DAY])) return false;
    if ((*s == 'T' || *s == ' ') && is_digit(s[1])) {
        s++;
        if (!take(&s, 2, &m->at[HOUR]) || *s++ != ':' || !take(&s, 2, &m->at[MINUTE])) return false;
        if (*s == ':' && (s++, !take(&s, 2, &m->at[SECOND]))) return false;
        if (*s == '.' || *s == ',') {
            int64_t unit = 100000;
            if (!is_digit(*++s)) return false;
            for (; is_digit(*s); s++, unit /= 10) {
                if (unit > 0) m->us += unit * (*s - '0');
                else if (*s != '0') round_off(rounded);
            }
        }
    }
    if (*s == ' ') s++;
    if (*s != '\0') m->zone = s;
    return is_moment(m);
}

/* "+08:00", "-0530", "+08", "Z", "UTC" */
static bool read_offset(const char *s, int64_t *seconds)
{
    int64_t h = 0, min = 0;
    *seconds = 0;
    if (strcmp(s, "Z") == 0 || strcmp(s, "UTC") == 0) return true;
    if (*s != '+' && *s != '-') return false;
    bool neg = *s++ == '-';
    if (!take(&s, 2, &h) || (*s == ':' && *++s == '\0') || (*s != '\0' && !take(&s, 2, &min)) || *s != '\0' || h > 14 ||
        min > 59)
        return false;
    *seconds = (neg ? -1 : 1) * (h * 3600 + min * 60);
    return true;
}

bool value_is_zone(const char *zone)
{
    int64_t offset;
    if (read_offset(zone, &offset)) return true;
    if (*zone == '/' || strstr(zone, "..") != NULL || *zone == '\0') return false;
    char *path = mem_printf("/usr/share/zoneinfo/%s", zone);
    FILE *f = fopen(path, "rb");
    char magic[4] = "";
    bool ok = f != NULL && fread(magic, 1, 4, f) == 4 && memcmp(magic, "TZif", 4) == 0;
    if (f != NULL) (void)fclose(f);
    mem_free(path);
    return ok;
}

/* Local time of a named zone, by the C library; of an hour that is there twice, the library's choice. */
static bool read_named(const struct moment *m, const char *zone, int64_t *seconds)
{
    struct tm tm = { .tm_year = (int)m->at[YEAR] - 1900,
                     .tm_mon = (int)m->at[MONTH] - 1,
                     .tm_mday = (int)m->at[DAY],
                     .tm_hour = (int)m->at[HOUR],
                     .tm_min = (int)m->at[MINUTE],
                     .tm_sec = (int)m->at[SECOND],
                     .tm_isdst = -1 };
    const char *now = getenv("TZ");
    char *old = now != NULL ? mem_strdup(now) : NULL;
    (void)setenv("TZ", zone, 1);
    tzset();
    *seconds = (int64_t)mktime(&tm);
    if (old != NULL) (void)setenv("TZ", old, 1);
    else (void)unsetenv("TZ");
    tzset();
    mem_free(old);
    return *seconds >= 0;
}

bool value_date(const char *s, const struct value_dates *f, int64_t *us, bool *rounded)
{
    struct moment m = { .us = 0 };
    int64_t offset = 0, seconds;
    if (f != NULL && f->pattern != NULL ? !read_pattern(s, f->pattern, &m) : !read_iso(s, &m, rounded)) return false;
    const char *zone = m.zone != NULL ? m.zone : f != NULL ? f->zone : NULL;
    const int64_t *p = m.at;
    if (zone != NULL && !read_offset(zone, &offset)) {
        if (m.zone != NULL || !read_named(&m, zone, &seconds)) return false;
    } else
        seconds = (value_days(p[YEAR], p[MONTH], p[DAY]) * 24 + p[HOUR]) * 3600 + p[MINUTE] * 60 + p[SECOND] - offset;
    if (seconds < 0) return false;
    *us = seconds * TICK_SEC + m.us;
    return true;
}

/* "hh:mm:ss" and no more. */
static bool read_time_of_day(const char *s, int64_t *us)
{
    int64_t h, min, sec;
    if (!take(&s, 2, &h) || *s++ != ':' || !take(&s, 2, &min) || *s++ != ':' || !take(&s, 2, &sec)) return false;
    *us = ((h * 60 + min) * 60 + sec) * TICK_SEC;
    return *s == '\0' && h <= 23 && min <= 59 && sec <= 60;
}

bool value_date_near(const char *s, const struct value_dates *f, struct value_day *day, int64_t *us, bool *rounded)
{
    enum { CLOCK = 8 };
    int64_t of_day, offset;
    const bool is_usual = strlen(s) == sizeof day->text + CLOCK && read_time_of_day(s + sizeof day->text, &of_day);
    if (is_usual && memcmp(s, day->text, sizeof day->text) == 0) {
        *us = day->begin + of_day;
        return true;
    }
    if (!value_date(s, f, us, rounded)) return false;
    /* A day of a named zone may have 23 hours, and the first of 1970 may begin before 1970. */
    if (is_usual && *us >= of_day && f->pattern == NULL && (f->zone == NULL || read_offset(f->zone, &offset))) {
        memcpy(day->text, s, sizeof day->text);
        day->begin = *us - of_day;
    }
    return true;
}

bool value_instant(const char *s, const struct value_dates *f, int64_t max, int64_t *us, enum value_form *form,
                   bool *rounded)
{
    sim_wide v;
    *form = VALUE_NUMBER;
    if (value_number(s, TICK_SEC, max, &v, rounded)) {
        *us = (int64_t)v;
        return true;
    }
    *form = VALUE_DATE;
    return value_date(s, f, us, rounded) && *us <= max;
}
