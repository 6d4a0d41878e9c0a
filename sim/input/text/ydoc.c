/*
 * ydoc.c -- documents in and out: read with libyaml, changed by --set, written in
 * one fixed form.  ydoc_get.c holds what reads values from the tree.
 */
#include "input/text/ydoc.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include "base/mem.h"

/* Aliases are expanded into copies; these stop a document that nests itself or
 * explodes ("billion laughs") long before memory does, and before libyaml, whose time
 * is quadratic in the nesting, has read all of it. */
enum { DEPTH_MAX = 64, NODES_MAX = 1000000 };

static void node_destroy(struct ydoc_node *n)
{
    if (n == NULL) return;
    for (size_t i = 0; i < n->n; i++) node_destroy(n->at[i]);
    MEM_FREE(n->at, n->text, n->key, n);
}

void ydoc_fini(struct ydoc *y)
{
    node_destroy(y->root);
    for (size_t i = 0; i < y->n_names; i++) mem_free(y->name[i]);
    mem_free(y->name);
    memset(y, 0, sizeof *y);
}

static const char *keep_name(struct ydoc *y, const char *name)
{
    MEM_RESERVE(y->name, y->cap_names, y->n_names + 1);
    return y->name[y->n_names++] = mem_strdup(name);
}

static void append(struct ydoc_node *to, struct ydoc_node *child)
{
    MEM_PUSH(to->at, to->n, to->cap, child);
}

static size_t find(const struct ydoc_node *map, const char *key)
{
    size_t i = 0;
    while (i < map->n && strcmp(map->at[i]->key, key) != 0) i++;
    return i;
}

/* ---- from libyaml's document ---- */

struct convert { struct ydoc *y; yaml_document_t *doc; const char *file; bool located; struct diag *d; };

static enum st convert(struct convert *c, int id, int depth, struct ydoc_node **out);

static uint32_t place(const struct convert *c, size_t at) { return c->located ? (uint32_t)at + 1 : 0; }

static enum st convert_pair(struct convert *c, struct ydoc_node *map, const yaml_node_pair_t *p, int depth)
{
    const yaml_node_t *k = yaml_document_get_node(c->doc, p->key);
    uint32_t line = place(c, k->start_mark.line), col = place(c, k->start_mark.column);
    if (k->type != YAML_SCALAR_NODE)
        return diag_at(c->d, ST_EINPUT, c->file, line, col, "found a list or map as a key, expected a word");
    const char *key = (const char *)k->data.scalar.value;
    if (strlen(key) != k->data.scalar.length)
        return diag_at(c->d, ST_EINPUT, c->file, line, col, "found a NUL character in a key");
    size_t old = find(map, key);
    if (old < map->n) {
        if (c->located)
            return diag_at(c->d, ST_EINPUT, c->file, line, col, "found key '%s' a second time in one map; the first is at line %u",
                           key, map->at[old]->key_line);
        return diag_at(c->d, ST_EINPUT, c->file, 0, 0, "found key '%s' a second time in one map", key);
    }
    struct ydoc_node *v;
    TRY(convert(c, p->value, depth + 1, &v));
    v->key = mem_strdup(key);
    v->key_line = line;
    v->key_col = col;
    append(map, v);
    return ST_OK;
}

static enum st convert_children(struct convert *c, const yaml_node_t *from, int depth, struct ydoc_node *n)
{
    if (from->type == YAML_SEQUENCE_NODE) {
        n->type = YDOC_LIST;
        for (const yaml_node_item_t *i = from->data.sequence.items.start; i < from->data.sequence.items.top; i++) {
            struct ydoc_node *v;
            TRY(convert(c, *i, depth + 1, &v));
            append(n, v);
        }
    } else if (from->type == YAML_MAPPING_NODE) {
        n->type = YDOC_MAP;
        for (const yaml_node_pair_t *p = from->data.mapping.pairs.start; p < from->data.mapping.pairs.top; p++)
            TRY(convert_pair(c, n, p, depth));
    } else {
        n->type = YDOC_SCALAR;
        n->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        n->text = mem_strdup((const char *)from->data.scalar.value);
        if (strlen(n->text) != from->data.scalar.length)
            return diag_at(c->d, ST_EINPUT, n->file, n->line, n->col, "found a NUL character in a value");
    }
    return ST_OK;
}

static enum st too_deep(const struct convert *c, uint32_t line, uint32_t col)
{
    return diag_at(c->d, ST_EINPUT, c->file, line, col, "found more than %d levels of nesting", DEPTH_MAX);
}

