/*
 * text.c -- the parsers of text.h.  A quantity is read as mantissa / scale x unit in
 * 128-bit integers: no binary fraction comes between what is written and what is kept.
 */
#include "base/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A suffix is worth num/den of the dimension's base unit; den is 8 for bits, else 1. */
struct unit { const char *name; int64_t num, den; };

#define KI (INT64_C(1) << 10)
#define MI (INT64_C(1) << 20)
#define GI (INT64_C(1) << 30)
#define TI (INT64_C(1) << 40)
#define K3 INT64_C(1000)
#define M6 INT64_C(1000000)
#define G9 INT64_C(1000000000)
#define T12 INT64_C(1000000000000)

static const struct unit duration_units[] = {
    { "us", 1, 1 }, { "ms", 1000, 1 }, { "s", TICK_SEC, 1 }, { "m", 60 * TICK_SEC, 1 },
    { "h", 3600 * TICK_SEC, 1 }, { "d", 86400 * TICK_SEC, 1 }, { "w", 604800 * TICK_SEC, 1 },
    { NULL, 0, 0 }
};
static const struct unit byte_units[] = {
    { "B", 1, 1 }, { "kB", K3, 1 }, { "MB", M6, 1 }, { "GB", G9, 1 }, { "TB", T12, 1 },
    { "KiB", KI, 1 }, { "MiB", MI, 1 }, { "GiB", GI, 1 }, { "TiB", TI, 1 },
    { "K", KI, 1 }, { "M", MI, 1 }, { "G", GI, 1 }, { "T", TI, 1 }, { NULL, 0, 0 }
};
static const struct unit rate_units[] = {
    { "B/s", 1, 1 }, { "kB/s", K3, 1 }, { "MB/s", M6, 1 }, { "GB/s", G9, 1 }, { "TB/s", T12, 1 },
    { "KiB/s", KI, 1 }, { "MiB/s", MI, 1 }, { "GiB/s", GI, 1 }, { "TiB/s", TI, 1 },
    { "K/s", KI, 1 }, { "M/s", MI, 1 }, { "G/s", GI, 1 }, { "T/s", TI, 1 },
    { "b/s", 1, 8 }, { "kb/s", K3, 8 }, { "Mb/s", M6, 8 }, { "Gb/s", G9, 8 }, { "Tb/s", T12, 8 },
    { NULL, 0, 0 }
};
static const struct unit milli_units[] = { { "m", 1, 1 }, { NULL, 0, 0 } };
static const struct unit power_units[] = {
    { "mW", 1, 1 }, { "W", K3, 1 }, { "kW", M6, 1 }, { "MW", G9, 1 }, { NULL, 0, 0 }
};
static const struct unit count_units[] = { { "k", K3, 1 }, { "M", M6, 1 }, { "G", G9, 1 }, { NULL, 0, 0 } };

static const struct {
    const struct unit *units;
    bool rounds;
    const char *what;           /* for "expected ..." */
} dimensions[] = {
    [TEXT_DURATION] = { duration_units, true,  "a duration (us, ms, s, m, h, d or w), such as 90s or 4h" },
    [TEXT_BYTES]    = { byte_units,     true,  "an amount of memory (B, kB, MB, GB, TB, KiB, MiB, GiB or TiB), such as 16GiB" },
    [TEXT_RATE]     = { rate_units,     false, "a rate (MB/s, GB/s, Mb/s, Gb/s ...), such as 25GB/s" },
    [TEXT_MILLI]    = { milli_units,    false, "a number in thousandths at the finest, such as 0.5, 2 or 250m" },
    [TEXT_COUNT]    = { count_units,    false, "a whole number, such as 12 or 5k" },
    [TEXT_POWER]    = { power_units,    false, "a power (mW, W, kW or MW), such as 350W" },
};

bool text_error(char *error, size_t cap, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(error, cap, fmt, ap);
    va_end(ap);
    return false;
}

bool text_parse(const char *s, enum text_dimension dimension, int64_t unit, int64_t *out, char *error, size_t cap)
{
    const char *what = dimensions[dimension].what, *p = s;
    sim_wide mant = 0, scale = 1;
    bool any = false, dot = false;

    while (isspace((unsigned char)*p)) p++;
    if (*p == '-') return text_error(error, cap, "'%s' is negative, expected %s", s, what);
    /* Bounds that keep every product below within 2^127: 2^63 x 2^63, and 10^18 x 8. */
    const sim_wide mant_max = INT64_MAX, scale_max = (sim_wide)G9 * G9;
    for (; isdigit((unsigned char)*p) || (*p == '.' && !dot); p++) {
        if (*p == '.') { dot = true; continue; }
        any = true;
        mant = mant * 10 + (*p - '0');
        if (dot) scale *= 10;
        if (mant > mant_max || scale > scale_max) return text_error(error, cap, "'%s' has too many digits", s);
    }
    if (!any) return text_error(error, cap, "'%s' is not a quantity, expected %s", s, what);
    while (*p == ' ') p++;
    sim_wide num = unit, den = 1;
    if (*p == '\0') {
        if (unit == 0) return text_error(error, cap, "'%s' has no unit, expected %s", s, what);
    } else {
        const struct unit *u = dimensions[dimension].units;
        size_t n = strlen(p);
        while (n > 0 && isspace((unsigned char)p[n - 1])) n--;
        while (u->name != NULL && (strlen(u->name) != n || strncmp(u->name, p, n) != 0)) u++;
        if (u->name == NULL)
            return text_error(error, cap, "'%s' has an unknown unit '%.*s', expected %s", s, (int)n, p, what);
        num = u->num;
        den = u->den;
    }
    sim_wide whole = mant * num, by = scale * den, q = whole / by, r = whole % by;
    if (r != 0) {
        if (!dimensions[dimension].rounds)
            return text_error(error, cap, "'%s' is not whole in its smallest unit, expected %s", s, what);
        q += 2 * r >= by;
    }
    if (q > INT64_MAX) return text_error(error, cap, "'%s' is too large", s);
    *out = (int64_t)q;
    return true;
}

