/*
 * The structured solver and network simplex against successive shortest paths
 * on the paper's own network, over random rounds and random sequences of
 * rounds; tiny ones against every assignment (S4-20).
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include "base/mem.h"
#include "ref/refflow.h"

/* FLOW_FUZZ=n runs n times as many. */
static uint64_t times(uint64_t n)
{
    const char *s = getenv("FLOW_FUZZ");
    return s != NULL ? n * strtoull(s, NULL, 10) : n;
}

static const struct ref_shape shapes[] = {
    { 4, 6, 3, 3, 2, 1, 4, false },     { 8, 14, 4, 5, 3, 2, 5, false },    { 14, 24, 5, 6, 3, 3, 1000000, false },
    { 8, 14, 4, 5, 3, 3, 6, true },     { 14, 24, 5, 6, 4, 4, 1000000, true }, { 30, 40, 6, 10, 4, 2, 40, false },
    { 6, 40, 3, 6, 2, 2, 30, true },    { 24, 8, 3, 12, 6, 3, 20, true },   { 40, 60, 8, 4, 2, 2, 12, false },
};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

/* The bids it took. */
static uint64_t expect_solved(struct assign *s, const struct ref_round *r, uint64_t seed, int round)
{
    struct assign_result got;
    char why[256] = "";
    cr_assert_eq(assign_solve(s, &got), ASSIGN_OK);
    cr_assert(assign_verify(s, &got, why, sizeof why), "seed %" PRIu64 " round %d: %s", seed, round, why);
    struct ref_net net;
    ref_net_init(&net, r);
    struct ref_answer want = ref_ssp(&net);
    ref_net_fini(&net);
    cr_assert(got.flow == want.flow && got.cost == want.cost,
              "seed %" PRIu64 " round %d: flow %" PRId64 " cost %" PRId64 ", expected %" PRId64 " %" PRId64,
              seed, round, got.flow, got.cost, want.flow, want.cost);
    return got.stats.bids;
}

Test(flow_fuzz, random_rounds_are_solved_like_the_explicit_network)
{
    uint64_t n_bid = 0;
    for (uint64_t seed = 0; seed < times(6000); seed++) {
        struct rng g;
        struct ref_round r;
        rng_init(&g, seed, "flow round", 0);
        ref_random(&r, &g, &shapes[seed % N_SHAPES]);
        struct assign *s = ref_tell(&r);
        if (seed / N_SHAPES % 2) assign_bid_from(s, 0);
        if (seed / N_SHAPES % 3) assign_fill_from(s, 0);
        n_bid += expect_solved(s, &r, seed, 0) > 0;
        assign_destroy(s);
    }
    cr_assert_gt(n_bid, times(6000) / 4, "an auction in %" PRIu64 " rounds only", n_bid);
}

Test(flow_fuzz, network_simplex_solves_the_explicit_network_and_proves_it)
{
    for (uint64_t seed = 0; seed < times(3000); seed++) {
        struct rng g;
        struct ref_round r;
        struct ref_net net;
        char why[256] = "";
        rng_init(&g, seed, "flow round", 0);
        ref_random(&r, &g, &shapes[seed % N_SHAPES]);
        ref_net_init(&net, &r);
        struct ref_answer want = ref_ssp(&net);
        struct mcf m = { .n = net.n, .m = net.m, .supply = net.supply, .arc = net.arc };
        MEM_ARRAY(m.flow, m.m);
        MEM_ARRAY(m.pi, m.n);
        cr_assert_eq(mcf_solve(&m), MCF_OK);
        cr_assert(m.shipped == want.flow && m.cost == want.cost, "seed %" PRIu64, seed);
        cr_assert(mcf_verify(&m, why, sizeof why), "seed %" PRIu64 ": %s", seed, why);
        mem_free(m.flow);
        mem_free(m.pi);
        ref_net_fini(&net);
    }
}