static enum st convert(struct convert *c, int id, int depth, struct ydoc_node **out)
{
    const yaml_node_t *from = yaml_document_get_node(c->doc, id);
    uint32_t line = place(c, from->start_mark.line), col = place(c, from->start_mark.column);
    if (depth > DEPTH_MAX) return too_deep(c, line, col);
    if (++c->y->n_nodes > NODES_MAX)
        return diag_at(c->d, ST_EINPUT, c->file, line, col, "found more than %d values once aliases are written out", NODES_MAX);
    struct ydoc_node *n;
    MEM_NEW(n);
    n->line = line;
    n->col = col;
    n->file = c->file;
    enum st st = convert_children(c, from, depth, n);
    if (n->text == NULL) n->text = mem_strdup("");
    if (st != ST_OK) { node_destroy(n); return st; }
    *out = n;
    return ST_OK;
}

static enum st parse_error(const yaml_parser_t *p, const char *file, bool located, struct diag *d)
{
    const char *what = p->problem;
    /* Some allocations of libyaml's fail with no error set; everything else says what the problem is. */
    if (p->error == YAML_MEMORY_ERROR || what == NULL) return diag_at(d, ST_EWORLD, file, 0, 0, "out of memory");
    if (p->error == YAML_READER_ERROR)
        return diag_at(d, ST_EINPUT, file, 0, 0, "not valid YAML: %s at byte %zu; expected UTF-8 text", what, p->problem_offset + 1);
    uint32_t line = located ? (uint32_t)p->problem_mark.line + 1 : 0, col = located ? (uint32_t)p->problem_mark.column + 1 : 0;
    enum st st;
    if (p->context == NULL)
        st = diag_at(d, ST_EINPUT, file, line, col, "not valid YAML: %s", what);
    else if (located && p->context_mark.line != p->problem_mark.line)
        st = diag_at(d, ST_EINPUT, file, line, col, "not valid YAML: %s, %s that begins at line %zu", what, p->context, p->context_mark.line + 1);
    else
        st = diag_at(d, ST_EINPUT, file, line, col, "not valid YAML: %s, %s", what, p->context);
    if (strstr(what, "cannot start any token") != NULL) diag_hint(d, "YAML is indented with spaces, never tabs; text that begins with @, ` or %% needs quotes");
    return st;
}

/* Read event by event until the lists and maps are too deep.  Other errors are found when it is read again. */
static enum st check_depth(const struct convert *c, yaml_parser_t *p)
{
    int depth = 0;
    enum st st = ST_OK;
    for (bool more = true; more && st == ST_OK;) {
        yaml_event_t e;
        if (!yaml_parser_parse(p, &e)) return ST_OK;
        bool opens = e.type == YAML_SEQUENCE_START_EVENT || e.type == YAML_MAPPING_START_EVENT;
        if (opens && depth++ > DEPTH_MAX) st = too_deep(c, place(c, e.start_mark.line), place(c, e.start_mark.column));
        depth -= e.type == YAML_SEQUENCE_END_EVENT || e.type == YAML_MAPPING_END_EVENT;
        more = e.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&e);
    }
    return st;
}

/* One document from the parser; *out is NULL when the stream holds none. */
static enum st load_one(struct ydoc *y, yaml_parser_t *p, const char *file, bool located, struct ydoc_node **out, struct diag *d)
{
    yaml_document_t doc, more;
    if (!yaml_parser_load(p, &doc)) return parse_error(p, file, located, d);
    struct convert c = { .y = y, .doc = &doc, .file = file, .located = located, .d = d };
    enum st st = ST_OK;
    if (yaml_document_get_root_node(&doc) == NULL) goto out;
    st = convert(&c, 1, 0, out);
    if (st != ST_OK) goto out;
    if (!yaml_parser_load(p, &more)) {
        st = parse_error(p, file, located, d);
    } else {
        const yaml_node_t *second = yaml_document_get_root_node(&more);
        if (second != NULL)
            st = diag_at(d, ST_EINPUT, file, place(&c, second->start_mark.line), place(&c, second->start_mark.column),
                         "found a second YAML document, expected one");
        yaml_document_delete(&more);
    }
    if (st != ST_OK) { node_destroy(*out); *out = NULL; }
out:
    yaml_document_delete(&doc);
    return st;
}

