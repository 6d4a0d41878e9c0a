/*
 * openb.h -- a cluster from an openb node list (Alibaba, 2023).  Layer: input.
 *
 * CSV with header sn,cpu_milli,memory_mib,gpu,model.  The list does not give
 * card memory, so nodes come without; the sink fills it from the scenario's
 * gpu_types, else from cluster_openb_gpu_mem: known for T4, P100, V100M16,
 * V100M32 and A10, unknown (no constraint) for the undisclosed G1, G2, G3.
 */
#ifndef INPUT_CLUSTER_OPENB_H
#define INPUT_CLUSTER_OPENB_H

#include "input/cluster/node_sink.h"

enum st cluster_openb_load(struct node_sink *to, const char *path, struct diag *d);

/* Memory of a card of this type in bytes, 0 when it is not known. */
int64_t cluster_openb_gpu_mem(const char *type);

#endif
