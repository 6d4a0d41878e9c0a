/*
 * profile.h -- what training a model needs of the machine around its GPUs:
 * utilisation against CPU cores, memory bandwidth, and how much pressure on
 * memory bandwidth slows it.  Layer: model.
 *
 * One row per model, layout (a nodes, b GPUs in all: "aNbG") and type of GPU,
 * or none for those of nominal speed.  A unit takes rows of its type, if its
 * model has some, else those of none.  One laid out otherwise takes, of the rows
 * for one node or for several as it has, the one with the most GPUs not above its
 * own (else the fewest), with cores and bandwidth in proportion to the GPUs on a node.
 * Source of the published rows: traces/profiles/README.md.
 */
#ifndef MODEL_SPEED_PROFILE_H
#define MODEL_SPEED_PROFILE_H

#include "base/intern.h"
#include "model/speed/curve.h"
#include "model/speed/measured.h"
#include "model/speed/phases.h"
#include "model/speed/scaling.h"

struct profile {
    uint32_t model;             /* id in throughput.models */
    uint32_t category;          /* id in profiles.categories */
    uint32_t n_nodes, n_gpus;
    uint32_t gpu_type;          /* of the cluster; NONE: measured at nominal speed */
    struct curve util;          /* GPU utilisation, 0..1, against cores on each node */
    double   best;              /* its maximum: the speed there is nominal */
    int64_t  bw;                /* bytes/s on each node at its best */
    int64_t  net_bw;            /* bytes/s that each node sends to the others at the type's speed, if there are others */
    int64_t  gpu_bw;            /* bytes/s that each of its cards sends to those beside it on a node, if there are */
    int64_t  data_b, data_bw;   /* its data set, and bytes/s of it on each node at its best; 0: it waits for none */
    struct curve memory;        /* speed over its best against GB of memory on each node; none: as fast with any */
    struct curve slow;          /* run time against pressure in %, 1 = none; none: never slowed */
};

/* Rows of no type, on GPUs of another speed: in proportion to it, or as they are. */
enum profile_cores { PROFILE_CORES_BY_SPEED, PROFILE_CORES_AS_MEASURED };
/* How a node's bandwidth is divided when more is asked. */
enum profile_division { PROFILE_MAX_MIN, PROFILE_PROPORTIONAL };

/*
 * What holders of parts of one card cost each other.  Those beside whom nothing was measured slow each other
 * in proportion once their utilisations alone come to more than 1.  Factors of several neighbours multiply.
 */
struct sharing {
    struct measured pairs;
    double utilisation;         /* of a unit's cards whose model has no profile */
    bool   is_on;               /* else sharing a card costs nothing */
};

struct profiles {
    struct profile *at; size_t n, cap;
    enum profile_cores cores;
    enum profile_division division;
    int64_t net_bw, gpu_bw;             /* of models without a row that has one */
    struct measured apart;              /* speed on several nodes of a rack, or of several racks */
    struct sharing sharing;
    struct scaling scaling;             /* of elastic jobs */
    struct phases phases;               /* models that go as others for a part of their work */
    struct intern categories;   /* image, speech, language ... */
};

void profiles_fini(struct profiles *p);         /* zero-initialise to begin */
/* Speed of a model on several nodes of one rack, or of several, over that on one node; false: not measured. */
bool profiles_apart(const struct profiles *p, uint32_t model, bool is_cross, uint32_t gpu_type, double *speed);
/* Takes the curves.  False when the model has a row of that layout already, or another category. */
bool profiles_add(struct profiles *p, const struct profile *row);

/* The row for a unit of `model` on n_nodes with n_gpus in all, where it has GPUs of a type; NULL: there is none.
 * *scale: its cores and bandwidth on a node over the row's. */
const struct profile *profiles_find(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_nodes, uint32_t n_gpus,
                                    double *scale);
/*
 * Of a unit on one node, where GPUs of the type go at `type_speed` of nominal and nothing else slows it: how fast it
 * goes with so many cores and so much memory over its best there; and the least cores, and memory, with which it goes
 * at its best (memory 0: with any).  Negative: there is no row.
 */
double profiles_speed(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_gpus, double type_speed,
                      int64_t cpu_milli, int64_t mem_b);
void   profiles_needs(const struct profiles *p, uint32_t model, uint32_t gpu_type, uint32_t n_gpus, double type_speed,
                      int64_t *cpu_milli, int64_t *mem_b);
/* Of a model, whatever its layout; NONE: no row. */
uint32_t profiles_category(const struct profiles *p, uint32_t model);

#endif
