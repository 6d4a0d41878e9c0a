/*
 * gittins.h -- the Gittins index of a job by its service so far, from a sample of the services of others.
 *
 * With n sorted samples D and the quantum `delta`: v is the first sample above the service, i the first that is v, i'
 * the first that is at least v + delta (the last, if none is); P = (i' - i) / (n - i), E = (D_i + ... + D_(i'-1) +
 * delta (n - i')) / (n - i), and the index P / E.  The textbook has min(D - service, delta) in E; the authors of
 * Tiresias have D in their simulator, and so has this.
 *
 * Services are in thousandths of a card times us.  Cost: an index O(log samples), learning O(samples log samples).
 */
#ifndef POL_TIRESIAS_GITTINS_H
#define POL_TIRESIAS_GITTINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gittins {                /* zero-initialise to begin */
    int64_t delta;              /* us of one card */
    int64_t *sample; size_t cap_sample; uint32_t n_sample, n_sorted;    /* of the first n_sorted the index is made */
    int64_t *sum; size_t cap_sum;       /* [n_sorted + 1] of the first so many, us of one card */
};

void gittins_fini(struct gittins *g);
void gittins_add(struct gittins *g, int64_t service);
/* Take in what was added, once there is half as much again; true: indices are others now. */
bool gittins_learn(struct gittins *g);
/* P / E as a part of `one`; 0 beyond all samples. */
int64_t gittins_index(const struct gittins *g, int64_t service, int64_t one);

#endif