/* All documents of the parser's stream, as a list. */
static enum st load_all(struct ydoc *y, yaml_parser_t *p, const char *file, struct ydoc_node **out, struct diag *d)
{
    struct ydoc_node *list, *v;
    enum st st = ST_OK;
    MEM_NEW(list);
    *list = (struct ydoc_node){ .type = YDOC_LIST, .line = 1, .col = 1, .file = file, .text = mem_strdup("") };
    for (bool more = true; more && st == ST_OK;) {
        yaml_document_t doc;
        if (!yaml_parser_load(p, &doc)) { st = parse_error(p, file, true, d); break; }
        struct convert c = { .y = y, .doc = &doc, .file = file, .located = true, .d = d };
        more = yaml_document_get_root_node(&doc) != NULL;
        if (more && (st = convert(&c, 1, 0, &v)) == ST_OK) append(list, v);
        yaml_document_delete(&doc);
    }
    *out = list;
    return st;
}

/* One document, or all there are; or a value of --set, which stands nowhere. */
enum extent { ONE, ALL, VALUE };

/* encoding: YAML_ANY_ENCODING where the text's first bytes tell. */
static enum st parse_text(struct ydoc *y, const char *file, const char *text, size_t n, yaml_encoding_t encoding, enum extent extent,
                          struct ydoc_node **out, struct diag *d)
{
    const bool located = extent != VALUE;
    enum st st = ST_OK;
    *out = NULL;
    for (int pass = 0; pass < 2 && st == ST_OK; pass++) {
        yaml_parser_t p;
        if (!yaml_parser_initialize(&p)) return diag_set(d, ST_EWORLD, "out of memory");
        yaml_parser_set_encoding(&p, encoding);
        yaml_parser_set_input_string(&p, (const unsigned char *)text, n);
        st = pass == 0 ? check_depth(&(struct convert){ .file = file, .located = located, .d = d }, &p)
           : extent == ALL ? load_all(y, &p, file, out, d) : load_one(y, &p, file, located, out, d);
        yaml_parser_delete(&p);
    }
    return st;
}

static enum st finish_load(struct ydoc *y, enum st st, const char *name, struct diag *d)
{
    if (st == ST_OK && y->root == NULL)
        st = diag_at(d, ST_EINPUT, name, 0, 0, "found an empty document, expected a map of sections");
    if (st != ST_OK) ydoc_fini(y);
    return st;
}

enum st ydoc_parse(struct ydoc *y, const char *name, const char *text, struct diag *d)
{
    memset(y, 0, sizeof *y);
    enum st st = parse_text(y, keep_name(y, name), text, strlen(text), YAML_UTF8_ENCODING, ONE, &y->root, d);
    return finish_load(y, st, name, d);
}

static enum st load(struct ydoc *y, const char *path, enum extent extent, struct diag *d)
{
    memset(y, 0, sizeof *y);
    errno = 0;
    FILE *f = fopen(path, "r");
    if (f == NULL) {
        bool is_input = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == EISDIR;
        return diag_at(d, is_input ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno));
    }
    char *text = NULL;
    size_t n = 0, cap = 0, got;
    do {
        MEM_RESERVE(text, cap, n + 65536);
        n += got = fread(text + n, 1, 65536, f);
    } while (got > 0);
    enum st st;
    if (ferror(f)) st = diag_at(d, errno == EISDIR ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot read: %s", strerror(errno));
    else st = parse_text(y, keep_name(y, path), text, n, YAML_ANY_ENCODING, extent, &y->root, d);
    mem_free(text);
    (void)fclose(f);
    return finish_load(y, st, path, d);
}

enum st ydoc_load(struct ydoc *y, const char *path, struct diag *d) { return load(y, path, ONE, d); }
enum st ydoc_load_all(struct ydoc *y, const char *path, struct diag *d) { return load(y, path, ALL, d); }

/* ---- --set ---- */

static bool is_index(const char *s, size_t *out)
{
    size_t v = 0, n = strlen(s);
    if (n == 0 || n > 6) return false;
    for (; *s != '\0'; s++) {
        if (*s < '0' || *s > '9') return false;
        v = v * 10 + (size_t)(*s - '0');
    }
    *out = v;
    return true;
}

/* Where an assignment was written; line 0: on the command line. */
struct place { const char *file; uint32_t line, col; };

static struct ydoc_node *new_map(const struct place *from)
{
    struct ydoc_node *n;
    MEM_NEW(n);
    n->type = YDOC_MAP;
    n->file = from->file;
    n->line = from->line;
    n->col = from->col;
    n->text = mem_strdup("");
    return n;
}

