/*
 * policy_calls.h -- what a policy sees of tasks that are made of calls: part of the
 * host (host.h).  Layer: host.
 *
 * w NULL: the task's handle is stale; the answer is then empty, as extensions.h has it.
 */
#ifndef HOST_POLICY_CALLS_H
#define HOST_POLICY_CALLS_H

#include "model/world.h"
#include "extensions.h"

struct pol_call_state policy_calls_state(const struct world *w, uint32_t task);
struct pol_call     policy_calls_call(const struct world *w, uint32_t task, uint32_t k);
struct pol_relation policy_calls_relation(const struct world *w, uint32_t task);
int64_t             policy_calls_overhead(const struct world *w, uint32_t task, uint32_t k, uint32_t from, uint32_t to);
/* Which nodes have the same latency and speed: ids from 0 in tier [n_nodes]; returns how many.  O(nodes x tiers). */
uint32_t policy_calls_tiers(const struct cluster *c, uint32_t *tier);
pol_task            policy_calls_follower(const struct world *w, uint32_t task, uint32_t k);

#endif
