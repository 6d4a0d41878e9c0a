/*
 * The structured solver on rounds of many shapes, up to those at which an
 * auction begins by itself, and on what could make it long; against network
 * simplex on the aggregated network, and by its certificate.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include "cmd/flow/flow_model.h"
#include "base/mem.h"
#include "base/rng.h"
#include "lib/flow/mcf.h"
#include "ref/madeflow.h"

enum { BIDS = 2 * 32 };                 /* README: a place's share of bids, both rounds */

static const struct made_shape shapes[] = {
    /* name   cards jobs tasks levels mixed big zipf sizes      disks  reps  a1    a2    alpha    all */
    { "plain",  200, 20, 1000, 1, false,  0, 0.0, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "skew",   200, 20, 1000, 3, false,  0, 0.9, MADE_LOGNORMAL, 1.5, 1, 3, 4000, 10000, 30000000, false },
    { "memory", 200, 20, 1000, 4, true,  60, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, false },
    { "slow",   200, 20, 1000, 1, false,  0, 1.4, MADE_LOGNORMAL, 1.0, 3, 3, 1000,  1500, 30000000, false },
    { "disks",  200, 20, 1000, 4, true,   0, 1.0, MADE_LOGNORMAL, 5.0, 1, 3, 1000,  1000, 30000000, false },
    { "short",  200, 20,  220, 4, true,  50, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, 30000000, true },
    { "all",    200, 20, 1000, 6, true,  30, 0.8, MADE_LOGNORMAL, 1.0, 1, 3, 4000, 10000, 30000000, true },
    { "free",   200, 20, 1000, 2, true,   0, 0.8, MADE_LOGNORMAL, 2.0, 1, 2, 4000, 10000,        0, false },
    { "dear",   200, 20, 1000, 4, true,  40, 0.8, MADE_LOGNORMAL, 1.0, 3, 3, 4000, 10000, INT64_C(1) << 45, false },
    { "blocks", 200, 20, 1000, 3, true,   0, 0.9, MADE_BLOCKS,    1.0, 3, 3, 4000, 10000, 30000000, false },
    { "few",    200, 20,  150, 3, true,  20, 0.9, MADE_LOGNORMAL, 3.0, 1, 3, 1000,  4000, 30000000, false },
};

/* A round, told. */
struct told { struct flow_round f; struct flow_model m; };

static void tell(struct told *x, const struct made_shape *shape, uint64_t seed)
{
    struct diag d = { 0 };
    made_round(&x->f, shape, seed);
    cr_assert_eq(flow_model_init(&x->m, &x->f, shape->name, &d), ST_OK);
    for (uint32_t g = 0; g < x->f.n_gpus; g++) flow_model_gpu(&x->m, g, true);
    for (uint32_t t = 0; t < x->f.n_tasks; t++) flow_model_task(&x->m, t);
}

static void untell(struct told *x)
{
    flow_model_fini(&x->m);
    flow_round_fini(&x->f);
}

static struct assign_result solved(struct assign *s, const char *name, uint64_t seed)
{
    struct assign_result r;
    char why[256] = "";
    cr_assert_eq(assign_solve(s, &r), ASSIGN_OK);
    cr_assert(assign_verify(s, &r, why, sizeof why), "%s seed %" PRIu64 ": %s", name, seed, why);
    return r;
}

static void expect(const struct assign_result *got, int64_t flow, int64_t cost, const char *name, uint64_t seed)
{
    cr_assert(got->flow == flow && got->cost == cost, "%s seed %" PRIu64 ": flow %" PRId64 " cost %" PRId64 ", expected %" PRId64 " %" PRId64,
              name, seed, got->flow, got->cost, flow, cost);
}

static void expect_simplex(const struct assign_result *got, const struct told *x, const char *name, uint64_t seed)
{
    struct flow_net net;
    struct mcf_arc *arc;
    char why[256] = "";
    made_net(&net, &x->f, x->f.n_tasks);
    MEM_ARRAY(arc, net.m);
    for (uint32_t e = 0; e < net.m; e++) arc[e] = (struct mcf_arc){ net.from[e], net.to[e], net.cap[e], net.cost[e] };
    struct mcf g = { .n = net.n, .m = net.m, .supply = net.supply, .arc = arc };
    MEM_ARRAY(g.flow, g.m);
    MEM_ARRAY(g.pi, g.n);
    cr_assert_eq(mcf_solve(&g), MCF_OK);
    cr_assert(mcf_verify(&g, why, sizeof why), "%s seed %" PRIu64 ": %s", name, seed, why);
    expect(got, g.shipped, g.cost, name, seed);
    mem_free(arc); mem_free(g.flow); mem_free(g.pi);
    flow_net_fini(&net);
}

