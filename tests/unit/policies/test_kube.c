/*
 * Kubernetes' plugins by hand: S3-3 to S3-12 of the acceptance list, and the
 * scores of S3-15.  Points are ten-thousandths here.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "builtin.h"
#include "lib/place/kube.h"
#include "lib/place/placement.h"
#include "ref/fakehost.h"

#define GIB (INT64_C(1) << 30)
#define GB  INT64_C(1000000000)
enum { NODES = 8, CARDS = 16, SHAPES = 8 };

struct board {
    struct pol_view view;
    struct pol_node node[NODES];
    struct pol_card card[CARDS];
    struct pol_shape shape[SHAPES];
    struct pol_gpu_type type[3];
    struct plan plan;
    struct kube kube;
    uint32_t n_shapes;
};

static struct board b;

/* 32 cores, 128 GiB, of which 1 core and 4 GiB are the node's own (S3-13's fixture). */
static uint32_t node(uint32_t cards, uint32_t type, int64_t card_mem, int32_t cores)
{
    uint32_t i = b.view.n_nodes++;
    b.node[i] = (struct pol_node){ .cpu_total = 32000, .cpu_free = 31000, .mem_total = 128 * GIB, .mem_free = 124 * GIB, .cpu_reserved = 1000,
                                   .mem_reserved = 4 * GIB, .card0 = b.view.n_cards, .n_gpu = cards, .gpu_type = cards ? type : POL_NONE, .is_up = 1 };
    for (uint32_t k = 0; k < cards; k++)
        b.card[b.view.n_cards++] = (struct pol_card){ .mem_total = card_mem, .mem_free = card_mem, .milli_free = 1000, .core_total = cores, .core_free = cores };
    return i;
}

static uint32_t shape(int64_t cpu, int64_t mem, int32_t cards, int64_t card_mem, int32_t cores)
{
    b.shape[b.n_shapes] = (struct pol_shape){ .cpu_milli = cpu, .mem_b = mem, .n_gpu = cards, .gpu_milli = cards ? 1000 : 0,
                                              .gpu_mem_b = card_mem, .gpu_cores = cores };
    return b.n_shapes++;
}

static void ready(enum kube_profile p)
{
    b.view.node = b.node;
    b.view.card = b.card;
    b.view.shape = b.shape;
    b.view.n_shapes = b.n_shapes;
    b.view.gpu_type = b.type;
    b.view.n_gpu_types = 3;
    plan_sync(&b.plan, &b.view);
    kube_init(&b.kube, p);
    kube_prepare(&b.kube, &b.plan);
}

static void setup(void) { memset(&b, 0, sizeof b); }
static void done(void) { kube_fini(&b.kube); plan_fini(&b.plan); }

static int64_t score(uint32_t s, uint32_t n) { return kube_total(&b.kube, &b.plan, s, n); }

static int64_t plugin(const char *name, uint32_t s, uint32_t n)
{
    char error[256];
    cr_assert(kube_parse(&b.kube, name, error, sizeof error), "%s", error);
    return score(s, n);
}

TestSuite(kube, .init = setup, .fini = done);

/* S3-3: CPU and memory for a CPU pod; cards, and memory and cores of each, for a GPU pod.  What is equal fits. */
Test(kube, S3_3_filter_by_cpu_memory_cards_and_what_is_on_each)
{
    uint32_t cpu = node(0, 0, 0, 0), gpu = node(2, 0, 32 * GB, 5120);
    uint32_t all = shape(31000, 124 * GIB, 0, 0, 0), more = shape(31001, GIB, 0, 0, 0), two = shape(1000, GIB, 2, 32 * GB, 5120);
    uint32_t big = shape(1000, GIB, 1, 32 * GB + 1, 0), wide = shape(1000, GIB, 1, 0, 5121), three = shape(1000, GIB, 3, 0, 0);
    ready(KUBE_HYBRID);
    cr_assert(plan_fits(&b.plan, cpu, &b.shape[all]) && plan_fits(&b.plan, gpu, &b.shape[all]));
    cr_assert(!plan_fits(&b.plan, cpu, &b.shape[more]));
    cr_assert(plan_fits(&b.plan, gpu, &b.shape[two]) && !plan_fits(&b.plan, cpu, &b.shape[two]));
    cr_assert(!plan_fits(&b.plan, gpu, &b.shape[big]) && !plan_fits(&b.plan, gpu, &b.shape[wide]) && !plan_fits(&b.plan, gpu, &b.shape[three]));
}

