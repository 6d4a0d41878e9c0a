/* rows.c -- rows of rows.h: text by csv.c, JSON by jansson, whose input is given byte by byte so that lines are known. */
#include "input/text/rows.h"

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/text/csv.h"

/* One path into an object, and what it led to in this row. */
struct path { char *name, *text; size_t n, cap; };

struct rows {
    struct csv *csv;            /* NULL: JSON */
    FILE *f;
    char *file;
    char block[1 << 14];
    size_t at, end;             /* unread bytes of block */
    size_t taken;               /* of the row so far */
    uint32_t line_next, line;   /* of the next byte; where the row begins */
    bool in_list;
    json_t *row;
    struct path *path; size_t n_paths, cap_paths;
};

char rows_kind(const char *path)
{
    static const struct { const char *end; char kind;
    } ends[] = {
        { ".csv", ',' },        { ".tsv", '\t' },        { ".psv", '|' },
        { ".json", ROWS_JSON }, { ".jsonl", ROWS_JSON }, { ".ndjson", ROWS_JSON },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < ARRAY_LEN(ends); i++)
        if (strcmp(dot, ends[i].end) == 0) return ends[i].kind;
    return 0;
}

static enum st open_json(struct rows *r, const char *path, struct diag *d)
{
    r->file = mem_strdup(path);
    r->line_next = 1;
    r->f = fopen(path, "rb");
    if (r->f != NULL) return ST_OK;
    return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
}

enum st rows_open(struct rows **out, const char *path, char kind, const char *const *header, size_t n, struct diag *d)
{
    struct rows *r;
    MEM_NEW(r);
    *out = r;
    if (kind == ROWS_JSON) return open_json(r, path, d);
    TRY(csv_open(&r->csv, path, kind, d));
    if (n == 0) return csv_columns(r->csv, NULL, NULL, NULL, 0, true, NULL, d);
    csv_no_header(r->csv, header, n);
    return ST_OK;
}

void rows_close(struct rows *r)
{
    if (r == NULL) return;
    csv_close(r->csv);
    if (r->f != NULL) (void)fclose(r->f);
    json_decref(r->row);
    for (size_t i = 0; i < r->n_paths; i++) MEM_FREE(r->path[i].name, r->path[i].text);
    MEM_FREE(r->path, r->file, r);
}

bool rows_is_json(const struct rows *r) { return r->csv == NULL; }

int rows_column(struct rows *r, const char *name)
{
    if (r->csv != NULL) return csv_find(r->csv, name);
    for (size_t i = 0; i < r->n_paths; i++) if (strcmp(r->path[i].name, name) == 0) return (int)i;
    MEM_PUSH(r->path, r->n_paths, r->cap_paths, (struct path){ .name = mem_strdup(name) });
    return (int)r->n_paths - 1;
}

const char *const *rows_header(const struct rows *r, size_t *n)
{
    *n = 0;
    return r->csv != NULL ? csv_header(r->csv, n) : NULL;
}

/* ---- JSON ---- */

/* The next byte without taking it; -1: the end. */
static int peek(struct rows *r)
{
    if (r->at == r->end) {
        r->at = 0;
        r->end = fread(r->block, 1, sizeof r->block, r->f);
    }
    return r->end == 0 ? -1 : (unsigned char)r->block[r->at];
}

static void take(struct rows *r) { r->line_next += r->block[r->at++] == '\n'; }

/* For jansson: one byte at a time, so that nothing after the object is taken. */
static size_t give(void *buf, size_t n, void *ctx)
{
    struct rows *r = ctx;
    int c = peek(r);
    if (n == 0 || c < 0 || r->taken++ >= CSV_ROW_MAX) return 0;
    *(char *)buf = (char)c;
    take(r);
    return 1;
}

static enum st bad_json(const struct rows *r, struct diag *d, const char *what)
{
    return diag_at(d, ST_EINPUT, r->file, r->line_next, 0, "%s", what);
}

/* Past blanks, and the brackets and commas of a list.  *end: there is nothing more. */
static enum st to_object(struct rows *r, bool *end, struct diag *d)
{
    bool comma = r->row == NULL;
    *end = false;
    for (int c; (c = peek(r)) >= 0;) {
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n' ||
            (r->line == 0 && r->line_next == 1 && (c == 0xEF || c == 0xBB || c == 0xBF)))
            take(r);
        else if (c == '[' && r->row == NULL && !r->in_list) { r->in_list = true; take(r); }
        else if (c == ',' && r->in_list && !comma) { comma = true; take(r); }
        else if (c == ']' && r->in_list) {
            r->in_list = false;
            take(r);
            while ((c = peek(r)) == ' ' || c == '\t' || c == '\r' || c == '\n') take(r);
            *end = true;
            return c < 0 ? ST_OK : bad_json(r, d, "text after the list");
        }
        else if (c == '{' && (comma || !r->in_list)) return ST_OK;
        else return bad_json(r, d, "expected a JSON object");
    }
    if (ferror(r->f) != 0) return diag_at(d, ST_EWORLD, r->file, 0, 0, "cannot be read: %s", strerror(errno));
    *end = true;
    return r->in_list ? bad_json(r, d, "the list is not closed") : ST_OK;
}

