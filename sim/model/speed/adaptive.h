/*
 * adaptive.h -- the goodput of a job that adapts its batch size to its GPUs: Pollux's model.  Layer: model.
 *
 *   goodput(K) = the most, over total batches M, of  throughput(K, M) x efficiency(M)     examples/s of use
 *   efficiency(M) = (noise + M0) / (noise + M)
 *   throughput(K, M) = M / (s grad + (grad^gamma + sync^gamma)^(1/gamma))
 *     grad = alpha_c + beta_c m, of m = M / (K (s + 1)) examples on a GPU at a time, s times without exchange
 *     sync = 0 on one GPU, else alpha + beta (K - 2): r of one node, n of several
 * M goes from M0 (or what K GPUs do at least) to max_batch in 50 geometric steps; s is the least for which m is
 * at most max_local, and on one GPU at least 1 for M above M0: noise cannot be measured from one part.  m is no
 * less than min_local.
 * Source: Qiao et al., Pollux, OSDI 2021, sections 3 and 4.1, and the artifact's goodput.py.
 */
#ifndef MODEL_SPEED_ADAPTIVE_H
#define MODEL_SPEED_ADAPTIVE_H

#include "base/base.h"

struct adaptive {
    double alpha_c, beta_c;             /* s; s an example */
    double alpha_r, beta_r;             /* s; s a GPU beyond two: within a node */
    double alpha_n, beta_n;             /* between nodes */
    double gamma;                       /* 1: compute and exchange one after the other; 10: at once */
    double noise;                       /* gradient noise scale, in examples */
    double batch, max_batch;            /* M0, and the most, in examples */
    double min_local, max_local;        /* examples on a GPU at a time */
};

/* 0: so many GPUs cannot run it within its batch sizes. */
double adaptive_goodput(const struct adaptive *a, uint32_t n_gpus, bool is_several);

#endif
