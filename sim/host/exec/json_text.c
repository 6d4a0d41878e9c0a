#include "host/exec/json_text.h"

#include <stdio.h>
#include "base/text.h"

void wire_fini(struct wire *w)
{
    mem_free(w->s);
    memset(w, 0, sizeof *w);
}

/* ---- text ---- */

/* The digits of x, before `end`. */
static char *digits(char *end, uint64_t x)
{
    do *--end = (char)('0' + x % 10); while ((x /= 10) > 0);
    return end;
}

void wire_int(struct wire *w, int64_t v)
{
    char buf[24], *end = buf + sizeof buf, *at = digits(end, v < 0 ? -(uint64_t)v : (uint64_t)v);
    if (v < 0) *--at = '-';
    wire_put(w, at, (size_t)(end - at));
}

void wire_uint(struct wire *w, uint64_t v)
{
    char buf[24], *end = buf + sizeof buf, *at = digits(end, v);
    wire_put(w, at, (size_t)(end - at));
}

void wire_number(struct wire *w, double v)
{
    char buf[40];
    double back = 0;
    (void)snprintf(buf, sizeof buf, "%.15g", v);
    if (!text_double(buf, &back) || back != v) (void)snprintf(buf, sizeof buf, "%.17g", v);
    wire_text(w, buf);
}

/* A byte that is not UTF-8 is told as the Latin-1 character that it would be. */
void wire_string(struct wire *w, const char *s)
{
    size_t n = strlen(s), ceases = text_utf8(s, n);
    wire_text(w, "\"");
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (i == ceases || c < 0x20 || c == 0x7f) {
            char esc[8];
            (void)snprintf(esc, sizeof esc, "\\u%04x", c);
            wire_text(w, esc);
            if (i == ceases) ceases = i + 1 + text_utf8(s + i + 1, n - i - 1);
            continue;
        }
        if (c == '"' || c == '\\') wire_text(w, "\\");
        wire_put(w, &s[i], 1);
    }
    wire_text(w, "\"");
}

void wire_key(struct wire *w, const char *name)
{
    wire_text(w, w->s[w->n - 1] == '{' ? "\"" : ",\"");
    wire_text(w, name);
    wire_text(w, "\":");
}

void wire_key_int(struct wire *w, const char *name, int64_t v) { wire_key(w, name); wire_int(w, v); }
void wire_key_bool(struct wire *w, const char *name, bool v) { wire_key(w, name); wire_text(w, v ? "true" : "false"); }

void wire_key_string(struct wire *w, const char *name, const char *v)
{
    if (v == NULL) return;
    wire_key(w, name);
    wire_string(w, v);
}

void wire_comma(struct wire *w)
{
    char last = w->s[w->n - 1];
    if (last != '[' && last != '{') wire_text(w, ",");
}

void wire_item_int(struct wire *w, int64_t v) { wire_comma(w); wire_int(w, v); }

void wire_member_int(struct wire *w, const char *name, int64_t v)
{
    wire_comma(w);
    wire_string(w, name);
    wire_text(w, ":");
    wire_int(w, v);
}
