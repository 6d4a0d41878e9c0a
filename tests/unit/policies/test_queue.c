/* Ordered sets of units and the queue of request classes, against sorting. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include "base/rng.h"
#include "lib/place/request_class.h"
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

/* What the classes ask: two kinds, and least CPU and least memory in different classes. */
static int64_t cpu_of(uint32_t class) { return 1 + class * 5 % CLASSES; }
static int64_t mem_of(uint32_t class) { return 1 + class * 3 % CLASSES; }

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

/* Units that join in order, and leave from the front, the end and between, with and without a walk meanwhile. */
Test(queue, those_that_join_in_order_stand_in_line)
{
    struct rng g;
    rng_init(&g, 4, "line", 0);
    struct units u = fill(&g, UNITS);
    for (uint32_t i = 0; i < UNITS; i++) u.at[i].ordinal = i;
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    bool in[UNITS] = { false };
    uint32_t next = 0, n = 0;
    for (int step = 0; step < 20000; step++) {
        const uint64_t what = rng_below(&g, 100);
        uint32_t id = queue_first(&q), before = POL_NONE;
        if (what < 50 && !in[next]) {
            u.at[next].key = what > 0 ? step : step - (int64_t)rng_below(&g, 20);       /* now and then before others */
            queue_add(&q, &u, id = next);
            next = (next + 1) % UNITS;
        } else if (what < 90 || n == 0) {
            if (n == 0) continue;
            queue_del(&q, &u, id);
        } else if (what < 98) {
            do id = what < 95 ? (next + UNITS - 1) % UNITS : (uint32_t)rng_below(&g, UNITS); while (!in[id] && what >= 95);
            if (!in[id]) continue;
            queue_del(&q, &u, id);
        } else {
            for (queue_walk_open(&w, &q, &u, NULL, NULL); (id = queue_walk_top(&w)) != POL_NONE; before = id) {
                cr_assert_eq(id, slow_next(&u, in, before, POL_NEVER, POL_NONE));
                queue_walk_step(&w, &u, POL_NEVER);
            }
            cr_assert_eq(slow_next(&u, in, before, POL_NEVER, POL_NONE), POL_NONE);
            continue;
        }
        in[id] = !in[id];
        n += in[id] ? 1u : -1u;
        cr_assert_eq(q.n, n);
        cr_assert_eq(queue_first(&q), slow_next(&u, in, POL_NONE, POL_NEVER, POL_NONE));
    }
    cr_assert_leq(q.door.cap, 2 * UNITS, "the line takes memory for those that left");
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}

/* Room for so much of each kind, less as the walk goes on, and for so long; least: estimate of each class. */
struct space { int64_t cpu[2], mem[2], est, least[CLASSES]; uint32_t asked; };
static bool has_room(void *ctx, uint32_t class, int64_t cpu, int64_t mem, int64_t est)
{
    struct space *r = ctx;
    r->asked++;
    return cpu <= r->cpu[class % 2] && mem <= r->mem[class % 2] && est <= r->est;
}

static bool unit_has_room(struct space *r, const struct unit *u)
{
    return has_room(r, u->request_class, u->cpu_milli, u->mem_b, r->least[u->request_class]);
}

/* There is more room: who stands behind `id` and was left out is met if it fits now, but of classes met before. */
static void renew(struct queue_walk *w, struct space *r, const struct units *u, const bool *in, const bool *met, uint32_t id,
                  bool *left)
{
    const uint32_t kind = u->at[id].request_class % 2;
    r->cpu[kind]++;
    queue_walk_renew(w, u, id);
    for (uint32_t i = 0; i < UNITS; i++) {
        const uint32_t class = u->at[i].request_class;
        const uint32_t first = slow_next(u, in, POL_NONE, POL_NEVER, class);
        if (in[i] && !met[class] && unit_before(&u->at[id], &u->at[first])) left[i] = unit_has_room(r, &u->at[i]);
    }
}

