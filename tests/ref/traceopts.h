/* traceopts.h -- what a test asks of a trace.  A name or value that is wrong fails the test. */
#ifndef TRACEOPTS_H
#define TRACEOPTS_H

#include <criterion/criterion.h>
#include "input/trace/trace.h"

/* Let o be of this format, with the defaults of its own options; all else stays. */
static inline void traceopts_format(struct trace_opts *o, const char *format)
{
    struct trace_opts of;
    struct diag d = { .code = ST_OK };
    cr_assert_eq(trace_opts_init(&of, format, &d), ST_OK, "%s", d.msg);
    o->format = of.format;
    o->own = of.own;
}

static inline void traceopts_set(struct trace_opts *o, const char *key, const char *value)
{
    char error[256];
    cr_assert(trace_opts_set(o, key, value, error, sizeof error), "%s: %s", key, error);
}

#endif
