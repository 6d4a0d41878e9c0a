/* Dominant resource fairness: the pick order of the policy, and the closed forms for divisible tasks. */
#include <criterion/criterion.h>
#include <math.h>
#include "ref/fakehost.h"
#include "ref/fairness.h"
#include "lib/sched/share.h"
#include "builtin.h"

static const int64_t GB = 1000000000;

/*
 * The paper's first example.  Node <9 CPU, 18 GB>; A's tasks <1, 4>, B's <3, 1>.
 * B is seen first, so a tie is B's, as in the paper's table.
 */
static struct fakehost *picked(const char *params, const char *expected)
{
    struct fakehost *h = fakehost_create();
    fakehost_node(h, 9000, 18 * GB, 0, 0);
    fakehost_open(h, &pol_drf, params);
    uint32_t b = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 3000, .mem_b = GB });
    uint32_t a = fakehost_shape(h, (struct pol_shape){ .cpu_milli = 1000, .mem_b = 4 * GB });
    uint32_t job_b = fakehost_job(h, 0, b, 10, false, -1, -1);
    (void)fakehost_job(h, 1, a, 10, false, -1, -1);
    fakehost_decide(h, 0);
    char order[16] = "";
    for (size_t i = 0; i < h->n_log; i++) order[i] = h->log[i].job == job_b ? 'B' : 'A';
    cr_assert_str_eq(order, expected);
    return h;
}

/* Shares after each pick: B 1/3; A 2/9; A 4/9; B 2/3; A 2/3.  Both then hold 2/3; CPU is used up. */
Test(drf, s0_29_picks_b_a_a_b_a)
{
    struct fakehost *h = picked("", "BAABA");
    cr_assert_eq(h->node[0].cpu_free, 0);
    cr_assert_eq(h->node[0].mem_free, 18 * GB - 3 * 4 * GB - 2 * GB);
    /* Both dominant shares are 2/3: 12/18 of memory, 6/9 of CPU. */
    struct share sa = share_dominant((int64_t[]){ 3000, 12 * GB, 0 }, (int64_t[]){ 9000, 18 * GB, 0 }, 1000);
    struct share sb = share_dominant((int64_t[]){ 6000, 2 * GB, 0 }, (int64_t[]){ 9000, 18 * GB, 0 }, 1000);
    cr_assert_eq(share_cmp(&sa, &sb), 0);
    cr_assert(sa.held * 3 == sa.total * 2);
    fakehost_destroy(h);
}

/* With A weighing 2: shares over weights A 1/9 a task, B 1/3: B, A, A, A; then A and B tie at 1/3, B is the lower id. */
Test(drf, weights_shift_the_order) { fakehost_destroy(picked("weights=u1:2", "BAAAB")); }

static void near(double x, double want, double tol) { cr_assert(fabs(x - want) <= tol, "%.5f is not %.5f", x, want); }

/* S0-30.  Weights 2:1: 4x/18 = 2 (3y/9), 4x + y = 18: x = 54/13, y = 18/13. */
Test(drf, s0_30_weighted_and_divisible)
{
    const struct fair_case c = { 2, 2, { 9, 18 }, { { 1, 4 }, { 3, 1 } }, { 2, 1 } };
    double x[FAIR_USERS];
    fair_drf(&c, x);
    near(x[0], 54.0 / 13, 1e-12); near(x[1], 18.0 / 13, 1e-12);
    near(x[0], 4.154, 5e-4); near(x[1], 1.385, 5e-4);
    near(fair_share(&c, 0, x[0]), .923, 5e-4); near(fair_share(&c, 1, x[1]), .462, 5e-4);
}

