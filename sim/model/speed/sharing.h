/*
 * sharing.h -- what holders of parts of one card cost each other.  Layer: model.
 *
 * A table says how fast a model goes beside another on a card, over its speed
 * alone there: measured pairs, such as Gavel's of co-located jobs.  Those beside
 * whom nothing was measured slow each other in proportion once their utilisations
 * alone come to more than 1.  With several neighbours the table's factors multiply.
 */
#ifndef MODEL_SPEED_SHARING_H
#define MODEL_SPEED_SHARING_H

#include "base/base.h"

struct sharing_pair { uint32_t model, beside, gpu_type; double speed; };       /* gpu_type NONE: of any */

struct sharing {
    struct sharing_pair *at; size_t n, cap;     /* sorted */
    double utilisation;                         /* of a unit's cards whose model has no profile */
    bool   is_on;                               /* else sharing a card costs nothing */
};

void sharing_fini(struct sharing *s);           /* zero-initialise to begin */
/* False: it has that pair.  O(log pairs) to find its place, O(pairs) to make room. */
bool sharing_add(struct sharing *s, struct sharing_pair pair);
/* Speed of `model` (NONE: no model) beside another on a card; false: not measured.  O(log pairs). */
bool sharing_find(const struct sharing *s, uint32_t model, uint32_t beside, uint32_t gpu_type, double *speed);

#endif
