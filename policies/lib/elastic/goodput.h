/*
 * goodput.h -- what a scheduler learns of how a job trains: Pollux's model, fitted to the steps that were measured.
 *
 * The model is that of goodput/1's jobs (sim/model/speed/adaptive.h states it): the time of a gradient is alpha_c +
 * beta_c x examples, of an exchange alpha + beta x (GPUs - 2), r within a node and n between nodes, and gamma says how
 * far the two overlap.
 * The fit minimises the root mean squares of the logarithms' errors of gradients and of steps, + 1e-3 (gamma - 1)^2
 * + 1e-2 ((beta_n / alpha_n)^2 + (beta_r / alpha_r)^2).  What was not seen yet is taken to cost next to nothing:
 * exchange between nodes, within a node, beyond two GPUs; with one size of examples alone, half of a gradient is
 * constant.  Exchange between nodes is at least 1.1 times that within, until it was seen.
 * Source: Qiao et al., Pollux, OSDI 2021, section 4.1; the artifact's goodput.py.
 */
#ifndef POL_LIB_SCHED_GOODPUT_H
#define POL_LIB_SCHED_GOODPUT_H

#include <stdbool.h>
#include "extensions.h"

enum { GOODPUT_ALPHA_C, GOODPUT_BETA_C, GOODPUT_ALPHA_N, GOODPUT_BETA_N, GOODPUT_ALPHA_R, GOODPUT_BETA_R, GOODPUT_GAMMA,
       GOODPUT_PARAMS };

struct goodput_seen { uint32_t nodes, gpus; double local, grad_s, step_s; };

struct goodput {
    struct goodput_seen *seen; size_t n_seen, cap_seen;     /* of each place and size one */
    double at[GOODPUT_PARAMS];
    uint32_t most_gpus;                 /* on which it was seen; 0: never, and there is no fit */
};

void goodput_fini(struct goodput *g);   /* zero-initialise to begin */
/* True: it was not seen so before; fit again. */
bool goodput_see(struct goodput *g, uint32_t nodes, uint32_t gpus, const struct pol_step *s);
/* O(seen) for each of some hundred looks of GSL's simplex. */
void goodput_fit(struct goodput *g);
/* The most over its batches, in examples of use a second; 0: so many GPUs cannot run it. */
double goodput_at(const struct goodput *g, const struct pol_batches *b, double noise, uint32_t nodes, uint32_t gpus);

#endif
