/*
 * policy_profiles.h -- what profiles/1 lends: how fast a unit goes with so many cores and so much memory.
 * Layer: host, private to policy_view.h.
 */
#ifndef HOST_POLICY_PROFILES_H
#define HOST_POLICY_PROFILES_H

#include "host/policy_view.h"

int64_t policy_profiles_speed(void *ctx, pol_task t, uint32_t gpu_type, int64_t cpu_milli, int64_t mem_b);
struct pol_needs policy_profiles_needs(void *ctx, pol_task t, uint32_t gpu_type);
int64_t policy_profiles_apart(void *ctx, pol_task t, uint32_t gpu_type, bool is_cross);

#endif
