/*
 * relation.h -- the relation of tasks to engines as a CSV file, task,form,engines:
 * one row a task, with key-value pairs or a vector.  Layer: input.
 * traces/README.md is the reference of its columns.
 */
#ifndef INPUT_TASKS_RELATION_H
#define INPUT_TASKS_RELATION_H

#include <stdio.h>
#include "base/diag.h"
#include "model/calls/relation.h"
#include "model/cluster/cluster.h"

enum st relation_read(struct relation *r, const struct cluster *c, const char *path, struct diag *d);

/* As relation_read reads it; pairs: key-value pairs, best first, else a vector. */
void relation_write_header(FILE *f);
void relation_write(FILE *f, const char *job, uint32_t index, const struct relation_row *r, bool pairs, const struct cluster *c);

#endif
