/*
 * profile.h -- what training a model needs of the machine around its GPUs:
 * utilisation against CPU cores, memory bandwidth, and how much pressure on
 * memory bandwidth slows it.  Layer: model.
 *
 * One row per model and layout (a nodes, b GPUs in all: "aNbG").  A unit laid
 * out otherwise takes, of the rows for one node or for several as it has, the
 * one with the most GPUs not above its own (else the fewest), with cores and
 * bandwidth in proportion to the GPUs on a node.
 * Source of the published rows: traces/profiles/README.md.
 */
#ifndef MODEL_SPEED_PROFILE_H
#define MODEL_SPEED_PROFILE_H

#include "base/intern.h"
#include "model/speed/curve.h"

struct profile {
    uint32_t model;             /* id in throughput.models */
    uint32_t category;          /* id in profiles.categories */
    uint32_t n_nodes, n_gpus;
    struct curve util;          /* GPU utilisation, 0..1, against cores on each node */
    double   best;              /* its maximum: the speed there is nominal */
    int64_t  bw;                /* bytes/s on each node at its best */
    struct curve slow;          /* run time against pressure in %, 1 = none; none: never slowed */
};

struct profiles {
    struct profile *at; size_t n, cap;
    struct intern categories;   /* image, speech, language ... */
};

void profiles_fini(struct profiles *p);         /* zero-initialise to begin */
/* Takes the curves.  False when the model has a row of that layout already, or another category. */
bool profiles_add(struct profiles *p, const struct profile *row);

/* The row for a unit of `model` on n_nodes with n_gpus in all; NULL: the model has none.
 * *scale: its cores and bandwidth on a node over the row's. */
const struct profile *profiles_find(const struct profiles *p, uint32_t model, uint32_t n_nodes, uint32_t n_gpus, double *scale);
/* Of a model, whatever its layout; NONE: no row. */
uint32_t profiles_category(const struct profiles *p, uint32_t model);

#endif
