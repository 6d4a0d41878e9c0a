/*
 * steps.h -- measured times of a training step, by placement and by examples on a GPU.  Layer: model.
 *
 * A placement is how many GPUs a job has on each of its nodes, in their order: "4+2".  Turned round it is the same, as
 * a ring of exchange has no first node.  What was measured without that is of so many GPUs on so many nodes.
 * - Of a placement with measurements: the straight line between those of more and of fewer examples; beyond, the end's.
 * - Of another: linear in (nodes, GPUs, examples) on the Delaunay simplex around it of all that was measured, the mean
 *   of placements alike in these three being one point; outside of all: the nearest in nodes, then GPUs, then examples.
 * Source of both rules: Qiao et al., Pollux, OSDI 2021, the artifact's applications.py.
 */
#ifndef MODEL_SPEED_STEPS_H
#define MODEL_SPEED_STEPS_H

#include "base/intern.h"
#include "model/speed/curve.h"
#include "lib/map.h"

/* Where a job is; count [n_nodes] NULL: not known.  exact: 0, or 1 + the placement as steps_find knows it. */
struct spread { const uint32_t *count; uint32_t n_nodes, n_gpus, exact; };

struct step_time { double step, sync; };        /* s; of it, what exchange adds */

struct steps {
    struct intern placements;
    struct { struct curve step, sync; } *exact; size_t n_exact, cap_exact;      /* by id of placements */
    struct step_row { uint32_t placement, n_nodes, n_gpus; double local; struct step_time time; uint32_t n; } *row;
    size_t n_rows, cap_rows;                    /* as read; points of the simplices once it is ready */
    uint32_t most_nodes;                        /* of a placement */
    struct map memo;                            /* of known */
    struct step_known { uint32_t n_nodes, n_gpus; double local; struct step_time time; } *known; size_t n_known, cap_known;
    double *tableau; size_t cap_tableau;
};

void steps_fini(struct steps *s);               /* zero-initialise to begin */
/* NULL, or what is wrong.  placement: NULL or as above. */
const char *steps_add(struct steps *s, const char *placement, uint32_t n_nodes, uint32_t n_gpus, double local, struct step_time t);
/* All rows were added.  NULL, or what is wrong with them. */
const char *steps_ready(struct steps *s);
/* The same place, its placement looked up: before many questions about it. */
struct spread steps_find(const struct steps *s, const struct spread *where);
/* local examples on each GPU at a time.  First time for a place and size: O(rows x some tens); then O(1). */
struct step_time steps_time(struct steps *s, const struct spread *where, double local);

#endif
