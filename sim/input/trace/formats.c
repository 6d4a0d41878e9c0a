/*
 * formats.c -- the list of trace formats.  A new one is a line of FORMATS: NAME
 * stands for NAME_format, which its file defines.  Their order is that of lists
 * that users see.
 */
#include "input/trace/trace.h"

#include <string.h>
#include "base/mem.h"
#include "input/trace/option.h"

#define FORMATS(X) \
    X(native)   \
    X(table)    \
    X(gen)      \
    X(draw)     \
    X(openb)    \
    X(slurm)    \
    X(sacct)    \
    X(swf)      \
    X(table_philly) \
    X(gavel)    \
    X(table_helios) \
    X(workload) \
    X(etc)      \
    X(kubectl)  \
    X(dag)

#define DECLARE(name) extern const struct trace_format name##_format;
#define ENTRY(name)   &name##_format,

FORMATS(DECLARE)
const struct trace_format *const trace_formats[] = { FORMATS(ENTRY) NULL };

const struct trace_format *trace_format_find(const char *name, struct diag *d)
{
    const char *names[ARRAY_LEN(trace_formats)], *last = NULL;
    char all[200] = "";
    size_t n = 0;
    for (size_t used = 0; trace_formats[n] != NULL; n++) {
        const struct trace_format *f = trace_formats[n];
        if (strcmp(f->name, name) == 0) return f;
        names[n] = f->name;
        if (last != NULL && used < sizeof all) used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", used > 0 ? ", " : "", last);
        last = f->name;
    }
    (void)diag_set(d, ST_EINPUT, "unknown trace format '%s', expected %s or %s", name, all, last);
    (void)diag_suggest(d, name, names, n);
    return NULL;
}

enum st trace_opts_init(struct trace_opts *o, const char *format, struct diag *d)
{
    const struct trace_format *f = trace_format_find(format, d);
    if (f == NULL) return d->code;
    *o = (struct trace_opts){ .format = f, .speedup = 1, .window_to = TICK_NEVER, .dflt.limit = -1 };
    if (f->own_size > 0) o->own = mem_alloc(1, f->own_size);
    trace_option_defaults(f->option, f->n_options, o->own);
    return ST_OK;
}

void trace_opts_fini(struct trace_opts *o)
{
    mem_free(o->own);
    *o = (struct trace_opts){ .own = NULL };
}

static void append_line(char **text, const char *line)
{
    size_t n = strlen(*text);
    *text = mem_grow(*text, n + strlen(line) + 2, 1);
    (void)sprintf(*text + n, "%s\n", line);
}

char *trace_sources(const struct trace_opts *o)
{
    char *text = mem_strdup(o->format->name);
    append_line(&text, "");
    append_line(&text, o->path != NULL ? o->path : "");
    for (size_t i = 0; i < o->format->n_options; i++) {
        const struct trace_option *x = &o->format->option[i];
        if (x->type != TRACE_FILE && x->type != TRACE_DOCUMENT) continue;
        const char *path = *(const char *const *)(const void *)((const char *)o->own + x->offset);
        append_line(&text, path != NULL ? path : "");
    }
    return text;
}
