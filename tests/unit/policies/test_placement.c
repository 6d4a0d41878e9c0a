/* Every placement rule on cases worked by hand.  The rules: policies/README.md, "Placement". */
#include <criterion/criterion.h>
#include <string.h>
#include "lib/place/placement.h"

enum { NODES = 4, CARDS = 16, SHAPES = 8 };

/* A view, a plan of it and a placement. */
struct board {
    struct pol_view  view;
    struct pol_node  node[NODES];
    struct pol_card  card[CARDS];
    struct pol_shape shape[SHAPES];
    struct plan plan;
    struct placement placement;
};

static void add_node(struct board *b, int64_t cpu, int64_t mem, uint32_t n_gpu)
{
    struct pol_view *v = &b->view;
    b->node[v->n_nodes++] = (struct pol_node){ .cpu_total = cpu, .cpu_free = cpu, .mem_total = mem, .mem_free = mem,
                                               .card0 = v->n_cards, .n_gpu = n_gpu, .gpu_type = n_gpu ? 0 : POL_NONE, .is_up = 1 };
    for (uint32_t k = 0; k < n_gpu; k++) b->card[v->n_cards++] = (struct pol_card){ 0, 0, 1000, 0, 0, 0 };
}

static uint32_t add_shape(struct board *b, int64_t cpu, int64_t mem, int32_t n_gpu, int32_t milli)
{
    b->shape[b->view.n_shapes] = (struct pol_shape){ .cpu_milli = cpu, .mem_b = mem, .n_gpu = n_gpu, .gpu_milli = milli };
    return b->view.n_shapes++;
}

static void ready(struct board *b, enum placement_rule rule)
{
    b->view.node = b->node;
    b->view.card = b->card;
    b->view.shape = b->shape;
    plan_sync(&b->plan, &b->view);
    placement_init(&b->placement, &b->plan, rule);
}

static void done(struct board *b)
{
    placement_fini(&b->placement);
    plan_fini(&b->plan);
}

static int64_t hi(struct board *b, uint32_t shape, uint32_t node)
{
    uint64_t cards;
    return placement_cost(&b->placement, shape, node, &cards).hi;
}

static void put(struct board *b, uint32_t node, uint32_t shape, uint64_t cards) { plan_allocate(&b->plan, node, &b->shape[shape], cards); }

static uint32_t find(struct board *b, uint32_t shape)
{
    struct pol_place p;
    return placement_find(&b->placement, shape, &p) ? p.node : POL_NONE;
}

#define ONE (1 << 20)

/* Nodes <8, 16, 4 cards>, <16, 16, 0>, <4, 8, 2>; M = <16, 16, 4>.  The task asks <2, 4, 1>. */
static void three(struct board *b, enum placement_rule rule, uint32_t *gpu, uint32_t *cpu)
{
    memset(b, 0, sizeof *b);
    add_node(b, 8000, 16000, 4);
    add_node(b, 16000, 16000, 0);
    add_node(b, 4000, 8000, 2);
    *gpu = add_shape(b, 2000, 4000, 1, 1000);
    *cpu = add_shape(b, 2000, 4000, 0, 0);
    ready(b, rule);
}

Test(placement, first_takes_the_lowest_index_that_fits)
{
    struct board b; uint32_t gpu, cpu;
    three(&b, PLACEMENT_FIRST, &gpu, &cpu);
    cr_assert_eq(find(&b, gpu), 0);
    for (int k = 0; k < 4; k++) put(&b, 0, gpu, UINT64_C(1) << k);
    cr_assert_eq(find(&b, gpu), 2);
    cr_assert_eq(find(&b, cpu), 1);
    put(&b, 2, gpu, 1); put(&b, 2, gpu, 2);
    cr_assert_eq(find(&b, gpu), POL_NONE);
    done(&b);
}

/* Left on node 0: 6/16 + 12/16 + 3/4; on node 2: 2/16 + 4/16 + 1/4; of CPU work on node 1: 14/16 + 12/16. */
Test(placement, best_leaves_least_and_worst_most)
{
    struct board b; uint32_t gpu, cpu;
    three(&b, PLACEMENT_BEST, &gpu, &cpu);
    cr_assert_eq(hi(&b, gpu, 0), ONE * 6 / 16 + ONE * 12 / 16 + ONE * 3 / 4);
    cr_assert_eq(hi(&b, gpu, 2), ONE * 2 / 16 + ONE * 4 / 16 + ONE * 1 / 4);
    cr_assert_eq(hi(&b, cpu, 1), ONE * 14 / 16 + ONE * 12 / 16);
    cr_assert_eq(find(&b, gpu), 2);
    done(&b);
    three(&b, PLACEMENT_WORST, &gpu, &cpu);
    cr_assert_eq(hi(&b, gpu, 0), -(ONE * 6 / 16 + ONE * 12 / 16 + ONE * 3 / 4));
    cr_assert_eq(find(&b, gpu), 0);
    done(&b);
}

