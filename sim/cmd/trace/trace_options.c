/*
 * trace_options.c -- goes over the tables of all formats.  A key that several formats
 * have is one option here; which of them it is for is known when the format is.
 */
#include "cmd/trace/trace_options.h"

#include <string.h>
#include "input/trace/option.h"

/* Every key that is one word, once, in the order of the formats. */
static struct word {
    const struct trace_option *x;
    const struct trace_format *first;
    char name[40], value[64], help[200];
} word[TRACE_OPTIONS_MAX];
static struct cmd_option table[TRACE_OPTIONS_MAX + 3];     /* a heading, --format, an option a word, the end */
enum { FIRST_WORD = 2 };

static size_t find_words(void)
{
    size_t n = 0;
    for (size_t f = 0; trace_formats[f] != NULL; f++)
        for (size_t i = 0; i < trace_formats[f]->n_options; i++) {
            const struct trace_option *x = &trace_formats[f]->option[i];
            size_t k = 0;
            while (k < n && strcmp(word[k].x->key, x->key) != 0) k++;
            if (!trace_option_is_word(x) || k < n) continue;
            SIM_ASSERT(n < TRACE_OPTIONS_MAX);
            word[n] = (struct word){ .x = x, .first = trace_formats[f] };
            (void)snprintf(word[n].name, sizeof word[n].name, "%s", x->key);
            for (char *c = word[n].name; (c = strchr(c, '_')) != NULL;) *c = '-';
            trace_option_value(x, word[n].value, sizeof word[n].value);
            (void)snprintf(word[n].help, sizeof word[n].help, "%s: %s", trace_formats[f]->name, x->help);
            n++;
        }
    return n;
}

/* They wait for the format, which may stand after them. */
static bool take(const struct cmd_option *x, const char *text, void *opts, char *error, size_t cap)
{
    struct trace_options *g = (void *)((char *)opts + x->offset);
    if (g->n == TRACE_OPTIONS_MAX)
        return text_error(error, cap, "more than %d options of formats", TRACE_OPTIONS_MAX);
    g->at[g->n].word = (size_t)(x - table) - FIRST_WORD;
    g->at[g->n++].text = text;
    return true;
}

const struct cmd_option *trace_options_all(size_t offset, unsigned verbs, const char *not_with)
{
    static char formats[200];
    if (table[0].help != NULL) return table;
    for (size_t f = 0, at = 0; trace_formats[f] != NULL && at < sizeof formats; f++)
        if (!trace_formats[f]->no_file)
            at += (size_t)snprintf(formats + at, sizeof formats - at, "%s%s%s", at > 0 ? ", " : "",
                                   trace_formats[f]->name, at == 0 ? " (default)" : "");
    size_t n = find_words();
    table[0] = (struct cmd_option){ .help = "The file's format, and what one of them alone takes:" };
    table[1] = (struct cmd_option){ "format", 'f', OPTION_TEXT, "NAME", formats,
    .offset = offset + offsetof(struct trace_options, format),
                                    .words = "@formats", .verbs = verbs, .not_with = not_with };
    for (size_t i = 0; i < n; i++)
        table[FIRST_WORD + i] = (struct cmd_option){ word[i].name, 0, OPTION_OWN, word[i].value, word[i].help,
        .offset = offset,
                                                     .verbs = verbs, .not_with = not_with, .read = take };
    return table;
}

enum st trace_options_apply(const struct trace_options *g, struct trace_opts *o, bool *is_usage, struct diag *d)
{
    for (size_t i = 0; i < g->n; i++) {
        const struct word *w = &word[g->at[i].word];
        const struct trace_option *x = trace_option_find(o->format->option, o->format->n_options, w->x->key);
        char error[256];
        *is_usage = true;
        if (x == NULL) return diag_set(d, ST_EINPUT, "--%s goes with --format %s, found %s", w->name, w->first->name, o->format->name);
        if (trace_option_parse(x, g->at[i].text, o->own, error, sizeof error)) continue;
        *is_usage = x->noun == NULL;
        return x->noun != NULL ? diag_set(d, ST_EINPUT, "%s: %s", x->noun, error) : diag_set(d, ST_EINPUT, "--%s: %s", w->name, error);
    }
    return ST_OK;
}

static void add_rows(struct table *t, const char *map, const struct trace_option *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[80];
        (void)snprintf(name, sizeof name, "%s%s%s", map != NULL ? map : "", map != NULL ? "." : "", x[i].key);
        if (x[i].n_sub > 0) {
            add_rows(t, name, x[i].sub, x[i].n_sub);
            continue;
        }
        if (x[i].in != NULL) (void)snprintf(name, sizeof name, "%s.%s", x[i].in, x[i].key);
        table_cell(t, "%s", name);
        table_cell(t, "%s", x[i].dflt != NULL ? x[i].dflt : "");
        table_cell(t, "%s", x[i].help);
    }
}

struct table *trace_options_table(const struct trace_option *x, size_t n)
{
    struct table *t = table_of("parameter|default|meaning");
    add_rows(t, NULL, x, n);
    return t;
}
