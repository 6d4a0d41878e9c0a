/*
 * list.h -- list scheduling: try units in order, stop or go on at one that does
 * not fit.  Shared by fifo and sjf.
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

/* Set the scheduler state's estimates by estimate= (0 limit, 1 true) and narrow the instance's flags to match. */
void list_estimates(struct sched *d, int64_t choice, uint32_t *flags);

/* One decision over the scheduler state's queue.  O(starts + request classes waiting), O(1) when strict and the first is known not to fit. */
void list_run(struct sched *d, enum list_mode mode);

#endif
