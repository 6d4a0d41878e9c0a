/*
 * diag.c -- the error that is kept, how it is printed with its source line, and
 * the nearest of the names that a user could have meant.  The edit distance costs
 * O(product of lengths); names of 64 characters and more are near to nothing.
 */
#include "base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

__attribute__((format(printf, 6, 0)))
static void record(struct diag *d, enum st code, const char *file, uint32_t line,
                   uint32_t col, const char *fmt, va_list ap)
{
    d->code = code;
    d->breach = BREACH_NONE;
    d->refusal = 0;
    d->line = line;
    d->col = col;
    d->hint[0] = '\0';
    (void)snprintf(d->file, sizeof d->file, "%s", file);
    (void)vsnprintf(d->msg, sizeof d->msg, fmt, ap);
}

enum st diag_at(struct diag *d, enum st code, const char *file, uint32_t line,
                uint32_t col, const char *fmt, ...)
{
    if (d->code != ST_OK) return d->code;
    va_list ap;
    va_start(ap, fmt);
    record(d, code, file, line, col, fmt, ap);
    va_end(ap);
    return code;
}

enum st diag_breach(struct diag *d, enum breach breach, const char *fmt, ...)
{
    if (d->code != ST_OK) return d->code;
    va_list ap;
    va_start(ap, fmt);
    record(d, ST_EPOLICY, "", 0, 0, fmt, ap);
    va_end(ap);
    d->breach = breach;
    return ST_EPOLICY;
}

enum st diag_hint(struct diag *d, const char *fmt, ...)
{
    if (d->hint[0] != '\0') return d->code;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(d->hint, sizeof d->hint, fmt, ap);
    va_end(ap);
    return d->code;
}

enum st diag_suggest(struct diag *d, const char *word, const char *const *cand, size_t n)
{
    const char *near = diag_nearest(word, cand, n);
    return near != NULL ? diag_hint(d, "did you mean '%s'?", near) : d->code;
}

/* n bytes of a source line, or blanks for them.  Tabs are kept, so that the caret stays under its column. */
static void print_part(const char *s, size_t n, bool blank, FILE *to)
{
    for (const char *end = s + n; s < end;) {
        char part[256];
        size_t len = 0;
        for (; s + len < end && s[len] != '\t' && len < sizeof part - 1; len++) part[len] = s[len];
        part[len] = '\0';
        char *shown = text_shown(part);
        if (blank) (void)fprintf(to, "%*s", (int)strlen(shown), "");
        else (void)fputs(shown, to);
        mem_free(shown);
        s += len;
        if (s < end && *s == '\t') { (void)fputc('\t', to); s++; }
    }
}

/* Show line `line` of the file and a caret. */
static void print_source(const struct diag *d, FILE *to)
{
    FILE *f = fopen(d->file, "r");
    if (f == NULL) return;
    char buf[4096];
    uint32_t n = 0;
    bool whole = true, found = false;
    while (fgets(buf, sizeof buf, f) != NULL) {
        if (whole && ++n == d->line) { found = true; break; }
        whole = strchr(buf, '\n') != NULL;
    }
    (void)fclose(f);
    if (!found) return;
    buf[strcspn(buf, "\r\n")] = '\0';
    size_t col = d->col > 0 ? d->col - 1 : 0, len = strlen(buf);
    size_t from = col > 100 ? col - 60 : 0;      /* long lines: show the part around the column */
    if (from > len) return;
    (void)fputs(from > 0 ? "    ..." : "    ", to);
    print_part(buf + from, len - from < 140 ? len - from : 140, false, to);
    (void)fputc('\n', to);
    if (d->col == 0) return;
    (void)fputs(from > 0 ? "       " : "    ", to);
    print_part(buf + from, (col < len ? col : len) - from, true, to);
    (void)fputs("^\n", to);
}

void diag_print(const struct diag *d, FILE *to)
{
    if (d->code == ST_OK) return;
    if (d->file[0] == '\0') text_line(to, "fairway: error: %s", d->msg);
    else if (d->line == 0)  text_line(to, "%s: error: %s", d->file, d->msg);
    else if (d->col == 0)   text_line(to, "%s:%u: error: %s", d->file, d->line, d->msg);
    else text_line(to, "%s:%u:%u: error: %s", d->file, d->line, d->col, d->msg);
    if (d->file[0] != '\0' && d->line > 0) print_source(d, to);
    if (d->hint[0] != '\0') text_line(to, "  hint: %s", d->hint);
}

/* Edit distance with transpositions of neighbours (optimal string alignment). */
static size_t distance(const char *a, const char *b)
{
    enum { MAX = 64 };
    size_t n = strlen(a), m = strlen(b);
    if (n >= MAX || m >= MAX) return MAX;
    size_t row[3][MAX];
    for (size_t j = 0; j <= m; j++) row[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *cur = row[i % 3], *up = row[(i + 2) % 3], *up2 = row[(i + 1) % 3];
        cur[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (cur[j - 1] + 1 < best) best = cur[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && up2[j - 2] + 1 < best)
                best = up2[j - 2] + 1;
            cur[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *diag_nearest(const char *word, const char *const *cand, size_t n)
{
    size_t limit = strlen(word) / 3 > 2 ? strlen(word) / 3 : 2, best = limit + 1;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, cand[i]), len = strlen(word);
        if (d > 2 && len > 1 && strncmp(cand[i], word, len) == 0 && cand[i][len] == '_') d = 2;
        if (d < best && d < strlen(cand[i])) { best = d; found = cand[i]; }
    }
    return found;
}

int diag_exit_status(enum st code)
{
    switch (code) {
    case ST_OK: case ST_END: return 0;
    case ST_EINPUT:  return 2;
    case ST_EWORLD:  return 3;
    case ST_EPOLICY: return 4;
    case ST_EINTR:   return 130;
    }
    return 3;
}
