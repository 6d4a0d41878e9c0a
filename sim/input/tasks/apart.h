/*
 * apart.h -- measured speeds of jobs spread over nodes, as a file.  Layer: input.
 * traces/profiles/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_APART_H
#define INPUT_TASKS_APART_H

#include "model/speed/measured.h"
#include "model/speed/throughput.h"

/*
 * Adds the file's rows: a CSV file with columns model, span (rack, cross), speed, gpu_type, or (*.json) Gavel's
 * table of throughputs, of whose types K and K_unconsolidated the speeds are a row each for several nodes of a rack.
 */
enum st apart_read(struct measured *m, struct throughput *perf, const struct cluster *c, const char *path,
    struct diag *d);

#endif
