/* jsonout.c -- the values and the printing of jsonout.h. */
#include "base/jsonout.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

json_t *jsonout_text(const char *s)
{
    static const char replacement[] = "\xef\xbf\xbd";
    if (s == NULL) return json_null();
    size_t n = strlen(s), good = text_utf8(s, n), at = 0;
    if (good == n) return json_stringn_nocheck(s, n);
    char *out;
    MEM_ARRAY(out, 3 * n + 1);
    while (n > 0) {
        memcpy(out + at, s, good);
        at += good;
        s += good;
        n -= good;
        if (n == 0) break;
        memcpy(out + at, replacement, 3);
        at += 3;
        s++;
        n--;
        good = text_utf8(s, n);
    }
    json_t *j = json_stringn_nocheck(out, at);
    mem_free(out);
    return j;
}

json_t *jsonout_number(double x)
{
    const double whole = 9007199254740992;      /* 2^53: to there a double holds every integer */
    if (!isfinite(x)) return json_null();
    return x == floor(x) && fabs(x) < whole ? json_integer((json_int_t)x) : json_real(x);
}

static int put(const char *s, size_t n, void *to)
{
    for (size_t i = 0; i < n; i++) {
        size_t plain = i;
        while (i < n && s[i] != '<') i++;
        (void)fwrite(s + plain, 1, i - plain, to);
        if (i < n) (void)fputs("\\u003c", to);
    }
    return 0;       /* whoever closes the file sees whether all was written */
}

void jsonout_print(json_t *j, size_t flags, FILE *to)
{
    int failed = json_dump_callback(j, put, to, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    SIM_ASSERT(failed == 0);
    json_decref(j);
}

void jsonout_string(const char *s, FILE *to) { jsonout_print(jsonout_text(s), 0, to); }
