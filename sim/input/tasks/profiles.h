/*
 * profiles.h -- profiles of models as a CSV file.  Layer: input.
 * traces/profiles/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_PROFILES_H
#define INPUT_TASKS_PROFILES_H

#include "model/speed/throughput.h"
#include "model/speed/profile.h"

/* Adds the file's rows; models that perf does not know get a row of general speed there. */
enum st profiles_read(struct profiles *p, struct throughput *perf, const char *path, struct diag *d);

#endif
