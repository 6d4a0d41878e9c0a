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

/* jansson escapes what JSON demands; here, what may neither steer a terminal nor end the script of a page. */
struct out { FILE *to; bool in_script; };

static int put(const char *s, size_t n, void *ctx)
{
    const struct out *o = ctx;
    size_t done = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        bool is_c1 = c == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] < 0xa0;
        if (c != 0x7f && !is_c1 && !(c == '<' && o->in_script)) continue;
        (void)fwrite(s + done, 1, i - done, o->to);
        if (is_c1) c = (unsigned char)s[++i];
        (void)fprintf(o->to, "\\u%04X", c);
        done = i + 1;
    }
    (void)fwrite(s + done, 1, n - done, o->to);
    return 0;       /* whoever closes the file sees whether all was written */
}

static void print(json_t *j, size_t flags, struct out o)
{
    int failed = json_dump_callback(j, put, &o, flags | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
    SIM_ASSERT(failed == 0);
    json_decref(j);
}

void jsonout_print(json_t *j, size_t flags, FILE *to) { print(j, flags, (struct out){ to, false }); }

void jsonout_print_in_script(json_t *j, FILE *to) { print(j, JSON_COMPACT, (struct out){ to, true }); }

void jsonout_string(const char *s, FILE *to) { jsonout_print(jsonout_text(s), 0, to); }
