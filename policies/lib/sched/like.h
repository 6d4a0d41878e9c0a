/*
 * like.h -- estimates of run times from jobs like them: means of what a user's jobs took that asked for as many cards
 * and train a model of the same category, else of all the user's, else of everybody's.  README.md, "Words".
 * Source: the history part of QSSF's estimate; Hu et al., Characterization and Prediction of Deep Learning
 * Workloads in Large-Scale GPU Datacenters, SC 2021, section 4.2.2.
 *
 * Cost: O(1) expected to add a job and to ask.
 */
#ifndef POL_LIB_SCHED_LIKE_H
#define POL_LIB_SCHED_LIKE_H

#include "lib/map.h"
#include "policy.h"

struct like_who { uint32_t user, category; int64_t gpu_milli; };
struct like_mean { struct like_who who; int64_t sum; uint32_t n; };     /* of whom; us */
struct like { struct map of_who; struct like_mean *at; size_t cap; uint32_t n; };      /* zero-initialise to begin */

void    like_fini(struct like *l);
/* A job ended that ran for so long, us. */
void    like_add(struct like *l, struct like_who who, int64_t ran);
/* -1: no job ended so far. */
int64_t like_estimate(const struct like *l, struct like_who who);

#endif
