/* quantity.c -- the numbers of quantity.h, in 128 bits, so that scaling and rounding up are exact. */
#include "input/kube/quantity.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum { EXPONENT_MAX = 40 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* What follows the digits: powers of ten and of two. */
static bool suffix(const char *s, int *ten, int *two)
{
    static const char *const binary = "KMGTPE", *const decimal = "num kMGTPE";
    *ten = *two = 0;
    if (*s == '\0') return true;
    if (s[1] == 'i' && s[2] == '\0' && strchr(binary, s[0]) != NULL) {
        *two = 10 * (int)(strchr(binary, s[0]) - binary + 1);
        return true;
    }
    if (s[1] == '\0' && s[0] != ' ' && strchr(decimal, s[0]) != NULL) {
        *ten = 3 * ((int)(strchr(decimal, s[0]) - decimal) - 3);
        return true;
    }
    if (s[0] != 'e' && s[0] != 'E') return false;
    bool negative = s[1] == '-';
    s += 1 + (s[1] == '-' || s[1] == '+');
    if (!is_digit(*s)) return false;
    for (; is_digit(*s); s++)
        if ((*ten = *ten * 10 + (*s - '0')) > EXPONENT_MAX) return false;
    if (negative) *ten = -*ten;
    return *s == '\0';
}

bool kube_quantity(const char *s, int64_t scale, int64_t *out)
{
    const wide most = (wide)-1;
    wide v = 0, div = 1;
    int digits = 0, fraction = 0, ten, two;
    bool point = false;
    if (*s == '+') s++;
    for (; is_digit(*s) || (*s == '.' && !point); s++) {
        if (*s == '.') { point = true; continue; }
        if (v > (most - 9u) / 10u) return false;
        v = v * 10u + (unsigned)(*s - '0');
        digits++;
        fraction += point;
    }
    if (digits == 0 || !suffix(s, &ten, &two)) return false;
    if (v > most / (uint64_t)scale) return false;
    v *= (uint64_t)scale;
    for (ten -= fraction; ten > 0; ten--) {
        if (v > most / 10u) return false;
        v *= 10u;
    }
    for (; two > 0; two--) {
        if (v > most / 2u) return false;
        v *= 2u;
    }
    for (; ten < 0 && div <= most / 10u; ten++) div *= 10u;
    /* ten < 0: finer than 128 bits can divide, almost nothing, rounded up. */
    v = ten < 0 ? (v > 0 ? 1u : 0u) : v / div + (v % div != 0 ? 1u : 0u);
    if (v > INT64_MAX) return false;
    *out = (int64_t)v;
    return true;
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar. */
static int64_t days(int64_t y, int m, int d)
{
    y -= m <= 2;
    int64_t era = y / 400, of_era = y - era * 400, of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool two_digits(const char *s, int min, int max, int *out)
{
    if (!is_digit(s[0]) || !is_digit(s[1])) return false;
    *out = 10 * (s[0] - '0') + s[1] - '0';
    return *out >= min && *out <= max;
}

bool kube_time(const char *s, int64_t *out)
{
    int century, year, month, day, hour, minute, second, zone_h = 0, zone_m = 0;
    if (strlen(s) < sizeof "2023-02-20T09:38:18Z" - 1 || s[4] != '-' || s[7] != '-' || (s[10] != 'T' && s[10] != 't') ||
        s[13] != ':' || s[16] != ':') return false;
    if (!two_digits(s, 19, 99, &century) || !two_digits(s + 2, 0, 99, &year) || !two_digits(s + 5, 1, 12, &month) ||
        !two_digits(s + 8, 1, 31, &day) || !two_digits(s + 11, 0, 23, &hour) || !two_digits(s + 14, 0, 59, &minute) ||
        !two_digits(s + 17, 0, 60, &second)) return false;
    int64_t us = ((days(100 * century + year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    us *= TICK_SEC;
    s += 19;
    if (*s == '.') {
        int64_t unit = TICK_SEC / 10;
        if (!is_digit(*++s)) return false;
        for (; is_digit(*s); s++, unit /= 10) us += unit * (*s - '0');      /* finer than a microsecond: cut off */
    }
    if ((*s == 'Z' || *s == 'z') && s[1] == '\0') { *out = us; return us >= 0; }
    if ((*s != '+' && *s != '-') || strlen(s) != sizeof "+01:00" - 1 || s[3] != ':' || !two_digits(s + 1, 0, 23, &zone_h) ||
        !two_digits(s + 4, 0, 59, &zone_m)) return false;
    int64_t zone = (int64_t)(60 * zone_h + zone_m) * 60 * TICK_SEC;
    *out = us + (*s == '-' ? zone : -zone);
    return *out >= 0;
}
