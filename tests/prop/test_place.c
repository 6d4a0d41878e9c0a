/*
 * The index over nodes and the tournament trees against a scan over all nodes:
 * after random changes, including tentative ones that are undone, both name the
 * same node and cards, for every rule.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <stdlib.h>
#include "base/rng.h"
#include "lib/sched/room.h"
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
        const uint32_t *rank = pl->kube != NULL ? pl->kube->rank : NULL;
        if (at != POL_NONE && (c.hi > best.hi || (c.hi == best.hi && c.lo > best.lo))) continue;
        if (at != POL_NONE && c.hi == best.hi && c.lo == best.lo && (rank == NULL || rank[at] < rank[i])) continue;
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
    static int rule[] = { PLACEMENT_FIRST, PLACEMENT_BEST, PLACEMENT_WORST, PLACEMENT_PACK, PLACEMENT_SPREAD, PLACEMENT_FGD, PLACEMENT_KUBE, PLACEMENT_KUBE_HYBRID,
                          PLACEMENT_FILL };
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

/* A request that nobody made before, under an id that another had. */
static struct pol_shape never_asked(struct rng *g)
{
    struct pol_shape s = { .cpu_milli = (int64_t)rng_below(g, 9000), .mem_b = (int64_t)rng_below(g, UINT64_C(9) << 30) };
    s.exclusive = rng_below(g, 12) == 0;
    s.need_all = rng_below(g, 6) == 0;
    s.gpu_types = rng_below(g, 4) == 0 ? 1 + rng_below(g, 3) : 0;
    s.engine[0] = rng_below(g, 8) == 0 ? 1 + (int32_t)rng_below(g, 2) : 0;
    s.n_gpu = (int32_t)rng_below(g, 4);
    s.gpu_milli = s.n_gpu == 0 ? 0 : rng_below(g, 2) == 0 ? 1000 : 1 + (int32_t)rng_below(g, 1000);
    s.gpu_mem_b = s.n_gpu > 0 && rng_below(g, 3) == 0 ? (int64_t)(1 + rng_below(g, 16)) << 30 : 0;
    return s;
}

/* Of kube: score plugins of the profile, all with bounds, and of equal nodes a random one first. */
struct asked { enum placement_rule rule; char scores[48]; };

static void profile(struct placement *pl, const char *scores, struct rng *g)
{
    char error[100];
    if (pl->kube == NULL) return;
    cr_assert(kube_parse(pl->kube, scores, error, sizeof error), "%s", error);
    if (rng_below(g, 3) == 0) return;
    const uint32_t n = pl->plan->n_nodes;
    uint32_t *rank = pl->kube->rank = calloc(n, sizeof *rank);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)rng_below(g, i + 1);
        rank[i] = rank[k];
        rank[k] = i;
    }
}

ParameterizedTestParameters(place, index_answers_as_a_scan_does_whatever_is_asked)
{
    static struct asked asked[] = {
        { PLACEMENT_FIRST, "" }, { PLACEMENT_BEST, "" }, { PLACEMENT_WORST, "" }, { PLACEMENT_PACK, "" },
        { PLACEMENT_SPREAD, "" }, { PLACEMENT_KUBE, "least:1;balanced:1" }, { PLACEMENT_KUBE, "balanced:3" },
        { PLACEMENT_KUBE, "most:1;balanced:1" }, { PLACEMENT_KUBE, "most:2:cpu=1/memory=2/gpu=5;balanced:1" },
        { PLACEMENT_KUBE, "least:1:gpu=1" }, { PLACEMENT_KUBE_HYBRID, "dominant:1;card:1;least:2" },
    };
    return cr_make_param_array(struct asked, asked, sizeof asked / sizeof *asked);
}

