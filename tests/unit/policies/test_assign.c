/*
 * The structured solver and the paper's network, on the examples of the paper
 * and of the acceptance list.  On every one of them the two agree.
 */
#include <criterion/criterion.h>
#include <string.h>
#include "ref/refflow.h"

static struct assign_result solved(struct assign *s)
{
    struct assign_result r;
    char error[200] = "";
    cr_assert_eq(assign_solve(s, &r), ASSIGN_OK);
    cr_assert(assign_verify(s, &r, error, sizeof error), "%s", error);
    return r;
}

/* n GPUs, each on a node of its own; jobs' tasks are added by the caller. */
static struct ref_round cluster(uint32_t n_gpus, uint32_t n_jobs)
{
    struct ref_round r;
    memset(&r, 0, sizeof r);
    r.n_racks = 1;
    r.n_nodes = r.n_gpus = n_gpus;
    r.n_classes = 2;
    r.n_jobs = n_jobs;
    for (uint32_t g = 0; g < n_gpus; g++) r.gpu[g] = (struct ref_gpu){ g, 0, true };
    return r;
}

static void task(struct ref_round *r, uint32_t job, int64_t far, uint32_t n_local, const uint32_t *local, int64_t cost)
{
    struct ref_task *t = &r->task[r->n_tasks++];
    *t = (struct ref_task){ .job = job, .fits = 3, .far = far, .is_here = true };
    for (uint32_t k = 0; k < n_local; k++) t->near[t->n_near++] = (struct assign_near){ local[k], 0, cost };
}

static uint32_t placed(const struct assign *s, const struct ref_round *r, uint32_t job)
{
    uint32_t n = 0, node, class;
    for (uint32_t t = 0; t < r->n_tasks; t++) n += r->task[t].job == job && assign_place(s, t, &node, &class);
    return n;
}

static bool on(const struct assign *s, uint32_t id, uint32_t node)
{
    uint32_t at, class;
    return assign_place(s, id, &at, &class) && at == node;
}

/* Solve both ways. */
static struct assign_result agreed(struct assign *s, const struct ref_round *r)
{
    struct assign_result got = solved(s);
    struct ref_net net;
    ref_net_init(&net, r);
    struct ref_answer want = ref_ssp(&net);
    ref_net_fini(&net);
    cr_assert_eq(got.flow, want.flow);
    cr_assert_eq(got.cost, want.cost);
    return got;
}

/* t11 lies on the nodes of GPU 1 and 2, t12 and t21 on GPU 2's; two GPUs, two jobs. */
static struct ref_round figure_1(uint32_t share)
{
    struct ref_round r = cluster(2, 2);
    r.job[0] = r.job[1] = (struct ref_job){ share, 30 };
    task(&r, 0, 10, 2, (uint32_t[]){ 0, 1 }, 2);
    task(&r, 0, 10, 1, (uint32_t[]){ 1 }, 2);
    task(&r, 1, 10, 1, (uint32_t[]){ 1 }, 2);
    return r;
}

Test(assign_flow, S4_2_figure_1_is_all_local_with_a_fair_share)
{
    struct ref_round r = figure_1(1);
    struct assign *s = ref_tell(&r);
    struct assign_result got = agreed(s, &r);
    uint32_t node, class;
    cr_assert(on(s, 0, 0) && on(s, 2, 1));
    cr_assert_not(assign_place(s, 1, &node, &class));
    cr_assert_eq(got.cost, 2 + 2 + 30);
    assign_destroy(s);
}

/* FSU: no unscheduled vertex, so every task is in the share. */
Test(assign_flow, S4_2_figure_1_without_shares_has_two_local_tasks)
{
    struct ref_round r = figure_1(2);
    r.job[1].share = 1;
    struct assign *s = ref_tell(&r);
    struct assign_result got = agreed(s, &r);
    cr_assert_eq(got.placed, 2);
    cr_assert_eq(got.cost, 2 + 2);
    assign_destroy(s);
}

