/* option.c -- option.h but for documents, which scenario/section_trace.c reads. */
#include "input/trace/option.h"

#include <string.h>

const struct trace_option *trace_option_find(const struct trace_option *x, size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(x[i].key, key) == 0) return &x[i];
    return NULL;
}

void trace_option_defaults(const struct trace_option *x, size_t n, void *own)
{
    char error[256];
    for (size_t i = 0; i < n; i++) {
        if (x[i].n_sub > 0) trace_option_defaults(x[i].sub, x[i].n_sub, own);
        else if (x[i].dflt == NULL) {
            if (x[i].unset != 0) *(int64_t *)(void *)((char *)own + x[i].offset) = x[i].unset;
        } else {
            bool ok = trace_option_parse(&x[i], x[i].dflt, own, error, sizeof error);
            SIM_ASSERT(ok);
        }
    }
}

/* "'a', 'b' or 'c'" */
static void list_words(const struct trace_option *x, char *buf, size_t cap)
{
    size_t n = 0;
    buf[0] = '\0';
    for (size_t i = 0; i < x->n_words && n < cap; i++)
        n += (size_t)snprintf(buf + n, cap - n, "%s'%s'", i == 0 ? "" : i + 1 == x->n_words ? " or " : ", ", x->word[i]);
}

static bool parse_choice(const struct trace_option *x, const char *text, uint32_t *to, char *error, size_t cap)
{
    char words[200];
    for (uint32_t i = 0; i < x->n_words; i++)
        if (strcmp(x->word[i], text) == 0) { *to = i; return true; }
    list_words(x, words, sizeof words);
    return text_error(error, cap, "'%s' is not known, expected %s", text, words);
}

static bool in_range(const struct trace_option *x, const char *text, double v, char *error, size_t cap)
{
    if (v >= x->min && v <= x->max) return true;
    return text_error(error, cap, "'%s' is outside %g..%g", text, x->min, x->max);
}

static bool parse_quantity(const struct trace_option *x, enum text_dimension dimension, int64_t unit, const char *text, int64_t *to,
                           char *error, size_t cap)
{
    int64_t v;
    if (!text_parse(text, dimension, unit, &v, error, cap)) return false;
    if ((double)v < x->min) return text_error(error, cap, "'%s' is below %g", text, x->min);
    *to = v;
    return true;
}

bool trace_option_parse(const struct trace_option *x, const char *text, void *own, char *error, size_t cap)
{
    void *to = (char *)own + x->offset;
    int64_t i;
    double v;
    switch (x->type) {
    case TRACE_TEXT: case TRACE_FILE:
        *(const char **)to = text;
        return true;
    case TRACE_DOCUMENT: {
        struct trace_document *doc = to;
        *(trace_option_is_name(text) ? &doc->name : &doc->path) = text;
        return true;
    }
    case TRACE_BOOL:
        *(bool *)to = strcmp(text, "true") == 0;
        if (*(bool *)to || strcmp(text, "false") == 0) return true;
        return text_error(error, cap, "'%s' is neither true nor false", text);
    case TRACE_CHOICE:   return parse_choice(x, text, to, error, cap);
    case TRACE_COUNT:
        if (!text_parse(text, TEXT_COUNT, 1, &i, error, cap) || !in_range(x, text, (double)i, error, cap)) return false;
        *(int64_t *)to = i;
        return true;
    case TRACE_NUMBER:
        if (!text_double(text, &v)) return text_error(error, cap, "'%s' is not a number", text);
        if (!in_range(x, text, v, error, cap)) return false;
        *(double *)to = v;
        return true;
    case TRACE_DURATION: return parse_quantity(x, TEXT_DURATION, TICK_SEC, text, to, error, cap);
    case TRACE_BYTES:    return parse_quantity(x, TEXT_BYTES, 0, text, to, error, cap);
    case TRACE_RATE:     return parse_quantity(x, TEXT_RATE, 0, text, to, error, cap);
    case TRACE_OWN:
        SIM_ASSERT(x->parse != NULL);
        return x->parse(x, text, to, error, cap);
    case TRACE_MAP: break;
    }
    SIM_ASSERT(x->type != TRACE_MAP);           /* which is not one word */
    return false;
}

bool trace_option_set(const struct trace_option *x, size_t n, void *own, const char *of, const char *name,
                      const char *value, char *error, size_t cap, const char **nearest)
{
    const struct trace_option *p = trace_option_find(x, n, name);
    const char *names[64];
    if (p != NULL) return trace_option_parse(p, value, own, error, cap);
    SIM_ASSERT(n <= ARRAY_LEN(names));
    for (size_t i = 0; i < n; i++) names[i] = x[i].key;
    (void)snprintf(error, cap, "unknown parameter '%s' of %s", name, of);
    if (nearest != NULL) *nearest = diag_nearest(name, names, n);
    return false;
}

bool trace_option_is_name(const char *text) { return strpbrk(text, "./") == NULL; }

bool trace_option_is_word(const struct trace_option *x)
{
    return !x->needs_scenario && x->type != TRACE_MAP && (x->type != TRACE_OWN || x->parse != NULL);
}

void trace_option_value(const struct trace_option *x, char *buf, size_t cap)
{
    static const char *const of[] = {
        [TRACE_TEXT] = "NAME", [TRACE_FILE] = "FILE", [TRACE_DOCUMENT] = "FILE", [TRACE_BOOL] = "true|false",
        [TRACE_COUNT] = "N",   [TRACE_NUMBER] = "X",  [TRACE_DURATION] = "T",    [TRACE_BYTES] = "SIZE",
        [TRACE_RATE] = "RATE", [TRACE_MAP] = "MAP",   [TRACE_OWN] = "VALUE",
    };
    size_t n = 0;
    (void)snprintf(buf, cap, "%s", x->type == TRACE_CHOICE ? "" : of[x->type]);
    for (size_t i = 0; i < x->n_words && n < cap; i++) n += (size_t)snprintf(buf + n, cap - n, "%s%s", i > 0 ? "|" : "", x->word[i]);
}

