/* json_text.c -- numbers, strings and keys, appended as text. */
#include "host/exec/json_text.h"

#include <stdio.h>
#include "base/text.h"

void json_text_fini(struct json_text *out)
{
    mem_free(out->s);
    memset(out, 0, sizeof *out);
}

/* ---- text ---- */

/* The digits of x, before `end`. */
static char *digits(char *end, uint64_t x)
{
    do *--end = (char)('0' + x % 10); while ((x /= 10) > 0);
    return end;
}

void json_text_int(struct json_text *out, int64_t v)
{
    char buf[24], *end = buf + sizeof buf, *at = digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);
    if (v < 0) *--at = '-';
    json_text_bytes(out, at, (size_t)(end - at));
}

void json_text_uint(struct json_text *out, uint64_t v)
{
    char buf[24], *end = buf + sizeof buf, *at = digits(end, v);
    json_text_bytes(out, at, (size_t)(end - at));
}

void json_text_number(struct json_text *out, double v)
{
    char buf[40];
    double back = 0;
    (void)snprintf(buf, sizeof buf, "%.15g", v);
    if (!text_double(buf, &back) || back != v) (void)snprintf(buf, sizeof buf, "%.17g", v);
    json_text_raw(out, buf);
}

void json_text_string(struct json_text *out, const char *s)
{
    size_t n = strlen(s), ceases = text_utf8(s, n);
    json_text_raw(out, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (i == ceases || c < 0x20 || c == 0x7f) {
            char esc[8];
            (void)snprintf(esc, sizeof esc, "\\u%04x", c);
            json_text_raw(out, esc);
            if (i == ceases) ceases = i + 1 + text_utf8(s + i + 1, n - i - 1);
            continue;
        }
        if (c == '"' || c == '\\') json_text_raw(out, "\\");
        json_text_bytes(out, &s[i], 1);
    }
    json_text_raw(out, "\"");
}

void json_text_key(struct json_text *out, const char *name)
{
    json_text_raw(out, out->s[out->n - 1] == '{' ? "\"" : ",\"");
    json_text_raw(out, name);
    json_text_raw(out, "\":");
}

void json_text_key_int(struct json_text *out, const char *name, int64_t v) { json_text_key(out, name); json_text_int(out, v); }
void json_text_key_bool(struct json_text *out, const char *name, bool v) { json_text_key(out, name); json_text_raw(out, v ? "true" : "false"); }

void json_text_key_string(struct json_text *out, const char *name, const char *v)
{
    if (v == NULL) return;
    json_text_key(out, name);
    json_text_string(out, v);
}

void json_text_comma(struct json_text *out)
{
    char last = out->s[out->n - 1];
    if (last != '[' && last != '{') json_text_raw(out, ",");
}

void json_text_item_int(struct json_text *out, int64_t v) { json_text_comma(out); json_text_int(out, v); }

void json_text_item_string(struct json_text *out, const char *s) { json_text_comma(out); json_text_string(out, s); }
void json_text_member(struct json_text *out, const char *name) { json_text_item_string(out, name); json_text_raw(out, ":"); }
void json_text_member_int(struct json_text *out, const char *name, int64_t v) { json_text_member(out, name); json_text_int(out, v); }

size_t json_text_begin(struct json_text *out, const char *key, char bracket)
{
    size_t begin = out->n;
    if (key != NULL) json_text_key(out, key);
    else json_text_comma(out);
    json_text_bytes(out, &bracket, 1);
    return begin;
}

void json_text_end_some(struct json_text *out, size_t begin, char bracket)
{
    char last = out->s[out->n - 1];
    if (last == '[' || last == '{') out->n = begin;
    else json_text_end(out, bracket);
}
