/*
 * policy_calls.h -- what a policy sees of tasks that are made of calls, and of the tasks that wait for a task:
 * functions of calls/1 and graph/1, part of the host (host.h).  Layer: host.
 *
 * ctx is the struct policy_view; of a stale handle the answer is empty, as extensions.h has it.
 */
#ifndef HOST_POLICY_CALLS_H
#define HOST_POLICY_CALLS_H

#include "model/world.h"
#include "extensions.h"

struct pol_call_state policy_calls_state(void *ctx, pol_task h);
struct pol_call     policy_calls_info(void *ctx, pol_task h, uint32_t k);
struct pol_relation policy_calls_relation(void *ctx, pol_task h);
int64_t             policy_calls_overhead(void *ctx, pol_task h, uint32_t k, uint32_t from, uint32_t to);
pol_task            policy_calls_follower(void *ctx, pol_task h, uint32_t k);
/* Which nodes have the same latency and speed: ids from 0 in tier [n_nodes]; returns how many.  O(nodes x tiers). */
uint32_t policy_calls_tiers(const struct cluster *c, uint32_t *tier);

#endif
