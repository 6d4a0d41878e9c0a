/*
 * measured.h -- how fast models were measured to go in some situation, over their speed out of
 * it: beside another model on one card, such as Gavel's pairs; spread over nodes.  Layer: model.
 */
#ifndef MODEL_SPEED_MEASURED_H
#define MODEL_SPEED_MEASURED_H

#include "base/base.h"

/* `where`: the other model, or how far the nodes are apart (enum data_level).  gpu_type NONE: of any. */
struct measured_speed { uint32_t model, where, gpu_type; double speed; };

struct measured { struct measured_speed *at; size_t n, cap; };          /* sorted */

void measured_fini(struct measured *m);         /* zero-initialise to begin */
/* False: it has that already.  O(log rows) to find its place, O(rows) to make room. */
bool measured_add(struct measured *m, struct measured_speed row);
/* Of `model` (NONE: no model), of its type's row or else of the one of any type; false: not measured.  O(log rows). */
bool measured_find(const struct measured *m, uint32_t model, uint32_t where, uint32_t gpu_type, double *speed);
/* The mean over all rows of the model on the type, of any type where it has none of this; 0: no row.  O(rows). */
double measured_mean(const struct measured *m, uint32_t model, uint32_t gpu_type);

#endif
