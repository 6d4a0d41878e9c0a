/*
 * call_times.h -- files about engines: times of calls, and the relation of tasks
 * to engines.  Layer: input.  traces/README.md is the reference of their columns.
 */
#ifndef INPUT_TASKS_CALL_TIMES_H
#define INPUT_TASKS_CALL_TIMES_H

#include <stdio.h>
#include "base/diag.h"
#include "model/calls/calls.h"
#include "model/cluster/cluster.h"
#include "model/calls/relation.h"

/* api,engine,size_b,time_s.  Kinds that no node has are read past: one table serves many clusters. */
enum st calltime_read(struct calltime *t, const struct cluster *c, const char *path, struct diag *d);

/* task,form,engines: one row a task, by key-value pairs or as a vector. */
enum st relation_read(struct relation *r, const struct cluster *c, const char *path, struct diag *d);

/* As relation_read reads it; pairs: key-value pairs, best first, else a vector. */
void relation_write_header(FILE *f);
void relation_write(FILE *f, const char *job, uint32_t index, const struct relation_row *r, bool pairs, const struct cluster *c);

#endif
