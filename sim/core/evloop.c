/* evloop.c -- the steps of one instant, as evloop.h numbers them, and the digest's mixing. */
#include "core/evloop.h"

#include <inttypes.h>
#include <string.h>

void evloop_init(struct evloop *e, const struct evloop_ops *ops, void *ctx)
{
    memset(e, 0, sizeof *e);
    e->ops = ops;
    e->ctx = ctx;
    e->digest = UINT64_C(0x6a09e667f3bcc908);
}

void evloop_fini(struct evloop *e) { evq_fini(&e->q); }

/* Apply what is due now, samples apart; returns how many events there were. */
static size_t apply_due(struct evloop *e)
{
    size_t n = 0;
    for (;;) {
        const struct evq_item *top = evq_peek(&e->q);
        if (top == NULL || top->at > e->now || top->cls == EV_SAMPLE) return n;
        struct ev ev;
        (void)evq_begin(&e->q, &ev);
        e->ops->apply(e->ctx, &ev);
        evq_close(&e->q);
        n++;
    }
}

enum st evloop_step(struct evloop *e, struct diag *d)
{
    const struct evq_item *top = evq_peek(&e->q);
    if (top == NULL) return ST_END;
    SIM_ASSERT(top->at >= e->now);
    e->now = top->at;
    bool again = false;
    unsigned rounds = 0;
    for (size_t n; (n = apply_due(e)) > 0 || again; rounds++) {
        if (rounds == EVLOOP_ROUNDS)
            return diag_breach(d, BREACH_UNSETTLED, "the policy does not settle: %d rounds of decisions at t=%" PRId64
                            " us and still not done", EVLOOP_ROUNDS, e->now);
        e->n_events += n;
        again = false;
        TRY(e->ops->decide(e->ctx, &again, d));
    }
    if (rounds > 0) {
        e->n_instants++;
        e->n_rounds += rounds;
        if (e->ops->after != NULL) TRY(e->ops->after(e->ctx, d));
    }
    for (;;) {
        top = evq_peek(&e->q);
        if (top == NULL || top->at > e->now) return ST_OK;
        struct ev ev;
        (void)evq_pop(&e->q, &ev);
        if (e->ops->sample != NULL) e->ops->sample(e->ctx, &ev);
    }
}
