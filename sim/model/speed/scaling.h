/*
 * scaling.h -- how fast a gang goes on other numbers of GPUs than it asked.  Layer: model.
 *
 * A scaling has a row for each type of GPU, or one for all types: speed against the number of
 * GPUs, on one node and on several.  Between points the straight line (curve.h); the
 * unit is any: what counts is a speed over the one at the number asked, of the same row and as
 * near together as the row knows it.  How fast a type is there is said elsewhere (throughput.h).
 */
#ifndef MODEL_SPEED_SCALING_H
#define MODEL_SPEED_SCALING_H

#include "base/intern.h"
#include "model/cluster/cluster.h"
#include "model/speed/adaptive.h"

enum { SCALING_GPUS_MAX = 4096 };       /* of a size */

struct scaling_row {
    uint32_t name, gpu_type;    /* id in names; of the cluster, NONE: any */
    struct curve one, several;  /* above 0; several none: as one, and the way between nodes has its own cost */
    sim_tick restart;           /* time a start after the first takes before it computes; -1: as any job's */
    sim_tick start;             /* the same of its first start; -1: none */
    bool     only_listed;       /* sizes between the points are refused */
    struct adaptive *model;     /* owned; NULL: points were given */
    struct curve told;          /* the share of its work that it says is left, from each share done on; none: as it is */
    uint32_t widest;            /* cards of the largest node that the row holds for */
};

/* Measured step times go by names of their own. */
struct scaling {
    struct scaling_row *at; size_t n, cap;
    struct intern names, step_names;
    struct steps **steps; size_t cap_steps;
};

void scaling_fini(struct scaling *s);           /* zero-initialise to begin */
/* Takes its curves and the model.  False: there is a row of that name and type. */
bool scaling_add(struct scaling *s, const struct scaling_row *row);
/* The points of a row that has a model without measured times: goodput on each number of GPUs up to `most`. */
void scaling_fill(struct scaling_row *row, uint32_t most);
/* Of the type, else the one for any; NULL: there is none.  O(rows). */
const struct scaling_row *scaling_find(const struct scaling *s, uint32_t name, uint32_t gpu_type);
/* Speed there over that on `asked` GPUs; 0: it does not run there. */
double scaling_speed(const struct scaling_row *row, uint32_t asked, const struct spread *where);
/* Of a job with so much to do, the share that it says is left where `left` is. */
double scaling_told(const struct scaling_row *row, sim_tick all, sim_tick left);
/* n GPUs on n_nodes nodes; 0: on one; 1: on several, but as few as the largest hold.  Their counts, if as few: count [n]. */
struct spread scaling_spread(const struct scaling_row *row, uint32_t n, uint32_t n_nodes, uint32_t *count);
/* Does it know of several nodes, with all their exchange? */
bool scaling_tells_several(const struct scaling_row *row);
/* The measured step times of a name, NULL: there are none. */
struct steps *scaling_steps(const struct scaling *s, const char *name);
/* The same, made when they are new. */
struct steps *scaling_steps_add(struct scaling *s, const char *name);
/* May a job that names it run on so many GPUs, as far as the scaling goes? */
bool scaling_accepts(const struct scaling *s, uint32_t name, uint32_t n_gpus);
/*
 * Does it know every number from least to most, of each of the cluster's types in `types` (0: any)?  NULL, or what
 * it lacks, in words: buf [cap].
 */
const char *scaling_lacks(const struct scaling *s, uint32_t name, const struct cluster *c, uint64_t types,
                          uint32_t least, uint32_t most, char *buf, size_t cap);

#endif
