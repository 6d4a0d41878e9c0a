/* builtin.h -- the built-in policies, each pol_NAME of a file in this folder. */
#ifndef POL_BUILTIN_H
#define POL_BUILTIN_H

#include "policy.h"

/* In the order in which they are listed. */
#define BUILTIN_POLICIES(P) \
    P(fifo) P(sjf) P(qssf) P(srtf) P(las) P(tiresias) P(easy) P(drf) P(recorded) P(slurm) P(afs) P(synergy) P(lucid) \
    P(optimus) P(pollux) P(sia) \
    P(kube_default) P(kube_split) P(kube_hybrid) P(kueue) \
    P(gs) P(gsp) P(gsd) P(capacity) P(fair) \
    P(fs) P(fsp) P(fsu) P(quincy) P(multiqueue) \
    P(gavel) \
    P(affinity) P(balance) P(met) P(mct) P(min_min) P(dmda) P(heft) P(workflow)

#define BUILTIN_DECLARE(name) extern const struct pol_ops pol_##name;
BUILTIN_POLICIES(BUILTIN_DECLARE)
#undef BUILTIN_DECLARE

extern const struct pol_ops *const pol_table[];     /* ended by NULL */

#endif