/* S3-4: a card that is given is not given again. */
Test(kube, S3_4_cards_are_exclusive)
{
    uint32_t gpu = node(2, 0, 32 * GB, 5120), one = shape(1000, GIB, 1, GB, 10);
    ready(KUBE_HYBRID);
    for (uint64_t card = 1; card <= 2; card++) {
        cr_assert(plan_fits(&b.plan, gpu, &b.shape[one]));
        cr_assert_eq(plan_pick_cards(&b.plan, gpu, &b.shape[one]), card);
        plan_allocate(&b.plan, gpu, &b.shape[one], card);
    }
    cr_assert(!plan_fits(&b.plan, gpu, &b.shape[one]));
}

/* S3-18: who counts cards sees neither memory nor cores. */
Test(kube, S3_18_by_count_nothing_on_a_card_is_asked)
{
    uint32_t gpu = node(1, 0, 16 * GB, 2560), big = shape(1000, GIB, 1, 32 * GB, 5120);
    b.plan.by_count = true;
    ready(KUBE_DEFAULT);
    cr_assert(plan_fits(&b.plan, gpu, &b.plan.shape[big]));
    cr_assert_eq(b.shape[big].gpu_mem_b, 32 * GB);
}

/* Nor in choosing cards: half a card is taken of the first of two that are alike but for the memory that is left. */
Test(kube, S3_18_by_count_memory_chooses_no_card)
{
    uint32_t gpu = node(2, 0, 16 * GB, 0), half = shape(1000, GIB, 1, 0, 0);
    b.shape[half].gpu_milli = 500;
    for (int k = 0; k < 2; k++) b.card[k].milli_free = 500;
    b.card[1].mem_free = 2 * GB;
    ready(KUBE_HYBRID);
    cr_assert_eq(plan_pick_cards(&b.plan, gpu, &b.plan.shape[half]), 2);
    done();
    memset(&b.plan, 0, sizeof b.plan);
    b.plan.by_count = true;
    ready(KUBE_DEFAULT);
    cr_assert_eq(plan_pick_cards(&b.plan, gpu, &b.plan.shape[half]), 1);
}

/* S3-5: 32 cores, 128 GB, requested 8 and 32: (24/32 + 96/128)/2 of 100 = 75. */
Test(kube, S3_5_least_requested)
{
    cr_assert_eq(kube_least(32000, 8000, 128 * GB, 32 * GB, KUBE_MAX), 75 * KUBE_POINT);
    cr_assert_eq(kube_least(32000, 8000, 128 * GB, 32 * GB, 100), 75);
    cr_assert_eq(kube_least(32000, 33000, 128 * GB, 32 * GB, 100), 37);     /* (0 + 75)/2 */
}

/* S3-6: figures relative to the cluster's best; (1 + 1 + 1)/3, and (1/2 + 1/4 + 3/4)/3 = 1/2. */
Test(kube, S3_6_the_best_card_scores_one)
{
    uint32_t best = node(1, 0, 0, 0), half = node(1, 1, 0, 0), none = node(0, 0, 0, 0), s = shape(1000, GIB, 1, 0, 0);
    b.type[0] = (struct pol_gpu_type){ 14000000, 900 * GB, 1600000 };
    b.type[1] = (struct pol_gpu_type){ 7000000, 225 * GB, 1200000 };
    b.type[2] = (struct pol_gpu_type){ 99000000, 999 * GB, 9900000 };       /* of no node */
    ready(KUBE_HYBRID);
    cr_assert_eq(plugin("card", s, best), 100 * KUBE_POINT);
    cr_assert_eq(plugin("card", s, half), 50 * KUBE_POINT);
    cr_assert_eq(plugin("card", s, none), 0);
}

/* A figure that no type states tells no card from another. */
Test(kube, S3_6_without_figures_all_cards_are_alike)
{
    uint32_t a = node(1, 0, 0, 0), c = node(1, 1, 0, 0), s = shape(1000, GIB, 1, 0, 0);
    b.type[0].compute_mflops = 100;
    b.type[1].compute_mflops = 25;
    ready(KUBE_HYBRID);
    cr_assert_eq(plugin("card", s, a), 100 * KUBE_POINT);
    cr_assert_eq(plugin("card", s, c), 75 * KUBE_POINT);    /* (1/4 + 1 + 1)/3 */
}

