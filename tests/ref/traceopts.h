/* traceopts.h -- what a test asks of a trace.  A name or value that is wrong fails the test. */
#ifndef TRACEOPTS_H
#define TRACEOPTS_H

#include <criterion/criterion.h>
#include "base/mem.h"
#include "input/trace/option.h"
#include "input/trace/trace.h"

/* Let o be of this format, with the defaults of its own options; all else stays. */
static inline void traceopts_format(struct trace_opts *o, const char *format)
{
    struct trace_opts of;
    struct diag d = { .code = ST_OK };
    cr_assert_eq(trace_opts_init(&of, format, &d), ST_OK, "%s", d.msg);
    mem_free(o->own);
    o->format = of.format;
    o->own = of.own;
}

/* The format's own options, a struct of zeroes, with their defaults. */
static inline void traceopts_own(const char *format, void *own)
{
    struct diag d = { .code = ST_OK };
    const struct trace_format *f = trace_format_find(format, &d);
    cr_assert_not_null(f, "%s", d.msg);
    trace_option_defaults(f->option, f->n_options, own);
}

static inline void traceopts_set(struct trace_opts *o, const char *key, const char *value)
{
    char error[256];
    const struct trace_option *x = trace_option_find(o->format->option, o->format->n_options, key);
    cr_assert_not_null(x, "%s", key);
    cr_assert(trace_option_parse(x, value, o->own, error, sizeof error), "%s: %s", key, error);
}

#endif
