/*
 * lines.h -- the lines that `fairway run` and `fairway sweep` print about runs.  Layer: run.
 *
 * What a run did goes to standard output; notes and warnings to standard error.
 */
#ifndef RUN_LINES_H
#define RUN_LINES_H

#include "base/base.h"

/* "run 3  FIFO seed 1   120 jobs done  digest 0123..." */
void lines_run(int64_t id, const char *label, uint64_t n_done, const char *digest);
/* Jobs that were left unfinished (of a run that had no horizon) or can never run. */
void lines_unfinished(const char *label, uint64_t n_unfinished);
void lines_rejected(const char *label, uint64_t n_rejected);
/* Jobs whose dependencies can never be met. */
void lines_never_eligible(const char *label, uint64_t n);
void lines_refused(const char *label, uint64_t n_refused);
void lines_scoreless(const char *label);
/* Jobs without a limit under a policy that reads limits. */
void lines_unlimited(const char *label, const char *policy, uint64_t n_unlimited, uint64_t n);
/* "note: PATH: WHAT: 3 rows, first at line 7", without a newline; of no line of the trace: "note: LABEL: WHAT (3)". */
const char *lines_repair(char *buf, size_t cap, const char *path, const char *label, const char *what, uint64_t count,
                         uint64_t first_line);
/* Several seeds, and nothing is drawn from them. */
void lines_idle_seeds(size_t n_seeds);

#endif