/* Where `step` leads within `at`: the entry's position, at->n when it is to be made. */
static enum st step_to(const struct ydoc_node *at, const char *step, const struct place *from, size_t *pos, struct diag *d)
{
    if (at->type == YDOC_MAP) { *pos = find(at, step); return ST_OK; }
    if (at->type == YDOC_SCALAR)
        return diag_at(d, ST_EINPUT, from->file, from->line, from->col,
                       "'%s' cannot be set: what is before it in the path is a plain value, '%s'", step, at->text);
    if (!is_index(step, pos) || *pos > at->n)
        return diag_at(d, ST_EINPUT, from->file, from->line, from->col,
                       "found '%s' in the path, expected an index from 0 to %zu: it leads into a list", step, at->n);
    return ST_OK;
}

/* Put v (NULL: remove) at the position; takes v. */
static void put(struct ydoc_node *at, size_t pos, const char *key, const struct place *from, struct ydoc_node *v)
{
    if (v == NULL) {
        node_destroy(at->at[pos]);
        memmove(&at->at[pos], &at->at[pos + 1], (at->n - pos - 1) * sizeof *at->at);
        at->n--;
        return;
    }
    if (at->type == YDOC_MAP) v->key = mem_strdup(key);
    if (pos == at->n) {
        v->key_line = from->line;
        v->key_col = from->col;
        append(at, v);
        return;
    }
    v->key_line = at->at[pos]->key_line;
    v->key_col = at->at[pos]->key_col;
    node_destroy(at->at[pos]);
    at->at[pos] = v;
}

static enum st set_path(struct ydoc *y, char *path, const struct place *from, struct ydoc_node *v, struct diag *d)
{
    struct ydoc_node *at = y->root;
    for (char *dot; (dot = strchr(path, '.')) != NULL; path = dot + 1) {
        *dot = '\0';
        size_t pos;
        if (*path == '\0') break;
        TRY(step_to(at, path, from, &pos, d));
        if (pos == at->n) {
            if (v == NULL) return diag_at(d, ST_EINPUT, from->file, from->line, from->col, "found nothing at '%s' to remove", path);
            put(at, pos, path, from, new_map(from));
        } else if (ydoc_is_null(at->at[pos]) && v != NULL) {
            put(at, pos, path, from, new_map(from));
        }
        at = at->at[pos];
    }
    if (*path == '\0')
        return diag_at(d, ST_EINPUT, from->file, from->line, from->col, "found an empty step in the path, expected one like a.b.c");
    size_t pos;
    TRY(step_to(at, path, from, &pos, d));
    if (v == NULL && pos == at->n)
        return diag_at(d, ST_EINPUT, from->file, from->line, from->col, "found nothing at '%s' to remove", path);
    put(at, pos, path, from, v);
    return ST_OK;
}

enum st ydoc_set(struct ydoc *y, const char *assignment, struct diag *d)
{
    char *label = mem_printf("--set %s", assignment);
    struct place from = { .file = keep_name(y, label) };
    const char *eq = strchr(assignment, '=');
    mem_free(label);
    if (eq == NULL || eq == assignment) return diag_at(d, ST_EINPUT, from.file, 0, 0, "expected path=value, such as trace.speedup=20");
    if (y->root->type != YDOC_MAP) return diag_at(d, ST_EINPUT, from.file, 0, 0, "the document is not a map, so it has no paths");
    struct ydoc_node *v = NULL;
    TRY(parse_text(y, from.file, eq + 1, strlen(eq + 1), YAML_UTF8_ENCODING, VALUE, &v, d));
    if (v != NULL && ydoc_is_null(v)) { node_destroy(v); v = NULL; }
    char *path = mem_strndup(assignment, (size_t)(eq - assignment));
    enum st st = set_path(y, path, &from, v, d);
    if (st != ST_OK) node_destroy(v);
    mem_free(path);
    return st;
}

/* ---- copies, and values put into them ---- */

static struct ydoc_node *copy(const struct ydoc_node *from)
{
    struct ydoc_node *n;
    MEM_NEW(n);
    *n = *from;
    n->text = mem_strdup(from->text);
    n->key = from->key != NULL ? mem_strdup(from->key) : NULL;
    n->at = NULL;
    n->n = n->cap = 0;
    for (size_t i = 0; i < from->n; i++) append(n, copy(from->at[i]));
    return n;
}

void ydoc_copy(struct ydoc *to, const struct ydoc *from)
{
    *to = (struct ydoc){ .root = copy(from->root), .n_nodes = from->n_nodes };
}

static void own_files(struct ydoc *y, struct ydoc_node *n)
{
    size_t i = 0;
    while (i < y->n_names && strcmp(y->name[i], n->file) != 0) i++;
    if (i == y->n_names) MEM_PUSH(y->name, y->n_names, y->cap_names, mem_strdup(n->file));
    n->file = y->name[i];
    for (size_t k = 0; k < n->n; k++) own_files(y, n->at[k]);
}