/* Floors are per term: 1/3 + 1/3 + 1/3 of 2^20 is 3 * 349525, one less than 2^20. */
Test(placement, each_term_is_floored_on_its_own)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 3000, 3000, 3);
    uint32_t s = add_shape(&b, 2000, 2000, 2, 1000);
    ready(&b, PLACEMENT_BEST);
    cr_assert_eq(hi(&b, s, 0), 3 * 349525);
    done(&b);
}

/* Memory whose share would overflow 64 bits on the way: 2^50 bytes. */
Test(placement, petabytes_do_not_overflow)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 1000, INT64_C(1) << 50, 0);
    uint32_t s = add_shape(&b, 0, INT64_C(1) << 49, 0, 0);
    ready(&b, PLACEMENT_BEST);
    cr_assert_eq(hi(&b, s, 0), ONE + ONE / 2);
    done(&b);
}

/* Opening a card costs most, then opening a node, then idle cards left. */
Test(placement, pack_fills_shared_cards_then_used_nodes)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 64000, 64000, 4);
    add_node(&b, 64000, 64000, 2);
    add_node(&b, 64000, 64000, 4);
    uint32_t half = add_shape(&b, 1000, 1000, 1, 500), cpu = add_shape(&b, 1000, 1000, 0, 0), two = add_shape(&b, 1000, 1000, 2, 1000);
    ready(&b, PLACEMENT_PACK);
    cr_assert_eq(hi(&b, half, 0), 1 << 16 | 1 << 8 | 3);
    cr_assert_eq(find(&b, half), 1);        /* all open a card on an unused node; node 1 keeps only 1 idle */
    put(&b, 2, half, 1);
    cr_assert_eq(hi(&b, half, 2), 0 << 16 | 0 << 8 | 3);
    cr_assert_eq(find(&b, half), 2);        /* no new card */
    cr_assert_eq(find(&b, cpu), 2);         /* in use already */
    cr_assert_eq(hi(&b, two, 2), 2 << 16 | 0 << 8 | 1);
    cr_assert_eq(hi(&b, two, 1), 2 << 16 | 1 << 8 | 0);
    cr_assert_eq(find(&b, two), 2);
    done(&b);
}

/* Fullest dimension after the task: node 0 max(2/8, 4/16, 1/4), node 2 max(2/4, 4/8, 1/2). */
Test(placement, spread_takes_the_least_full)
{
    struct board b; uint32_t gpu, cpu;
    three(&b, PLACEMENT_SPREAD, &gpu, &cpu);
    cr_assert_eq(hi(&b, gpu, 0), ONE / 4);
    cr_assert_eq(hi(&b, gpu, 2), ONE / 2);
    cr_assert_eq(find(&b, gpu), 0);
    cr_assert_eq(hi(&b, cpu, 1), ONE / 4);      /* memory 4/16 before CPU 2/16 */
    put(&b, 0, gpu, 1); put(&b, 0, gpu, 2);     /* 6/8 next: fuller than node 2 */
    cr_assert_eq(find(&b, gpu), 2);
    done(&b);
}

/*
 * Kubernetes 1.20, least_allocated_test.go and balanced_allocation_test.go,
 * "differently sized machines": a pod of 3000 milli and 5000 bytes on
 * <4000, 10000> and <6000, 10000>.  Least: (25 + 50)/2 = 37 and (50 + 50)/2 = 50.
 * Balanced: |.75 - .5| -> 75 and |.5 - .5| -> 100.
 */
Test(placement, kube_scores_as_kubernetes_1_20)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 4000, 10000, 0);
    add_node(&b, 6000, 10000, 0);
    uint32_t s = add_shape(&b, 3000, 5000, 0, 0);
    ready(&b, PLACEMENT_KUBE);
    cr_assert_eq(hi(&b, s, 0), -(37 + 75) * KUBE_POINT);
    cr_assert_eq(hi(&b, s, 1), -(50 + 100) * KUBE_POINT);
    cr_assert_eq(find(&b, s), 1);
    done(&b);
}

/*
 * Pods that ask nothing count 100 milli and 200 MB.  Node <1000, 10^9>: the
 * first such pod: r = 100, 2*10^8: least (90 + 80)/2 = 85, balanced 1 - |.1 -
 * .2| -> 90.  With one running: r = 200, 4*10^8: (80 + 60)/2 = 70, 80.  A pod
 * that asks 750 milli then: r = 850, 4*10^8: (15 + 60)/2 = 37, |.85 - .4| -> 55.
 * One that fills the CPU (r = 1000): 0 for CPU, 60/2 = 30, and balanced 0.
 */
