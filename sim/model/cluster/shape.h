/*
 * shape.h -- what one task asks of a node, interned.  Layer: model.
 *
 * Tasks that ask for the same share one shape with a dense id, so that a
 * policy can remember "this shape fits nowhere now" and placement can keep
 * scores per shape.
 */
#ifndef MODEL_CLUSTER_SHAPE_H
#define MODEL_CLUSTER_SHAPE_H

#include "base/base.h"
#include "lib/map.h"

enum { ENGINE_TYPES_MAX = 6 };  /* engines besides CPU and GPU: NPU, DSP, FPGA... named by the cluster */
enum { LICENCES_MAX = 8 };      /* different licences, of which the whole cluster has so many */
enum { GPU_WHOLE = 1000 };      /* thousandths of a card */

struct shape {
    int64_t  cpu_milli;
    int64_t  mem_b;
    int64_t  gpu_mem_b;         /* per card; 0: none accounted */
    uint64_t gpu_types;         /* any of these types (bit = type id); 0: any */
    uint64_t need_all;          /* node must have all these labels */
    uint64_t need_any;          /* and, when not 0, at least one of these */
    int32_t  n_gpu;             /* cards */
    int32_t  gpu_milli;         /* of each card: 1..1000; 0 when n_gpu is 0 */
    int32_t  engine[ENGINE_TYPES_MAX];
    uint32_t exclusive;         /* 1: takes a whole idle node */
    int32_t  gpu_cores;         /* of each card; 0: none asked */
    int32_t  licence[LICENCES_MAX];     /* of the cluster, not of the node */
    uint32_t prefers;           /* cluster_preferred; 0: any node that it fits is as good as another */
};

struct shapes { struct shape *at; uint32_t n, last /* found */; size_t cap; struct map of_shape; };

/* The same, with nothing asked of what is on a card: as those see it who only count cards. */
static inline struct shape shape_by_count(const struct shape *s)
{
    struct shape counted = *s;
    counted.gpu_mem_b = 0;
    counted.gpu_cores = 0;
    return counted;
}

void     shapes_fini(struct shapes *t);                         /* zero-initialise to begin */
uint32_t shapes_id(struct shapes *t, const struct shape *s);    /* adds it when new; O(1) */

#endif