bool text_int(const char *s, int64_t *out)
{
    bool neg = *s == '-';
    if (*s == '-' || *s == '+') s++;
    if (*s == '\0') return false;
    uint64_t v = 0, max = (uint64_t)INT64_MAX + neg;
    for (; *s != '\0'; s++) {
        if (*s < '0' || *s > '9') return false;
        uint64_t digit = (uint64_t)(*s - '0');
        if (v > (max - digit) / 10) return false;
        v = v * 10 + digit;
    }
    /* Negating in unsigned arithmetic reaches INT64_MIN without overflow. */
    *out = neg ? -(int64_t)(v - (v != 0)) - (v != 0) : (int64_t)v;
    return true;
}

bool text_double(const char *s, double *out)
{
    char buf[128];
    size_t n = strlen(s);
    /* The character set excludes inf, nan and hexadecimal, which strtod takes. */
    if (n == 0 || n >= sizeof buf - 8 || strspn(s, "+-.0123456789eE") != n) return false;
    const char *point = localeconv()->decimal_point, *dot = strchr(s, '.');
    if (dot != NULL)
        (void)snprintf(buf, sizeof buf, "%.*s%s%s", (int)(dot - s), s, point, dot + 1);
    else
        memcpy(buf, s, n + 1);
    char *end;
    double v = strtod(buf, &end);
    if (end == buf || *end != '\0' || !isfinite(v)) return false;
    *out = v;
    return true;
}

char *text_duration(char *buf, size_t cap, sim_tick us)
{
    static const struct { const char *name; int64_t us; } u[] = {
        { "d", 86400 * TICK_SEC }, { "h", 3600 * TICK_SEC }, { "m", 60 * TICK_SEC },
        { "s", TICK_SEC }, { "ms", 1000 }, { "us", 1 }
    };
    const char *sign = us < 0 ? "-" : "";
    uint64_t v = us < 0 ? 0 - (uint64_t)us : (uint64_t)us;
    if (v == 0) {
        (void)snprintf(buf, cap, "0 s");
        return buf;
    }
    size_t i = 0;
    while (v < (uint64_t)u[i].us) i++;
    uint64_t hi = v / (uint64_t)u[i].us, rest = v % (uint64_t)u[i].us;
    const char *gap = i >= 3 ? " " : "";        /* "450 ms", but "1d 4h" */
    uint64_t lo = i < 3 ? rest / (uint64_t)u[i + 1].us : 0;
    if (i == 3 && rest >= 1000)                 /* "3.25 s": whole milliseconds, as a fraction */
        (void)snprintf(buf, cap, "%s%llu.%03llu s", sign, (unsigned long long)hi, (unsigned long long)(rest / 1000));
    else if (lo > 0)
        (void)snprintf(buf, cap, "%s%llu%s %llu%s", sign, (unsigned long long)hi, u[i].name, (unsigned long long)lo, u[i + 1].name);
    else
        (void)snprintf(buf, cap, "%s%llu%s%s", sign, (unsigned long long)hi, gap, u[i].name);
    return buf;
}

size_t text_utf8(const char *s, size_t n)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t i = 0, len;
    for (; i < n; i += len) {
        unsigned char c = u[i], next = i + 1 < n ? u[i + 1] : 0;
        if (c < 0x80) { len = 1; continue; }
        len = c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
        if (len == 0 || len > n - i) return i;
        for (size_t k = 1; k < len; k++)
            if ((u[i + k] & 0xc0) != 0x80) return i;
        /* Longer than need be, a half of a UTF-16 pair, above U+10FFFF. */
        if ((c == 0xe0 && next < 0xa0) || (c == 0xed && next > 0x9f) || (c == 0xf0 && next < 0x90) || (c == 0xf4 && next > 0x8f)) return i;
    }
    return n;
}

char *text_shown(const char *s)
{
    enum { LONGEST = 4 };       /* what stands for one byte; \u009b stands for two */
    char *out;
    size_t n = strlen(s), at = 0, good = text_utf8(s, n);
    MEM_ARRAY(out, n * LONGEST + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        bool is_utf8 = i < good;
        if (c == '\n' || c == '\t') at += (size_t)sprintf(out + at, c == '\n' ? "\\n" : "\\t");
        else if (c < 0x20 || c == 0x7f || !is_utf8) at += (size_t)sprintf(out + at, "\\x%02x", c);
        else if (c == 0xc2 && (unsigned char)s[i + 1] < 0xa0) at += (size_t)sprintf(out + at, "\\u%04x", (unsigned char)s[++i]);
        else out[at++] = (char)c;
        if (!is_utf8) good = i + 1 + text_utf8(s + i + 1, n - i - 1);
    }
    out[at] = '\0';
    return out;
}

void text_line(FILE *to, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *line = mem_vprintf(fmt, ap), *shown = text_shown(line);
    va_end(ap);
    (void)fprintf(to, "%s\n", shown);
    mem_free(shown);
    mem_free(line);
}

void text_csv(const char *s, bool always, FILE *to)
{
    if (!always && strpbrk(s, ",\"\r\n") == NULL) { (void)fputs(s, to); return; }
    (void)fputc('"', to);
    for (; *s != '\0'; s++) {
        if (*s == '"') (void)fputc('"', to);
        (void)fputc(*s, to);
    }
    (void)fputc('"', to);
}
