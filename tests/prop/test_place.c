/*
 * The tournament trees against a scan over all nodes: after random changes,
 * including tentative ones that are undone, both name the same node and cards,
 * for every rule.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include "base/rng.h"
#include "lib/sched/placement.h"
#include "ref/scene.h"

enum { SCRIPTS = 300, STEPS = 40 };

static bool scan(const struct placement *pl, uint32_t shape, struct pol_place *out)
{
    struct placement_cost best = { 0, 0 };
    uint32_t at = POL_NONE;
    for (uint32_t i = 0; i < pl->plan->n_nodes; i++) {
        uint64_t cards;
        if (!plan_fits(pl->plan, i, &pl->plan->shape[shape])) continue;
        struct placement_cost c = placement_cost(pl, shape, i, &cards);
        if (at != POL_NONE && (c.hi > best.hi || (c.hi == best.hi && c.lo >= best.lo))) continue;
        best = c;
        at = i;
        *out = (struct pol_place){ .node = i, .cards = cards };
    }
    return at != POL_NONE;
}

static void ask_all(struct scene *s, struct placement *pl, struct rng *g)
{
    for (uint32_t h = 0; h < SCENE_SHAPES; h++) {
        if (rng_below(g, 3) == 0) continue;         /* trees fall behind by different amounts */
        struct pol_place a, b;
        bool found = placement_find(pl, h, &a), want = scan(pl, h, &b);
        cr_assert_eq(found, want);
        if (found) cr_assert(a.node == b.node && a.cards == b.cards, "node %u cards %lx, a scan says %u %lx", a.node,
                             (unsigned long)a.cards, b.node, (unsigned long)b.cards);
        uint32_t all[SCENE_NODES];
        for (uint32_t i = 0; i < s->plan.n_nodes; i++) all[i] = s->plan.n_nodes - 1 - i;
        found = placement_among(pl, h, all, s->plan.n_nodes, &a);
        cr_assert(found == want && (!found || (a.node == b.node && a.cards == b.cards)));
    }
}

ParameterizedTestParameters(place, trees_answer_as_a_scan_does)
{
    static int rule[] = { PLACEMENT_FIRST, PLACEMENT_BEST, PLACEMENT_WORST, PLACEMENT_PACK, PLACEMENT_SPREAD, PLACEMENT_FGD, PLACEMENT_KUBE, PLACEMENT_KUBE_HYBRID };
    return cr_make_param_array(int, rule, PLACEMENT_RULES);
}

ParameterizedTest(int *rule, place, trees_answer_as_a_scan_does)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct placement pl;
        struct rng g;
        rng_init(&g, seed, "place", (uint64_t)*rule);
        scene_open(s, &g);
        placement_init(&pl, &s->plan, (enum placement_rule)*rule);
        pl.max_trees = rng_below(&g, 2) == 0 ? 3 : 0;       /* eviction too */
        for (int k = 0; k < STEPS; k++) {
            placement_arrived(&pl, (uint32_t)rng_below(&g, SCENE_SHAPES), 1 + (uint32_t)rng_below(&g, 5));
            (void)placement_refresh(&pl);
            for (uint64_t n = rng_below(&g, 30); n > 0; n--) scene_step(s, &g);
            ask_all(s, &pl, &g);
            struct plan_mark m = plan_mark(&s->plan);
            struct scene_holds holds = s->holds;
            for (uint64_t n = rng_below(&g, 8); n > 0; n--) scene_step(s, &g);
            ask_all(s, &pl, &g);
            plan_undo(&s->plan, m);
            s->holds = holds;
            ask_all(s, &pl, &g);
        }
        placement_fini(&pl);
        scene_close(s);
        free(s);
    }
}

/* placement_all is one placement_find after another, or nothing at all. */
Test(place, all_or_none)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct placement pl;
        struct rng g;
        rng_init(&g, seed, "gang", 0);
        scene_open(s, &g);
        placement_init(&pl, &s->plan, (enum placement_rule)(seed % PLACEMENT_RULES));
        for (int k = 0; k < STEPS; k++) {
            uint32_t shape[6], n = 1 + (uint32_t)rng_below(&g, 6);
            struct pol_place got[6];
            for (uint32_t i = 0; i < n; i++) shape[i] = (uint32_t)rng_below(&g, SCENE_SHAPES);
            struct plan_mark m = plan_mark(&s->plan);
            bool want = true;
            struct pol_place one[6];
            for (uint32_t i = 0; i < n && want; i++)
                if ((want = scan(&pl, shape[i], &one[i]))) plan_allocate(&s->plan, one[i].node, &s->shape[shape[i]], one[i].cards);
            plan_undo(&s->plan, m);
            uint64_t epoch = s->plan.change_epoch;
            cr_assert_eq(placement_all(&pl, shape, n, got), want);
            if (!want) cr_assert_eq(s->plan.change_epoch, epoch);
            for (uint32_t i = 0; i < n && want; i++) cr_assert(got[i].node == one[i].node && got[i].cards == one[i].cards);
        }
        placement_fini(&pl);
        scene_close(s);
        free(s);
    }
}
