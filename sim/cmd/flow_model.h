/*
 * flow_model.h -- a scheduling round as read from a file, told to the flow
 * solver: a kind of GPU is a memory size, a task's cost its transfer's.
 * Layer: cmd.
 */
#ifndef CMD_FLOW_MODEL_H
#define CMD_FLOW_MODEL_H

#include "lib/flow/assign.h"
#include "input/flow/round.h"

struct flow_model {
    const struct flow_round *f;         /* borrowed */
    struct assign *s;                    /* owned, as all below */
    int64_t  *kinds;                    /* [n_kinds] memory sizes, ascending */
    uint32_t n_kinds;
    uint32_t *gpu_kind;                 /* [n_gpus] */
    uint32_t *n_free;                   /* [n_nodes * n_kinds] */
    struct assign_near *near;            /* scratch */
    size_t   cap_near;
};

/* All classes and jobs; no GPU and no task yet.  Fini it even on failure (too many memory sizes). */
enum st flow_model_init(struct flow_model *m, const struct flow_round *f, const char *path, struct diag *d);
void flow_model_fini(struct flow_model *m);

void flow_model_gpu(struct flow_model *m, uint32_t gpu, bool comes);
void flow_model_task(struct flow_model *m, uint32_t task);      /* it comes; assign_remove is how it goes */

#endif