/* Six GPUs; jobs of 4, 3 and 2 tasks, every task on every GPU at one cost. */
static struct ref_round figure_4(void)
{
    struct ref_round r = cluster(6, 3);
    static const uint32_t n[] = { 4, 3, 2 };
    for (uint32_t j = 0; j < 3; j++) {
        r.job[j] = (struct ref_job){ 2, 30 };
        for (uint32_t i = 0; i < n[j]; i++) task(&r, j, 5, 0, NULL, 0);
    }
    return r;
}

/* |V| = 2 + |J| + sum (k_i + 1) + m;  |E| <= 3 |J| + m + (m + 1) sum k_i. */
Test(assign_flow, S4_14_the_explicit_network_has_the_papers_size)
{
    struct ref_round four = figure_4(), one = figure_1(1);
    struct ref_net net;
    ref_net_init(&net, &four);
    cr_assert_eq(net.n, 23);
    cr_assert_eq(net.m, 78);
    ref_net_fini(&net);
    ref_net_init(&net, &one);
    cr_assert_eq(net.n, 11);
    cr_assert_eq(net.m, 17);
    ref_net_fini(&net);
}

Test(assign_flow, S4_15_figure_4_flows_9_and_gives_each_job_2)
{
    struct ref_round r = figure_4();
    struct assign *s = ref_tell(&r);
    struct assign_result got = agreed(s, &r);
    cr_assert_eq(got.flow, 9);
    cr_assert_eq(got.placed, 6);
    cr_assert_eq(got.cost, 6 * 5 + 3 * 30);
    for (uint32_t j = 0; j < 3; j++) cr_assert_eq(placed(s, &r, j), 2);
    assign_destroy(s);
}

/* A task may go where its memory ask is met, <= included; N_j - A_j below 0 counts as 0. */
Test(assign_flow, S4_16_no_arc_where_memory_is_short_and_no_negative_capacity)
{
    struct ref_round r = cluster(2, 1);
    r.gpu[1].class = 1;
    r.job[0] = (struct ref_job){ 9, 30 };
    task(&r, 0, 5, 0, NULL, 0);
    task(&r, 0, 5, 0, NULL, 0);
    r.task[0].fits = r.task[1].fits = 2;
    struct assign *s = ref_tell(&r);
    struct assign_result got = agreed(s, &r);
    cr_assert_eq(got.placed, 1);
    cr_assert_eq(got.flow, 1);
    cr_assert_eq(got.cost, 5);
    cr_assert(assign_first(s, 0, 0) == ASSIGN_NONE && assign_first(s, 1, 1) != ASSIGN_NONE);
    assign_destroy(s);
}

/* Decision 2: leaving a task costs alpha twice, on j -> u and on u -> E. */
static void threshold(int64_t alpha_tenths, uint32_t a_wants)
{
    struct ref_round r = cluster(3, 2);
    static const uint32_t g1 = 0, g2 = 1;
    r.job[0] = r.job[1] = (struct ref_job){ 1, 2 * alpha_tenths };
    for (int i = 0; i < 3; i++) task(&r, 0, 80, 1, &g1, 20);
    task(&r, 1, 80, 1, &g2, 20);
    struct assign *s = ref_tell(&r);
    (void)agreed(s, &r);
    cr_assert_eq(placed(s, &r, 0), a_wants);
    cr_assert_eq(placed(s, &r, 1), 1);
    cr_assert_eq(assign_first(s, 2, 0) == ASSIGN_NONE, a_wants == 1);
    assign_destroy(s);
}

Test(assign_flow, S4_17_an_idle_gpu_is_used_once_twice_alpha_exceeds_the_remote_cost)
{
    threshold(30, 1);       /* alpha 3: 6 < 8, g3 stays idle */
    threshold(45, 2);       /* alpha 4.5: 9 > 8 */
}

/* Each job's own network, joined at the GPUs, is the global one: adding them one by one is telling all at once. */
Test(assign_flow, S4_20_jobs_told_one_after_the_other_end_at_the_global_optimum)
{
    struct ref_shape shape = { 20, 30, 5, 8, 3, 2, 50, false };
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct rng g;
        struct ref_round r;
        rng_init(&g, seed, "merge", 0);
        ref_random(&r, &g, &shape);
        struct assign *s = assign_create(r.n_racks, r.n_nodes, r.rack, r.n_classes);
        ref_tell_gpus(s, &r);
        for (uint32_t j = 0; j < r.n_jobs; j++) {
            assign_job(s, j, r.job[j].share, r.job[j].alpha);
            for (uint32_t t = 0; t < r.n_tasks; t++) if (r.task[t].job == j) ref_tell_task(s, &r, t);
            (void)solved(s);
        }
        (void)agreed(s, &r);
        assign_destroy(s);
    }
}

