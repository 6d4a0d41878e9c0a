/*
 * call_use.h -- what tasks of API calls did in a run: time of engines, queues of
 * master and nodes, calls to other nodes.  Layer: metrics.
 *
 * Formulas: results/README.md.  Integrals fold when an instant is over, O(kinds).
 */
#ifndef METRICS_CALL_USE_H
#define METRICS_CALL_USE_H

#include "model/world_view.h"
#include "metrics/usage.h"

struct call_use {
    usage_wide useful[ENGINE_KINDS_MAX], busy[ENGINE_KINDS_MAX];    /* engines x us: executing done calls; taken by any */
    usage_wide best[ENGINE_KINDS_MAX];                              /* of the calls done there: the least time on any kind of the cluster */
    usage_wide cap[ENGINE_KINDS_MAX];                               /* there, on nodes that are up */
    int64_t    engines[ENGINE_KINDS_MAX];                           /* now */
    usage_wide master, queued;                                      /* tasks x us */
    uint32_t   now_master, now_queued, max_master, max_queued, max_node;
    usage_wide task_us; uint64_t n_tasks;                           /* done tasks: from being ready to the end */
    sim_tick   last;
    bool       is_on;                                               /* the world has tasks of calls */
};

void call_use_init(struct call_use *s, const struct world *w);
/* To be called from an observer's hooks of the same names. */
void call_use_called(struct call_use *s, const struct world *w, uint32_t task, bool done);
void call_use_stopped(struct call_use *s, const struct world *w, uint32_t task, enum stop_why why);
void call_use_node(struct call_use *s, const struct world *w);
void call_use_sent(struct call_use *s, const struct world *w, uint32_t task);
void call_use_fold(struct call_use *s, const struct world *w);       /* at the end of instants, and of the run */

#endif
