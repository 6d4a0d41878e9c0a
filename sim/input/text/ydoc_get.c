/* The readers of ydoc.h: typed access to a tree, and its errors. */
#include "input/text/ydoc.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

const struct ydoc_node *ydoc_get(const struct ydoc_node *map, const char *key)
{
    if (map == NULL || map->type != YDOC_MAP) return NULL;
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->at[i]->key, key) == 0) return map->at[i];
    return NULL;
}

bool ydoc_is_null(const struct ydoc_node *n)
{
    static const char *const word[] = { "", "~", "null", "Null", "NULL" };
    if (n->type != YDOC_SCALAR || n->quoted) return false;
    for (size_t i = 0; i < ARRAY_LEN(word); i++)
        if (strcmp(n->text, word[i]) == 0) return true;
    return false;
}

enum st ydoc_error(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
{
    char msg[sizeof d->msg];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    return diag_at(d, ST_EINPUT, n->file, n->line, n->col, "%s", msg);
}

enum st ydoc_key_error(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
{
    char msg[sizeof d->msg];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    bool has_key = n->key != NULL && n->line > 0;
    return diag_at(d, ST_EINPUT, n->file, has_key ? n->key_line : n->line, has_key ? n->key_col : n->col, "%s", msg);
}

/* "'key': " or nothing, and what stands there in words. */
static void describe(const struct ydoc_node *n, char *buf, size_t cap)
{
    char key[128] = "";
    if (n->key != NULL) (void)snprintf(key, sizeof key, "'%.100s': ", n->key);
    if (n->type != YDOC_SCALAR)  (void)snprintf(buf, cap, "%sfound %s %s", key, n->n == 0 ? "an empty" : "a", n->type == YDOC_MAP ? "map" : "list");
    else if (ydoc_is_null(n)) (void)snprintf(buf, cap, "%sfound nothing", key);
    else                      (void)snprintf(buf, cap, "%sfound '%.100s'", key, n->text);
}

enum st ydoc_expected(const struct ydoc_node *n, struct diag *d, const char *fmt, ...)
{
    char msg[sizeof d->msg / 2], found[256];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(msg, sizeof msg, fmt, ap);
    va_end(ap);
    describe(n, found, sizeof found);
    return ydoc_error(n, d, "%s, expected %s", found, msg);
}

enum st ydoc_keys(const struct ydoc_node *map, const char *what, const char *const *known, size_t n, struct diag *d)
{
    if (map == NULL) return ST_OK;
    for (size_t i = 0; i < map->n; i++) {
        size_t k = 0;
        while (k < n && strcmp(map->at[i]->key, known[k]) != 0) k++;
        if (k < n) continue;
        (void)ydoc_key_error(map->at[i], d, "found unknown key '%s' in %s", map->at[i]->key, what);
        char all[200] = "";
        for (size_t j = 0; j < n; j++) {
            size_t used = strlen(all);
            (void)snprintf(all + used, sizeof all - used, "%s%s", j > 0 ? ", " : "", known[j]);
        }
        if (strcmp(map->at[i]->key, "<<") == 0) diag_hint(d, "merge keys are not read; an alias can stand for a whole value");
        else (void)diag_suggest(d, map->at[i]->key, known, n);
        return diag_hint(d, "keys here: %s", all);
    }
    return ST_OK;
}

enum st ydoc_map(const struct ydoc_node *map, const char *key, const struct ydoc_node **out, struct diag *d)
{
    *out = ydoc_get(map, key);
    if (*out != NULL && (*out)->type != YDOC_MAP) return ydoc_expected(*out, d, "a map");
    return ST_OK;
}

enum st ydoc_list(const struct ydoc_node *map, const char *key, const struct ydoc_node **out, struct diag *d)
{
    *out = ydoc_get(map, key);
    if (*out != NULL && (*out)->type != YDOC_LIST) return ydoc_expected(*out, d, "a list");
    return ST_OK;
}

enum st ydoc_node_str(const struct ydoc_node *n, const char **out, struct diag *d)
{
    if (n->type != YDOC_SCALAR || n->text[0] == '\0' || ydoc_is_null(n)) return ydoc_expected(n, d, "text");
    *out = n->text;
    return ST_OK;
}

enum st ydoc_node_int(const struct ydoc_node *n, int64_t lo, int64_t hi, int64_t *out, struct diag *d)
{
    int64_t v;
    if (n->type == YDOC_SCALAR && text_int(n->text, &v) && v >= lo && v <= hi) { *out = v; return ST_OK; }
    if (hi == INT64_MAX) return ydoc_expected(n, d, "a whole number from %lld", (long long)lo);
    return ydoc_expected(n, d, "a whole number from %lld to %lld", (long long)lo, (long long)hi);
}

enum st ydoc_node_double(const struct ydoc_node *n, double lo, double hi, double *out, struct diag *d)
{
    double v;
    if (n->type == YDOC_SCALAR && text_double(n->text, &v) && v >= lo && v <= hi) { *out = v; return ST_OK; }
    bool above = lo > 0 && lo <= YDOC_ABOVE_0;
    if (above && hi >= HUGE_VAL) return ydoc_expected(n, d, "a number above 0");
    if (above) return ydoc_expected(n, d, "a number above 0, at most %g", hi);
    if (hi >= HUGE_VAL) return ydoc_expected(n, d, "a number of at least %g", lo);
    return ydoc_expected(n, d, "a number from %g to %g", lo, hi);
}

enum st ydoc_str(const struct ydoc_node *map, const char *key, const char **out, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    return n == NULL ? ST_OK : ydoc_node_str(n, out, d);
}

enum st ydoc_int(const struct ydoc_node *map, const char *key, int64_t lo, int64_t hi, int64_t *out, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    return n == NULL ? ST_OK : ydoc_node_int(n, lo, hi, out, d);
}

enum st ydoc_double(const struct ydoc_node *map, const char *key, double lo, double hi, double *out, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    return n == NULL ? ST_OK : ydoc_node_double(n, lo, hi, out, d);
}

enum st ydoc_bool(const struct ydoc_node *map, const char *key, bool *out, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    if (n == NULL) return ST_OK;
    bool yes = n->type == YDOC_SCALAR && !n->quoted && strcmp(n->text, "true") == 0;
    bool no  = n->type == YDOC_SCALAR && !n->quoted && strcmp(n->text, "false") == 0;
    if (!yes && !no) return ydoc_expected(n, d, "true or false");
    *out = yes;
    return ST_OK;
}

enum st ydoc_node_quantity(const struct ydoc_node *n, enum text_dimension dimension, int64_t unit, int64_t lo,
                           int64_t *out, struct diag *d)
{
    /* The upper ends keep sums and products of quantities inside 64 bits. */
    static const struct { const char *what, *most; int64_t hi; } of[] = {
        [TEXT_DURATION] = { "a duration, such as 90s or 4h", "1000 years", INT64_C(31557600000) * TICK_SEC },
        [TEXT_BYTES] = { "a size, such as 16GiB", "1024TiB", INT64_C(1) << 50 },
        [TEXT_RATE] = { "a rate, such as 25GB/s", "1024TiB/s", INT64_C(1) << 50 },
        [TEXT_MILLI] = { "a number, such as 2 or 0.5", "1000000", INT64_C(1000000000) },
        [TEXT_COUNT] = { "a whole number", "10^15", INT64_C(1000000000000000) },
        [TEXT_POWER] = { "a power, such as 350W", "1MW", INT64_C(1000000000) },
    };
    char error[256];
    int64_t v;
    if (n->type != YDOC_SCALAR || ydoc_is_null(n)) return ydoc_expected(n, d, "%s", of[dimension].what);
    if (!text_parse(n->text, dimension, unit, &v, error, sizeof error))
        return n->key != NULL ? ydoc_error(n, d, "'%s': %s", n->key, error) : ydoc_error(n, d, "%s", error);
    if (v < lo) return ydoc_expected(n, d, "%s, above 0", of[dimension].what);
    if (v > of[dimension].hi) return ydoc_expected(n, d, "%s, at most %s", of[dimension].what, of[dimension].most);
    *out = v;
    return ST_OK;
}

enum st ydoc_quantity(const struct ydoc_node *map, const char *key, enum text_dimension dimension, int64_t unit,
                      int64_t lo, int64_t *out, struct diag *d)
{
    const struct ydoc_node *n = ydoc_get(map, key);
    return n == NULL ? ST_OK : ydoc_node_quantity(n, dimension, unit, lo, out, d);
}

enum st ydoc_node_choice(const struct ydoc_node *v, const char *const *word, size_t n, uint32_t *out, struct diag *d)
{
    char all[256] = "";
    for (size_t i = 0; i < n; i++) {
        if (v->type == YDOC_SCALAR && strcmp(v->text, word[i]) == 0) { *out = (uint32_t)i; return ST_OK; }
        size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : i + 1 == n ? " or " : ", ", word[i]);
    }
    (void)ydoc_expected(v, d, "%s", all);
    return diag_suggest(d, v->text, word, v->type == YDOC_SCALAR ? n : 0);
}

enum st ydoc_choice(const struct ydoc_node *map, const char *key, const char *const *word, size_t n, uint32_t *out, struct diag *d)
{
    const struct ydoc_node *v = ydoc_get(map, key);
    return v == NULL ? ST_OK : ydoc_node_choice(v, word, n, out, d);
}
