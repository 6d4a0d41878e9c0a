/*
 * list.h -- list scheduling: units are tried in order; at one that does not fit, stop
 * (strict) or go on (skip).  And a whole policy of a table, LIST_POLICY.
 */
#ifndef POL_LIB_SCHED_LIST_H
#define POL_LIB_SCHED_LIST_H

#include "lib/sched/sched.h"

/* Values of mode= in the order of its choices. */
enum list_mode { LIST_STRICT, LIST_SKIP };
#define LIST_MODE_PARAM(dflt_) { .name = "mode", .type = POL_CHOICE, .dflt = dflt_, .choices = "strict|skip", \
                            .help = "at a unit that does not fit: stop, or try the next" }
#define LIST_ESTIMATE_OF(dflt_) { .name = "estimate", .type = POL_CHOICE, .dflt = dflt_, \
    .choices = "limit|true|history|like", \
    .help = "run times: as users state them, true (clairvoyant), as the user's last two were, " \
            "as the mean of like jobs" }
#define LIST_ESTIMATE_PARAM LIST_ESTIMATE_OF("limit")

/* by=, in the order of its choices: a unit's time, or its time x the cards it asks, one if it asks none. */
enum list_by { LIST_BY_TIME, LIST_BY_GPU };
#define LIST_BY_PARAM { .name = "by", .type = POL_CHOICE, .dflt = "time", .choices = "time|gpu", \
                        .help = "order by that time, or by that time x GPUs" }
int64_t list_by_gpu(const struct sched *d, const struct unit *u, int64_t time_us);

/* Use the estimates that estimate= names, and clear the flags of the instance that no longer hold. */
void list_estimates(struct sched *d, int64_t choice, uint32_t *flags);

/*
 * One decision over the queue of d.  Skip: O(starts + kinds of request waiting) searches (queue.h); strict: O(starts),
 * and O(1) when the first is known to be unschedulable.
 */
void list_run(struct sched *d, enum list_mode mode);

/*
 * A whole policy of what differs:
 *
 *   static const struct sched_ops ops = { .wait_key = shortest_first };
 *   LIST_POLICY(fairway_policy, ops, params, .name = ..., .source = ..., .summary = ...);
 *
 * Parameters named place, mode and estimate are taken in here, where the table has them, and preempt=false clears
 * the flag POL_PREEMPTS; the others are ops.init's.  Without place: `best`; without mode: skip.
 */
#define LIST_POLICY(table, ops_, params_, ...) \
    static void *table##_create(const struct pol_host *host, const union pol_value *value, uint32_t *flags, \
                                char *error, size_t cap) \
    { return list_create(&table, &(ops_), host, value, flags, error, cap); } \
    const struct pol_ops table = { POL_HEADER, .n_params = sizeof (params_) / sizeof *(params_), .params = (params_), \
                                   .create = table##_create, .decide = list_decide, .destroy = list_destroy, \
                                   __VA_ARGS__ }
void *list_create(const struct pol_ops *table, const struct sched_ops *ops, const struct pol_host *host,
                  const union pol_value *value, uint32_t *flags, char *error, size_t cap);
void list_decide(void *self, const struct pol_view *view, const struct pol_event *ev, size_t n_ev);
void list_destroy(void *self);

#endif
