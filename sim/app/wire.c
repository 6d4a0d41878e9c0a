#include "app/wire.h"

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

/* Bytes of the UTF-8 sequence at s; 0: there is none.  RFC 3629, section 4. */
static size_t utf8(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

void wire_string(struct wire *w, const char *s)
{
    wire_text(w, "\"");
    for (const unsigned char *c = (const unsigned char *)s; *c != '\0';) {
        size_t n = utf8(c);
        if (n == 0 || *c < 0x20 || *c == 0x7f) {
            char esc[8];
            (void)snprintf(esc, sizeof esc, "\\u%04x", *c);
            wire_text(w, esc);
            c++;
            continue;
        }
        if (*c == '"' || *c == '\\') wire_text(w, "\\");
        wire_put(w, (const char *)c, n);
        c += n;
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
