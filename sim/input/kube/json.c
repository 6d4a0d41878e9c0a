/*
 * json.c -- a document of Kubernetes objects (json.h): its items with the lines on
 * which they begin, and typed access to what is in them.
 */
#include "input/kube/json.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include "base/mem.h"
#include "base/text.h"
#include "input/kube/quantity.h"

/*
 * jansson keeps no places.  The text is known to be JSON when this looks for
 * the lines on which the elements of the top-level "items" begin.
 */
static void find_lines(struct kube_doc *k, const char *text)
{
    uint32_t line = 1;
    int depth = 0;
    size_t found = 0, start = 0;
    bool in_text = false, in_items = false, was_items = false;
    for (size_t i = 0; text[i] != '\0' && found < k->n; i++) {
        char c = text[i];
        line += c == '\n';
        if (in_text) {
            if (c == '\\' && text[i + 1] != '\0') i++;
            else if (c == '"') {
                in_text = false;
                if (depth == 1) was_items = i - start == 6 && memcmp(text + start + 1, "items", 5) == 0;
            }
            continue;
        }
        if (c == '"') { in_text = true; start = i; continue; }
        if (c == '[' && depth == 1 && was_items) in_items = true;
        if (c == '{' && depth == 2 && in_items) k->line[found++] = line;
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth < 2) in_items = false;
    }
}

static enum st read_text(const char *path, char **out, struct diag *d)
{
    FILE *f = fopen(path, "rb");
    size_t n = 0, cap = 0;
    char *text = NULL;
    if (f == NULL) return diag_at(d, errno == ENOENT ? ST_EINPUT : ST_EWORLD, path, 0, 0, "cannot be opened: %s", strerror(errno));
    do {
        MEM_RESERVE(text, cap, n + 65537);
        n += fread(text + n, 1, 65536, f);
    } while (feof(f) == 0 && ferror(f) == 0);
    bool bad = ferror(f) != 0;
    (void)fclose(f);
    text[n] = '\0';
    *out = text;
    if (bad) return diag_at(d, ST_EWORLD, path, 0, 0, "cannot be read: %s", strerror(errno));
    if (strlen(text) < n) return diag_at(d, ST_EINPUT, path, 0, 0, "is not text: it holds a zero byte");
    return ST_OK;
}

static const char *kind_of(const json_t *o)
{
    const char *s = json_string_value(json_object_get(o, "kind"));
    return s != NULL ? s : "";
}

static enum st find_items(struct kube_doc *k, const char *kind, struct diag *d)
{
    char list[16];
    (void)snprintf(list, sizeof list, "%sList", kind);
    const char *found = kind_of(k->root);
    if (!json_is_object(k->root) || (strcmp(found, kind) != 0 && strcmp(found, "List") != 0 && strcmp(found, list) != 0)) {
        (void)diag_at(d, ST_EINPUT, k->path, 1, 0, "found kind '%.40s', expected a List of %ss", found, kind);
        diag_hint(d, "`kubectl get %ss%s -o json` prints one", kind[0] == 'P' ? "pod" : "node", kind[0] == 'P' ? " -A" : "");
        return ST_EINPUT;
    }
    bool one = strcmp(found, kind) == 0;
    json_t *items = json_object_get(k->root, "items");
    if (!one && !json_is_array(items)) return diag_at(d, ST_EINPUT, k->path, 1, 0, "found no array 'items'");
    k->n = one ? 1 : json_array_size(items);
    MEM_ARRAY(k->item, k->n);
    MEM_ARRAY(k->line, k->n);
    for (size_t i = 0; i < k->n; i++) {
        k->item[i] = one ? k->root : json_array_get(items, i);
        k->line[i] = 1;
    }
    return ST_OK;
}

/* A list of kind List may mix kinds. */
static enum st check_items(const struct kube_doc *k, const char *kind, struct diag *d)
{
    for (size_t i = 0; i < k->n; i++) {
        struct kube_at a = kube_item(k, i);
        if (!json_is_object(k->item[i])) return kube_fail(&a, d, "is not an object");
        const char *of = kind_of(k->item[i]);
        if (*of != '\0' && strcmp(of, kind) != 0) return kube_fail(&a, d, "found kind '%.40s', expected %s", of, kind);
    }
    return ST_OK;
}

