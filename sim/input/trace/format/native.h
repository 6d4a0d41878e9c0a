/*
 * native.h -- writing the native format; native.c reads it.  Layer: input.
 */
#ifndef INPUT_TRACE_NATIVE_H
#define INPUT_TRACE_NATIVE_H

#include <stdio.h>
#include "model/cluster/cluster.h"
#include "model/job.h"

/* Write a job without a graph as one row; header first.  Figures that differ between a job's groups of tasks
 * are joined by '+'.  bare: without the columns gpu_cores and node, for jobs that have neither; past: with what the
 * trace says became of them.  The column licences is there if the cluster or the trace names any.
 * after: with what jobs wait for; restores: with what it costs to interrupt them. */
struct native_form { bool bare, past, after, restores; };
void native_write_header(FILE *f, const struct cluster *c, struct native_form form);
void native_write(FILE *f, const struct job_spec *s, const struct cluster *c, struct native_form form);

#endif
