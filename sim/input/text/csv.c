/*
 * csv.c -- rows of csv.h by libcsv.
 *
 * A row that is one plain line is split where it lies in the block.  All others go to libcsv, which takes bytes and
 * calls back with fields, but never says where they were.  Bytes are given to it one physical line at a time, so a
 * row's first line is known; the row's raw text is kept, and only an error pays for finding a field's column in it.
 */
#include "input/text/csv.h"

#include <csv.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"

/* What fields read so far were like; no part of where the reader is. */
struct csv_seen {
    bool rounded;
    struct {
        enum value_form form;
        uint32_t line;
    } * times;
    size_t cap; /* [column] of the first time in it; line 0: none yet */
};

struct csv {
    FILE *f;
    struct csv_seen *seen;
    char *path;
    struct csv_parser parser;
    char     block[(1 << 16) + 8];              /* and a NUL, and what eight bytes may go beyond it */
    size_t   at, end;           /* unread bytes of block */
    char    *raw;  size_t n_raw,  cap_raw;      /* text of the row so far, line breaks included; 0 of a plain line */
    char    *text; size_t n_text, cap_text;     /* its fields, NUL-terminated, one after another */
    const char **field; size_t n, cap_field;    /* [n] in text, or of a plain line in the block */
    bool     is_plain[256];                     /* bytes that stand for themselves */
    uint32_t line_next, line;   /* of the next physical line; where this row began */
    unsigned n_rows;            /* ended by the line just fed */
    char   **head; size_t n_head;               /* owned names, or */
    const char *const *name;                    /* borrowed ones */
    char     delim;
    bool     eof;
};

static void on_field(void *s, size_t n, void *ctx)
{
    struct csv *c = ctx;
    if (c->n_rows > 0) return;          /* a second row on this line: an error below */
    MEM_RESERVE(c->text, c->cap_text, c->n_text + n + 1);
    c->n++;
    if (n > 0) memcpy(c->text + c->n_text, s, n);
    c->text[c->n_text + n] = '\0';
    c->n_text += n + 1;
}

static void on_row(int ch, void *ctx)
{
    (void)ch;
    ((struct csv *)ctx)->n_rows++;
}

enum st csv_open(struct csv **out, const char *path, char delim, struct diag *d)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
    struct csv *c = mem_alloc(1, sizeof *c);
    c->f = f;
    MEM_NEW(c->seen);
    c->path = mem_strdup(path);
    c->line_next = 1;
    c->delim = delim;
    SIM_ASSERT(csv_init(&c->parser, CSV_STRICT | CSV_STRICT_FINI) == 0);
    csv_set_delim(&c->parser, (unsigned char)delim);
    if (delim == '|') csv_set_quote(&c->parser, '\0');      /* which no line has */
    for (int ch = ' '; ch < 0x7f; ch++) c->is_plain[ch] = ch != ' ' && ch != '"' && ch != delim;
    *out = c;
    return ST_OK;
}

void csv_close(struct csv *c)
{
    if (c == NULL) return;
    (void)fclose(c->f);
    csv_free(&c->parser);
    for (size_t i = 0; c->head != NULL && i < c->n_head; i++) mem_free(c->head[i]);
    mem_free(c->seen->times);
    MEM_FREE(c->seen, c->head, c->raw, c->text, c->field, c->path, c);
}

/* Append one physical line (or what is left at the end) to raw.  False at the end of the file. */
static bool read_line(struct csv *c, size_t *from, struct diag *d)
{
    *from = c->n_raw;
    for (;;) {
        if (c->at == c->end) {
            c->at = 0;
            c->end = fread(c->block, 1, sizeof c->block - 8, c->f);
            c->block[c->end] = '\0';
            if (c->end == 0) {
                if (ferror(c->f) != 0)
                    (void)diag_at(d, ST_EWORLD, c->path, 0, 0, "cannot be read: %s", strerror(errno));
                c->eof = true;
                return c->n_raw > *from && d->code == ST_OK;
            }
            if (c->line_next == 1 && *from == 0 && c->n_raw == 0 && c->end >= 3 && memcmp(c->block, "\xEF\xBB\xBF", 3) == 0) c->at = 3;
            if (c->at == c->end) continue;
        }
        const char *nl = memchr(c->block + c->at, '\n', c->end - c->at);
        size_t n = nl != NULL ? (size_t)(nl - c->block) + 1 - c->at : c->end - c->at;
        if (c->n_raw + n > CSV_ROW_MAX) {
            (void)diag_at(d, ST_EINPUT, c->path, c->line, 0, "row is longer than %d bytes; a quote may be left open", CSV_ROW_MAX);
            return false;
        }
        MEM_RESERVE(c->raw, c->cap_raw, c->n_raw + n);
        memcpy(c->raw + c->n_raw, c->block + c->at, n);
        c->at += n;
        c->n_raw += n;
        if (nl != NULL) return true;
    }
}