Test(placement, kube_counts_pods_that_ask_nothing)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 1000, 1000000000, 0);
    uint32_t none = add_shape(&b, 0, 0, 0, 0), some = add_shape(&b, 750, 0, 0, 0), rest = add_shape(&b, 900, 0, 0, 0);
    uint32_t all = add_shape(&b, 1000, 0, 0, 0);
    ready(&b, PLACEMENT_KUBE);
    cr_assert_eq(hi(&b, none, 0), -(85 + 90) * KUBE_POINT);
    put(&b, 0, none, 0);
    cr_assert_eq(hi(&b, none, 0), -(70 + 80) * KUBE_POINT);
    cr_assert_eq(hi(&b, some, 0), -(37 + 55) * KUBE_POINT);
    cr_assert_eq(hi(&b, rest, 0), -(30 + 0) * KUBE_POINT);
    cr_assert_eq(hi(&b, all, 0), -(30 + 0) * KUBE_POINT);    /* 1100 of 1000 in the score, though the ledger has room */
    cr_assert_eq(find(&b, all), 0);
    plan_release(&b.plan, 0, &b.shape[none], 0);
    cr_assert_eq(hi(&b, none, 0), -(85 + 90) * KUBE_POINT);
    done(&b);
}

/*
 * Nodes <4000, no memory>, both with 1000 given to two pods: 0 and 1000, or twice 500; neither memory nor the skew tells
 * them apart.  For 1000 more r is 2100, of which 47/2 = 23 are left, or 2000: 50/2 = 25.
 */
Test(placement, kube_tells_nodes_apart_by_pods_that_ask_no_cpu)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 4000, 0, 0);
    add_node(&b, 4000, 0, 0);
    uint32_t none = add_shape(&b, 0, 0, 0, 0), half = add_shape(&b, 500, 0, 0, 0), one = add_shape(&b, 1000, 0, 0, 0);
    ready(&b, PLACEMENT_KUBE);
    put(&b, 0, none, 0);
    put(&b, 0, one, 0);
    for (int i = 0; i < 2; i++) put(&b, 1, half, 0);
    cr_assert_eq(hi(&b, one, 0), -23 * KUBE_POINT);
    cr_assert_eq(hi(&b, one, 1), -25 * KUBE_POINT);
    cr_assert_eq(find(&b, one), 1);
    done(&b);
}

/* 1 - |1/3 - 0| is 66.67 %, floored; doubles of f would do here too, but 0.07 - 0.06 -> 99 exactly would not. */
Test(placement, kube_is_exact_where_floating_point_is_not)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 100, 100, 0);
    uint32_t s = add_shape(&b, 7, 6, 0, 0);
    ready(&b, PLACEMENT_KUBE);
    cr_assert_eq(hi(&b, s, 0), -((93 + 94) / 2 + 99) * KUBE_POINT);
    done(&b);
}

/*
 * FGD.  Arrived: A 3 times <1 CPU, half a card>, B once <1 CPU, 2 cards>, C
 * twice <1 CPU, no card>.  A node with two idle cards: A wastes none, B none, C
 * all: F = 2*2000 = 4000.
 * - A on it: cards 500, 1000: A 0, B fits nowhere: 1500, C 2*1500: 4500; cost 500.
 * - A where cards have 500, 1000 (F = 4500): on either card B 1000, C 2000:
 *   3000; cost -1500; the tie goes to the card with less free.
 * - A where CPU is left for one task only (F = 4000): nothing can follow, all is
 *   waste: (3 + 1 + 2)*1500 = 9000; cost 5000.
 * - C on an idle node of enough CPU changes nothing: cost 0.
 */
Test(placement, fgd_by_hand)
{
    struct board b;
    struct pol_place p;
    memset(&b, 0, sizeof b);
    add_node(&b, 8000, 8000, 2);
    add_node(&b, 8000, 8000, 2);
    add_node(&b, 1000, 8000, 2);
    uint32_t A = add_shape(&b, 1000, 0, 1, 500), B = add_shape(&b, 1000, 0, 2, 1000), C = add_shape(&b, 1000, 0, 0, 0);
    ready(&b, PLACEMENT_FGD);
    placement_arrived(&b.placement, A, 3);
    placement_arrived(&b.placement, B, 1);
    placement_arrived(&b.placement, C, 2);
    cr_assert(placement_refresh(&b.placement));
    cr_assert_eq(hi(&b, A, 0), 500);
    put(&b, 1, A, 2);                           /* card 1 now has 500 free */
    cr_assert_eq(hi(&b, A, 1), -1500);
    cr_assert_eq(hi(&b, A, 2), 5000);
    cr_assert_eq(hi(&b, C, 0), 0);
    cr_assert(placement_find(&b.placement, A, &p));
    cr_assert(p.node == 1 && p.cards == 2, "the shared card is filled");
    /* 6 arrived: refreshed at 9, not at 8. */
    placement_arrived(&b.placement, C, 2);
    cr_assert(!placement_refresh(&b.placement));
    placement_arrived(&b.placement, C, 1);
    cr_assert(placement_refresh(&b.placement));
    done(&b);
}