static int64_t similar(enum kube_similarity how, int64_t k)
{
    const int64_t r[KUBE_DIMS] = { 1000, 8 * GB, 1000, 2000, 4 * GB }, most[KUBE_DIMS] = { 8000, 64 * GB, 8000, 16000, 32 * GB };
    int64_t n[KUBE_DIMS];
    for (int d = 0; d < KUBE_DIMS; d++) n[d] = k * r[d];
    return kube_similar(how, n, r, most);
}

/*
 * S3-7: N = R, 2R, 4R.  Mean: 1, 1/2, 1/4.  Tanimoto k/(1 + k^2 - k): 1, 2/3,
 * 4/13.  Distance, each dimension R = 1/8 of the most: d = (k - 1) sqrt(5)/8:
 * 1, .7816, .5439.  Cosine: 1, 1, 1, which prefers nothing.
 */
Test(kube, S3_7_similarity_is_one_at_what_is_asked_and_falls)
{
    cr_assert_eq(similar(KUBE_MEAN, 1), KUBE_ONE);
    cr_assert_eq(similar(KUBE_MEAN, 2), KUBE_ONE / 2);
    cr_assert_eq(similar(KUBE_MEAN, 4), KUBE_ONE / 4);
    cr_assert_eq(similar(KUBE_TANIMOTO, 1), KUBE_ONE);
    cr_assert_eq(similar(KUBE_TANIMOTO, 2), KUBE_ONE * 2L / 3);
    cr_assert_eq(similar(KUBE_TANIMOTO, 4), KUBE_ONE * 4L / 13);
    cr_assert_eq(similar(KUBE_DISTANCE, 1), KUBE_ONE);
    cr_assert_float_eq((double)similar(KUBE_DISTANCE, 2) / KUBE_ONE, 1 / (1 + 0.2795085), 1e-5);
    cr_assert_float_eq((double)similar(KUBE_DISTANCE, 4) / KUBE_ONE, 1 / (1 + 0.8385255), 1e-5);
    for (int64_t k = 1; k <= 4; k *= 2) cr_assert_float_eq((double)similar(KUBE_COSINE, k) / KUBE_ONE, 1, 1e-4);
}

/* What the node does not state is no dimension: (1/2 + 1/2 + 1/4)/3. */
Test(kube, S3_7_unknown_dimensions_are_left_out)
{
    const int64_t n[KUBE_DIMS] = { 2000, 0, 0, 4000, 4 * GB }, r[KUBE_DIMS] = { 1000, 9 * GB, 77, 2000, GB };
    const int64_t most[KUBE_DIMS] = { 8000, 0, 5000, 16000, 32 * GB };
    cr_assert_eq(kube_similar(KUBE_MEAN, n, r, most), (KUBE_ONE / 2 + KUBE_ONE / 2 + KUBE_ONE / 4) / 3);
}

/*
 * S3-7: cores of a card are a dimension.  The nodes differ in nothing else: asked 1000 of 1000 or of 4000, of five
 * dimensions; so 100 (1 - 1/4)/5 = 15 points apart.
 */
Test(kube, S3_7_the_cores_of_a_card_count)
{
    uint32_t s = shape(2000, 4 * GIB, 1, 8 * GB, 1000), tight = node(1, 0, 8 * GB, 1000), loose = node(1, 0, 8 * GB, 4000);
    ready(KUBE_HYBRID);
    int64_t apart = plugin("similar", s, tight) - plugin("similar", s, loose);
    cr_assert(apart >= 15 * KUBE_POINT - 1 && apart <= 15 * KUBE_POINT + 1, "%ld", (long)apart);
}

/* S3-7: of cards that differ the least memory counts, whichever has it: 8 GB, not 16. */
Test(kube, S3_7_the_card_with_the_least_memory_counts)
{
    uint32_t s = shape(2000, 4 * GIB, 2, 8 * GB, 0), small = node(2, 0, 8 * GB, 0);
    uint32_t first = node(2, 0, 8 * GB, 0), last = node(2, 0, 8 * GB, 0);
    struct pol_card *large[] = { &b.card[b.node[first].card0 + 1], &b.card[b.node[last].card0] };
    for (int i = 0; i < 2; i++) large[i]->mem_total = large[i]->mem_free = 16 * GB;
    ready(KUBE_HYBRID);
    cr_assert_eq(plugin("similar", s, first), plugin("similar", s, small));
    cr_assert_eq(plugin("similar", s, last), plugin("similar", s, small));
}