#define EACH(byte) (UINT64_MAX / 255 * (uint64_t)(byte))        /* of eight bytes */

/*
 * How many of the first bytes at p, 8 at most, surely stand for themselves: neither below '#', nor above '~', nor the
 * delimiter.  A byte that is none of these has its highest bit in no term, unless one before it borrowed or carried.
 */
static inline size_t n_plain(const char *p, uint64_t delims)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
#if defined __BYTE_ORDER__ && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    const uint64_t y = x ^ delims;
    const uint64_t stops = ((x - EACH('#')) | x | (x + EACH(1)) | ((y - EACH(1)) & ~y)) & EACH(0x80);
    return stops == 0 ? 8 : (size_t)__builtin_ctzll(stops) / 8;
}

/*
 * Nearly every row is one line of plain ASCII without quotes, and without blanks around its fields: split where it
 * lies, as libcsv would.  False: it is not such a line, or not all in the block, and nothing was done.
 */
static bool split_plain(struct csv *c)
{
    char *const line = c->block + c->at, *p = line;
    const char delim = c->delim;
    const uint64_t delims = EACH((unsigned char)delim);
    size_t n = 1;
    MEM_RESERVE(c->field, c->cap_field, n);
    c->field[0] = line;
    for (;; p++) {
        size_t plain;
        while ((plain = n_plain(p, delims)) == 8) p += 8;
        p += plain;
        if (c->is_plain[(unsigned char)*p]) continue;
        if (*p == delim) {
            MEM_RESERVE(c->field, c->cap_field, n + 1);
            c->field[n++] = p + 1;
            *p = '\0';
        } else if (*p != ' ' || p == c->field[n - 1] || !c->is_plain[(unsigned char)p[1]]) break;
    }
    const char *const end = *p == '\r' ? p + 1 : p;
    if (*end != '\n' || p == line) {
        while (n > 1) line[c->field[--n] - 1 - line] = delim;
        return false;
    }
    *p = '\0';
    c->n = n;
    c->at += (size_t)(end + 1 - line);
    c->line_next++;
    return true;
}

static enum st next_row(struct csv *c, struct diag *d)
{
    c->n = c->n_text = c->n_raw = 0;
    c->n_rows = 0;
    c->line = c->line_next;
    if (split_plain(c)) return ST_OK;
    while (c->n_rows == 0) {
        if (c->n_raw > 0 && c->n == 0 && c->n_raw <= 2 && (c->raw[0] == '\n' || c->raw[0] == '\r')) {
            c->n_raw = 0;               /* a blank line before the row */
            c->line = c->line_next;
        }
        size_t from;
        if (!read_line(c, &from, d)) {
            if (d->code != ST_OK) return d->code;
            if (csv_fini(&c->parser, on_field, on_row, c) != 0)
                return diag_at(d, ST_EINPUT, c->path, c->line, 0, "a quote is left open at the end of the file");
            if (c->n_rows == 0) return ST_END;
            break;
        }
        const char *line = c->raw + from;
        size_t n = c->n_raw - from;
        size_t good = text_utf8(line, n);
        if (good < n) {
            (void)diag_at(d, ST_EINPUT, c->path, c->line_next, (uint32_t)good + 1,
                          "a byte that is not UTF-8 (0x%02x)", (unsigned char)line[good]);
            return diag_hint(d, TEXT_UTF8_HINT);
        }
        const char *nul = memchr(line, '\0', n);
        if (nul != NULL)
            return diag_at(d, ST_EINPUT, c->path, c->line_next, (uint32_t)(nul - line) + 1, "a NUL byte; this is not a text file");
        size_t done = csv_parse(&c->parser, line, n, on_field, on_row, c);
        if (done != n)
            return diag_at(d, ST_EINPUT, c->path, c->line_next, (uint32_t)done + 1, "a quote inside an unquoted field, or text after a closing quote");
        if (c->n_rows > 1)
            return diag_at(d, ST_EINPUT, c->path, c->line_next, 0, "a carriage return inside the line; lines end in LF or CRLF");
        c->line_next++;
    }
    MEM_RESERVE(c->field, c->cap_field, c->n);
    const char *text = c->text;
    for (size_t i = 0; i < c->n; text += strlen(text) + 1) c->field[i++] = text;
    return ST_OK;
}

