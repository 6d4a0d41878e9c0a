/*
 * draw.h -- jobs drawn from a model.  Layer: input.
 */
#ifndef INPUT_FIT_DRAW_H
#define INPUT_FIT_DRAW_H

#include "input/fit/model.h"

struct drawn {
    int64_t ms;
    const struct model_kind *kind;
    double dur, limit;
    uint32_t user, copy, seq;
};
struct drawn_jobs {
    struct drawn *at;
    size_t n, cap;
    uint32_t n_users;
    double span;
}; /* in order of ms; at is owned */

/*
 * load times the users of the model over span_s (0: as long as it was learnt from).  Kinds are borrowed from the
 * model.  ST_EINPUT: too many jobs; *g is the caller's to free in any case.
 */
enum st draw_jobs(struct drawn_jobs *g, const struct model *m, double load, double span_s, uint64_t seed,
                  struct diag *d);

#endif