void ydoc_keep(struct ydoc *to, const struct ydoc_node *n)
{
    *to = (struct ydoc){ .root = copy(n) };
    own_files(to, to->root);
}

enum st ydoc_put(struct ydoc *y, const char *path, const struct ydoc_node *where, const struct ydoc_node *value, struct diag *d)
{
    struct place from = { where->file, where->key_line, where->key_col };
    struct ydoc_node *v = NULL;
    if (!ydoc_is_null(value)) {
        v = copy(value);
        mem_free(v->key);
        v->key = NULL;
    }
    char *steps = mem_strdup(path);
    enum st st = set_path(y, steps, &from, v, d);
    if (st != ST_OK) node_destroy(v);
    mem_free(steps);
    return st;
}

void ydoc_drop(struct ydoc *y, const char *key)
{
    size_t pos = y->root->type == YDOC_MAP ? find(y->root, key) : y->root->n;
    if (pos < y->root->n) put(y->root, pos, key, NULL, NULL);
}

/* ---- the canonical form ---- */

static int by_key(const void *a, const void *b)
{
    const struct ydoc_node *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

/* Text that YAML reads back as the same plain scalar, kept to characters that never mean anything else. */
static bool is_plain(const char *s)
{
    if (strcmp(s, "null") == 0 || strcmp(s, "Null") == 0 || strcmp(s, "NULL") == 0) return false;
    bool marked = *s == '-' || *s == '.' || *s == '/' || *s == '_';
    if (!isalnum((unsigned char)s[marked ? 1 : 0])) return false;       /* also "" */
    return s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+._/=;%")] == '\0';
}

static void write_text(FILE *f, const char *s)
{
    if (is_plain(s)) { (void)fputs(s, f); return; }
    (void)fputc('"', f);
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') (void)fprintf(f, "\\%c", c);
        else if (c == '\n') (void)fputs("\\n", f);
        else if (c == '\t') (void)fputs("\\t", f);
        else if (c < 0x20 || c == 0x7f) (void)fprintf(f, "\\x%02x", c);
        else (void)fputc(c, f);
    }
    (void)fputc('"', f);
}

static void write_flow(FILE *f, const struct ydoc_node *n)
{
    if (n->type == YDOC_SCALAR) {
        if (!ydoc_is_null(n)) write_text(f, n->text);
        return;
    }
    (void)fputc(n->type == YDOC_MAP ? '{' : '[', f);
    for (size_t i = 0; i < n->n; i++) {
        if (i > 0) (void)fputs(", ", f);
        if (n->type == YDOC_MAP) { write_text(f, n->at[i]->key); (void)fputs(": ", f); }
        write_flow(f, n->at[i]);
    }
    (void)fputc(n->type == YDOC_MAP ? '}' : ']', f);
}

char *ydoc_flow(const struct ydoc_node *n)
{
    struct mem_text t;
    mem_text_open(&t);
    write_flow(t.to, n);
    return mem_text_close(&t);
}

/* Entries of a list or map, each on lines of its own; the first is already indented. */
static void write_entries(FILE *f, const struct ydoc_node *n, int indent)
{
    struct ydoc_node **at;
    MEM_ARRAY(at, n->n);
    memcpy(at, n->at, n->n * sizeof *at);
    if (n->type == YDOC_MAP) qsort(at, n->n, sizeof *at, by_key);
    for (size_t i = 0; i < n->n; i++) {
        const struct ydoc_node *v = at[i];
        if (i > 0) (void)fprintf(f, "%*s", indent, "");
        if (n->type == YDOC_MAP) { write_text(f, v->key); (void)fputc(':', f); }
        else (void)fputc('-', f);
        if (v->n == 0) {
            (void)fputc(' ', f);
            if (v->type != YDOC_SCALAR) (void)fputs(v->type == YDOC_MAP ? "{}" : "[]", f);
            else if (ydoc_is_null(v)) (void)fputs("null", f);
            else write_text(f, v->text);
            (void)fputc('\n', f);
            continue;
        }
        if (n->type == YDOC_LIST) (void)fputc(' ', f);
        else (void)fprintf(f, "\n%*s", indent + 2, "");
        write_entries(f, v, indent + 2);
    }
    mem_free(at);
}

char *ydoc_canonical(const struct ydoc *y)
{
    struct mem_text t;
    mem_text_open(&t);
    if (y->root->n > 0) write_entries(t.to, y->root, 0);
    else (void)fprintf(t.to, "%s\n", y->root->type == YDOC_MAP ? "{}" : y->root->type == YDOC_LIST ? "[]" : y->root->text);
    return mem_text_close(&t);
}
