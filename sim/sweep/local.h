/*
 * local.h -- a sweep on the processors that it may run on, by worker processes.  Layer: sweep.
 *
 * Processes, not threads: a run that crashes takes its worker with it and
 * nothing else.  Each worker writes shards (shards.h); this process alone writes
 * the database.  A worker goes on with the case and seed that it has at hand
 * while there is work on it, since a trace that is read and ideal times that
 * are found serve all policies.
 */
#ifndef SWEEP_LOCAL_H
#define SWEEP_LOCAL_H

#include "sweep/results.h"

/*
 * Do every run that is to do.  ST_OK: each is done or failed; ST_EINTR: Ctrl-C,
 * what had ended is in the database and what was under way is marked;
 * ST_EWORLD: disk or database.
 *   n_workers  >= 1; no more are started than there are runs
 */
enum st local_run(struct results *results, uint32_t n_workers, struct diag *d);

#endif
