/*
 * handles.h -- the live jobs by their ordinal, and the handles of their tasks:
 * what a policy in another process names things by.  Layer: host.
 *
 * Memory follows live jobs and their tasks.  add O(tasks), find and del O(1).
 */
#ifndef HOST_EXEC_HANDLES_H
#define HOST_EXEC_HANDLES_H

#include "base/base.h"
#include "lib/map.h"
#include "policy.h"

/* By slot of the job; task NULL: there is none. */
struct handles_job { uint64_t ordinal; pol_job job; pol_task *task; uint32_t n_tasks; bool is_gang; };
struct handles { struct handles_job *at; size_t cap; struct map of_ordinal; uint64_t n_seen; };

void handles_fini(struct handles *t);           /* zero-initialise to begin */
void handles_add(struct handles *t, const struct pol_host *h, pol_job job);
void handles_del(struct handles *t, uint64_t ordinal);
/* NULL when it has not arrived (ordinal >= n_seen) or has ended.  Valid until the next add or del. */
const struct handles_job *handles_find(const struct handles *t, uint64_t ordinal);

#endif