/* Line and column of field i, by scanning the raw row. */
static void place(const struct csv *c, int i, uint32_t *line, uint32_t *col)
{
    *line = c->line;
    *col = c->n_raw == 0 ? (uint32_t)(c->field[i] - c->field[0]) + 1 : 1;
    bool quoted = false;
    for (size_t k = 0; k < c->n_raw && i > 0; k++) {
        char ch = c->raw[k];
        if (ch == '"' && c->delim != '|') quoted = !quoted;
        if (ch == c->delim && !quoted) i--;
        if (ch == '\n') { ++*line; *col = 1; } else ++*col;
    }
}

static const char *column_name(const struct csv *c, int i)
{
    return c->head != NULL ? c->head[i] : c->name[i];
}

enum st csv_fail(const struct csv *c, int i, struct diag *d, const char *fmt, ...)
{
    char msg[512], quoted[96] = "";
    uint32_t line = c->line, col = 0;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    if (i >= 0) {
        place(c, i, &line, &col);
        (void)snprintf(quoted, sizeof quoted, "%.90s: ", column_name(c, i));
    }
    return diag_at(d, ST_EINPUT, c->path, line, col, "%s%s", quoted, msg);
}

enum st csv_columns(struct csv *c, const char *const *name, const bool *need, int *at, size_t n,
                    bool others, const char *advice, struct diag *d)
{
    enum st st = next_row(c, d);
    if (st == ST_END && n == 0) return diag_at(d, ST_EINPUT, c->path, 0, 0, "is empty, expected a header row");
    if (st == ST_END) return diag_at(d, ST_EINPUT, c->path, 0, 0, "is empty, expected a header row with '%s'", name[0]);
    TRY(st);
    c->n_head = c->n;
    MEM_ARRAY(c->head, c->n_head);
    for (size_t k = 0; k < n; k++) at[k] = CSV_ABSENT;
    for (size_t i = 0; i < c->n_head; i++) c->head[i] = mem_strdup(c->field[i]);
    for (size_t i = 0; i < c->n_head; i++) {
        uint32_t line, col;
        place(c, (int)i, &line, &col);
        for (size_t k = 0; k < i; k++)
            if (strcmp(c->head[k], c->head[i]) == 0)
                return diag_at(d, ST_EINPUT, c->path, line, col, "column '%s' appears twice", c->head[i]);
        size_t k = 0;
        while (k < n && strcmp(name[k], c->head[i]) != 0) k++;
        if (k < n) {
            at[k] = (int)i;
        } else if (!others) {
            (void)diag_at(d, ST_EINPUT, c->path, line, col, "unknown column '%s'", c->head[i]);
            (void)diag_suggest(d, c->head[i], name, n);
            if (c->n_head > 1 || strpbrk(c->head[0], ";\t|,") == NULL) return d->code;
            return diag_hint(d, "columns are separated by %s here", c->delim == '\t' ? "tabs" : "commas");
        }
    }
    for (size_t k = 0; k < n; k++) {
        if (at[k] != CSV_ABSENT || !need[k]) continue;
        (void)diag_at(d, ST_EINPUT, c->path, c->line, 0, "column '%s' is missing", name[k]);
        return diag_hint(d, "%s", advice != NULL ? advice : "");
    }
    return ST_OK;
}

const char *const *csv_header(const struct csv *c, size_t *n)
{
    *n = c->n_head;
    return c->head != NULL ? (const char *const *)c->head : c->name;
}

int csv_find(const struct csv *c, const char *name)
{
    size_t n;
    const char *const *head = csv_header(c, &n);
    for (size_t i = 0; i < n; i++) if (strcmp(head[i], name) == 0) return (int)i;
    return CSV_ABSENT;
}

void csv_no_header(struct csv *c, const char *const *name, size_t n)
{
    c->name = name;
    c->n_head = n;
}

enum st csv_next(struct csv *c, struct diag *d)
{
    TRY(next_row(c, d));
    if (c->n != c->n_head)
        return diag_at(d, ST_EINPUT, c->path, c->line, 0, "row has %zu fields, expected %zu%s", c->n, c->n_head,
                       c->head != NULL ? " as in the header" : "");
    return ST_OK;
}