/* S3-8: in [0, 100], and not lower for a better card or more similarity, for both switches and all measures. */
Test(kube, S3_8_gpu_score_is_bounded_and_monotone)
{
    uint32_t s = shape(2000, 4 * GIB, 1, 8 * GB, 1000);
    uint32_t good = node(1, 0, 8 * GB, 1000), poor = node(1, 1, 8 * GB, 1000), loose = node(4, 0, 32 * GB, 4000);
    b.type[0].compute_mflops = 100;
    b.type[1].compute_mflops = 40;
    ready(KUBE_HYBRID);
    for (int how = KUBE_MEAN; how <= KUBE_COSINE; how++) {
        for (int mean = 0; mean < 2; mean++) {
            b.kube.similarity = (enum kube_similarity)how;
            b.kube.mean_of_both = mean == 1;
            cr_assert(kube_parse(&b.kube, "gpu", NULL, 0));
            int64_t x = score(s, good), y = score(s, poor), z = score(s, loose);
            cr_assert(0 <= y && y < x && x <= 100 * KUBE_POINT, "measure %d", how);
            cr_assert(0 <= z && z <= 100 * KUBE_POINT, "measure %d", how);
            /* The same cards: the order is that of the similarity, which is plain for the mean alone. */
            bool nearer = plugin("similar", s, good) > plugin("similar", s, loose);
            cr_assert_eq(x > z, nearer, "measure %d", how);
            if (how == KUBE_MEAN) cr_assert(nearer);
        }
    }
}

/* S3-9, a = 2/4: a CPU node 50 + LRS/2, a GPU node LRS/2.  S3-15's first scores: r = 7 cores, 24 GiB: LRS 79.6875, then 62.5. */
Test(kube, S3_9_S3_15_dominant_priority)
{
    uint32_t cpu = node(0, 0, 0, 0), other = node(0, 0, 0, 0), gpu = node(2, 0, 0, 0), s = shape(6000, 20 * GIB, 0, 0, 0);
    (void)node(2, 0, 0, 0);
    ready(KUBE_HYBRID);
    cr_assert_eq(score(s, cpu), 898438);        /* 89.84375, rounded up */
    cr_assert_eq(score(s, gpu), 398437);        /* 39.84375, rounded down */
    plan_allocate(&b.plan, cpu, &b.shape[s], 0);
    cr_assert_eq(score(s, other), 898438);
    cr_assert_eq(score(s, cpu), 812500);        /* 81.25 */
}

/* S3-10: whatever the load, any CPU node in [100a, 100], any GPU node in [0, 100a). */
Test(kube, S3_10_ranges_do_not_meet)
{
    for (uint32_t n = 1; n <= 60; n++)
        for (uint32_t g = 1; g <= n; g++)
            for (int64_t lrs = 0; lrs <= KUBE_MAX; lrs += 99991) {
                int64_t least_cpu = kube_dominant(false, g, n, 0), x = kube_dominant(true, g, n, lrs);
                cr_assert(x >= 0 && x < least_cpu && x * n < (int64_t)KUBE_MAX * g, "g %u n %u lrs %ld", g, n, (long)lrs);
                cr_assert(kube_dominant(false, g, n, lrs) * n >= (int64_t)KUBE_MAX * g && kube_dominant(false, g, n, lrs) <= KUBE_MAX);
            }
}

static uint32_t choose(enum placement_rule rule, uint32_t s)
{
    struct placement pl;
    struct pol_place out = { .node = POL_NONE };
    placement_init(&pl, &b.plan, rule);
    bool ok = placement_find(&pl, s, &out);
    placement_fini(&pl);
    if (ok) plan_allocate(&b.plan, out.node, &b.shape[s], out.cards);
    return ok ? out.node : POL_NONE;
}

/* S3-11, S3-12: the fullest CPU node before the emptiest GPU node, which comes when no CPU node fits. */
Test(kube, S3_11_a_cpu_pod_takes_a_gpu_node_last)
{
    uint32_t gpu = node(2, 0, 0, 0), cpu = node(0, 0, 0, 0), s = shape(6000, 20 * GIB, 0, 0, 0);
    ready(KUBE_HYBRID);
    for (int i = 0; i < 5; i++) cr_assert_eq(choose(PLACEMENT_KUBE_HYBRID, s), cpu, "pod %d", i);
    for (int i = 0; i < 5; i++) cr_assert_eq(choose(PLACEMENT_KUBE_HYBRID, s), gpu, "pod %d", i);
    cr_assert_eq(choose(PLACEMENT_KUBE_HYBRID, s), POL_NONE);
}

