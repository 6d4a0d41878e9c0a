/*
 * evloop.h -- the clock, the instant loop and the run digest.  Layer: core.
 *
 * One instant:
 *   1. apply every event due except samples
 *   2. decide once with all that happened
 *   3. settle: rates of what was touched, moved events
 *   4. repeat while that made something due now (at most EVLOOP_ROUNDS times)
 *   5. sample
 * The digest folds what happened, in order; samples never enter it, so
 * watching a run cannot change it.
 */
#ifndef CORE_EVLOOP_H
#define CORE_EVLOOP_H

#include "base/diag.h"
#include "core/evq.h"

enum { EVLOOP_ROUNDS = 1000 };

struct evloop_ops {
    void    (*apply)(void *ctx, const struct ev *e);
    /* Decide and settle.  *again: notices are left that want another round. */
    enum st (*decide)(void *ctx, bool *again, struct diag *d);
    void    (*sample)(void *ctx, const struct ev *e);       /* may be NULL */
    /* After the last round of every instant that was not samples alone; may be NULL. */
    enum st (*after)(void *ctx, struct diag *d);
};

struct evloop {
    struct evq q;
    sim_tick   now;
    uint64_t   digest;
    uint64_t   n_events, n_instants, n_rounds;   /* samples are not counted */
    const struct evloop_ops *ops;
    void      *ctx;                              /* borrowed */
};

void evloop_init(struct evloop *e, const struct evloop_ops *ops, void *ctx);
void evloop_fini(struct evloop *e);

/*
 * Run one instant.  ST_OK: done; ST_END: no event is pending; ST_EPOLICY with d
 * filled: the instant did not settle; or what decide returned.
 */
enum st evloop_step(struct evloop *e, struct diag *d);

/* Fold one fact into the digest: a round of the murmur3 finaliser over (digest, x), order-sensitive, cheap. */
static inline void evloop_fold(struct evloop *e, uint64_t x)
{
    uint64_t h = (e->digest ^ x) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    e->digest = h ^ h >> 29;
}

#endif
