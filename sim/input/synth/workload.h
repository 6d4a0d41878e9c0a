/*
 * workload.h -- the data-intensive workload of the GPU-flow paper, section 5.1 (S4-22):
 * 36 jobs of six applications, with what the paper leaves open as parameters.
 * Layer: input.
 */
#ifndef INPUT_SYNTH_WORKLOAD_H
#define INPUT_SYNTH_WORKLOAD_H

#include "base/base.h"

/* The scenario's trace.workload.  Sizes are decimal: 1 GB is 10^9 bytes, S4-23. */
struct workload_opts {
    int64_t  compute_bps;       /* input bytes a GPU works through in a second, every application but Yolo */
    double   images_per_s;      /* Yolo */
    int64_t  image_b;           /* size of one of Yolo's 10,000 images */
    sim_tick add_us, merge_us;  /* an addition of MM (GPU); a reduce, merge or parameter-server step (CPU) */
    bool     extra;             /* with J37: 3 tasks of 28 MB */
    bool     shuffle;           /* jobs in an order drawn from the seed; else J1, J2, ... */
    int64_t  users, jobs_per_user;      /* section 5.4: each user submits so many of the 36; 0: one user, all jobs */
};

#endif
