/*
 * node_sink.h -- where the readers of clusters put nodes.  Layer: input.
 *
 * One sink serves scenario groups, openb node lists and slurm.conf, so that
 * racks, card memory and limits are settled in one place (input/scenario/section_cluster.c).
 */
#ifndef INPUT_CLUSTER_NODE_SINK_H
#define INPUT_CLUSTER_NODE_SINK_H

#include "model/cluster/cluster.h"

struct node_sink {
    struct cluster *cluster;
    /* Add one node.  s->rack NULL: by the cluster's nodes_per_rack.
     * s->gpu_mem_b 0: by the cluster's gpu_types, else unknown.
     * file, line, col: where the node stands, for errors. */
    enum st (*add)(struct node_sink *sink, struct node_spec *s, const char *file, uint32_t line, uint32_t col, struct diag *d);
};

#endif