enum st kube_doc_load(struct kube_doc *k, const char *path, const char *kind, struct diag *d)
{
    json_error_t e;
    char *text = NULL;
    *k = (struct kube_doc){ .path = mem_strdup(path) };
    enum st st = read_text(path, &text, d);
    if (st == ST_OK && (k->root = json_loads(text, JSON_REJECT_DUPLICATES, &e)) == NULL)
        st = diag_at(d, ST_EINPUT, path, e.line > 0 ? (uint32_t)e.line : 0, e.column > 0 ? (uint32_t)e.column : 0, "is not JSON: %s", e.text);
    if (st == ST_OK) st = find_items(k, kind, d);
    if (st == ST_OK) find_lines(k, text);
    mem_free(text);
    if (st == ST_OK) st = check_items(k, kind, d);
    if (st != ST_OK) kube_doc_fini(k);
    return st;
}

void kube_doc_fini(struct kube_doc *k)
{
    json_decref(k->root);
    MEM_FREE(k->item, k->line, k->path);
    memset(k, 0, sizeof *k);
}

struct kube_at kube_item(const struct kube_doc *k, size_t i)
{
    struct kube_at a = { .doc = k, .item = i, .o = k->item[i] };
    (void)snprintf(a.path, sizeof a.path, "items[%zu]", i);
    return a;
}

enum st kube_fail(const struct kube_at *a, struct diag *d, const char *fmt, ...)
{
    char error[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(error, sizeof error, fmt, ap);
    va_end(ap);
    return diag_at(d, ST_EINPUT, a->doc->path, a->doc->line[a->item], 0, "%s: %s", a->path, error);
}

static const char *type_name(const json_t *v)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY:  return "an array";
    case JSON_STRING: return "text";
    case JSON_INTEGER: case JSON_REAL: return "a number";
    case JSON_TRUE: case JSON_FALSE: return "true or false";
    case JSON_NULL: break;
    }
    return "null";
}

static enum st member(const struct kube_at *a, const char *key, bool array, struct kube_at *out, struct diag *d)
{
    *out = *a;
    size_t n = strlen(out->path);
    (void)snprintf(out->path + n, sizeof out->path - n, ".%s", key);
    out->o = a->o != NULL ? json_object_get(a->o, key) : NULL;
    if (out->o == NULL || json_is_null(out->o)) { out->o = NULL; return ST_OK; }
    if (array ? json_is_array(out->o) : json_is_object(out->o)) return ST_OK;
    return kube_fail(out, d, "found %s, expected %s", type_name(out->o), array ? "an array" : "an object");
}

enum st kube_object(const struct kube_at *a, const char *key, struct kube_at *out, struct diag *d) { return member(a, key, false, out, d); }
enum st kube_array(const struct kube_at *a, const char *key, struct kube_at *out, struct diag *d) { return member(a, key, true, out, d); }

enum st kube_element(const struct kube_at *array, size_t i, struct kube_at *out, struct diag *d)
{
    *out = *array;
    size_t n = strlen(out->path);
    (void)snprintf(out->path + n, sizeof out->path - n, "[%zu]", i);
    out->o = json_array_get(array->o, i);
    return json_is_object(out->o) ? ST_OK : kube_fail(out, d, "found %s, expected an object", type_name(out->o));
}

enum st kube_text(const struct kube_at *a, const char *key, const char **out, struct diag *d)
{
    json_t *v = a->o != NULL ? json_object_get(a->o, key) : NULL;
    *out = NULL;
    if (v == NULL || json_is_null(v)) return ST_OK;
    if (!json_is_string(v)) return kube_fail(a, d, "'%s' is %s, expected text", key, type_name(v));
    *out = json_string_value(v);
    return ST_OK;
}

enum st kube_amount(const struct kube_at *a, const char *key, int64_t scale, int64_t *out, struct diag *d)
{
    char number[32];
    json_t *v = a->o != NULL ? json_object_get(a->o, key) : NULL;
    const char *s = json_string_value(v);
    if (v == NULL || json_is_null(v)) return ST_OK;
    if (json_is_integer(v)) {
        (void)snprintf(number, sizeof number, "%lld", (long long)json_integer_value(v));
        s = number;
    }
    if (s == NULL) return kube_fail(a, d, "'%s' is %s, expected a quantity such as \"500m\" or \"16Gi\"", key, type_name(v));
    if (kube_quantity(s, scale, out)) return ST_OK;
    return kube_fail(a, d, "'%s': '%.40s' is not a quantity >= 0, or is too large", key, s);
}

enum st kube_whole(const struct kube_at *a, const char *key, int64_t max, int64_t *out, struct diag *d)
{
    const char *s;
    int64_t v;
    TRY(kube_text(a, key, &s, d));
    if (s == NULL) return ST_OK;
    if (!text_int(s, &v) || v < 0 || v > max) return kube_fail(a, d, "'%s': '%.40s' is not a whole number from 0 to %lld", key, s, (long long)max);
    *out = v;
    return ST_OK;
}
