/*
 * describe.h -- requests and nodes in words.  Layer: model.
 */
#ifndef MODEL_CLUSTER_DESCRIBE_H
#define MODEL_CLUSTER_DESCRIBE_H

#include <stdio.h>
#include "model/cluster/cluster.h"

/* "8 GPUs of type V100 or T4, 4 CPUs, 256 GiB" */
void describe_request(const struct cluster *c, const struct shape *s, FILE *to);
/* The same of the most that a node has, of each by itself: "200 CPUs, 1536 GiB, 4 GPUs of type V100 or 2 of type T4" */
void describe_largest(const struct cluster *c, FILE *to);

#endif
