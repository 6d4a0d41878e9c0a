/*
 * Activities: progress is integer, so neither the order in which they were
 * started nor how often they are looked at or folded can move a finish.
 */
#include <criterion/criterion.h>
#include "base/rng.h"
#include "core/act.h"

enum { N = 30, CHANGES = 200 };

/* A run: N activities, rates changed at fixed times.  `order` permutes the
 * starts; `look` reads and folds at extra instants.  Finishes go to at[]. */
struct life { sim_work left[N]; sim_rate rate[N]; sim_tick when[CHANGES]; uint32_t who[CHANGES]; sim_rate to[CHANGES]; };

static void make(struct life *l, uint64_t seed)
{
    struct rng r;
    rng_init(&r, seed, "test act", 0);
    for (int i = 0; i < N; i++) {
        l->left[i] = (sim_work)rng_below(&r, 2000) << RATE_BITS;
        if (rng_below(&r, 3) == 0) l->left[i] += (sim_work)rng_below(&r, 1u << RATE_BITS);
        l->rate[i] = (sim_rate)rng_below(&r, 3 * RATE_ONE);
    }
    sim_tick t = 0;
    for (int k = 0; k < CHANGES; k++) {
        t += (sim_tick)rng_below(&r, 20);
        l->when[k] = t;
        l->who[k] = (uint32_t)rng_below(&r, N);
        l->to[k] = rng_below(&r, 4) == 0 ? 0 : (sim_rate)(1 + rng_below(&r, 2 * RATE_ONE));
    }
    for (int i = 0; i < N; i++) {           /* all end: the last rate is not 0 */
        l->who[CHANGES - N + i] = (uint32_t)i;
        l->to[CHANGES - N + i] = (sim_rate)(RATE_ONE / 3 + (sim_rate)i);
    }
}

static void live(const struct life *l, uint64_t seed, bool reversed, bool look, sim_tick at[N], uint32_t order[N])
{
    struct rng r;
    rng_init(&r, seed, "test act looks", 0);
    struct evq q = { 0 };
    struct act a[N];
    bool over[N] = { false };
    for (uint32_t i = 0; i < N; i++) {
        uint32_t k = reversed ? N - 1 - i : i;
        act_start(&a[k], &q, k, k, l->left[k], l->rate[k], 0);
    }
    uint32_t n = 0;
    sim_tick now = 0;
    for (int k = 0; k <= CHANGES; k++) {
        sim_tick until = k < CHANGES ? l->when[k] : TICK_NEVER;
        for (const struct evq_item *top; (top = evq_peek(&q)) != NULL && top->at <= until;) {
            struct ev e;
            (void)evq_pop(&q, &e);
            if (look && e.at > now) {       /* stop and go on somewhere on the way there */
                sim_tick mid = now + (sim_tick)rng_below(&r, (uint64_t)(e.at - now));
                for (uint32_t i = 0; i < N; i++) {
                    if (over[i] || i == e.slot) continue;
                    sim_rate rate = a[i].rate;
                    sim_work left = act_left(&a[i], mid);
                    cr_assert_eq(act_stop(&a[i], &q, mid), left);
                    act_set_rate(&a[i], &q, rate, mid);
                }
            }
            now = e.at;
            cr_assert_eq(act_left(&a[e.slot], now), 0, "finished with work left");
            cr_assert(a[e.slot].left == 0 || act_left(&a[e.slot], now - 1) > 0, "finished a tick late");
            at[e.slot] = now;
            order[n++] = e.slot;
            over[e.slot] = true;
        }
        if (k < CHANGES && !over[l->who[k]]) {
            now = l->when[k];
            act_set_rate(&a[l->who[k]], &q, l->to[k], now);
        }
    }
    cr_assert_eq(n, N);
    evq_fini(&q);
}

Test(act_prop, neither_order_nor_observing_moves_a_finish)
{
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct life l;
        make(&l, seed);
        sim_tick want[N];
        uint32_t order[N];
        live(&l, seed, false, false, want, order);
        for (int v = 1; v < 4; v++) {
            sim_tick got[N];
            uint32_t seen[N];
            live(&l, seed, v & 1, v & 2, got, seen);
            for (int i = 0; i < N; i++) {
                cr_assert_eq(got[i], want[i], "seed %lu variant %d: activity %d ends at %ld, not %ld",
                             (unsigned long)seed, v, i, (long)got[i], (long)want[i]);
                cr_assert_eq(seen[i], order[i], "seed %lu variant %d: place %d", (unsigned long)seed, v, i);
            }
        }
    }
}

/* finish = since + ceil(left / rate), against counting ticks one by one. */
Test(act_prop, finish_is_the_first_tick_with_no_work_left)
{
    struct rng r;
    rng_init(&r, 7, "test act ceil", 0);
    for (int i = 0; i < 3000; i++) {
        sim_work left = (sim_work)rng_below(&r, 5000);
        sim_rate rate = (sim_rate)(1 + rng_below(&r, 300));
        struct evq q = { 0 };
        struct act a;
        act_start(&a, &q, 0, 0, left, rate, 10);
        sim_tick t = 10;
        for (sim_work l = left; l > 0; l -= rate) t++;
        cr_assert_eq(evq_peek(&q)->at, t);
        evq_fini(&q);
    }
}

Test(act_prop, the_longest_work_does_not_overflow)
{
    struct evq q = { 0 };
    struct act a;
    act_start(&a, &q, 0, 0, (sim_work)DUR_MAX << RATE_BITS, 1, 0);
    cr_assert_eq(evq_peek(&q)->at, DUR_MAX << RATE_BITS);
    cr_assert_eq(act_left(&a, DUR_MAX), ((sim_work)DUR_MAX << RATE_BITS) - DUR_MAX);
    act_set_rate(&a, &q, UINT32_MAX, 0);
    cr_assert_eq(act_left(&a, DUR_MAX), 0);
    evq_fini(&q);
}

Test(act_prop, a_stopped_activity_has_no_event_and_keeps_its_work)
{
    struct evq q = { 0 };
    struct act a;
    act_start(&a, &q, 3, 0, 100 * (sim_work)RATE_ONE, RATE_ONE / 2, 0);
    cr_assert_eq(act_stop(&a, &q, 50), 75 * (sim_work)RATE_ONE);
    cr_assert_not(evq_pending(&q, 3));
    cr_assert_eq(act_left(&a, 1000000), 75 * (sim_work)RATE_ONE);
    evq_fini(&q);
}
