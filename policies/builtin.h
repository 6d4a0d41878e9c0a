/* builtin.h -- the built-in policies, each pol_NAME of a file in this folder. */
#ifndef POL_BUILTIN_H
#define POL_BUILTIN_H

#include <stdbool.h>

#include "policy.h"

/* What policies need of jobs and scenario, or are for: the rows of builtin_needs. */
enum builtin_kind {
    BUILTIN_ANY, BUILTIN_ESTIMATES, BUILTIN_SPEEDS, BUILTIN_CORES, BUILTIN_SCALING, BUILTIN_GOODPUT, BUILTIN_ELASTIC,
    BUILTIN_MANAGER, BUILTIN_RECORD, BUILTIN_DATA, BUILTIN_STEPS, BUILTIN_CALLS
};

/* Each with its need, in the order in which they are listed. */
#define BUILTIN_POLICIES(P) \
    P(fifo, ANY) P(sjf, ESTIMATES) P(qssf, ESTIMATES) P(srtf, ESTIMATES) P(las, ANY) P(tiresias, ANY) \
    P(easy, ESTIMATES) P(drf, ANY) P(recorded, RECORD) P(slurm, MANAGER) P(afs, ELASTIC) P(synergy, CORES) \
    P(lucid, ESTIMATES) P(optimus, SCALING) P(pollux, GOODPUT) P(sia, GOODPUT) \
    P(kube_default, ANY) P(kube_split, ANY) P(kube_hybrid, ANY) P(kueue, MANAGER) \
    P(gs, DATA) P(gsp, DATA) P(gsd, DATA) P(capacity, DATA) P(fair, DATA) P(fs, DATA) P(fsp, DATA) P(fsu, DATA) \
    P(quincy, DATA) P(multiqueue, ANY) P(gavel, SPEEDS) P(themis, ESTIMATES) \
    P(affinity, CALLS) P(balance, CALLS) P(met, CALLS) P(mct, CALLS) P(min_min, CALLS) P(dmda, CALLS) P(heft, CALLS) \
    P(workflow, STEPS)

#define BUILTIN_DECLARE(name, kind) extern const struct pol_ops pol_##name;
BUILTIN_POLICIES(BUILTIN_DECLARE)
#undef BUILTIN_DECLARE

extern const struct pol_ops *const pol_table[];     /* ended by NULL */

struct builtin_need {
    bool        is_needed;      /* false: they are for it, and run other jobs, too */
    const char *what;
};
/* By kind, in the order in which they are listed; ended by a NULL. */
extern const struct builtin_need builtin_needs[];
/* Of a policy's name; BUILTIN_ANY of one that is none of them.  O(policies). */
const struct builtin_need *builtin_need_of(const char *name);

#endif