enum st csv_read_file(const char *path, const char *const *name, const bool *need, size_t n, const char *advice,
                      enum st (*row)(void *ctx, struct csv *c, const int *at, struct diag *d), void *ctx, struct diag *d)
{
    int at[32];
    struct csv *c;
    SIM_ASSERT(n <= ARRAY_LEN(at));
    TRY(csv_open(&c, path, ',', d));
    enum st st = csv_columns(c, name, need, at, n, false, advice, d);
    while (st == ST_OK && (st = csv_next(c, d)) == ST_OK) st = row(ctx, c, at, d);
    csv_close(c);
    return st == ST_END ? ST_OK : st;
}

const char *csv_field(const struct csv *c, int i) { return i == CSV_ABSENT ? "" : c->field[i]; }
const char *const *csv_fields(const struct csv *c) { return c->field; }

uint32_t csv_line(const struct csv *c) { return c->line; }

enum st csv_need(const struct csv *c, int i, struct diag *d)
{
    return *csv_field(c, i) == '\0' ? csv_fail(c, i, d, "is empty") : ST_OK;
}

enum st csv_int(const struct csv *c, int i, int64_t min, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = csv_field(c, i);
    if (*s == '\0') return ST_OK;
    bool neg = *s == '-', rounded = false;
    sim_wide wide = 0;
    if (!value_number(s + neg, 1, INT64_MAX, &wide, &rounded) || rounded)
        return csv_fail(c, i, d, "'%.60s' is not a whole number", s);
    int64_t v = neg ? -(int64_t)wide : (int64_t)wide;
    if (v < min || v > max) {
        if (max == INT64_MAX) return csv_fail(c, i, d, "%lld is below %lld", (long long)v, (long long)min);
        return csv_fail(c, i, d, "%lld is outside %lld..%lld", (long long)v, (long long)min, (long long)max);
    }
    *out = v;
    return ST_OK;
}

bool csv_decimal(const char *s, int64_t unit, int64_t *out)
{
    sim_wide v;
    if (!value_number(s, unit, INT64_MAX, &v, NULL)) return false;
    *out = (int64_t)v;
    return true;
}

enum st csv_scaled(const struct csv *c, int i, int64_t unit, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = csv_field(c, i);
    if (*s == '\0') return ST_OK;
    sim_wide v;
    if (*s == '-') return csv_fail(c, i, d, "'%.60s' is negative", s);
    /* Of bytes a part is nothing. */
    if (!value_number(s, unit, INT64_MAX, &v, unit <= TICK_SEC ? &c->seen->rounded : NULL))
        return csv_fail(c, i, d, "'%.60s' is not a number, or too large", s);
    if (v > max) return csv_fail(c, i, d, "'%.60s' is too large", s);
    *out = (int64_t)v;
    return ST_OK;
}

enum st csv_form(const struct csv *c, int i, enum value_form form, struct diag *d)
{
    struct csv_seen *x = c->seen;
    MEM_RESERVE(x->times, x->cap, (size_t)i + 1);
    if (x->times[i].line == 0) {
        x->times[i].form = form;
        x->times[i].line = c->line;
    }
    if (x->times[i].form == form) return ST_OK;
    return csv_fail(c, i, d, "'%.60s' is %s, but line %u has %s: two forms in one column", csv_field(c, i),
                    value_form_words[form], x->times[i].line, value_form_words[x->times[i].form]);
}

enum st csv_seconds(const struct csv *c, int i, int64_t *out, struct diag *d)
{
    const char *s = csv_field(c, i);
    enum value_form form;
    if (*s == '\0') return ST_OK;
    if (*s == '-') return csv_fail(c, i, d, "'%.60s' is negative", s);
    if (!value_span(s, DUR_MAX, out, &form, &c->seen->rounded))
        return csv_fail(c, i, d, "'%.60s' is not a time, or too long: expected seconds, 1-02:03:04 or 10m", s);
    return csv_form(c, i, form, d);
}

enum st csv_instant(const struct csv *c, int i, int64_t max, int64_t *out, struct diag *d)
{
    const char *s = csv_field(c, i);
    enum value_form form;
    if (*s == '\0') return ST_OK;
    if (*s == '-') return csv_fail(c, i, d, "'%.60s' is negative", s);
    if (!value_instant(s, NULL, max, out, &form, &c->seen->rounded))
        return csv_fail(
            c, i, d, "'%.60s' is not a time, or too late: expected seconds or a date such as 2024-03-01T12:00:00Z", s);
    return csv_form(c, i, form, d);
}

bool csv_rounded(struct csv *c)
{
    bool was = c->seen->rounded;
    c->seen->rounded = false;
    return was;
}