/* A search meets in order what fits when the walk gets there, and nothing that never fitted. */
Test(queue, searches_meet_what_fits)
{
    struct rng g;
    rng_init(&g, 3, "search", 0);
    struct units u = fill(&g, UNITS);
    for (uint32_t i = 0; i < UNITS; i++) {
        u.at[i].kind = u.at[i].request_class % 2;
        u.at[i].cpu_milli = cpu_of(u.at[i].request_class);
        u.at[i].mem_b = mem_of(u.at[i].request_class);
    }
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    bool in[UNITS] = { false };
    for (int round = 0; round < 200; round++) {
        for (int k = 0; k < 40; k++) {
            uint32_t i = (uint32_t)rng_below(&g, UNITS);
            if (in[i]) queue_del(&q, &u, i);
            else queue_add(&q, &u, i);
            in[i] = !in[i];
        }
        bool left[UNITS], met[CLASSES] = { false };
        struct space r = { .cpu = { (int64_t)rng_below(&g, 9), (int64_t)rng_below(&g, 9) } };
        r.mem[0] = (int64_t)rng_below(&g, 9);
        r.mem[1] = (int64_t)rng_below(&g, 9);
        r.est = (int64_t)rng_below(&g, 4);
        for (uint32_t c = 0; c < CLASSES; c++) r.least[c] = POL_NEVER;
        for (uint32_t i = 0; i < UNITS; i++) {
            int64_t *least = &r.least[u.at[i].request_class];
            if (in[i] && u.at[i].est < *least) *least = u.at[i].est;
        }
        for (uint32_t i = 0; i < UNITS; i++) left[i] = in[i] && unit_has_room(&r, &u.at[i]);
        const struct queue_filter f = { .may_fit = has_room, .ctx = &r };
        queue_walk_search(&w, &q, &u, &f);
        for (uint32_t id; (id = queue_walk_top(&w)) != POL_NONE;) {
            uint32_t want = slow_next(&u, left, POL_NONE, POL_NEVER, POL_NONE);
            /* It may have stopped fitting since the search found it: the walker refuses it then. */
            while (want != id && want != POL_NONE && !unit_has_room(&r, &u.at[want])) {
                left[want] = false;
                want = slow_next(&u, left, POL_NONE, POL_NEVER, POL_NONE);
            }
            cr_assert_eq(id, want);
            left[id] = false;
            met[u.at[id].request_class] = true;
            if (!unit_has_room(&r, &u.at[id])) {
                for (uint32_t i = 0; i < UNITS; i++) left[i] &= u.at[i].request_class != u.at[id].request_class;
                queue_walk_drop(&w, &u);
                continue;
            }
            queue_walk_step(&w, &u, POL_NEVER);
            if (rng_below(&g, 4) == 0) renew(&w, &r, &u, in, met, id, left);
            if (rng_below(&g, 3) > 0) continue;
            queue_del(&q, &u, id);
            in[id] = false;
            r.cpu[u.at[id].request_class % 2] -= (int64_t)rng_below(&g, 2);
        }
        for (uint32_t i = 0; i < UNITS; i++)
            cr_assert(!left[i] || !unit_has_room(&r, &u.at[i]), "unit %u was not met", i);
    }
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}

/* Of a long queue in which nothing fits only the top of each kind's treap is asked for. */
Test(queue, searches_pass_over_what_cannot_fit)
{
    enum { MANY = 10000 };
    struct units u = { calloc(MANY, sizeof *u.at), MANY };
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    for (uint32_t i = 0; i < MANY; i++) {
        u.at[i] = (struct unit){ .ordinal = i, .request_class = i, .kind = i % 2 };
        u.at[i].cpu_milli = 100 + i;
        u.at[i].mem_b = 100 + MANY - i;
        queue_add(&q, &u, i);
    }
    struct space r = { .cpu = { 99, 99 }, .mem = { MANY, MANY } };
    const struct queue_filter f = { .may_fit = has_room, .ctx = &r };
    queue_walk_search(&w, &q, &u, &f);
    cr_assert_eq(queue_walk_top(&w), POL_NONE);
    cr_assert_eq(r.asked, 2);
    r = (struct space){ .cpu = { 0, 5000 }, .mem = { 0, 2 * MANY } };
    queue_walk_search(&w, &q, &u, &f);
    cr_assert_eq(queue_walk_top(&w), 1);
    cr_assert_leq(r.asked, 100, "asked %u times", r.asked);
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}