/* S4-20: minimum-cost maximum flow equals brute force on small graphs. */
Test(flow_fuzz, S4_20_tiny_rounds_are_solved_like_every_assignment_tried)
{
    static const struct ref_shape tiny[] = { { 4, 5, 3, 3, 2, 2, 5, false }, { 3, 6, 3, 3, 2, 2, 7, true } };
    for (uint64_t seed = 0; seed < times(2000); seed++) {
        struct rng g;
        struct ref_round r;
        struct assign_result got;
        rng_init(&g, seed, "flow tiny", 0);
        ref_random(&r, &g, &tiny[seed % 2]);
        struct ref_answer want = ref_brute(&r);
        struct assign *s = ref_tell(&r);
        cr_assert_eq(assign_solve(s, &got), ASSIGN_OK);
        cr_assert(got.flow == want.flow && got.cost == want.cost, "seed %" PRIu64, seed);
        assign_destroy(s);
    }
}

/* ---- sequences ---- */

static void change(struct assign *s, struct ref_round *r, struct rng *g, const struct ref_shape *shape)
{
    uint32_t t = (uint32_t)rng_below(g, REF_TASKS), j = (uint32_t)rng_below(g, r->n_jobs);
    switch (rng_below(g, 5)) {
    case 0: case 1:
        if (r->n_tasks == 0) return;
        t %= r->n_tasks;
        if (r->task[t].is_here) assign_remove(s, t);
        r->task[t].is_here = !r->task[t].is_here;
        if (!r->task[t].is_here) return;
        if (rng_below(g, 2)) ref_random_task(r, &r->task[t], g, shape);
        ref_tell_task(s, r, t);
        return;
    case 2: case 3:
        if (r->n_gpus == 0) return;
        t %= r->n_gpus;
        r->gpu[t].is_here = !r->gpu[t].is_here;
        if (r->gpu[t].is_here && rng_below(g, 6) == 0) r->gpu[t].node = (uint32_t)rng_below(g, r->n_nodes);
        ref_tell_gpus(s, r);
        return;
    default:
        ref_random_job(&r->job[j], g, shape);
        assign_job(s, j, r->job[j].share, r->job[j].alpha);
    }
}

/* Last round's placements leave, GPUs and all, as when they start to run. */
static void dispatch(struct assign *s, struct ref_round *r)
{
    for (uint32_t t = 0; t < r->n_tasks; t++) {
        uint32_t node, class;
        if (!r->task[t].is_here || !assign_place(s, t, &node, &class)) continue;
        for (uint32_t g = 0; g < r->n_gpus; g++)
            if (r->gpu[g].is_here && r->gpu[g].node == node && r->gpu[g].class == class) { r->gpu[g].is_here = false; break; }
        r->task[t].is_here = false;
        assign_remove(s, t);
    }
    ref_tell_gpus(s, r);
}

Test(flow_fuzz, random_sequences_are_solved_round_by_round_like_the_explicit_network)
{
    uint64_t n_bid = 0;
    for (uint64_t seed = 0; seed < times(700); seed++) {
        const struct ref_shape *shape = &shapes[seed % N_SHAPES];
        struct rng g;
        struct ref_round r;
        rng_init(&g, seed, "flow sequence", 0);
        ref_random(&r, &g, shape);
        struct assign *s = ref_tell(&r);
        if (seed / N_SHAPES % 2) assign_bid_from(s, 0);
        if (seed / N_SHAPES % 3) assign_fill_from(s, 0);
        n_bid += expect_solved(s, &r, seed, 0) > 0;
        for (int round = 1; round < 12; round++) {
            uint64_t what = rng_below(&g, 12);
            if (what == 0) dispatch(s, &r);
            if (what == 1) assign_forget(s);
            for (uint64_t n = rng_below(&g, what < 8 ? 4 : 20); n > 0; n--) change(s, &r, &g, shape);
            n_bid += expect_solved(s, &r, seed, round) > 0;
        }
        assign_destroy(s);
    }
    cr_assert_gt(n_bid, times(700) / 2, "an auction in %" PRIu64 " rounds only", n_bid);
}