static const char *name_of(void *ctx, uint32_t type, uint32_t n)
{
    static const char *const name[] = { "n-c", "n-a", "n-b", "n-d" };
    (void)ctx;
    return type == POL_NAME_NODE ? name[n] : NULL;
}

/* S3-12: the highest score; of equal ones the first name, or an order that the seed gives, of which there is more than one. */
Test(kube, S3_12_the_highest_score_and_of_equal_ones_the_first_by_name)
{
    const struct pol_host h = { .name = name_of };
    for (int i = 0; i < 4; i++) (void)node(0, 0, 0, 0);
    uint32_t s = shape(6000, 20 * GIB, 0, 0, 0), firsts = 0;
    ready(KUBE_DEFAULT);
    struct placement pl;
    struct pol_place out;
    placement_init(&pl, &b.plan, PLACEMENT_KUBE);
    placement_use(&pl, &b.kube);
    kube_rank(&b.kube, &h, 4, 0);
    const uint32_t want[] = { 1, 2, 0, 3, 1 };
    for (int i = 0; i < 5; i++) {
        cr_assert(placement_find(&pl, s, &out));
        cr_assert_eq(out.node, want[i]);
        plan_allocate(&b.plan, out.node, &b.shape[s], 0);
    }
    placement_fini(&pl);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        kube_rank(&b.kube, &h, 4, seed);
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 4; i++) {
            seen |= 1u << b.kube.rank[i];
            if (b.kube.rank[i] == 0) firsts |= 1u << i;
        }
        cr_assert_eq(seen, 15, "seed %lu gives no order", (unsigned long)seed);
    }
    cr_assert_eq(firsts, 15);
}

/* S3-1: the partition by cards, or by a label. */
Test(kube, S3_1_a_gpu_pod_goes_to_gpu_nodes_when_split)
{
    uint32_t cpu = node(0, 0, 0, 0), gpu = node(2, 0, 0, 0), plain = shape(1000, GIB, 0, 0, 0), card = shape(1000, GIB, 1, 0, 0);
    b.node[gpu].labels = 1;
    b.node[cpu].labels = 4;
    ready(KUBE_SPLIT);
    cr_assert(kube_admits(&b.kube, &b.plan, plain, cpu) && !kube_admits(&b.kube, &b.plan, plain, gpu));
    cr_assert(kube_admits(&b.kube, &b.plan, card, gpu) && !kube_admits(&b.kube, &b.plan, card, cpu));
    b.kube.part_label = 4;
    cr_assert(kube_admits(&b.kube, &b.plan, plain, gpu) && !kube_admits(&b.kube, &b.plan, plain, cpu));
}

/* 2 x (12 + 50)/2 and 3 x ...: weights count, most is what least leaves: used 28/32 and 64/128. */
Test(kube, weights_and_plugins_are_taken_from_text)
{
    uint32_t n = node(0, 0, 0, 0), s = shape(27000, 60 * GIB, 0, 0, 0);
    char error[256];
    ready(KUBE_DEFAULT);
    cr_assert_eq(plugin("least:2;most:3", s, n), (2 * ((12 + 50) / 2) + 3 * ((87 + 50) / 2)) * KUBE_POINT);
    cr_assert_eq(plugin("balanced", s, n), 62 * KUBE_POINT);     /* 1 - |.875 - .5| */
    cr_assert(!kube_parse(&b.kube, "last:1", error, sizeof error));
    cr_assert_not_null(strstr(error, "least, balanced, most"));
    cr_assert(!kube_parse(&b.kube, "least:0", error, sizeof error) && !kube_parse(&b.kube, "least:1,", error, sizeof error));
    cr_assert(!kube_parse(&b.kube, "", error, sizeof error) && kube_parse(&b.kube, "least", error, sizeof error));
}

static struct kube_args args_of(const char *spec)
{
    char error[256];
    cr_assert(kube_parse(&b.kube, spec, error, sizeof error), "%s", error);
    return b.kube.score[0].args;
}

