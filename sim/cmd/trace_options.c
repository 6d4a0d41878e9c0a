/*
 * trace_options.c -- goes over the tables of all formats.  A key that several formats
 * have is one option here; which of them it is for is known when the format is.
 */
#include "cmd/trace_options.h"

#include <string.h>
#include "input/trace/option.h"

struct word { const struct trace_option *x; const struct trace_format *first; char name[40]; };

/* Every key that is one word, once, in the order of the formats. */
static size_t words(struct word out[TRACE_OPTIONS_MAX])
{
    size_t n = 0;
    for (size_t f = 0; trace_formats[f] != NULL; f++)
        for (size_t i = 0; i < trace_formats[f]->n_options; i++) {
            const struct trace_option *x = &trace_formats[f]->option[i];
            size_t k = 0;
            while (k < n && strcmp(out[k].x->key, x->key) != 0) k++;
            if (!trace_option_is_word(x) || k < n) continue;
            SIM_ASSERT(n < TRACE_OPTIONS_MAX);
            out[n] = (struct word){ .x = x, .first = trace_formats[f] };
            (void)snprintf(out[n].name, sizeof out[n].name, "%s", x->key);
            for (char *c = out[n].name; (c = strchr(c, '_')) != NULL;) *c = '-';
            n++;
        }
    return n;
}

void trace_options_long(struct option *to)
{
    static struct word all[TRACE_OPTIONS_MAX];
    size_t n = words(all);
    for (size_t i = 0; i < n; i++)
        to[i] = (struct option){ .name = all[i].name, .has_arg = required_argument, .val = TRACE_OPTIONS_VAL + (int)i };
    to[n] = (struct option){ .name = NULL };
}

enum st trace_options_take(struct trace_options *g, int val, const char *text, struct diag *d)
{
    if (g->n == TRACE_OPTIONS_MAX) return diag_set(d, ST_EINPUT, "more than %d options of formats", TRACE_OPTIONS_MAX);
    g->at[g->n].val = val;
    g->at[g->n++].text = text;
    return ST_OK;
}

enum st trace_options_apply(const struct trace_options *g, struct trace_opts *o, bool *is_usage, struct diag *d)
{
    struct word all[TRACE_OPTIONS_MAX];
    (void)words(all);
    for (size_t i = 0; i < g->n; i++) {
        const struct word *w = &all[g->at[i].val - TRACE_OPTIONS_VAL];
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

void trace_options_print_formats(FILE *to)
{
    size_t n = 0;
    for (size_t f = 0; trace_formats[f] != NULL; f++) {
        if (trace_formats[f]->no_file) continue;
        (void)fprintf(to, "%s%s%s", n > 0 ? ", " : "", trace_formats[f]->name, n == 0 ? " (default)" : "");
        n++;
    }
}

void trace_options_print(FILE *to)
{
    struct word all[TRACE_OPTIONS_MAX];
    size_t n = words(all);
    for (size_t i = 0; i < n; i++) {
        char value[64], text[120];
        trace_option_value(all[i].x, value, sizeof value);
        (void)snprintf(text, sizeof text, "--%s %s", all[i].name, value);
        (void)fprintf(to, "      %-26s %s: %s\n", text, all[i].first->name, all[i].x->help);
    }
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
    struct table *t = table_create();
    table_column(t, "parameter", false);
    table_column(t, "default", false);
    table_column(t, "meaning", false);
    add_rows(t, NULL, x, n);
    return t;
}
