/*
 * core_history.h -- what searches for cores found in an earlier run, a file that a policy takes.  Layer: input.
 *
 * CSV with a row for each category of model and layout: category, gpus, tasks, cores (of each task) and util, a fraction.
 * What a run saves, and how a file is made of it: policies/README.md, multiqueue.
 */
#ifndef INPUT_TASKS_CORE_HISTORY_H
#define INPUT_TASKS_CORE_HISTORY_H

#include "base/diag.h"
#include "base/hash.h"

struct core_history {
    char *text;                 /* "LINE GPUS TASKS CORES UTIL CATEGORY\n" for each row; util in millionths */
    char  digest[HASH_HEX];     /* of what the rows say */
};

/* ST_EINPUT for what is wrong in it, at its line and column; on error *h is empty. */
enum st core_history_load(struct core_history *h, const char *path, struct diag *d);
void    core_history_fini(struct core_history *h);      /* of zeroed memory, too */

#endif