/*
 * The example of Kubernetes' documentation, "Resource Bin Packing", with cards for its own resource: 3 of 4, a half
 * of the memory, 3 of 8 cores with weights 5, 1 and 3.  75, 50 and 37: (375 + 50 + 111) / 9 = 59.6, the nearest is 60.
 * A line from 10 down to 0: 25, 50 and 63: (125 + 50 + 189) / 9 = 40.4.
 */
Test(kube, S3_20_ratio_is_kubernetes_example)
{
    const int64_t c[KUBE_RESOURCES] = { 8000, GIB, 4000 }, r[KUBE_RESOURCES] = { 3000, GIB / 2, 3000 };
    struct kube_args up = args_of("ratio:1:cpu=3/memory=1/gpu=5/0=0/100=10"),
                     down = args_of("ratio:1:cpu=3/memory=1/gpu=5/0=10/100=0");
    cr_assert_eq(kube_ratio(c, r, &up), 60);
    cr_assert_eq(kube_ratio(c, r, &down), 40);
    /* What scores 0 has no weight: 5 to 10 from 40 % in use, 0 before; 37 % of the cores count nothing. */
    struct kube_args late = args_of("ratio:1:cpu=3/memory=1/gpu=5/40=0/50=5/75=10");
    cr_assert_eq(kube_ratio(c, r, &late), (5 * 100 + 50 + 3) / 6);
    /* More than there is, and nothing there, are full use. */
    const int64_t none[KUBE_RESOURCES] = { 0, GIB, 0 }, over[KUBE_RESOURCES] = { 0, 2 * GIB, 0 };
    cr_assert_eq(kube_ratio(none, over, &up), 100);
}

/* 32 cores and 128 GiB, of which 1 and 4 are the node's: with 7 cores and 28 GiB a quarter of each; one card of two. */
Test(kube, S3_20_resources_have_weights)
{
    uint32_t gpu = node(2, 0, 32 * GB, 0), pod = shape(15000, 28 * GIB, 1, 0, 0);
    ready(KUBE_DEFAULT);
    cr_assert_eq(plugin("least", pod, gpu), 62 * KUBE_POINT);                                  /* (50 + 75)/2 */
    cr_assert_eq(plugin("least:1:cpu=3/memory=1", pod, gpu), 56 * KUBE_POINT);                 /* (150 + 75)/4 */
    cr_assert_eq(plugin("least:1:gpu=1", pod, gpu), 50 * KUBE_POINT);
    cr_assert_eq(plugin("most:2:cpu=1/memory=2/gpu=1", pod, gpu), 2 * 37 * KUBE_POINT);        /* (50 + 50 + 50)/4 */
    cr_assert_eq(plugin("ratio:1:memory=1/0=0/100=10", pod, gpu), 25 * KUBE_POINT);
}

/* numFeasibleNodesToFind: below 100 nodes all, at least 100, 50 - n/125 per cent, at least 5. */
Test(kube, S3_20_how_many_nodes_are_looked_for)
{
    static const struct { uint32_t percentage, n, want;
    } of[] = {
        { 50, 99, 99 },      { 50, 100, 100 },  { 10, 150, 100 }, { 50, 1000, 500 },   { 5, 1000, 100 },
        { 100, 1000, 1000 }, { 33, 1001, 330 }, { 0, 99, 99 },    { 0, 150, 100 },     { 0, 1000, 420 },
        { 0, 5000, 500 },    { 0, 5625, 281 },  { 0, 6000, 300 }, { 0, 100000, 5000 },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        cr_expect_eq(kube_to_find(of[i].percentage, of[i].n), of[i].want, "%u %% of %u: %u", of[i].percentage, of[i].n,
                     kube_to_find(of[i].percentage, of[i].n));
}

Test(kube, arguments_of_plugins_are_checked)
{
    static const char *const bad[] = { "least:1:",       "least:1:cpu",       "least:1:cpu=0",    "least:1:cpu=101",
                                       "least:1:disk=1", "least:1:0=0",       "balanced:1:cpu=1", "ratio",
                                       "ratio:1:cpu=1",  "ratio:1:0=11",      "ratio:1:101=1",    "ratio:1:50=1/50=2",
                                       "ratio:1:0=0/",   "affinity;affinity", "affinity:0",       "affinity:1:cpu=1",
                                       "least:cpu=1" };
    char error[256];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        error[0] = '\0';
        cr_expect(!kube_parse(&b.kube, bad[i], error, sizeof error) && error[0] != '\0', "'%s' is taken", bad[i]);
    }
}
