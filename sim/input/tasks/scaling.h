/* scaling.h -- files of scalings: how elastic jobs go on other numbers of GPUs.  Layer: input. */
#ifndef INPUT_TASKS_SCALING_H
#define INPUT_TASKS_SCALING_H

#include "base/diag.h"
#include "model/cluster/cluster.h"
#include "model/speed/scaling.h"

/* Adds the file's rows, but for those of types that the cluster lacks.  traces/profiles/README.md has its columns. */
enum st scaling_read(struct scaling *s, const struct cluster *c, const char *path, struct diag *d);

/* Measured step times, which rows of the other file name: read before it. */
enum st scaling_read_steps(struct scaling *s, const char *path, struct diag *d);

#endif