/* Cards: least free share, then least free memory, then index; whole cards from the lowest index. */
Test(placement, cards_are_chosen_fullest_first)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 64000, 64000, 4);
    for (int k = 0; k < 4; k++) b.card[k].mem_total = b.card[k].mem_free = 16;
    uint32_t q = add_shape(&b, 0, 0, 1, 250), whole = add_shape(&b, 0, 0, 2, 1000), m = add_shape(&b, 0, 0, 1, 100);
    b.shape[m].gpu_mem_b = 10;
    ready(&b, PLACEMENT_FIRST);
    cr_assert_eq(plan_pick_cards(&b.plan, 0, &b.shape[q]), 1);
    put(&b, 0, q, 1 << 2);
    cr_assert_eq(plan_pick_cards(&b.plan, 0, &b.shape[q]), 1 << 2);
    cr_assert_eq(plan_pick_cards(&b.plan, 0, &b.shape[whole]), 1 << 0 | 1 << 1);
    put(&b, 0, m, 1 << 1);                      /* 900 free, 6 of memory; card 2: 750, 16 */
    cr_assert_eq(plan_pick_cards(&b.plan, 0, &b.shape[m]), 1 << 2);
    put(&b, 0, m, 1 << 2);
    cr_assert_eq(plan_pick_cards(&b.plan, 0, &b.shape[m]), 1 << 0, "cards 1 and 2 have too little memory");
    done(&b);
}

/* Cards of 16 and 16, 16 and 8, 16 and 16: the second node is of a class of its own. */
Test(placement, nodes_are_alike_if_each_of_their_cards_is)
{
    struct board b;
    memset(&b, 0, sizeof b);
    for (int i = 0; i < 3; i++) add_node(&b, 8000, 8000, 2);
    for (int k = 0; k < 6; k++) b.card[k].mem_total = b.card[k].mem_free = k == 3 ? 8 : 16;
    ready(&b, PLACEMENT_FIRST);
    cr_assert(b.plan.node_class[0] == b.plan.node_class[2] && b.plan.node_class[0] != b.plan.node_class[1]);
    done(&b);
}

/* An exclusive task wants an idle node and takes all of it. */
Test(placement, exclusive_takes_the_node)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 8000, 8000, 2);
    add_node(&b, 16000, 8000, 0);
    uint32_t x = add_shape(&b, 1000, 1000, 0, 0), c = add_shape(&b, 1000, 0, 0, 0);
    b.shape[x].exclusive = 1;
    ready(&b, PLACEMENT_BEST);
    struct pol_place p;
    cr_assert(placement_find(&b.placement, x, &p));
    cr_assert(p.node == 0 && p.cards == 3, "nothing is left over on either: the lower index");
    put(&b, 0, x, p.cards);
    cr_assert_eq(find(&b, c), 1);
    put(&b, 1, c, 0);
    cr_assert_eq(find(&b, x), POL_NONE);
    plan_release(&b.plan, 0, &b.shape[x], 3);
    cr_assert_eq(find(&b, x), 0);
    done(&b);
}

/* Cards with 100, 700 and 200 free, then with 150, 700 and 150: the same in sum, at most and in number. */
Test(placement, an_answer_is_looked_for_again_when_only_the_cards_of_a_node_are_others)
{
    struct board b;
    memset(&b, 0, sizeof b);
    add_node(&b, 8000, 8000, 3);
    const int32_t milli[] = { 900, 300, 800, 850 };
    uint32_t s[4], two = add_shape(&b, 0, 0, 2, 200);
    for (int k = 0; k < 4; k++) s[k] = add_shape(&b, 0, 0, 1, milli[k]);
    ready(&b, PLACEMENT_BEST);
    for (uint32_t k = 0; k < 3; k++) put(&b, 0, s[k], UINT64_C(1) << k);
    cr_assert_eq(find(&b, two), 0);
    plan_release(&b.plan, 0, &b.shape[s[0]], 1);
    plan_release(&b.plan, 0, &b.shape[s[2]], 4);
    put(&b, 0, s[3], 1);
    put(&b, 0, s[3], 4);
    cr_assert_eq(find(&b, two), POL_NONE);
    done(&b);
}