/* S0-31.  Asset fairness equalises summed shares; CEEI maximises the product of tasks. */
Test(drf, s0_31_asset_fairness_and_ceei)
{
    const struct fair_case c = { 2, 2, { 9, 18 }, { { 1, 4 }, { 3, 1 } }, { 1, 1 } };
    const struct fair_case even = { 2, 2, { 30, 30 }, { { 1, 3 }, { 1, 1 } }, { 1, 1 } };
    double x[FAIR_USERS];
    fair_asset(&c, x);
    near(x[0], 2.52, 1e-9); near(x[1], 2.16, 1e-9);
    fair_ceei(&c, x);
    near(x[0], 45.0 / 11, 1e-9); near(x[1], 18.0 / 11, 1e-9);
    fair_asset(&even, x);
    near(x[0], 6, 1e-9); near(x[1], 12, 1e-9);
    /* User 2 holds <12, 12>, less than half of either: no sharing incentive. */
    cr_assert(x[1] * 1 < 15);
}

/* S0-32.  CEEI rewards a lie and hurts a user when another leaves; DRF does neither. */
Test(drf, s0_32_ceei_rewards_lies_and_is_not_population_monotone)
{
    const struct fair_case honest = { 2, 2, { 100, 100 }, { { 16, 1 }, { 1, 2 } }, { 1, 1 } };
    const struct fair_case lying  = { 2, 2, { 100, 100 }, { { 16, 8 }, { 1, 2 } }, { 1, 1 } };
    double x[FAIR_USERS], y[FAIR_USERS];
    fair_ceei(&honest, x);
    fair_ceei(&lying, y);
    near(x[0], 3.226, 5e-4); near(x[1], 48.387, 5e-4);
    near(y[0], 4.167, 5e-4); near(y[1], 33.333, 5e-4);
    cr_assert(y[0] > x[0]);
    fair_drf(&honest, x);
    fair_drf(&lying, y);
    near(x[0], 4.167, 5e-4); near(y[0], 4.167, 5e-4);

    const struct fair_case three = { 3, 2, { 100, 100 }, { { 4, 1 }, { 1, 16 }, { 16, 1 } }, { 1, 1, 1 } };
    const struct fair_case two   = { 2, 2, { 100, 100 }, { { 4, 1 }, { 1, 16 } }, { 1, 1 } };
    fair_ceei(&three, x);
    fair_ceei(&two, y);
    near(x[0], 11.28, 5e-3); near(x[1], 5.35, 5e-3); near(x[2], 3.09, 5e-3);
    near(y[0], 23.81, 5e-3); near(y[1], 4.76, 5e-3);
    cr_assert(y[1] < x[1]);
    fair_drf(&three, x);
    fair_drf(&two, y);
    near(x[0], 12.12, 5e-3); near(x[1], 3.03, 5e-3); near(x[2], 3.03, 5e-3);
    near(y[0], 20, 1e-9); near(y[1], 5, 1e-9);
}

/*
 * The policy itself on the same instances, `times` as large with tasks as they are, so that whole tasks are near to
 * divisible ones: nobody has more than a task less, and what no larger task can use any more is for smaller ones.
 */
static double rest(const struct fair_case *c, int i)
{
    double most = 0;
    for (int j = 0; j < c->n; j++)
        for (int r = 0; r < c->m; r++) most = fmax(most, c->demand[j][r] / c->demand[i][r]);
    return most;
}

static void expect_tasks(const struct fair_case *c, int times, const char *params, const double *want)
{
    struct fakehost *h = fakehost_create();
    int x[FAIR_USERS] = { 0 };
    fakehost_node(h, (int64_t)c->cap[0] * times * 1000, (int64_t)c->cap[1] * times * GB, 0, 0);
    fakehost_open(h, &pol_drf, params);
    for (int i = 0; i < c->n; i++) {
        struct pol_shape s = { .cpu_milli = (int64_t)c->demand[i][0] * 1000, .mem_b = (int64_t)c->demand[i][1] * GB };
        uint32_t n = (uint32_t)(want[i] * times + rest(c, i)) + 2;
        (void)fakehost_job(h, (uint32_t)i, fakehost_shape(h, s), n, false, -1, -1);
    }
    fakehost_decide(h, 0);
    for (size_t i = 0; i < h->n_log; i++) x[h->log[i].job]++;
    for (int i = 0; i < c->n; i++)
        cr_assert(x[i] > want[i] * times - 1 && x[i] < want[i] * times + rest(c, i),
                  "user %d has %d tasks, not %.2f", i, x[i], want[i] * times);
    fakehost_destroy(h);
}

