/*
 * flow_model.h -- a scheduling round as read from a file, told to the flow
 * solver: the classes of GPUs are memory sizes, a task's cost its transfer's.
 * Layer: cmd.
 */
#ifndef CMD_FLOW_MODEL_H
#define CMD_FLOW_MODEL_H

#include "lib/flow/assign.h"
#include "input/flow/round.h"

struct flow_model {
    const struct flow_round *f;         /* borrowed */
    struct assign *s;                   /* owned, as all below */
    int64_t  *mem_size;                 /* [n_sizes] MB, ascending */
    uint32_t n_sizes;
    uint32_t *gpu_size;                 /* [n_gpus] index in mem_size */
    uint32_t *n_free;                   /* [n_nodes * n_sizes] */
    struct assign_near *near;           /* scratch */
    size_t   cap_near;
};

/* All classes and jobs; no GPU and no task yet.  Fini it even on failure (too many memory sizes). */
enum st flow_model_init(struct flow_model *m, const struct flow_round *f, const char *path, struct diag *d);
void flow_model_fini(struct flow_model *m);

void flow_model_gpu(struct flow_model *m, uint32_t gpu, bool comes);
void flow_model_task(struct flow_model *m, uint32_t task);      /* it comes; assign_remove is how it goes */

#endif