Test(flow_made, rounds_of_many_shapes_are_solved_like_network_simplex)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            struct told x;
            tell(&x, &shapes[i], seed);
            if (seed % 3 > 0) assign_bid_from(x.m.s, 0);
            if (seed % 2 > 0) assign_fill_from(x.m.s, 0);
            struct assign_result r = solved(x.m.s, shapes[i].name, seed);
            cr_assert(seed % 3 == 0 || r.stats.bids > 0, "%s seed %" PRIu64, shapes[i].name, seed);
            expect_simplex(&r, &x, shapes[i].name, seed);
            untell(&x);
        }
}

/* What an auction leaves behind is a right state for the rounds after it. */
Test(flow_made, rounds_after_an_auction_are_solved_as_from_nothing)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct told x;
        uint32_t node, class;
        tell(&x, &shapes[i], 100);
        assign_bid_from(x.m.s, 0);
        cr_assert(solved(x.m.s, shapes[i].name, 100).stats.bids > 0);
        for (uint32_t round = 0; round < 10; round++) {
            for (uint32_t t = round; t < x.f.n_tasks; t += 10)      /* a tenth of what runs ends, and so do some cards */
                if (assign_place(x.m.s, t, &node, &class)) assign_remove(x.m.s, t);
            flow_model_gpu(&x.m, round * 7, false);
            struct assign_result warm = solved(x.m.s, shapes[i].name, round);
            cr_assert(!warm.stats.was_cold && warm.stats.bids == 0);
            if (round % 4 < 3) continue;
            assign_forget(x.m.s);
            assign_bid_from(x.m.s, UINT64_MAX);
            struct assign_result cold = solved(x.m.s, shapes[i].name, round);
            cr_assert(cold.stats.was_cold && cold.stats.bids == 0);
            expect(&warm, cold.flow, cold.cost, shapes[i].name, round);
        }
        untell(&x);
    }
}

/* The shape, at 2,000 cards and 10,000 tasks. */
static struct made_shape large(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(shapes); i++) {
        struct made_shape m = shapes[i];
        if (strcmp(m.name, name) != 0) continue;
        m.gpus *= 10;
        m.jobs *= 5;
        m.tasks *= 10;
        return m;
    }
    cr_assert(false, "no shape '%s'", name);
    return shapes[0];
}

Test(flow_made, an_auction_begins_where_it_spares_most_of_the_repairs)
{
    static const char *const names[] = { "skew", "memory", "slow", "free" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct made_shape m = large(names[i]);
        struct told x;
        tell(&x, &m, 1);
        struct assign_result r = solved(x.m.s, m.name, 1);
        cr_assert(r.stats.bids > 0 && r.stats.bids < BIDS / 2 * x.f.n_gpus, "%s: %" PRIu64 " bids", m.name, r.stats.bids);
        expect_simplex(&r, &x, m.name, 1);
        assign_forget(x.m.s);
        assign_bid_from(x.m.s, UINT64_MAX);
        struct assign_result without = solved(x.m.s, m.name, 1);
        expect(&without, r.flow, r.cost, m.name, 1);
        cr_assert_eq(without.stats.bids, 0);
        cr_assert(r.stats.arcs * 2 < without.stats.arcs, "%s: %" PRIu64 " arcs, without an auction %" PRIu64, m.name, r.stats.arcs, without.stats.arcs);
        untell(&x);
    }
}

/*
 * Disks slower than the network at 10,000 cards.  An odd task's label is of use to the few sites that the one before it
 * could not use, and a site is not short for shares because it is sought after: without either, repairs look at
 * 76 million arcs and 1.8 million vertices, without the second alone at 27 and 1.7.
 */
Test(flow_made, repairs_stay_short_where_disks_are_slower_than_the_network)
{
    static const struct made_shape m = { "disks", 10000, 100, 50000, 4, true, 0, 1.2, MADE_LOGNORMAL, 5.0, 1, 3, 1000, 4000,
                                         30000000, false };
    struct told x;
    tell(&x, &m, 1);
    struct assign_result r = solved(x.m.s, m.name, 1);
    cr_assert(r.stats.bids > 0);
    cr_assert(r.stats.arcs < 25000000, "%" PRIu64 " arcs", r.stats.arcs);
    cr_assert(r.stats.pops < 1000000, "%" PRIu64 " vertices", r.stats.pops);
    untell(&x);
}