static const struct fair_case paper = { 2, 2, { 9, 18 }, { { 1, 4 }, { 3, 1 } }, { 1, 1 } };

/* S0-30.  A hundred times as large: 415 and 138 tasks; u0 weighs 2. */
Test(drf, s0_30_the_policy_divides_so_when_tasks_are_small)
{
    expect_tasks(&paper, 100, "weights=u0:2", (double[]){ 54.0 / 13, 18.0 / 13 });
}

/* S0-31.  Where these rules give 252 and 216, or 409 and 164 tasks, the policy gives 300 and 200; and on the instance
 * where asset fairness leaves a user 40 % of everything, it has half: 15 of 30. */
Test(drf, s0_31_the_policy_is_neither_and_gives_everyone_half)
{
    static const struct fair_case even = { 2, 2, { 30, 30 }, { { 1, 3 }, { 1, 1 } }, { 1, 1 } };
    expect_tasks(&paper, 100, "", (double[]){ 3, 2 });
    expect_tasks(&even, 40, "", (double[]){ 5, 15 });
}

/* S0-32.  The liar has 4.167 tasks, as before; when the third leaves, nobody has less. */
Test(drf, s0_32_the_policy_rewards_no_lie_and_nobody_loses_when_another_leaves)
{
    static const struct fair_case honest = { 2, 2, { 100, 100 }, { { 16, 1 }, { 1, 2 } }, { 1, 1 } };
    static const struct fair_case lying = { 2, 2, { 100, 100 }, { { 16, 8 }, { 1, 2 } }, { 1, 1 } };
    static const struct fair_case three = { 3, 2, { 100, 100 }, { { 4, 1 }, { 1, 16 }, { 16, 1 } }, { 1, 1, 1 } };
    static const struct fair_case two = { 2, 2, { 100, 100 }, { { 4, 1 }, { 1, 16 } }, { 1, 1 } };
    expect_tasks(&honest, 20, "", (double[]){ 100.0 / 24, 100.0 / 3 });
    expect_tasks(&lying, 20, "", (double[]){ 100.0 / 24, 100.0 / 3 });
    expect_tasks(&three, 30, "", (double[]){ 400.0 / 33, 100.0 / 33, 100.0 / 33 });
    expect_tasks(&two, 30, "", (double[]){ 20, 5 });
}

/* 192-bit products: shares that differ in the last unit of huge totals are told apart. */
Test(share, comparison_is_exact_at_the_edges)
{
    const int64_t big = INT64_C(1) << 60;
    struct share a = { big - 1, big, 1000000000 }, b = { big - 2, big - 1, 1000000000 };
    cr_assert(share_cmp(&a, &b) > 0);       /* 1 - 1/n grows with n */
    cr_assert(share_cmp(&b, &a) < 0);
    cr_assert_eq(share_cmp(&a, &a), 0);
    b = (struct share){ big - 1, big, 999999999 };
    cr_assert(share_cmp(&a, &b) < 0);
}

Test(share, weights_are_read_or_refused_with_the_reason)
{
    char error[200];
    struct share_weights w = { 0 };
    cr_assert(share_weights_parse(&w, "alice:2;bob:0.5;x:y:1.125", error, sizeof error), "%s", error);
    cr_assert_eq(share_weight(&w, "alice"), 2000);
    cr_assert_eq(share_weight(&w, "bob"), 500);
    cr_assert_eq(share_weight(&w, "x:y"), 1125);
    cr_assert_eq(share_weight(&w, "carol"), 1000);
    share_weights_fini(&w);
    static const char *const bad[] = { "alice", "alice:", ":2", "alice:0", "alice:-1", "alice:1.0001", "alice:1e3",
                                       "alice:1;alice:2", "alice:1;;bob:2", "alice:2000000", "alice: 1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cr_expect(!share_weights_parse(&w, bad[i], error, sizeof error), "'%s' was taken", bad[i]);
        share_weights_fini(&w);
    }
}
