/* Ordered sets of units and the queue of request classes, against sorting. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "base/rng.h"
#include "lib/sched/request_class.h"
#include "lib/sched/queue.h"

enum { UNITS = 300, CLASSES = 7 };

static struct units fill(struct rng *g, uint32_t n)
{
    struct units u = { calloc(n, sizeof *u.at), n };
    for (uint32_t i = 0; i < n; i++)
        u.at[i] = (struct unit){ .key = (int64_t)rng_below(g, 5), .ordinal = rng_below(g, n), .index = i,
                                 .request_class = (uint32_t)rng_below(g, CLASSES), .est = rng_below(g, 6) == 0 ? POL_NEVER : (int64_t)rng_below(g, 50) };
    return u;
}

/* The unit next after `id` (POL_NONE: from the start) among those in, by looking at all. */
static uint32_t slow_next(const struct units *u, const bool *in, uint32_t id, int64_t most, uint32_t class)
{
    uint32_t best = POL_NONE;
    for (uint32_t i = 0; i < u->cap; i++) {
        if (!in[i] || u->at[i].est > most || (class != POL_NONE && u->at[i].request_class != class)) continue;
        if (id != POL_NONE && !unit_before(&u->at[id], &u->at[i])) continue;
        if (best == POL_NONE || unit_before(&u->at[i], &u->at[best])) best = i;
    }
    return best;
}

Test(unit_set, neighbours_and_bounded_searches_equal_a_scan)
{
    struct rng g;
    rng_init(&g, 1, "unit set", 0);
    struct units u = fill(&g, UNITS);
    struct unit_set s = UNIT_SET_EMPTY;
    bool in[UNITS] = { false };
    for (int step = 0; step < 4000; step++) {
        uint32_t i = (uint32_t)rng_below(&g, UNITS);
        if (in[i]) unit_set_del(&s, &u, i);
        else unit_set_add(&s, &u, i);
        in[i] = !in[i];
        uint32_t from = (uint32_t)rng_below(&g, UNITS);
        int64_t most = (int64_t)rng_below(&g, 50);
        cr_assert_eq(unit_set_first(&s, &u), slow_next(&u, in, POL_NONE, POL_NEVER, POL_NONE));
        cr_assert_eq(unit_set_next(&s, &u, from), slow_next(&u, in, from, POL_NEVER, POL_NONE));
        cr_assert_eq(unit_set_next_within(&s, &u, from, most), slow_next(&u, in, from, most, POL_NONE));
        cr_assert_eq(unit_set_next_within(&s, &u, POL_NONE, most), slow_next(&u, in, POL_NONE, most, POL_NONE));
        uint32_t last = unit_set_last(&s, &u), prev = unit_set_prev(&s, &u, from);
        cr_assert(last == POL_NONE ? s.n == 0 : unit_set_next(&s, &u, last) == POL_NONE);
        if (prev != POL_NONE) {
            uint32_t after = unit_set_next(&s, &u, prev);
            cr_assert(in[from] ? after == from : after == unit_set_next(&s, &u, from));
        }
    }
    free(u.at);
}

static bool odd(void *ctx, uint32_t class) { (void)ctx; return class % 2 == 1; }

/* A walk meets every unit in order, those of dropped request classes apart; units may leave as they are met. */
Test(queue, walks_in_order_and_drops_kinds)
{
    struct rng g;
    rng_init(&g, 2, "queue", 0);
    struct units u = fill(&g, UNITS);
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    bool in[UNITS] = { false };
    for (int round = 0; round < 60; round++) {
        for (int k = 0; k < 40; k++) {
            uint32_t i = (uint32_t)rng_below(&g, UNITS);
            if (in[i]) queue_del(&q, &u, i);
            else queue_add(&q, &u, i);
            in[i] = !in[i];
            cr_assert_eq(queue_first(&q), slow_next(&u, in, POL_NONE, POL_NEVER, POL_NONE));
        }
        bool left[UNITS];
        bool even_only = round % 2 == 1;
        for (uint32_t i = 0; i < UNITS; i++) left[i] = in[i] && (!even_only || u.at[i].request_class % 2 == 0);
        queue_walk_open(&w, &q, &u, even_only ? odd : NULL, NULL);
        uint32_t id;
        while ((id = queue_walk_top(&w)) != POL_NONE) {
            cr_assert_eq(id, slow_next(&u, left, POL_NONE, POL_NEVER, POL_NONE));
            left[id] = false;
            uint64_t what = rng_below(&g, 10);
            if (what == 0) {
                for (uint32_t i = 0; i < UNITS; i++) left[i] &= u.at[i].request_class != u.at[id].request_class;
                queue_walk_drop(&w, &u);
            } else {
                int64_t most = what == 1 ? 20 : POL_NEVER;
                for (uint32_t i = 0; i < UNITS; i++) {      /* those passed over by the bound */
                    uint32_t next = slow_next(&u, left, id, most, u.at[id].request_class);
                    if (left[i] && u.at[i].request_class == u.at[id].request_class && (next == POL_NONE || unit_before(&u.at[i], &u.at[next]))) left[i] = false;
                }
                queue_walk_step(&w, &u, most);
            }
            if (what >= 5) {
                queue_del(&q, &u, id);
                in[id] = false;
            }
        }
        for (uint32_t i = 0; i < UNITS; i++) cr_assert(!left[i], "unit %u was not met", i);
    }
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}

Test(request_class, equal_lists_of_shapes_are_one_class)
{
    const struct pol_shape shape[] = { { .cpu_milli = 1 }, { .n_gpu = 2, .gpu_milli = 1000 }, { .n_gpu = 2, .gpu_milli = 500 } };
    struct request_classes k = { 0 };
    uint32_t a = request_class_id(&k, (uint32_t[]){ 0 }, 1, shape), b = request_class_id(&k, (uint32_t[]){ 0, 0 }, 2, shape);
    uint32_t c = request_class_id(&k, (uint32_t[]){ 0, 1 }, 2, shape), d = request_class_id(&k, (uint32_t[]){ 2 }, 1, shape);
    uint32_t e = request_class_id(&k, (uint32_t[]){ 2, 2 }, 2, shape), f = request_class_id(&k, (uint32_t[]){ 1, 1 }, 2, shape);
    cr_assert(a == 0 && b == 1 && c == 2 && d == 3 && e == 4 && f == 5);
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 0, 1 }, 2, shape), c);
    cr_assert(k.at[a].is_monotone && k.at[b].is_monotone && k.at[d].is_monotone && k.at[f].is_monotone);
    cr_assert(!k.at[c].is_monotone, "unlike tasks");
    cr_assert(!k.at[e].is_monotone, "shares of several cards");
    for (int again = 0; again < 2; again++)     /* many more, through several growths; ids stay */
        for (uint32_t i = 10; i < 510; i++) cr_assert_eq(request_class_id(&k, (uint32_t[]){ 1, i }, 2, shape), i - 4);
    request_class_fini(&k);
}
