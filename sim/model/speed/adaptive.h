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
 * With measured step times (steps.h) grad and the whole step are those, of whole numbers of examples.
 * With `gain`, what a step of a total batch is worth in steps of M0, goodput is gain x M0 / time of a step.
 * A job of `fixed` batch has that one alone.
 * Source: Qiao et al., Pollux, OSDI 2021, sections 3 and 4.1, and the artifact's goodput.py.
 */
#ifndef MODEL_SPEED_ADAPTIVE_H
#define MODEL_SPEED_ADAPTIVE_H

#include "base/base.h"
#include "model/speed/steps.h"

struct adaptive {
    double alpha_c, beta_c;             /* s; s an example */
    double alpha_r, beta_r;             /* s; s a GPU beyond two: within a node */
    double alpha_n, beta_n;             /* between nodes */
    double gamma;                       /* 1: compute and exchange one after the other; 10: at once */
    double noise;                       /* gradient noise scale, in examples */
    double batch, max_batch;            /* M0, and the most, in examples */
    double min_local, max_local;        /* examples on a GPU at a time */
    double fixed;                       /* the one total batch, in examples; 0: any up to max_batch */
    struct steps *steps;                /* measured times; NULL: alpha to gamma tell.  Borrowed */
    struct curve gain;                  /* by total batch; none: noise tells */
    struct { uint32_t gpus; double goodput; } asked;    /* of scaling.h: the number asked last, as near together as may be */
};

/* How it runs somewhere: goodput 0, not at all. */
struct adaptive_at { double goodput, batch, local, accumulate, grad, step; };   /* s: one gradient; the last, with exchange */
struct adaptive_at adaptive_best(const struct adaptive *a, const struct spread *where);

/* By the formulas alone.  0: so many GPUs cannot run it within its batch sizes. */
double adaptive_goodput(const struct adaptive *a, uint32_t n_gpus, bool is_several);
void adaptive_free(struct adaptive *a);         /* NULL is fine */

#endif
