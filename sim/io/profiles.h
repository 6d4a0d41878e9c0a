/*
 * profiles.h -- profiles of models as a CSV file.  Layer: io.
 * traces/profiles/README.md is the reference of its columns.
 */
#ifndef SIM_IO_PROFILES_H
#define SIM_IO_PROFILES_H

#include "model/perf.h"
#include "model/profile.h"

/* Adds the file's rows; models that perf does not know get a row of general speed there. */
enum st profiles_read(struct profiles *p, struct perf *perf, const char *path, struct diag *d);

#endif
