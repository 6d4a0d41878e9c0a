/*
 * fill.h -- a trace's jobs poured into the cluster until they ask for a
 * stated part of its GPUs.  Layer: input.
 *
 * The jobs come in an order drawn from the seed, each once, then drawn anew
 * with repetition, one a second, until what they ask for together reaches
 * `load` x the cluster's cards.  None ends.  As FGD inflates its traces (Weng
 * et al., USENIX ATC 2023, section 6.1).  Keeps all jobs of the trace in memory.
 */
#ifndef INPUT_TRACE_FILL_H
#define INPUT_TRACE_FILL_H

#include "input/trace/trace.h"

/* *end: the instant after the last arrival, when the run is over. */
enum st trace_fill_open(const struct trace *t, double load, uint64_t seed, struct source *out, sim_tick *end, struct diag *d);
void    trace_fill_close(struct source *s);

#endif
