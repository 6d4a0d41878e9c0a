/*
 * The event queue against an array that is searched from end to end: random
 * scripts of set, cancel and pop, in one or in two parts, with keys from tiny sets so that ties are common.
 */
#include <criterion/criterion.h>
#include "base/rng.h"
#include "core/evq.h"

enum { SLOTS = 40 };

static size_t near_max;         /* of the queue in a script; 0: its own */

static int order(const struct ev *a, const struct ev *b)
{
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->cls != b->cls) return a->cls < b->cls ? -1 : 1;
    if (a->subject != b->subject) return a->subject < b->subject ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static void expect_same(const struct ev *a, const struct ev *b, uint64_t seed, int step)
{
    cr_assert(a->at == b->at && a->cls == b->cls && a->subject == b->subject && a->slot == b->slot,
              "seed %lu step %d: slot %u at %ld, the model has slot %u at %ld", (unsigned long)seed, step,
              a->slot, (long)a->at, b->slot, (long)b->at);
}

static void script(uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "test evq", 0);
    struct evq q = { .near_max = near_max };
    struct ev model[SLOTS];
    bool has[SLOTS] = { false };
    size_t n = 0;
    int steps = 400;
    uint64_t span = 1 + rng_below(&r, 50), n_slots = 1 + rng_below(&r, SLOTS);
    for (int i = 0; i < steps; i++) {
        uint32_t s = (uint32_t)rng_below(&r, n_slots);
        uint64_t what = rng_below(&r, 10);
        if (what < 6) {
            struct ev e = { .at = (sim_tick)rng_below(&r, span), .subject = rng_below(&r, 3), .slot = s,
                            .cls = (uint8_t)rng_below(&r, EV_SAMPLE + 1) };
            n += !has[s];
            has[s] = true;
            model[s] = e;
            evq_set(&q, e);
        } else if (what < 8) {
            n -= has[s];
            has[s] = false;
            evq_cancel(&q, s);
        } else {
            int least = -1;
            for (int k = 0; k < SLOTS; k++)
                if (has[k] && (least < 0 || order(&model[k], &model[least]) < 0)) least = k;
            struct ev got;
            evq_close(&q);
            bool any = rng_below(&r, 2) == 0 ? evq_pop(&q, &got) : evq_begin(&q, &got);    /* left open a while */
            cr_assert_eq(any, least >= 0);
            if (any) { expect_same(&got, &model[least], seed, i); has[least] = false; n--; }
        }
        cr_assert_eq(q.n, n, "seed %lu step %d", (unsigned long)seed, i);
        for (uint32_t k = 0; k < SLOTS; k++)
            cr_assert_eq(evq_pending(&q, k), has[k], "seed %lu step %d slot %u", (unsigned long)seed, i, k);
    }
    evq_fini(&q);
}

Test(evq_prop, agrees_with_a_searched_array_on_random_scripts)
{
    for (uint64_t seed = 1; seed <= 500; seed++) script(seed);
}

/* The same set of events comes out in the same order whatever order it went in. */
Test(evq_prop, insertion_order_is_irrelevant)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct rng r;
        rng_init(&r, seed, "test evq order", 0);
        struct ev e[SLOTS];
        for (uint32_t i = 0; i < SLOTS; i++)
            e[i] = (struct ev){ .at = (sim_tick)rng_below(&r, 5), .subject = rng_below(&r, 3), .slot = i,
                                .cls = (uint8_t)rng_below(&r, 3) };
        struct evq a = { 0 }, b = { 0 };
        for (uint32_t i = 0; i < SLOTS; i++) evq_set(&a, e[i]);
        for (uint32_t i = SLOTS; i > 1; i--) {
            uint32_t k = (uint32_t)rng_below(&r, i);
            struct ev t = e[i - 1];
            e[i - 1] = e[k];
            e[k] = t;
        }
        for (uint32_t i = 0; i < SLOTS; i++) {      /* and by a detour */
            struct ev far = e[i];
            far.at += (sim_tick)rng_below(&r, 100);
            evq_set(&b, far);
        }
        for (uint32_t i = 0; i < SLOTS; i++) evq_set(&b, e[i]);
        for (int i = 0; i < SLOTS; i++) {
            struct ev x, y;
            cr_assert(evq_pop(&a, &x) && evq_pop(&b, &y));
            expect_same(&x, &y, seed, i);
        }
        evq_fini(&a);
        evq_fini(&b);
    }
}

/* Piles: with a heap of at most so many, most of the events of these scripts are in piles. */
Test(evq_prop, agrees_when_nearly_all_lie_in_piles)
{
    for (near_max = 1; near_max <= 6; near_max++)
        for (uint64_t seed = 1; seed <= 300; seed++) script(seed);
}

/* As many as make piles of piles; times that are nearly all equal, or over ten orders of magnitude. */
Test(evq_prop, many_events_come_in_order)
{
    enum { MANY = 200000 };
    for (int form = 0; form < 3; form++) {
        struct rng r;
        struct evq q = { .near_max = form == 0 ? 0 : 64 };
        uint64_t sum = 0;
        rng_init(&r, 1, "test evq many", (uint64_t)form);
        for (int turn = 0; turn < 2; turn++)            /* the second moves every event */
            for (uint32_t i = 0; i < MANY; i++)
                evq_set(&q, (struct ev){ .at = form == 1 ? (sim_tick)rng_below(&r, 2) : INT64_C(1) << rng_below(&r, 40),
                                         .subject = rng_below(&r, 1000), .slot = i });
        for (uint32_t i = 0; i < MANY; i += 3) evq_cancel(&q, i);
        struct ev last = { 0 }, e;
        size_t n = 0;
        for (; evq_pop(&q, &e); last = e, n++) {
            cr_assert(n == 0 || order(&last, &e) < 0, "form %d, event %zu", form, n);
            cr_assert_neq(e.slot % 3, 0);
            sum += e.slot;
        }
        uint64_t all = 0;
        for (uint32_t i = 0; i < MANY; i++) all += i % 3 != 0 ? i : 0;
        cr_assert_eq(sum, all);
        cr_assert_eq(q.n, 0);
        evq_fini(&q);
    }
}
