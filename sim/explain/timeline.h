/*
 * timeline.h -- a run's attempts as a trace for Perfetto, or as Batsim's
 * jobs.csv for evalys.  Layer: explain.
 *
 * Both stream from the database: memory follows nodes and what runs at once,
 * not the run's length (SQLite sorts on disk).  The same run gives the same
 * bytes.  results/README.md says what each track and column means.
 *
 * ST_EINPUT when the run has no attempts recorded; ST_EWORLD when the database
 * or the file fails.
 */
#ifndef EXPLAIN_TIMELINE_H
#define EXPLAIN_TIMELINE_H

#include <stdio.h>
#include "db/select.h"

/* Chrome's trace event format, JSON, which ui.perfetto.dev opens. */
enum st timeline_write(struct store *s, const struct selection *p, FILE *to, struct diag *d);
/* One row a job, as Batsim 4 writes them. */
enum st timeline_batsim(struct store *s, const struct selection *p, FILE *to, struct diag *d);

/* ST_EINPUT when a run that started something has no attempts. */
enum st timeline_check(struct store *s, const struct selection *p, struct diag *d);

#endif
