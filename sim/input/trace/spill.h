/*
 * spill.h -- jobs kept while a trace is read, and handed out in order of time: in memory, and when there are too many,
 * in a temporary file.  Layer: input.
 *
 * 16 bytes a job, and some 60 more of the first 500,000 or so.  Call order: spill_create, spill_add, spill_sort once,
 * then spill_read from as many streams as there are.
 */
#ifndef INPUT_TRACE_SPILL_H
#define INPUT_TRACE_SPILL_H

#include "base/diag.h"
#include "model/job.h"

struct spill;

enum { SPILL_MEMORY = 32 << 20 };                               /* some 500,000 jobs */
/* Beyond so many bytes of memory jobs go to a file. */
struct spill *spill_create(int64_t memory);
void    spill_destroy(struct spill *x);                         /* NULL is fine */
/* Jobs with a graph or calls cannot be kept. */
static inline bool spill_can_keep(const struct job_spec *s) { return s->graph == NULL && s->calls == NULL; }
enum st spill_add(struct spill *x, const struct job_spec *s, struct diag *d);
bool    spill_is_full(const struct spill *x);                   /* the next job goes to a file, with all before it */
/*
 * In order of time; those alone that were submitted in [from, to) after `origin`.  Ties are as they were added, or
 * with a tie_seed above 0 in an order drawn from it, but behind the others those that wait for other jobs, as added:
 * a job can wait only for one before it.  most: so many of them are wanted, those behind them may be gone; 0: all.
 */
enum st spill_sort(struct spill *x, sim_tick origin, sim_tick from, sim_tick to, uint64_t tie_seed, uint64_t most,
                   struct diag *d);

/* A stream's memory for the job at hand; zero-initialise to begin. */
struct spill_job { char *bytes, *record; size_t cap, cap_record; uint32_t n_words; };
void    spill_job_fini(struct spill_job *j);
/* The k-th in order, valid until the next into the same memory; ST_END past the last. */
enum st spill_read(const struct spill *x, uint64_t k, struct spill_job *j, struct job_spec *out, struct diag *d);

#endif