ParameterizedTest(struct asked *asked, place, index_answers_as_a_scan_does_whatever_is_asked)
{
    for (uint64_t seed = 1; seed <= SCRIPTS; seed++) {
        struct scene *s = calloc(1, sizeof *s);
        struct placement pl;
        struct room room = { 0 };
        struct rng g;
        rng_init(&g, seed, "index", (uint64_t)asked->rule);
        scene_open(s, &g);
        placement_init(&pl, &s->plan, asked->rule);
        profile(&pl, asked->scores, &g);
        cr_assert(placement_index_knows(&pl));
        const uint32_t first = 0;
        const struct pol_shapes renewed = { .n_renewed = 1, .renewed = &first };
        s->plan.shapes = &renewed;
        for (int k = 0; k < STEPS; k++) {
            /* None, a few or more changes than there are nodes. */
            for (uint64_t n = rng_below(&g, 3) * rng_below(&g, 40); n > 0; n--) scene_step(s, &g);
            for (int i = 0; i < 8; i++) {
                const struct pol_shape own = s->shape[0];
                struct pol_place b;
                s->shape[0] = never_asked(&g);
                placement_shapes(&pl);
                const uint32_t want = scan(&pl, 0, &b) ? b.node : POL_NONE;
                cr_assert_eq(placement_index_find(&pl, 0), want, "seed %lu step %d", (unsigned long)seed, k);
                cr_assert_eq(placement_index_fits(&pl, &s->shape[0]), want != POL_NONE);
                uint64_t all = 0;
                for (uint32_t n = 0; n < s->plan.n_nodes; n++) all += plan_capacity(&s->plan, n, &s->shape[0]);
                room_open(&room, &pl, &s->shape[0]);
                cr_assert_eq(room.all, all);
                cr_assert(placement_index_holds(&pl, 0, (uint32_t)all));
                cr_assert(!placement_index_holds(&pl, 0, (uint32_t)all + 1));
                if (want != POL_NONE) {
                    struct plan_mark m = plan_mark(&s->plan);
                    plan_allocate(&s->plan, want, &s->shape[0], b.cards);
                    room_node(&room, want);
                    all = 0;
                    for (uint32_t n = 0; n < s->plan.n_nodes; n++) all += plan_capacity(&s->plan, n, &s->shape[0]);
                    cr_assert_eq(room.all, all);
                    plan_undo(&s->plan, m);
                }
                s->shape[0] = own;
                placement_shapes(&pl);
            }
        }
        room_fini(&room);
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
                if (pl.fills && i > 0 && plan_fits(&s->plan, one[i - 1].node, &s->shape[shape[i]])) {
                    one[i] = (struct pol_place){ .node = one[i - 1].node, .cards = plan_pick_cards(&s->plan, one[i - 1].node, &s->shape[shape[i]]) };
                    plan_allocate(&s->plan, one[i].node, &s->shape[shape[i]], one[i].cards);
                } else if ((want = scan(&pl, shape[i], &one[i]))) plan_allocate(&s->plan, one[i].node, &s->shape[shape[i]], one[i].cards);
            plan_undo(&s->plan, m);
            uint64_t epoch = s->plan.change_epoch;
            const size_t nodes = s->plan.n_nodes * sizeof *s->plan.node;
            struct plan_node *node = memcpy(malloc(nodes), s->plan.node, nodes);
            struct pol_card card[SCENE_CARDS];
            for (uint32_t i = 0; i < s->plan.n_nodes; i++)
                memcpy(&card[node[i].n.card0], plan_cards_of(&s->plan, i), node[i].n.n_gpu * sizeof *card);
            cr_assert_eq(placement_all(&pl, shape, n, got), want);
            if (!want) cr_assert_eq(s->plan.change_epoch, epoch);
            cr_assert(want || memcmp(node, s->plan.node, nodes) == 0, "seed %lu step %d", (unsigned long)seed, k);
            for (uint32_t i = 0; i < s->plan.n_nodes; i++)
                cr_assert(want || memcmp(&card[node[i].n.card0], plan_cards_of(&s->plan, i), node[i].n.n_gpu * sizeof *card) == 0,
                          "seed %lu step %d", (unsigned long)seed, k);
            free(node);
            for (uint32_t i = 0; i < n && want; i++) cr_assert(got[i].node == one[i].node && got[i].cards == one[i].cards);
        }
        placement_fini(&pl);
        scene_close(s);
        free(s);
    }
}