Test(flow_made, no_auction_begins_where_repairs_are_short)
{
    static const char *const names[] = { "plain", "blocks", "short", "few" };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct made_shape m = large(names[i]);
        struct told x;
        tell(&x, &m, 1);
        cr_assert_eq(solved(x.m.s, m.name, 1).stats.bids, 0, "%s", m.name);
        untell(&x);
    }
}

/*
 * One GPU class is short of places for shares, the others go begging: its price has
 * the whole way from nothing to alpha to climb, by steps of a sixteenth of what costs differ.
 */
Test(flow_made, a_price_that_has_far_to_climb_ends_the_auction_soon)
{
    struct made_shape m = large("short");
    struct told x;
    m.alpha = INT64_C(1) << 45;
    m.is_all = false;
    tell(&x, &m, 1);
    assign_bid_from(x.m.s, 0);
    struct assign_result r = solved(x.m.s, m.name, 1);
    uint64_t most = BIDS / 2 * (uint64_t)x.f.n_gpus + x.f.n_jobs;
    cr_assert_eq(r.stats.bids, most, "%" PRIu64 " bids", r.stats.bids);
    expect_simplex(&r, &x, m.name, 1);
    assign_forget(x.m.s);
    assign_bid_from(x.m.s, UINT64_MAX);
    struct assign_result without = solved(x.m.s, m.name, 1);
    cr_assert(r.stats.paths < 2 * without.stats.paths, "%" PRIu64 " paths, without an auction %" PRIu64, r.stats.paths, without.stats.paths);
    untell(&x);
}

Test(flow_made, places_all_alike_need_no_auction)
{
    struct made_shape m = large("blocks");
    struct told x;
    m.a1 = m.a2 = 2500;                 /* as fast as a disk */
    tell(&x, &m, 1);
    assign_bid_from(x.m.s, 0);
    struct assign_result r = solved(x.m.s, m.name, 1);
    cr_assert_eq(r.stats.bids, 0);
    expect_simplex(&r, &x, m.name, 1);
    untell(&x);
}

/* A bid looks through the tasks on its class: where these are many, few bids are made. */
Test(flow_made, large_classes_allow_few_bids)
{
    enum { PLACES = 3000, TASKS = 9000 };
    struct assign *s = assign_create(1, 2, (uint32_t[]){ 0, 0 }, 1);
    struct rng g;
    rng_init(&g, 1, "large classes", 0);
    for (uint32_t n = 0; n < 2; n++) assign_places(s, n, 0, PLACES);
    for (uint32_t j = 0; j < 10; j++) assign_job(s, j, 100, 1000000);
    for (uint32_t t = 0; t < TASKS; t++) {
        struct assign_near near = { (uint32_t)rng_below(&g, 3) == 0, 0, (int64_t)rng_below(&g, 1000) };
        assign_add(s, t, &(struct assign_task){ .job = t % 10, .fits = 1, .far = near.cost + (int64_t)rng_below(&g, 1000), .near = &near, .n_near = 1 });
    }
    assign_bid_from(s, 0);
    struct assign_result r = solved(s, "large classes", 1);
    cr_assert(r.stats.bids > 0 && r.stats.bids < 4 * PLACES, "%" PRIu64 " bids", r.stats.bids);
    cr_assert_eq(r.placed, 2 * PLACES);
    assign_destroy(s);
}

Test(flow_made, nothing_to_bid_for_and_nobody_to_bid)
{
    struct assign *s = assign_create(1, 2, (uint32_t[]){ 0, 0 }, 1);
    assign_bid_from(s, 0);
    cr_assert_eq(solved(s, "nothing", 0).flow, 0);
    assign_places(s, 0, 0, 4);
    cr_assert_eq(solved(s, "places", 0).flow, 0);
    assign_job(s, 3, 2, 7);
    cr_assert_eq(solved(s, "a job", 0).flow, 0);
    assign_add(s, 0, &(struct assign_task){ .job = 3, .fits = 0, .far = 5 });
    assign_forget(s);
    struct assign_result r = solved(s, "a task that fits nothing", 0);
    cr_assert(r.flow == 0 && r.placed == 0);
    assign_destroy(s);
}
