/*
 * slurm.h -- a cluster from slurm.conf, gres.conf and topology.conf.
 * Layer: input.
 *
 * Labels of a node: its features and the partitions that list it, by name; a
 * job's --constraint and --partition ask for them.  Rack = the leaf switch that
 * lists it.
 * Scheduling parameters (weights, priorities, limits of partitions) are not
 * read: they belong to Slurm's own policy.  scenarios/REFERENCE.md has the rule.
 */
#ifndef INPUT_CLUSTER_SLURM_H
#define INPUT_CLUSTER_SLURM_H

#include "input/cluster/node_sink.h"

/* gres, topology: NULL when there is none. */
enum st cluster_slurm_load(struct node_sink *to, const char *conf, const char *gres, const char *topology, struct diag *d);

#endif