/* A disk slower than the network: the node with the replica is the one place not to go. */
Test(assign_flow, a_replica_on_a_slow_disk_is_avoided)
{
    struct ref_round r = cluster(2, 1);
    static const uint32_t slow = 0;
    r.job[0] = (struct ref_job){ 2, 100 };
    task(&r, 0, 10, 1, &slow, 50);
    struct assign *s = ref_tell(&r);
    cr_assert_eq(agreed(s, &r).cost, 10);
    cr_assert(on(s, 0, 1));
    r.gpu[1].is_here = false;
    ref_tell_gpus(s, &r);
    cr_assert_eq(agreed(s, &r).cost, 50);
    assign_destroy(s);
}

/* What a job that fits no GPU is worth must follow its share all the same. */
Test(assign_flow, a_job_that_fits_nothing_follows_its_share)
{
    struct ref_round r = cluster(1, 2);
    r.job[0] = (struct ref_job){ 0, 7 };
    r.job[1] = (struct ref_job){ 1, 7 };
    task(&r, 0, 5, 0, NULL, 0);
    r.task[0].fits = 0;
    task(&r, 1, 5, 0, NULL, 0);
    struct assign *s = ref_tell(&r);
    cr_assert_eq(agreed(s, &r).flow, 2);
    r.job[0].share = 1;
    assign_job(s, 0, 1, 7);
    cr_assert_eq(agreed(s, &r).flow, 1);
    assign_destroy(s);
}

Test(assign_flow, the_same_calls_give_the_same_placement)
{
    struct ref_shape shape = { 40, 60, 6, 10, 4, 2, 6, false };
    struct rng g;
    struct ref_round r;
    rng_init(&g, 4, "twice", 0);
    ref_random(&r, &g, &shape);
    struct assign *a = ref_tell(&r), *b = ref_tell(&r);
    (void)solved(a);
    (void)solved(b);
    for (uint32_t t = 0; t < r.n_tasks; t++) {
        uint32_t n[2] = { 0, 0 }, k[2] = { 0, 0 };
        bool in = assign_place(a, t, &n[0], &k[0]);
        cr_assert_eq(in, assign_place(b, t, &n[1], &k[1]));
        cr_assert(!in || (n[0] == n[1] && k[0] == k[1]));
    }
    assign_destroy(a);
    assign_destroy(b);
}

Test(assign_flow, figures_that_are_not_those_of_the_placement_are_found)
{
    struct ref_shape shape = { 40, 60, 6, 10, 4, 2, 6, false };
    struct rng g;
    struct ref_round r;
    char error[200];
    rng_init(&g, 4, "twice", 0);
    ref_random(&r, &g, &shape);
    struct assign *s = ref_tell(&r);
    const struct assign_result right = solved(s);
    struct assign_result flow = right, cost = right;
    flow.flow++;
    cost.cost--;
    cr_expect_not(assign_verify(s, &flow, error, sizeof error));
    cr_expect_not(assign_verify(s, &cost, error, sizeof error));
    assign_destroy(s);
}

Test(assign_flow, costs_too_large_to_add_up_are_refused)
{
    struct assign *s = assign_create(1, 1, (uint32_t[]){ 0 }, 1);
    struct assign_result r;
    assign_places(s, 0, 0, 1);
    assign_job(s, 0, 1, 0);
    assign_add(s, 0, &(struct assign_task){ .job = 0, .fits = 1, .far = INT64_C(1) << 60 });
    cr_assert_eq(assign_solve(s, &r), ASSIGN_RANGE);
    assign_destroy(s);
}

Test(assign_flow, a_round_without_anything_is_solved)
{
    struct assign *s = assign_create(0, 0, NULL, 0);
    cr_assert_eq(solved(s).flow, 0);
    assign_destroy(s);
}