static enum st next_json(struct rows *r, struct diag *d)
{
    json_error_t e;
    bool end;
    TRY(to_object(r, &end, d));
    if (end) return ST_END;
    json_decref(r->row);
    r->line = r->line_next;
    r->taken = 0;
    r->row = json_load_callback(give, r, JSON_REJECT_DUPLICATES | JSON_DISABLE_EOF_CHECK, &e);
    for (size_t i = 0; i < r->n_paths; i++) { mem_free(r->path[i].text); r->path[i].text = NULL; }
    if (r->row != NULL) return ST_OK;
    if (r->taken > CSV_ROW_MAX)
        return diag_at(d, ST_EINPUT, r->file, r->line, 0, "an object is longer than %d bytes", CSV_ROW_MAX);
    return diag_at(d, ST_EINPUT, r->file, r->line + (e.line > 0 ? (uint32_t)e.line - 1 : 0),
                   e.column > 0 ? (uint32_t)e.column : 0, "%s", e.text);
}

/* What a path has collected: values joined by ',', or how many. */
struct found { char **text; size_t *n, *cap; uint64_t count; bool counts; };

static void put(struct found *f, const char *s)
{
    size_t len = strlen(s);
    MEM_RESERVE(*f->text, *f->cap, *f->n + len + 2);
    if (f->count > 1) (*f->text)[(*f->n)++] = ',';
    memcpy(*f->text + *f->n, s, len + 1);
    *f->n += len;
}

static void found_value(struct found *f, const json_t *v)
{
    char number[48];
    if (v == NULL || json_is_null(v)) return;
    if (f->counts) {
        f->count += json_is_array(v) ? json_array_size(v) : json_is_object(v) ? json_object_size(v) : 1;
        return;
    }
    if (json_is_array(v) || json_is_object(v)) return;
    f->count++;
    if (json_is_string(v)) put(f, json_string_value(v));
    else if (json_is_boolean(v)) put(f, json_is_true(v) ? "true" : "false");
    else if (json_is_integer(v)) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        put(f, number);
    } else {
        /* The shortest that reads back as the same number. */
        for (int digits = 15; digits <= 17; digits++) {
            (void)snprintf(number, sizeof number, "%.*g", digits, json_real_value(v));
            if (strtod(number, NULL) >= json_real_value(v) && strtod(number, NULL) <= json_real_value(v)) break;
        }
        put(f, number);
    }
}

static void follow(struct found *f, const json_t *v, const char *path)
{
    if (*path == '\0' || v == NULL) { found_value(f, v); return; }
    char key[256];
    size_t len = strcspn(path, ".");
    const char *rest = path + len + (path[len] == '.');
    if (len >= sizeof key) return;
    (void)snprintf(key, sizeof key, "%.*s", (int)len, path);
    if (strcmp(key, "*") == 0) {
        for (size_t i = 0; i < json_array_size(v); i++) follow(f, json_array_get(v, i), rest);
        return;
    }
    int64_t i;
    if (json_is_array(v) && text_int(key, &i)) {
        int64_t n = (int64_t)json_array_size(v);
        if (i < 0) i += n;
        if (i >= 0 && i < n) follow(f, json_array_get(v, (size_t)i), rest);
        return;
    }
    const json_t *at = json_object_get(v, key);
    if (at != NULL) follow(f, at, rest);
}

static const char *json_field(struct rows *r, struct path *p)
{
    if (p->text != NULL) return p->text;
    p->n = p->cap = 0;
    struct found f = { .text = &p->text, .n = &p->n, .cap = &p->cap };
    size_t len = strlen(p->name);
    f.counts = len >= 2 && strcmp(p->name + len - 2, ".#") == 0;
    const json_t *whole = json_object_get(r->row, p->name);     /* a key may have points in it */
    char *path = mem_printf("%.*s", (int)(f.counts ? len - 2 : len), p->name);
    if (whole != NULL) found_value(&f, whole);
    else follow(&f, r->row, path);
    mem_free(path);
    if (p->text == NULL)
        p->text = f.counts && f.count > 0 ? mem_printf("%llu", (unsigned long long)f.count) : mem_strdup("");
    return p->text;
}

enum { NAMES_DEEP = 4 };

static void json_names(const json_t *o, const char *before, int depth, struct intern *names)
{
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)o, key, v) {
        char *path = mem_printf("%s%s%s%s", before, *before != '\0' ? "." : "", key, json_is_array(v) ? ".#" : "");
        if (json_is_object(v) && depth < NAMES_DEEP) json_names(v, path, depth + 1, names);
        else (void)intern_id(names, path);
        mem_free(path);
    }
}

void rows_names(const struct rows *r, struct intern *names)
{
    size_t n;
    const char *const *header = rows_header(r, &n);
    for (size_t i = 0; i < n; i++) (void)intern_id(names, header[i]);
    if (r->row != NULL) json_names(r->row, "", 0, names);
}

/* ---- rows of either ---- */

enum st rows_next(struct rows *r, struct diag *d) { return r->csv != NULL ? csv_next(r->csv, d) : next_json(r, d); }

const char *rows_field(struct rows *r, int at)
{
    if (at < 0) return "";
    return r->csv != NULL ? csv_field(r->csv, at) : json_field(r, &r->path[at]);
}

const char *const *rows_fields(const struct rows *r) { return r->csv != NULL ? csv_fields(r->csv) : NULL; }

uint32_t rows_line(const struct rows *r) { return r->csv != NULL ? csv_line(r->csv) : r->line; }

enum st rows_fail(const struct rows *r, int at, struct diag *d, const char *fmt, ...)
{
    char msg[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    if (r->csv != NULL) return csv_fail(r->csv, at, d, "%s", msg);
    if (at < 0) return diag_at(d, ST_EINPUT, r->file, r->line, 0, "%s", msg);
    return diag_at(d, ST_EINPUT, r->file, r->line, 0, "%.90s: %s", r->path[at].name, msg);
}
