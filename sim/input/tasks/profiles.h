/*
 * profiles.h -- profiles of models as a CSV file.  Layer: input.
 * traces/profiles/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_PROFILES_H
#define INPUT_TASKS_PROFILES_H

#include "model/speed/throughput.h"
#include "model/speed/profile.h"

/*
 * Adds the file's rows; models that perf does not know get a row of general speed there.  Rows of GPU types that
 * the cluster lacks are checked and left out; a model with rows of types alone has one for each type of the cluster.
 */
enum st profiles_read(struct profiles *p, struct throughput *perf, const struct cluster *c, const char *path, struct diag *d);
/* Of a row's field: NONE when it is empty.  False: a type that the cluster lacks, so that the row is of no use. */
bool profiles_gpu_type(const struct cluster *c, const char *name, uint32_t *id);

#endif
