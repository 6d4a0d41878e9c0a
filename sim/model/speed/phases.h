/*
 * phases.h -- models whose needs change as they train: up to given shares of its work a job goes as another model
 * does.  Layer: model.
 *
 * All that hangs on a model's name changes with it: its speed by type, profile, pairs and distances; so does the
 * speed by size of an elastic job where the phase names a scaling.  Behind the last phase a job goes as its own model.
 * Shares are in millionths; a phase ends at its share of a unit's work, rounded down to a unit of work.
 */
#ifndef MODEL_SPEED_PHASES_H
#define MODEL_SPEED_PHASES_H

#include "base/base.h"

enum { PHASES_MAX = 100, PHASES_WHOLE = 1000000 };       /* of a model, as task.model_phase counts them */

struct phase { uint32_t model, as, scaling, until; };    /* scaling NONE: the job's own; until: above 0 */

struct phases {
    struct phase *at;  size_t n, cap;           /* those of a model one after the other, until rising */
    struct phases_span { uint32_t first, n; } *of;  size_t n_of;    /* by model */
};

void     phases_fini(struct phases *p);         /* zero-initialise to begin */
/* Those of one model follow each other. */
void     phases_add(struct phases *p, struct phase x);
/* How many a model (NONE: no model) has; number k of them, NULL behind the last. */
uint32_t phases_n(const struct phases *p, uint32_t model);
const struct phase *phases_get(const struct phases *p, uint32_t model, uint32_t k);
/* In which is a unit that has done so much of its work?  phases_n: in none any more.  O(phases of the model). */
uint32_t phases_at(const struct phases *p, uint32_t model, sim_work all, sim_work done);
/* How much is done when number k is over. */
sim_work phases_end(const struct phases *p, uint32_t model, uint32_t k, sim_work all);

#endif
