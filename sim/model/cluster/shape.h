/*
 * shape.h -- what one task asks of a node, interned.  Layer: model.
 *
 * Tasks that ask for the same share one shape with a dense id, so that a
 * policy can remember "this shape fits nowhere now" and placement can keep
 * scores per shape.
 *
 * A shape is held by the tasks of live jobs.  One that no task holds is idle, and
 * keeps its id while no more than so many are; then the id of the one that is idle
 * longest comes to mean the next new request.  So the table follows live jobs, and
 * which request has which id hangs on the run alone.
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
    uint32_t reserved;          /* 0: two that ask the same are the same bytes */
};

/* May an id come to mean another request?  KEPT: while no more than that are idle they stay what they are. */
enum shape_reuse { SHAPES_STAY, SHAPES_REUSED, SHAPES_REUSED_AT_ONCE };
enum { SHAPES_KEPT = 8192 };

/*
 * serial: from 1 on, never used again, for who keeps things of requests that may be gone.  room: what the owner of the
 * table keeps for the request; 0 when the id is new or means another one.
 */
struct shape_use { uint64_t serial; uint32_t n_tasks, room, older, newer /* idle ones, NONE at the ends */; };

enum { SHAPES_LATELY = 16 };

struct shapes {
    struct shape *at; struct shape_use *use; uint32_t n; size_t cap, cap_use; struct map of_shape;
    uint32_t lately[SHAPES_LATELY];     /* found, by cores and cards: many traces ask for few things */
    enum shape_reuse reuse;
    uint32_t n_idle, oldest, newest;    /* the longest idle first */
    uint32_t *renewed; size_t n_renewed, cap_renewed;   /* ids that came to mean another request since shapes_told */
    uint64_t n_made;                    /* requests, those that came again counted again */
    bool     any_of_cards;              /* some request ever asked for memory or cores of a card */
};

/* The same, with nothing asked of what is on a card: as those see it who only count cards. */
static inline struct shape shape_by_count(const struct shape *s)
{
    struct shape counted = *s;
    counted.gpu_mem_b = 0;
    counted.gpu_cores = 0;
    return counted;
}

/* Zero-initialise to begin; all O(1). */
void     shapes_fini(struct shapes *t);
/* Adds it when new, idle; it stays so until another is asked for, unless it is held. */
uint32_t shapes_id(struct shapes *t, const struct shape *s);
void     shapes_hold(struct shapes *t, uint32_t id, uint32_t n_tasks);
void     shapes_let_go(struct shapes *t, uint32_t id);          /* one task */
/* Whoever keeps things by id has heard which were renewed. */
void     shapes_told(struct shapes *t);
/* Counts are right, and the idle ones are just those that no task holds.  n_tasks [n]; O(n). */
void     shapes_audit(const struct shapes *t, const uint32_t *n_tasks);

#endif
