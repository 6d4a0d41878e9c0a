/*
 * pairs.h -- measured speeds of jobs that share a card, as a file.  Layer: input.
 * traces/profiles/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_PAIRS_H
#define INPUT_TASKS_PAIRS_H

#include "model/speed/measured.h"
#include "model/speed/throughput.h"

/*
 * Adds the file's pairs: a CSV file with columns model, beside, speed, gpu_type, or (*.json) a table of throughputs as
 * Gavel publishes them, whose models are MODEL#GPUS as its traces' are.  Rows of GPU types that the cluster lacks are
 * checked and left out.
 */
enum st pairs_read(struct measured *s, struct throughput *perf, const struct cluster *c, const char *path,
    struct diag *d);

#endif
