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
#include "model/speed/curve.h"

struct scaling_row {
    uint32_t name, gpu_type;    /* id in names; of the cluster, NONE: any */
    struct curve one, several;  /* above 0; several none: as one, and the way between nodes has its own cost */
    sim_tick restart;           /* time a start after the first takes before it computes; -1: as any job's */
    bool     only_listed;       /* sizes between the points are refused */
};

struct scaling { struct scaling_row *at; size_t n, cap; struct intern names; };

void scaling_fini(struct scaling *s);           /* zero-initialise to begin */
/* Takes the curves.  False: there is a row of that name and type. */
bool scaling_add(struct scaling *s, const struct scaling_row *row);
/* Of the type, else the one for any; NULL: there is none.  O(rows). */
const struct scaling_row *scaling_find(const struct scaling *s, uint32_t name, uint32_t gpu_type);
/* Speed on n_gpus over that on `asked`. */
double scaling_speed(const struct scaling_row *row, uint32_t asked, uint32_t n_gpus, bool is_several);
/* May a job that names it run on so many GPUs, as far as the scaling goes? */
bool scaling_accepts(const struct scaling *s, uint32_t name, uint32_t n_gpus);
/*
 * Does it know every number from least to most, of each of the cluster's types in `types` (0: any)?  NULL, or what
 * it lacks, in words: buf [cap].
 */
const char *scaling_lacks(const struct scaling *s, uint32_t name, const struct cluster *c, uint64_t types,
                          uint32_t least, uint32_t most, char *buf, size_t cap);

#endif
