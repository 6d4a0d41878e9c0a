/*
 * list.h -- list scheduling: units are tried in order; at one that does not fit, stop
 * (strict) or go on (skip).  Shared by fifo, sjf and the kube policies.
 */
#ifndef POL_LIB_SCHED_LIST_H
#define POL_LIB_SCHED_LIST_H

#include "lib/sched/sched.h"

/* Values of mode= in the order of its choices. */
enum list_mode { LIST_STRICT, LIST_SKIP };
#define LIST_MODE_PARAM(dflt_) { .name = "mode", .type = POL_CHOICE, .dflt = dflt_, .choices = "strict|skip", \
                            .help = "at a unit that does not fit: stop, or try the next" }
#define LIST_ESTIMATE_PARAM { .name = "estimate", .type = POL_CHOICE, .dflt = "limit", .choices = "limit|true", \
                         .help = "run times as users state them, or as they will be (clairvoyant)" }

/* Use the estimates that estimate= names (0 limit, 1 true), and clear the flag of the instance that no longer holds. */
void list_estimates(struct sched *d, int64_t choice, uint32_t *flags);

/*
 * One decision over the queue of d.  Skip: O(starts + request classes waiting); strict: O(starts),
 * and O(1) when the first is known to be unschedulable.
 */
void list_run(struct sched *d, enum list_mode mode);

#endif
