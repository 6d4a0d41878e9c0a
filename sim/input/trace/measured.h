/*
 * measured.h -- the option `measured` of formats whose files have times on several
 * engines: these become times of calls.  Layer: input.
 */
#ifndef INPUT_TRACE_MEASURED_H
#define INPUT_TRACE_MEASURED_H

#include "input/trace/option.h"
#include "model/cluster/cluster.h"

/* Engine types by their place in the file; NONE: that place is not used.  n 0: not asked for. */
struct trace_measured { uint32_t n, engine[ENGINE_TYPES_MAX]; };

/* The option's reader: a list of at most `max` engine types, "-" for none.  It makes opts.times the trace's to fill. */
enum st trace_measured_read(const struct trace_option *x, const struct ydoc_node *v, void *to, struct trace_opts *o,
                            const struct cluster *c, struct diag *d);

/* An entry for a struct trace_measured at this offset of a format's struct. */
#define TRACE_MEASURED(at, most) \
    { .key = "measured", .type = TRACE_OWN, .offset = (at), .max = (most), .read = trace_measured_read, \
      .help = "engine types by their place in the file, whose times become those of calls" }

#endif