Test(request_class, a_refusal_speaks_for_what_asks_no_less)
{
    const struct pol_shape shape[] = { { .cpu_milli = 4, .mem_b = 8 }, { .cpu_milli = 9, .mem_b = 2 },
                                       { .cpu_milli = 4, .mem_b = 8, .n_gpu = 2, .gpu_milli = 500 } };
    struct request_classes k = { 0 };
    uint32_t a = request_class_id(&k, (uint32_t[]){ 0 }, 1, shape), b = request_class_id(&k, (uint32_t[]){ 1 }, 1, shape);
    uint32_t c = request_class_id(&k, (uint32_t[]){ 2 }, 1, shape);
    uint32_t d = request_class_id(&k, (uint32_t[]){ 2, 2 }, 2, shape);
    cr_assert(k.at[a].kind == k.at[b].kind && k.at[a].kind != k.at[c].kind && k.at[c].kind != k.at[d].kind);
    cr_assert(k.at[b].cpu_milli == 9 && k.at[b].mem_b == 2);
    struct request_kind *r = &k.kind[k.at[a].kind];
    const struct request_refusals at = { 7, 0, 5 }, later = { 7, 0, 6 }, earlier = { 7, 0, 4 }, freed = { 8, 0, 5 };
    cr_assert(!request_kind_is_refused(r, at, 4, 8));
    request_kind_refuse(r, at, 4, 8);
    cr_assert(request_kind_is_refused(r, at, 4, 8) && request_kind_is_refused(r, at, 9, 9));
    cr_assert(!request_kind_is_refused(r, at, 3, 9) && !request_kind_is_refused(r, at, 9, 7));
    cr_assert(request_kind_is_refused(r, later, 4, 8), "a unit of a greater key has no more victims");
    cr_assert(!request_kind_is_refused(r, earlier, 4, 8), "one of a smaller key may have");
    request_kind_refuse(r, earlier, 4, 8);
    cr_assert(!request_kind_is_refused(r, freed, 4, 8), "something was freed");
    for (int i = 0; i < 3 * REQUEST_REFUSED_MAX; i++) request_kind_refuse(r, freed, 100 - i, 100 + i);
    cr_assert(request_kind_is_refused(r, freed, 77, 200) && !request_kind_is_refused(r, freed, 4, 8));
    request_class_fini(&k);
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

static uint32_t n_gone, n_kinds_gone;
static void count_gone(void *ctx, uint32_t class, uint32_t kind)
{
    (void)ctx;
    n_gone += class != POL_NONE;
    n_kinds_gone += kind != POL_NONE;
}

Test(request_class, a_shape_that_means_another_request_makes_another_class_and_ids_nobody_uses_are_used_again)
{
    struct pol_shape shape[] = { { .cpu_milli = 1 }, { .n_gpu = 2, .gpu_milli = 1000 }, { .cpu_milli = 3 } };
    struct request_classes k = { 0 };
    const uint32_t a = request_class_id(&k, (uint32_t[]){ 0 }, 1, shape);
    const uint32_t b = request_class_id(&k, (uint32_t[]){ 1 }, 1, shape);
    const uint32_t c = request_class_id(&k, (uint32_t[]){ 2, 1 }, 2, shape);
    cr_assert(!k.is_full);
    request_class_renew(&k, 1);
    shape[1] = (struct pol_shape){ .cpu_milli = 5, .exclusive = 1 };
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 0 }, 1, shape), a, "its shape is what it was");
    const uint32_t d = request_class_id(&k, (uint32_t[]){ 1 }, 1, shape);
    const uint32_t e = request_class_id(&k, (uint32_t[]){ 2, 1 }, 2, shape);
    cr_assert(d != b && e != c && k.at[d].cpu_milli == 5 && k.at[d].serial != k.at[b].serial);
    while (!k.is_full) request_class_renew(&k, 9);
    request_class_sweep(&k, (bool[]){ [0] = true, [3] = true, [4] = true }, 5, count_gone, NULL);
    cr_assert(n_gone == 2 && n_kinds_gone == 1 && !k.is_full, "%u classes, %u kinds", n_gone, n_kinds_gone);
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 1 }, 1, shape), d);
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 2, 1 }, 2, shape), e);
    const uint64_t made = k.n_made;
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 2 }, 1, shape), b, "the lowest free id");
    cr_assert_eq(request_class_id(&k, (uint32_t[]){ 1, 1 }, 2, shape), c);
    cr_assert(k.at[b].serial == made + 1 && k.at[c].serial == made + 2 && k.n == 5);
    request_class_fini(&k);
}

/* A bucket for each of many classes, one after the other: those that are empty are used again. */
Test(queue, buckets_follow_what_waits)
{
    struct units u = { 0 };
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    enum { MANY = 1000 };
    u.at = calloc(4, sizeof *u.at);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t id = i % 4;
        if (i >= 4) queue_del(&q, &u, id);
        u.at[id] = (struct unit){ .ordinal = i, .est = POL_NEVER, .request_class = i, .n_tasks = 1 };
        queue_add(&q, &u, id);
        queue_walk_open(&w, &q, &u, NULL, NULL);        /* none stands at the door */
        cr_assert_eq(u.at[queue_first(&q)].ordinal, i < 3 ? 0 : i - 3);
    }
    cr_assert(q.n_b >= 4 && q.n_b <= 16);
    cr_assert_leq(q.of_class.n, 16);
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}

Test(queue, a_class_whose_id_means_another_request_has_a_bucket_of_that)
{
    struct units u = { 0 };
    struct queue q = { 0 };
    struct queue_walk w = { 0 };
    u.at = calloc(2, sizeof *u.at);
    u.at[1] = (struct unit){ .est = POL_NEVER, .request_class = 6, .kind = 9, .n_tasks = 1 };
    queue_add(&q, &u, 1);               /* who waits alone has no bucket */
    for (uint32_t i = 0; i < 2; i++) {
        u.at[0] = (struct unit){ .ordinal = 1 + i, .est = POL_NEVER, .request_class = 5, .kind = i, .cpu_milli = 10 + i,
                                 .n_tasks = 1 };
        queue_add(&q, &u, 0);
        queue_walk_open(&w, &q, &u, NULL, NULL);        /* it stands at the door no longer */
        cr_assert(q.n_b == 2 && q.b[1].cpu_milli == 10 + i && q.kind[q.b[1].kind].kind == i);
        queue_del(&q, &u, 0);
    }
    queue_walk_fini(&w);
    queue_fini(&q);
    free(u.at);
}
