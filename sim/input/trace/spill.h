/*
 * spill.h -- jobs in a temporary file, read back in order of time: those of a
 * trace whose rows are out of order.  Layer: input.
 *
 * In memory 16 bytes a job.  Jobs with a graph or calls cannot be kept so.  Call
 * order: spill_create, spill_add, spill_sort once, then spill_read from as many
 * streams as there are.
 */
#ifndef INPUT_TRACE_SPILL_H
#define INPUT_TRACE_SPILL_H

#include "base/diag.h"
#include "model/job.h"

struct spill;

enum st spill_create(struct spill **out, struct diag *d);      /* *out is destroyed by the caller on failure too */
void    spill_destroy(struct spill *x);                         /* NULL is fine */
enum st spill_add(struct spill *x, const struct job_spec *s, struct diag *d);
enum st spill_sort(struct spill *x, struct diag *d);

/* A stream's memory for the job at hand; zero-initialise to begin. */
struct spill_job { char *bytes; size_t cap; struct task_group *group; size_t cap_group; };
void    spill_job_fini(struct spill_job *j);
/* The k-th in order, valid until the next into the same memory; ST_END past the last. */
enum st spill_read(const struct spill *x, uint64_t k, struct spill_job *j, struct job_spec *out, struct diag *d);

#endif
